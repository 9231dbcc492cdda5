"""Queries of webhooks and their messages, for their owners."""

from collections.abc import Sequence
from typing import Final

from django.db.models import Max, Q, QuerySet

from webui.bots.queries import bot_ref
from webui.core.errors import NotFound
from webui.events.models import EventRow
from webui.webhooks.models import Delivery, Webhook
from webui.webhooks.values import DeliveryLine, WebhookLine

MOST_EVENTS: Final = 100
"""Maximum number of events offered for a webhook."""


def webhooks(user_id: int) -> list[WebhookLine]:
    """Return a user's webhooks, oldest first."""
    rows = Webhook.objects.filter(user_id=user_id).select_related("bot__owner", "event")
    return [_line(row) for row in rows.annotate(latest_at=Max("deliveries__at")).order_by("pk")]


def webhook(user_id: int, webhook_id: int) -> WebhookLine:
    """Return one of a user's webhooks. Raise `NotFound` if there is none."""
    lines = [line for line in webhooks(user_id) if line.id == webhook_id]
    if not lines:
        raise NotFound(f"there is no webhook {webhook_id} of yours")
    return lines[0]


def _line(row: Webhook) -> WebhookLine:
    return WebhookLine(
        id=row.pk,
        url=row.url,
        kinds=tuple(row.kinds),
        bot=bot_ref(row.bot) if row.bot else None,
        event=row.event.slug if row.event else "",
        event_name=row.event.name if row.event else "",
        created_at=row.created_at,
        off=row.off,
        failing_since=row.failing_since,
        former_until=row.former_until,
        latest_at=vars(row)["latest_at"],
    )


def deliveries(
    webhook_id: int, *, first: int = 0, most: int | None = None, before: int | None = None
) -> list[DeliveryLine]:
    """Return messages of a webhook, newest first. If `before` is the id of one of them, only older ones are
    returned."""
    rows = Delivery.objects.filter(webhook_id=webhook_id).order_by("-pk")
    if before is not None:
        rows = rows.filter(pk__lt=before)
    return [
        DeliveryLine(
            id=row.pk,
            message=row.message,
            kind=row.kind,
            body=row.body,
            at=row.at,
            state=row.state,
            next_at=row.next_at,
            tries=row.tries,
            tried_at=row.tried_at,
            status=row.status,
            answer=row.answer,
            failure=row.failure,
            detail=row.detail,
        )
        for row in rows[first : None if most is None else first + most]
    ]


def own_events(user_id: int) -> QuerySet[EventRow]:
    """Return the events whose messages a user may receive: those that their bots are in, and those that they
    organise."""
    own = Q(bots__bot__owner=user_id) | Q(owner=user_id) | Q(helpers=user_id)
    return EventRow.objects.filter(pk__in=EventRow.objects.filter(own).values("pk"))


def webhook_events(user_id: int) -> Sequence[tuple[str, str]]:
    """Return the slug and name of these events, newest first, up to a limit."""
    return list(own_events(user_id).order_by("-created_at").values_list("slug", "name")[:MOST_EVENTS])
