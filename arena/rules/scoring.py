"""The score by category, the ranks, and the outcome (rules 3.6, 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from arena.rules.components import (
    AL_AMIN,
    ARTISAN_MAJORITY_VALUE,
    ARTISAN_VALUE,
    CITY_VALUE,
    DJINNS,
    ELDER_VALUE,
    FAKIRS_PER_WILD,
    GEB,
    GEB_BONUS,
    GOODS,
    HAURVATAT,
    HAURVATAT_VALUE,
    ITEMS,
    JAFAAR,
    JAFAAR_VALUE,
    LAKE_FACTOR,
    MAJORITY_VALUE,
    PALACE_VALUE,
    PALM_VALUE,
    PTAH,
    PTAH_BONUS,
    SHAMHAT,
    SHAMHAT_VALUE,
    SUIT_VALUE,
)
from arena.rules.draft import Draft
from arena.rules.geometry import tiles_of
from arena.rules.groups import cards_of
from arena.rules.seat import Seat


@dataclass(frozen=True)
class Outcome:
    """The end of a game: each seat's VP by category with a `total`, each seat's rank, and the reason (3.5).

    Rank 1 is best, and ties share a rank.

    >>> from random import Random
    >>> line = Line(start(Ruleset(2), bytes(32)))
    >>> count = line.playout(Random(1))
    >>> outcome = line.state.outcome
    >>> outcome.ranks, [seat["total"] for seat in outcome.scores], outcome.reason
    ((1, 2), [68, 47], 'no-moves')
    """

    scores: tuple[dict[str, int], ...]
    ranks: tuple[int, ...]
    reason: str

    def document(self) -> dict[str, object]:
        """Return the outcome in the form of a replay's `result`."""
        return {"scores": [dict(score) for score in self.scores], "ranks": list(self.ranks), "reason": self.reason}


def outcome(state: Draft) -> Outcome:
    """Return the outcome of a game that is over."""
    scores = tuple([score(state, seat) for seat in range(1, len(state.seats) + 1)])
    return Outcome(scores, ranks([seat["total"] for seat in scores]), state.ending or "")


def score(state: Draft, number: int) -> dict[str, int]:
    """Return the VP of a seat (from 1) by category, as if the game ended now (3.6).

    >>> score(start(Ruleset(2), bytes(32)), 1)["gold"]
    50
    """
    seat: Seat = state.seats[number - 1]
    has = seat.djinns
    owned = tiles_of(seat.owned)
    outdone = sum([other.viziers < seat.viziers for other in state.seats])
    score = {
        "gold": seat.gold,
        "viziers": seat.viziers * (JAFAAR_VALUE if JAFAAR in has else 1) + MAJORITY_VALUE * outdone,
        "elders": seat.elders * (SHAMHAT_VALUE if SHAMHAT in has else ELDER_VALUE),
        "djinns": sum([DJINNS[djinn].value for djinn in seat.djinns]),
        "tiles": tiles_value(state, seat),
        "palms": by_the_lake(state, owned, state.palms) * (HAURVATAT_VALUE if HAURVATAT in has else PALM_VALUE),
        "palaces": by_the_lake(state, owned, state.palaces) * PALACE_VALUE,
        "goods": goods_value(seat, wilds=AL_AMIN in has),
    }
    if state.board.has_items:
        most = seat.artisans == max([other.artisans for other in state.seats])
        each = (ARTISAN_MAJORITY_VALUE if most else ARTISAN_VALUE) + (PTAH_BONUS if PTAH in has else 0)
        precious = [ITEMS[item].value for item in seat.items if ITEMS[item].value]
        score["artisans"] = seat.artisans * each
        score["items"] = sum(precious) + len(precious) * (GEB_BONUS if GEB in has else 0)
    score["total"] = sum(score.values())
    return score


def tiles_value(state: Draft, seat: Seat) -> int:
    """Return the VP of a seat's tiles: printed values, cities by their number, 1 per red tile around the tent (6.6)."""
    board, cities = state.board, state.board.of_kind("city")
    printed = sum([board.tiles[tile].value for tile in tiles_of(seat.owned & ~cities)])
    tent = board.red_around[seat.camp] if seat.camp >= 0 else 0
    return printed + CITY_VALUE[(seat.owned & cities).bit_count()] + tent


def by_the_lake(state: Draft, owned: list[int], pieces: tuple[int, ...]) -> int:
    """Return the number of pieces on these tiles; those around the Great Lake count twice (5.1)."""
    lakeside = state.board.lakeside
    return sum([pieces[tile] * (LAKE_FACTOR if lakeside >> tile & 1 else 1) for tile in owned])


def goods_value(seat: Seat, *, wilds: bool) -> int:
    """Return the VP of a hand's merchandise in the best suits. With `wilds`, two Fakirs make a card of choice."""
    numbers = sorted([cards_of(seat.hand, good) for good in range(len(GOODS))])
    for _ in range(seat.fakirs // FAKIRS_PER_WILD if wilds else 0):
        # Lengthen the longest suit that lacks the rarest kind: longer suits gain more.
        numbers[0] += 1
        numbers.sort()
    return sum([SUIT_VALUE[sum([number > layer for number in numbers])] for layer in range(numbers[-1])])


def ranks(totals: Sequence[int]) -> tuple[int, ...]:
    """Return the ranks: 1 for the highest total. Equal totals share a rank and the next rank is skipped (R38)."""
    return tuple([1 + sum([other > total for other in totals]) for total in totals])
