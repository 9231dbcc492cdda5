"""Estimate a position's worth to each seat, and what its next sowings promise, for the search players.

The weights were fitted by least squares to 540 games of an earlier search player with two and four seats. They predict
the final difference of the scores from what the seats had at the start of each round. `DJINN` alone was changed after
that, by playing games (docs/players.md). `x` is the share of camels left to the seat with the fewest: 1 at the start of
the game, 0 at its end. Early in the game, a card is worth what it may become and a Vizier what later Viziers make of
it; at the end, both are worth their points.
"""

from __future__ import annotations

from functools import lru_cache
from math import exp

from arena.players.worth import next_city, promises
from arena.rules import Seat, State, score
from arena.rules.components import (
    ARTISAN,
    ASSASSIN,
    BUILDER,
    CAMELS,
    DJINNS,
    ELDER,
    FAKIR,
    MERCHANT,
    SUIT_VALUE,
    VIZIER,
)
from arena.rules.geometry import NOWHERE, Geometry, tiles_of
from arena.rules.groups import UNITS, count, goods_in, profile

MOST = 40
LEAD = tuple(round(10 / (1 + exp(-lead / 1.5)), 3) for lead in range(-MOST, MOST + 1))
"""VP that a lead in Viziers over one other seat promises, for leads from -40 on."""
DJINN = 2.5
"""VP that a Djinn's power is worth while there is time to use it."""
KIND = 6.0
"""VP that another kind of goods is worth at the start."""


def left(state: State) -> float:
    """Return `x`, the share of the game that is left."""
    fewest = min([seat.camels for seat in state.seats])
    return fewest / CAMELS[len(state.seats)]


def standing(state: State, number: int, x: float) -> float:
    """Return the position's worth to a seat in VP, regardless of the other seats' worth."""
    seat, points = state.seats[number - 1], score(state, number)
    if state.is_over:
        return points["total"]
    late = min(1.0, 4 * x)  # the value of things that take time to use falls only near the end
    leads = sum([LEAD[seat.viziers - other.viziers + MOST] for other in state.seats if other is not seat])
    worth = (
        points["gold"]
        + points["tiles"]
        + (1 + 0.3 * x) * (points["palms"] + points["palaces"])
        + seat.viziers
        + leads
        + points["elders"]
        + 0.7 * late * min(seat.elders, 4)
        + points["djinns"]
        + DJINN * late * len(seat.djinns)
        + (1 - x) * points["goods"]
        + KIND * x * goods_in(seat.hand).bit_count()
        + (1 + 1.3 * x) * late * min(seat.fakirs, 4)
    )
    if state.ruleset.artisans:
        worth += points["artisans"] + points["items"]
    if state.ruleset.expansions and not state.ending:
        worth += promises(state, seat)
    return worth


def margin(state: State, number: int) -> float:
    """Return how far a seat stands above the mean of the others, in VP."""
    x = left(state)
    worths = [standing(state, other, x) for other in range(1, len(state.seats) + 1)]
    mine = worths[number - 1]
    return mine - (sum(worths) - mine) / (len(worths) - 1)


def offers(state: State, number: int) -> list[tuple[float, int, int]]:
    """Return the ends of a sowing from anywhere on the board: promised VP, tile and tribe, best first.

    This is an estimate without playing: the meeples lifted, the tile if it can be taken, and the tile's action.
    """
    holds, meeples = state.holds, state.meeples
    reach = _reach(state.board.geometry, meeples, len(holds))
    seat, x, taken = state.seats[number - 1], left(state), 0
    for other in state.seats:
        taken |= other.owned
    gains = [_gains(state, seat, tribe, x) for tribe in range(len(holds))]
    visits: dict[int, float] = {}
    ranked: list[tuple[float, int, int]] = []
    for tribe, held in enumerate(holds):
        for tile in tiles_of(held & reach[tribe]):
            there = count(meeples[tile], tribe)
            gain = (there + 1) * state.board.blue_around[tile] if tribe == BUILDER else gains[tribe][min(there, 8)]
            if tile not in visits:
                visits[tile] = _visit(state, seat, tile)
            gain += visits[tile]
            if meeples[tile] == there * UNITS[tribe] and seat.pieces and not taken >> tile & 1:
                gain += _capture(state, seat, tile)
            ranked.append((gain, tile, tribe))
    ranked.sort(reverse=True)
    return ranked


@lru_cache(8)  # the same for all seats
def _reach(geometry: Geometry, meeples: tuple[int, ...], tribes: int) -> list[int]:
    """Return, by tribe, the tiles where a sowing with that tribe in hand can end."""
    reach = [0] * tribes
    for origin, group in enumerate(meeples):
        if group:
            size, held, _ = profile(group)
            ends = geometry.ends(origin, NOWHERE, size) & ~(1 << origin)
            for tribe in held:
                reach[tribe] |= ends
    return reach


def _gains(state: State, seat: Seat, tribe: int, x: float) -> list[float]:
    """Return the VP gained by lifting 1, 2, … 9 meeples of a tribe."""
    numbers = range(1, 10)
    if tribe == VIZIER:
        leads = [seat.viziers - other.viziers + MOST for other in state.seats if other is not seat]
        return [n + sum([LEAD[lead + n] - LEAD[lead] for lead in leads]) for n in numbers]
    if tribe == MERCHANT:
        hand, fakirs, before, gains = goods_in(seat.hand), 0, 0.0, []
        for n in range(10):
            gains.append((1 - x) * SUIT_VALUE[hand.bit_count()] + KIND * x * hand.bit_count() + 1.5 * fakirs)
            if n < len(state.row) and state.row[n] == FAKIR:
                fakirs += 1
            elif n < len(state.row):
                hand |= 1 << state.row[n]
        before = gains[0]
        return [gain - before for gain in gains[1:]]
    first, each = {ELDER: (0.0, 2.7), ASSASSIN: (4.0, 0.6), ARTISAN: (0.0, 3.5)}.get(tribe, (0.0, 0.0))
    return [first + each * n for n in numbers]


def _capture(state: State, seat: Seat, tile: int) -> float:
    """Return the VP gained by taking a tile, including the piece that it receives at once."""
    kind = state.board.kind(tile)
    gain = state.board.tiles[tile].value + 3.0 * state.palms[tile] + 5.0 * state.palaces[tile]
    if kind == "city":
        return gain + next_city(state, seat)
    return gain + {"village": 5.0, "oasis": 3.0}.get(kind, 0.0)


def _visit(state: State, seat: Seat, tile: int) -> float:
    """Return the VP gained by a tile's action, excluding the piece on a tile just taken."""
    kind = state.board.kind(tile)
    if kind in ("village", "oasis"):
        return {"village": 5.0, "oasis": 3.0}[kind] if seat.owned >> tile & 1 else 0.0
    if kind == "sacred":
        if not state.djinn_row or not seat.elders or seat.elders + seat.fakirs < 2:
            return 0.0
        return max([DJINNS[djinn].value for djinn in state.djinn_row]) + DJINN - 5.0
    return {"small-market": 2.0, "large-market": 3.0, "special-market": 3.0}.get(kind, 3.0)
