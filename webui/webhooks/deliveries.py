"""Delivery of messages to webhooks: taking them to send, and recording the replies.

A sender takes one message after the other. If it dies, its message is taken again after `TAKEN_S`, with the same id. No
message is lost, and at worst one is sent twice.
"""

import secrets
from collections import Counter
from collections.abc import Iterable
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Case, Exists, F, OuterRef, Q, QuerySet, Subquery, Value, When, Window
from django.db.models.functions import Now, RowNumber

from arena.host.posting import Reply
from webui.core.dbtime import after_now, before_now
from webui.webhooks.messages import webhook_switched_off
from webui.webhooks.models import Delivery, DeliveryState, OffReason, Webhook
from webui.webhooks.values import DueDelivery

AT_ONCE: Final = 2
"""Maximum number of simultaneous requests of one owner. Slow receivers must not delay messages of other owners."""
TAKEN_S: Final = 120.0
"""Seconds for which a message is taken. This is longer than any request, including name resolution."""
FIRST_PAUSE_S: Final = 10.0
LONGEST_PAUSE_S: Final = 7200.0
FAILING_S: Final = 5 * 86400.0
"""Seconds without success after which a webhook is switched off."""
KEPT_S: Final = 30 * 86400.0
GONE: Final = 410
IS_TIME: Final = Q(next_at__lte=Now()) | Q(tries=0) | Q(tried_at__gt=Now())
"""Condition for deliveries to send now. A new one is sent at once. So is one whose last try is in the future: the clock
was set back since then."""
IS_ROLLING: Final = Case(When(webhook__former_until__gt=Now(), then=True), default=False)

log = structlog.get_logger(__name__)
_draw = secrets.SystemRandom()


def take_deliveries(most: int, under_way: Counter[int]) -> list[DueDelivery]:
    """Take at most `most` messages to send now. `under_way` is the number of requests in flight by owner.

    Owners with fewer requests in flight come first. Among those, the owner whose latest request is oldest comes first.
    An owner gets a second request only while half of the capacity is free.

    Owners with a failing webhook get one request each, and together at most half of the capacity. Owners whose webhooks
    never received anything count with them for a second limit, three quarters of the capacity. Other owners therefore
    always find capacity, even if many receivers never answer.
    """
    counts, taken, places = Counter(under_way), list[DueDelivery](), most + under_way.total()
    half, three_quarters = (places + 1) // 2, (3 * places + 3) // 4
    rows = list(_first_of_each_owner(under_way))
    failing = set(Webhook.objects.filter(off="").exclude(failing_since=None).values_list("user_id", flat=True))
    owners = {row.webhook.user_id for row in rows}.union(under_way)
    slow = failing | (owners - _receiving(owners))
    for row in rows:
        hook, user = row.webhook, row.webhook.user_id
        if len(taken) == most:
            break
        if counts[user] and (counts[user] >= AT_ONCE or user in failing or counts.total() >= half):
            continue
        if user in failing and sum(counts[owner] for owner in failing) >= half:
            continue
        if user in slow and sum(counts[owner] for owner in slow) >= three_quarters:
            continue
        signing = (hook.secret, hook.former_secret) if vars(row)["is_rolling"] else (hook.secret,)
        same = Delivery.objects.filter(IS_TIME, pk=row.pk, state=DeliveryState.DUE, tries=row.tries)
        if same.update(next_at=after_now(TAKEN_S), tried_at=Now(), tries=F("tries") + 1):
            counts[user] += 1
            taken.append(DueDelivery(row.pk, row.message, row.body, hook.url, user, signing))
    return taken


def _receiving(owners: Iterable[int]) -> set[int]:
    """Return the owners that have at least one webhook that has received a message."""
    received = Delivery.objects.filter(webhook=OuterRef("pk"), state=DeliveryState.RECEIVED)
    hooks = Webhook.objects.filter(Exists(received), user__in=owners, off="")
    return set(hooks.values_list("user_id", flat=True))


def _first_of_each_owner(under_way: Counter[int]) -> QuerySet[Delivery]:
    """Return the earliest due messages of each owner, at most `AT_ONCE` each, in a fair order."""
    owner = F("webhook__user")
    due = Delivery.objects.filter(IS_TIME, state=DeliveryState.DUE, webhook__off="", webhook__user__is_active=True)
    turn = Window(RowNumber(), partition_by=owner, order_by=["next_at", "pk"])
    places = Case(*(When(webhook__user=user, then=Value(count)) for user, count in under_way.items()), default=0)
    of_owner = Delivery.objects.filter(webhook__user=OuterRef("webhook__user"), tried_at__isnull=False)
    rows = due.annotate(turn=turn, latest=Subquery(of_owner.order_by("-tried_at").values("tried_at")[:1]))
    return (
        rows.filter(turn__lte=AT_ONCE)
        .annotate(is_rolling=IS_ROLLING, place=places + F("turn"))
        .select_related("webhook")
        .order_by("place", F("latest").asc(nulls_first=True), "next_at", "pk")
    )


@transaction.atomic
def note_reply(delivery_id: int, reply: Reply) -> None:
    """Record the reply to a request. If the message was not received, schedule a retry or give it up."""
    row = Delivery.objects.select_related("webhook").filter(pk=delivery_id).first()
    if row is None:
        return  # removed in the meantime
    came = {"status": reply.status, "answer": reply.text, "failure": reply.failure or "", "detail": reply.detail[:200]}
    this, hook = Delivery.objects.filter(pk=row.pk), Webhook.objects.filter(pk=row.webhook_id)
    if reply.is_success:
        this.update(state=DeliveryState.RECEIVED, next_at=None, **came)
        hook.exclude(failing_since=None).update(failing_since=None)
        return
    pause = _pause(row.tries)
    this.update(**came)
    due = this.filter(state=DeliveryState.DUE)
    if not due.filter(until__gt=after_now(pause)).update(next_at=after_now(pause)):
        due.update(state=DeliveryState.FAILED, next_at=None)
    hook.filter(failing_since=None).update(failing_since=Now())
    if reply.status == GONE:
        _switch_off(row.webhook, OffReason.GONE)
    elif hook.filter(failing_since__lt=before_now(FAILING_S)).exists():
        _switch_off(row.webhook, OffReason.FAILING)


def _pause(tries: int) -> float:
    """Return the backoff in seconds after a number of tries.

    It triples with each try, up to two hours. Random jitter spreads the retries of messages that failed together.
    """
    return min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 3.0 ** min(tries - 1, 10)) * _draw.uniform(0.8, 1.2)


def _switch_off(hook: Webhook, reason: OffReason) -> None:
    if Webhook.objects.filter(pk=hook.pk, off="").update(off=reason):
        give_up(hook.pk)
        webhook_switched_off(hook, reason)
        log.info("webhook_off", webhook=hook.pk, reason=str(reason))


def give_up(webhook_id: int) -> None:
    """Give up the due messages of a webhook that is off."""
    due = Delivery.objects.filter(webhook=webhook_id, state=DeliveryState.DUE)
    due.update(state=DeliveryState.FAILED, next_at=None)


def old_deliveries() -> QuerySet[Delivery]:
    """Return the query that selects outdated messages."""
    return Delivery.objects.filter(at__lt=before_now(KEPT_S), until__lt=Now())
