"""The state of the arena for the people who run it: its processes, its queues, the findings of the doctor.

Each query uses an index or reads only the newest rows.
"""

from __future__ import annotations

from typing import Any, Final

from django.db.models import DurationField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now

from webui.matches.models import Match, MatchState
from webui.matches.queries import oldest_wait
from webui.notices.models import BotNotice, MailState, Notice
from webui.staff.models import MatchOrder, OrderState
from webui.staff.values import DoctorReport, Operations, Queue
from webui.status.models import DoctorRun
from webui.status.queries import oldest_due, processes, running, scheduled
from webui.webhooks.models import Delivery, DeliveryState

NEWEST: Final = 5000
"""Number of newest rows among which failed ones are counted."""


def operations() -> Operations:
    """Return the present state, in a fixed number of queries."""
    orders = MatchOrder.objects.filter(state=OrderState.WAITING)
    due = Delivery.objects.filter(state=DeliveryState.DUE, webhook__off="", next_at__lt=Now())
    mails = [model._default_manager.filter(mail=MailState.DUE) for model in (Notice, BotNotice)]
    return Operations(
        processes=processes(),
        matches=Queue(scheduled(), oldest_wait()),
        running=running(),
        leases_over=Match.objects.filter(state=MatchState.RUNNING, lease_expires_at__lt=Now()).count(),
        orders=Queue(orders.count(), _oldest(orders, "at")),
        mails=Queue(
            sum(rows.count() for rows in mails),
            max(_oldest(rows, "at") for rows in mails),
            sum(_given_up(model, Q(mail=MailState.FAILED)) for model in (Notice, BotNotice)),
        ),
        webhooks=Queue(due.count(), oldest_due(), _given_up(Delivery, Q(state=DeliveryState.FAILED))),
        doctor=last_examination(),
    )


def last_examination() -> DoctorReport | None:
    """Return the latest report of the nightly doctor."""
    row = DoctorRun.objects.first()
    return None if row is None else DoctorReport(row.at, row.looked_at, row.found, row.findings, row.skipped)


def _oldest(rows: QuerySet[Any], field: str) -> float:
    """Return the seconds that the oldest of these rows has waited, or 0 if there are no rows."""
    waited = ExpressionWrapper(Now() - F(field), output_field=DurationField())
    first = rows.order_by("pk").annotate(waited=waited).values_list("waited", flat=True).first()
    return max(0.0, first.total_seconds()) if first else 0.0


def _given_up(model: type[Notice | BotNotice | Delivery], condition: Q) -> int:
    newest = model._default_manager.order_by("-pk").values("pk")[:NEWEST]
    return model._default_manager.filter(condition, pk__in=newest).count()
