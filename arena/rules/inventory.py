"""Check the components of a position: each must be there exactly once (rule 11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

from arena.rules.components import (
    ARTISAN,
    DJINNS,
    ELDER,
    ITEMS,
    PALACES,
    PALMS,
    RESOURCE_COPIES,
    RESOURCES,
    TRIBES,
    VIZIER,
    WHIMS,
    Djinn,
    Item,
    Whim,
)
from arena.rules.draft import Draft
from arena.rules.errors import PositionError
from arena.rules.groups import cards_of, count
from arena.rules.ruleset import Ruleset
from arena.rules.seat import Seat


class Box(NamedTuple):
    """Contents of the box for a ruleset: meeples by tribe, and ascending numbers of Djinns, whims and items."""

    meeples: tuple[int, ...]
    djinns: list[int]
    whims: list[int]
    items: list[int]


@lru_cache(maxsize=32)
def _box(ruleset: Ruleset) -> Box:
    return Box(ruleset.meeples, list(ruleset.djinns), list(ruleset.whim_cards), list(ruleset.items))


def check_inventory(state: Draft) -> None:
    """Raise `PositionError` unless every component of the ruleset is in the position exactly once (rule 11)."""
    box = _box(state.board.ruleset)
    _check_meeples(state, box.meeples)
    resources = [*state.row, *state.deck, *state.discard]
    djinns = [*state.djinn_row, *state.djinn_deck, *state.djinn_discard]
    whims = [*state.whim_deck, *[whim for whim in state.whims if whim >= 0]]
    items = [*state.item_pile, *state.item_discard]
    drawn = {"horn": resources, "choose": djinns, "item": items}
    if state.phase in drawn:
        drawn[state.phase] += state.drawn
    seat: Seat
    for seat in state.seats:
        djinns += seat.djinns
        whims += (*seat.open, *seat.paid)
        items += seat.items
    _check_resources(state, resources)
    _check_tokens("Djinn", box.djinns, djinns, DJINNS)
    _check_tokens("whim", box.whims, whims, WHIMS)
    _check_tokens("item", box.items, items, ITEMS)
    for name, left, placed, total in (
        ("palms", state.palms_left, state.palms, PALMS),
        ("palaces", state.palaces_left, state.palaces, PALACES),
    ):
        if left + sum(placed) != total:
            raise PositionError("BAD_SUPPLY", f"there are {total} {name}, the position has {left + sum(placed)}")


def _check_meeples(state: Draft, totals: tuple[int, ...]) -> None:
    """Check the meeples on the tiles, in the bag, in hand, lifted and in front of the seats."""
    tribe: int
    total: int
    there: int
    group: int
    seat: Seat
    groups = [*state.meeples, state.bag, state.hand, state.lifted]
    front = [0] * len(TRIBES)
    for seat in state.seats:
        front[VIZIER] += seat.viziers
        front[ELDER] += seat.elders
        front[ARTISAN] += seat.artisans
    for tribe, total in enumerate(totals):
        there = front[tribe]
        for group in groups:
            there += count(group, tribe)
        if there != total:
            raise PositionError("BAD_MEEPLES", f"there are {total} meeples `{TRIBES[tribe]}`, the position has {there}")


def _check_resources(state: Draft, cards: list[int]) -> None:
    """Check these cards together with the hands of the seats."""
    card: int
    there: int
    seat: Seat
    numbers = [0] * len(RESOURCES)
    for card in cards:
        numbers[card] += 1
    for card, total in enumerate(RESOURCE_COPIES):
        there = numbers[card]
        for seat in state.seats:
            there += cards_of(seat.hand, card)
        if there != total:
            raise PositionError("BAD_CARD", f"there are {total} cards {RESOURCES[card]!r}, the position has {there}")


def _check_tokens(what: str, box: list[int], there: list[int], kinds: Sequence[Djinn | Whim | Item]) -> None:
    """Check that both lists hold the same numbers in any order. `kinds` has the names for the error."""
    if sorted(there) == box:
        return
    for number in (Counter(box) - Counter(there)) or (Counter(there) - Counter(box)):
        wanted, found = box.count(number), there.count(number)
        raise PositionError("BAD_CARD", f"there are {wanted} {what} {kinds[number].id!r}, the position has {found}")
