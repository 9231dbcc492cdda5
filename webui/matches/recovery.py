"""The sweeper, which frees matches whose owner no longer renews its lease.

Nothing else can end an ownership from outside.
"""

import structlog
from django.db import transaction
from django.db.models.functions import Now

from webui.matches.dispatching import dispatch
from webui.matches.ending import void_match
from webui.matches.models import Match, MatchState

MAX_ATTEMPTS = 3
"""Number of owners that may fail at the same length of the log. Then the match itself is at fault: it is voided and
repeated.
"""

log = structlog.get_logger(__name__)


def sweep() -> list[str]:
    """Make every match SCHEDULED again whose lease has expired by the database's clock, and return their ids.

    A match at which `MAX_ATTEMPTS` owners have failed is voided, and replaced by a new match with a new seed.
    """
    expired = Match.objects.filter(state=MatchState.RUNNING, lease_expires_at__lt=Now())
    swept = []
    for match_id, epoch, owner, length, attempts in expired.values_list("id", "epoch", "owner", "length", "attempts"):
        if attempts >= MAX_ATTEMPTS:
            reason = f"{attempts} workers failed to continue it at log entry {length}"
            if void_match(match_id, reason, again=True, epoch=epoch, only_expired=True):
                log.error("match voided", match=match_id, length=length, attempts=attempts)
            continue
        with transaction.atomic():
            # Repeat the condition: the owner may have renewed the lease since the SELECT, or another sweeper was
            # faster.
            if not expired.filter(pk=match_id, epoch=epoch).update(
                state=MatchState.SCHEDULED, owner="", lease_expires_at=None, waits_since=Now()
            ):
                continue
            dispatch(match_id)
        log.warning("lease expired", match=match_id, owner=owner, epoch=epoch, length=length, attempts=attempts)
        swept.append(match_id)
    return swept
