"""What is kept for how long; docs/security.md has the table with the reasons. The nightly task lets go of the rest.

Each rule is a condition on rows and what is done with them, in transactions of at most `BATCH` rows: who is killed has
done some of it, and the next night does the rest.
"""

from collections.abc import Callable, Iterator
from typing import Any, Final

from allauth.account.models import EmailConfirmation
from django.contrib.sessions.models import Session
from django.db import models, transaction
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from webui.ladder.actions.api_requests import old_requests
from webui.ladder.actions.deliveries import old_deliveries
from webui.ladder.actions.notices import old_notices
from webui.ladder.actions.status import old_status
from webui.ladder.dbtime import before_now
from webui.ladder.models import ENDED, ApiToken, AuditEntry, BotToken, SpectatorRow, UserSession

BATCH: Final = 500
DAY_S: Final = 86400.0
TOKEN_ADDRESS_S: Final = 90 * DAY_S
"""So long after its last use a token keeps from where it was used."""
HISTORY_ADDRESS_S: Final = 365 * DAY_S
"""So long the history of an account says from where something was done."""
CONFIRMATION_S: Final = 30 * DAY_S
"""So long links that were sent to confirm an address are kept; they have expired long before."""


def let_go(is_stopping: Callable[[], bool] = lambda: False, batch: int = BATCH) -> dict[str, int]:
    """Delete, or empty, all that is older than it is kept; how many rows, by what they are."""
    gone: dict[str, int] = {}
    for name, rows, values in _rules():
        while not is_stopping() and (count := _some(rows, values, batch)):
            gone[name] = gone.get(name, 0) + count
    return gone


Rule = tuple[str, models.QuerySet[Any], dict[str, str] | None]
"""What it is; which rows; the columns that are emptied, or None: the rows are deleted."""


def _rules() -> Iterator[Rule]:
    yield "sessions", Session.objects.filter(expire_date__lt=Now()), None
    # The lists of who is signed in where, of which the session is gone.
    live = Session.objects.filter(session_key=OuterRef("session_key"))
    yield "places of sessions", UserSession.objects.filter(~Exists(live), seen_at__lt=before_now(DAY_S)), None
    yield "confirmations", EmailConfirmation.objects.filter(created__lt=before_now(CONFIRMATION_S)), None
    unused = Q(last_used_at__lt=before_now(TOKEN_ADDRESS_S)) & ~Q(last_address="")
    for model in (BotToken, ApiToken):
        yield "addresses of tokens", model._default_manager.filter(unused), {"last_address": ""}
    # Around `AuditQuerySet`, which refuses: a change that the triggers of the database let pass.
    entries = models.QuerySet[AuditEntry](AuditEntry).filter(at__lt=before_now(HISTORY_ADDRESS_S))
    yield "addresses of history", entries.exclude(address=""), {"address": ""}
    yield from (("notices", rows, None) for rows in old_notices())
    yield "messages of webhooks", old_deliveries(), None
    yield "answers of the API", old_requests(), None
    yield from (("status", rows, None) for rows in old_status())
    # A worker of a version that does not know of them leaves them there.
    ended = [str(state) for state in ENDED]
    yield "what spectators saw", SpectatorRow.objects.filter(match__state__in=ended), None


@transaction.atomic
def _some(rows: models.QuerySet[Any], values: dict[str, str] | None, batch: int) -> int:
    chosen = rows.model._base_manager.filter(pk__in=list(rows.order_by("pk").values_list("pk", flat=True)[:batch]))
    if values is None:
        return sum(chosen.delete()[1].values())
    return models.QuerySet(rows.model).filter(pk__in=chosen.values("pk")).update(**values)
