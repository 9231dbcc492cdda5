"""Estimate a position's worth to a seat: its points now, weighted by their source, and what its pieces promise."""

from __future__ import annotations

from dataclasses import dataclass

from arena.rules import Seat, State, score
from arena.rules.components import CARPET, CITY_VALUE, FLUTE, HORN, LAMP, RING, SCIMITAR, TALISMAN, WHIMS
from arena.rules.groups import goods_in
from arena.rules.whims import measure

TENT_PROMISE = 5.0
"""VP that a tent not yet placed is worth: the red tiles around an above-average place."""
CITY_SHARE = 0.2
"""Weight of the next city's value while a city is free."""
WHIM_SHARE = 0.7
"""Weight of a whim's reward when its condition is almost met."""
MAGIC_PROMISE = {LAMP: 8.0, CARPET: 4.0, RING: 4.0, SCIMITAR: 4.0, TALISMAN: 2.0, FLUTE: 1.0, HORN: 0.5}
"""VP that an unused magic item promises."""


@dataclass(frozen=True)
class Weights:
    """Weights that a greedy player gives to points from each source; `about` describes the player for people."""

    about: str
    viziers: float = 1.0
    elders: float = 1.0
    goods: float = 1.0
    land: float = 1.0
    djinns: float = 1.0
    gold: float = 1.0
    others: float = 0.25
    """Weight of a point of the best other seat against the seat's own."""


VARIANTS = {
    "greedy": Weights("takes the turn that is worth most right away"),
    "greedy-vizier": Weights("greedy, and fond of viziers", viziers=1.6),
    "greedy-mystic": Weights("greedy, and fond of elders and Djinns", elders=1.7, djinns=1.5),
    "greedy-trader": Weights("greedy, and fond of goods", goods=1.6),
    "greedy-settler": Weights("greedy, and fond of land, palms and palaces", land=1.4),
    "greedy-builder": Weights("greedy, and fond of gold", gold=1.3),
    "greedy-rival": Weights("greedy, and minds what the others have", others=0.7),
}


def worth(state: State, seat: int, weights: Weights) -> float:
    """Return the seat's weighted VP, with what its pieces promise, less a share of the best other seat's VP."""
    mine, points = state.seats[seat - 1], score(state, seat)
    kinds = goods_in(mine.hand).bit_count()
    worth = (
        weights.gold * points["gold"]
        + weights.viziers * points["viziers"]
        + weights.elders * (points["elders"] + 0.4 * min(mine.elders, 4))
        + weights.djinns * (points["djinns"] + 2.0 * len(mine.djinns))
        + weights.land * (points["tiles"] + points["palms"] + points["palaces"])
        + weights.goods * (points["goods"] + 1.2 * kinds)
        + points.get("artisans", 0)
        + points.get("items", 0)
        + 1.0 * min(mine.fakirs, 4)
        - 1.0 * (mine.pieces == 0)
    )
    if state.ruleset.expansions and not state.ending:
        worth += promises(state, mine)
    others = [score(state, other)["total"] for other in range(1, len(state.seats) + 1) if other != seat]
    return worth - weights.others * max(others)


def promises(state: State, seat: Seat) -> float:
    """Return what a seat's tent, magic items, open whims and cities promise beyond their points during the game."""
    promised = TENT_PROMISE * seat.tents + sum([MAGIC_PROMISE.get(item, 0.0) for item in seat.items])
    promised += sum([WHIM_SHARE * WHIMS[whim].reward * progress(state, seat, whim) for whim in seat.open])
    cities = state.board.of_kind("city")
    taken = 0
    for other in state.seats:
        taken |= other.owned
    return promised + (CITY_SHARE * next_city(state, seat) if cities & ~taken else 0.0)


def next_city(state: State, seat: Seat) -> int:
    """Return the VP that one more city brings a seat."""
    number = (seat.owned & state.board.of_kind("city")).bit_count()
    return CITY_VALUE[number + 1] - CITY_VALUE[number] if number + 1 < len(CITY_VALUE) else 0


def progress(state: State, seat: Seat, whim: int) -> float:
    """Return a seat's progress towards a whim, from 0 to 1. The last step counts most."""
    needs = WHIMS[whim].needs
    have = sum(min(measure(state, seat, thing), least) for thing, least in needs)
    return float(have / sum(least for _, least in needs)) ** 2
