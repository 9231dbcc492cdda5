"""The components of a position: each must be there, and only once (rule 11)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

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
)
from arena.rules.draft import Draft
from arena.rules.errors import PositionError
from arena.rules.groups import cards_of, count


def check_inventory(state: Draft) -> None:
    """Raise `PositionError` unless every component of the ruleset is in the position exactly once (rule 11)."""
    for tribe, total in enumerate(state.ruleset.meeples):
        there = _meeples(state, tribe)
        if there != total:
            raise PositionError("BAD_MEEPLES", f"there are {total} meeples `{TRIBES[tribe]}`, the position has {there}")

    def drawn(phase: str) -> tuple[int, ...]:
        return state.drawn if state.phase == phase else ()

    for card, total in enumerate(RESOURCE_COPIES):
        there = sum(pile.count(card) for pile in (state.row, state.deck, state.discard, drawn("horn")))
        there += sum(cards_of(seat.hand, card) for seat in state.seats)
        if there != total:
            raise PositionError("BAD_CARD", f"there are {total} cards {RESOURCES[card]!r}, the position has {there}")
    djinns = [*state.djinn_row, *state.djinn_deck, *state.djinn_discard, *drawn("choose")]
    djinns += [djinn for seat in state.seats for djinn in seat.djinns]
    _check_tokens("Djinn", [DJINNS[number].id for number in state.ruleset.djinns], [DJINNS[n].id for n in djinns])
    whims = [*state.whim_deck, *(whim for whim in state.whims if whim >= 0)]
    whims += [whim for seat in state.seats for whim in (*seat.open, *seat.paid)]
    _check_tokens("whim", [WHIMS[number].id for number in state.ruleset.whim_cards], [WHIMS[n].id for n in whims])
    items = [*state.item_pile, *state.item_discard, *drawn("item")]
    items += [item for seat in state.seats for item in seat.items]
    _check_tokens("item", [ITEMS[number].id for number in state.ruleset.items], [ITEMS[n].id for n in items])
    for name, left, placed, total in (
        ("palms", state.palms_left, state.palms, PALMS),
        ("palaces", state.palaces_left, state.palaces, PALACES),
    ):
        if left + sum(placed) != total:
            raise PositionError("BAD_SUPPLY", f"there are {total} {name}, the position has {left + sum(placed)}")


def _check_tokens(what: str, box: Sequence[str], there: Sequence[str]) -> None:
    wrong = (Counter(box) - Counter(there)) or (Counter(there) - Counter(box))
    for name in wrong:
        total, number = box.count(name), there.count(name)
        raise PositionError("BAD_CARD", f"there are {total} {what} {name!r}, the position has {number}")


def _meeples(state: Draft, tribe: int) -> int:
    groups = [*state.meeples, state.bag, state.hand, state.lifted]
    there = sum(count(group, tribe) for group in groups)
    front = {VIZIER: "viziers", ELDER: "elders", ARTISAN: "artisans"}
    return there + (sum(getattr(seat, front[tribe]) for seat in state.seats) if tribe in front else 0)
