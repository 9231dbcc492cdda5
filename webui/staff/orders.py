"""Orders of staff about matches. The site writes them, and a worker carries them out.

The row is the order, and no message is needed: every worker polls for orders every few seconds. An order is carried out
in the transaction that takes it. It is therefore carried out exactly once, even if a worker crashes.
"""

from __future__ import annotations

from typing import Final

import structlog
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from webui.accounts.actions import check_reason
from webui.accounts.values import Actor
from webui.core.errors import BadRequest, LadderError, NotFound, Stale
from webui.matches.ending import play_again, void_match
from webui.matches.models import ENDED, Match, MatchState
from webui.staff.models import MatchOrder, OrderKind, OrderState

MOST_AT_ONCE: Final = 20
"""Maximum number of orders carried out in one poll."""

log = structlog.get_logger(__name__)


@transaction.atomic
def order_match(match_id: str, kind: str, reason: str, *, by: Actor) -> bool:
    """Order that a match is voided or played again. A worker carries out an order of staff; an order of the operator is
    carried out at once.

    Return False if the same is ordered already. Raise `NotFound`, `BadRequest` or `Stale`.
    """
    reason = check_reason(reason)
    if kind not in OrderKind.values:
        raise BadRequest(f"order {kind!r}: use one of {', '.join(OrderKind.values)}")
    state = Match.objects.filter(pk=match_id).values_list("state", flat=True).first()
    if state is None:
        raise NotFound(f"there is no match {match_id!r}")
    is_to_end = kind != OrderKind.AGAIN
    if is_to_end and state in ENDED:
        raise BadRequest(f"match {match_id} has ended already")
    if not is_to_end and state not in (MatchState.VOID, MatchState.ABORTED):
        raise BadRequest(f"match {match_id} is {state}: only one without a result is played again")
    if by.user_id is None:
        _execute(match_id, kind, reason, by)
        return True
    order = MatchOrder(match_id=match_id, kind=kind, reason=reason, by_id=by.user_id, address=by.address[:64])
    try:
        with transaction.atomic():
            order.save(force_insert=True)
    except IntegrityError:
        waiting = MatchOrder.objects.filter(match=match_id, state=OrderState.WAITING).first()
        if waiting is None:  # it was carried out in the meantime
            raise Stale from None
        if waiting.kind != kind:
            raise BadRequest(f"another order waits for match {match_id}: wait until it is done") from None
        return False
    return True


def carry_out_orders() -> int:
    """Carry out waiting orders. Return how many were carried out."""
    # Choose at random if there are more, so that orders that fail repeatedly do not hold up all others.
    waiting = MatchOrder.objects.filter(state=OrderState.WAITING).order_by("?").values_list("pk", flat=True)
    count = 0
    for pk in sorted(waiting[:MOST_AT_ONCE]):
        try:
            count += _carry_out(pk)
        except LadderError as error:
            _refuse(pk)
            log.warning("order_refused", order=pk, error=str(error))
        except Exception:  # a bug of ours: the order is retried after the others
            log.exception("order_not_carried_out", order=pk)
    return count


@transaction.atomic
def _carry_out(pk: int) -> bool:
    order = MatchOrder.objects.select_related("by").get(pk=pk)
    if not MatchOrder.objects.filter(pk=pk, state=OrderState.WAITING).update(
        state=OrderState.DONE, ended_at=Now(), address=""
    ):
        return False  # another worker was first
    if not (order.by.is_active and order.by.is_staff):
        raise BadRequest(f"{order.by} is no longer staff")
    _execute(order.match_id, order.kind, order.reason, Actor(order.by_id, order.address))
    log.info("order_carried_out", match=order.match_id, kind=order.kind, by=order.by_id)
    return True


def _execute(match_id: str, kind: str, reason: str, by: Actor) -> None:
    if kind == OrderKind.AGAIN:
        play_again(match_id, reason, by=by)
    elif not void_match(match_id, reason, again=kind == OrderKind.VOID_AGAIN, by=by):
        raise BadRequest(f"match {match_id} has ended already")


def _refuse(pk: int) -> None:
    MatchOrder.objects.filter(pk=pk, state=OrderState.WAITING).update(
        state=OrderState.REFUSED, ended_at=Now(), address=""
    )
