"""Sell suits of merchandise at the end of a player turn (rules 3.2 T5, R27)."""

from __future__ import annotations

from functools import cache

from arena.rules import notation
from arena.rules.components import RESOURCES, SUIT_VALUE
from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.groups import cards_of, goods_in, hand_of
from arena.rules.notation import END, GOODS_BY_NAME, Action
from arena.rules.seat import Seat


@cache
def sales_of(goods: int) -> tuple[Action, ...]:
    """Return every sale of some of these kinds (a mask), in listing order."""
    names = [good for good in GOODS_BY_NAME if goods >> good & 1]
    suits: list[tuple[int, ...]] = []

    def extend(suit: tuple[int, ...], start: int) -> None:
        # A text sorts directly before its longer forms, because no good's name begins another's.
        for place in range(start, len(names)):
            suits.append((*suit, names[place]))
            extend(suits[-1], place + 1)

    extend((), 0)
    return tuple(notation.sell(suit) for suit in suits)


def list_sales(state: Draft) -> tuple[Action, ...]:
    """Return every sale of different goods in hand."""
    seat: Seat = state.seats[state.to_act - 1]
    return sales_of(goods_in(seat.hand))


def list_end(state: Draft) -> tuple[Action, ...]:
    """Return `end`, which is always legal once the actions of the turn are done."""
    return (END,)


def check_sell(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless the goods are all in hand (3.2 T5)."""
    hand = state.seats[state.to_act - 1].hand
    missing = [RESOURCES[int(good)] for good in action.args if not cards_of(hand, int(good))]
    if missing:
        raise IllegalAction("NO_SUCH_CARD", f"you hold no {' and no '.join(missing)}", "3.2 T5")


def check_end(state: Draft, action: Action) -> None:
    """Accept every `end`: a turn may always end once its actions are done."""


def play_sell(draft: Draft, action: Action) -> None:
    """Discard the cards and give the seat the value of the suit."""
    goods = tuple([int(good) for good in action.args])
    seat: Seat = draft.own(draft.to_act)
    seat.gold += SUIT_VALUE[len(goods)]
    seat.hand -= hand_of(goods)
    draft.discard += goods


def play_end(draft: Draft, action: Action) -> None:
    """End the turn: clean up, then go on to the next turn."""
    draft.agenda = (("end_turn", 0),)
