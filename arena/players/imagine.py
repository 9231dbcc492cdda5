"""A complete state to think in, made from a view by guessing what the seat cannot know."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from arena.rules import Ruleset, State, Stream, View, format_view, parse_position
from arena.rules.components import DJINNS, ITEMS, RESOURCE_COPIES, RESOURCES, WHIMS

GUESSED_GOLD = 30
"""GC that a seat whose gold is hidden is taken to have; no choice of the house players rests on it."""


def imagine(view: View, stream: Stream) -> State:
    """A state that the view fits, to search in: cards and tokens that its seat has not seen are dealt at random, by the
    stream, to the other seats and the draw piles. Of other seats' gold nothing is known: each has 30 coins in it.

    Where a decision rests on what is hidden, imagine several states and choose for all of them.
    """
    is_complete = isinstance(view.deck, tuple)
    document = format_view(view if is_complete else _guess(view, stream))
    document.pop("view", None)
    return parse_position(document)


def _guess(view: View, stream: Stream) -> View:
    """The view with everything filled in that it leaves open."""
    ruleset = Ruleset(view.players, view.expansions)
    seats, turn = list(view.seats), view.turn
    seen_drawn = () if isinstance(turn.drawn, int) else turn.drawn
    guessed: dict[str, Any] = {}

    known = [*view.market, *view.discard, *(seen_drawn if view.phase == "horn" else ())]
    known += [name for seat in seats for name, number in (seat.hand or {}).items() for _ in range(number)]
    box = [name for name, copies in zip(RESOURCES, RESOURCE_COPIES, strict=True) for _ in range(copies)]
    unseen = _unseen(box, known, stream)
    seats = [
        replace(seat, gold=GUESSED_GOLD, hand=Counter(_deal(unseen, seat.cards))) if seat.hand is None else seat
        for seat in seats
    ]
    guessed["deck"] = tuple(unseen)

    known = [*view.djinns, *view.djinn_discard, *(seen_drawn if view.phase == "choose" else ())]
    known += [djinn for seat in seats for djinn in seat.djinns]
    unseen = _unseen([DJINNS[number].id for number in ruleset.djinns], known, stream)
    if view.phase == "choose" and isinstance(turn.drawn, int):
        turn = replace(turn, drawn=_deal(unseen, turn.drawn))
    guessed["djinn_deck"] = tuple(unseen)

    if ruleset.artisans:
        known = [*view.items_discarded, *(seen_drawn if view.phase == "item" else ())]
        known += [item for seat in seats if isinstance(seat.items, tuple) for item in seat.items]
        unseen = _unseen([ITEMS[number].id for number in ruleset.items], known, stream)
        seats = [
            replace(seat, items=_deal(unseen, seat.items)) if isinstance(seat.items, int) else seat for seat in seats
        ]
        if view.phase == "item" and isinstance(turn.drawn, int):
            turn = replace(turn, drawn=_deal(unseen, turn.drawn))
        guessed["item_pile"] = tuple(unseen)

    if ruleset.whims:
        known = [tile.whim for tile in view.tiles.values() if tile.whim]
        known += [whim for seat in seats for whim in seat.paid_whims]
        known += [whim for seat in seats if isinstance(seat.open_whims, tuple) for whim in seat.open_whims]
        unseen = _unseen([WHIMS[number].id for number in ruleset.whim_cards], known, stream)
        seats = [
            replace(seat, open_whims=_deal(unseen, seat.open_whims)) if isinstance(seat.open_whims, int) else seat
            for seat in seats
        ]
        guessed["whim_deck"] = tuple(unseen)
    return replace(view, seats=tuple(seats), turn=turn, **guessed)


def _unseen(box: Iterable[str], known: Iterable[str], stream: Stream) -> list[str]:
    """What is in the box and not known, in a random order."""
    return stream.shuffle(sorted((Counter(box) - Counter(known)).elements()))


def _deal(pile: list[str], number: int) -> tuple[str, ...]:
    """Take the first so many off a pile."""
    dealt = tuple(pile[:number])
    del pile[:number]
    return dealt
