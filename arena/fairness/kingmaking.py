"""Who helps whom: what a turn did to each rival, beside what other turns of about equal gain would have done.

At the start of a sowing every way to land is played to the end of its action, as the player `greedy` does, and judged
by what it is worth to the seat itself (its own points and promises, nobody else's). Those within `NEAR` VP of what the
bot chose are its alternatives. A turn says something of a rival where these would leave that rival with different
points: its *lean* is the share of alternatives that were worse for the rival, less the share that were better, from −1
to 1. Most players hurt whoever leads, so lean is compared with that of the same bot towards its other rivals, leaders
and others apart.

A pair of bots has a mean over the games in which they met, and Student's t, with the error of what the others got, too.
The spread of a pair is taken to be that of all pairs together where its own is less: who helps in every game has none.
How far t scatters between bots that do not know one another is taken from pairs of the house's bots, if there are ten;
where it is further than it should, all p-values are widened by as much. They are corrected by Benjamini and Hochberg. A
flag is a reason to look, not a verdict: help by bids, or by leaving a rival a good place on the board, is not seen at
all.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, stdev, variance
from typing import Any, NamedTuple

from scipy.stats import false_discovery_control
from scipy.stats import t as student

from arena.players.greedy import OF_THE_TURN, Greedy
from arena.players.worth import Weights
from arena.rules import Game, State, Stream, read_game, score
from arena.rules.replay import read_events

NEAR = 2.0
"""VP by which an alternative may be worth more or less."""
SAMPLE = 40
"""Turns of a game that are looked at."""
LANDINGS = 30
"""Ways to land that are played out for each of them, the most promising first."""
FEWEST = 10
"""Games in which a pair must have met."""
FEWEST_KNOWN = 10
"""Pairs of bots that are known not to help one another, from which their scatter can be told."""
LEVEL = 0.01
MIN_PLAYERS = 3


class Help(NamedTuple):
    """How the turns of one bot in one game leaned to one rival."""

    game: str
    helper: str
    helped: str
    is_leader: bool
    """The rival had the most points of all rivals, before these turns."""
    turns: int
    """Those that say something of this rival."""
    lean: float
    """The sum of their leans."""


class Pair(NamedTuple):
    """One bot towards another, over the games in which they met."""

    helper: str
    helped: str
    games: int
    mean: float
    """Lean, less the same bot's lean towards other rivals."""
    effect: float
    """The mean in standard deviations of a game."""
    t: float
    p: float
    """Corrected for the number of pairs; one-sided."""

    @property
    def is_flagged(self) -> bool:
        """Whether somebody should look."""
        return self.p <= LEVEL


class Found(NamedTuple):
    """All pairs that met often enough."""

    pairs: list[Pair]
    """The most striking first."""
    scale: float | None
    """By which p-values are widened (`null_scale`)."""
    games: int
    """That were looked at."""

    def document(self) -> dict[str, Any]:
        """As JSON."""
        shown = [{**pair._asdict(), "flagged": pair.is_flagged} for pair in self.pairs]
        return {"games": self.games, "null_scale": self.scale, "pairs": shown}


class _Eye(Greedy):
    """Sees what landings come to."""

    def outcomes(self, state: State) -> Iterator[State]:
        """The positions after the most promising ways to land, each with what is best for the seat to follow it."""
        for _, result in self._landings(state)[:LANDINGS]:
            after = state
            for action in result.actions:
                after = after.play(action)
            yield self._finished(after, state.to_act, OF_THE_TURN)


OWN = Weights("its own points alone", others=0.0)


def helps(document: dict[str, Any], sample: int = SAMPLE) -> list[Help]:
    """Of a game of three to five, whose record has been proved: for each seat and rival, leading and not. Turns that
    the house or the clock decided are not looked at."""
    if len(document["seats"]) < MIN_PLAYERS:
        return []
    events = read_events(document)
    names = [seat["name"] for seat in document["seats"]]
    stream = Stream(bytes.fromhex(document["seed"]))
    turns = [
        index
        for index, event in enumerate(events)
        if event.seat and event.text.startswith("take ") and not {"house", "default"} & (event.facts or {}).keys()
    ]
    chosen = set(stream.shuffle(turns)[:sample])
    eye = _Eye(bytes(32), OWN)
    found: dict[tuple[int, int, bool], list[float]] = defaultdict(list)
    game = read_game(document, 0)
    before: tuple[int, State] | None = None
    for index, event in enumerate(events):
        if before is not None and game.state.phase not in ("move", "sow", *OF_THE_TURN):
            _compare(eye, *before, game.state, found)
            before = None
        if index in chosen:
            before = event.seat, game.state
        _play(game, event.seat, event.text)
    if before is not None and game.state.phase not in ("move", "sow", *OF_THE_TURN):
        _compare(eye, *before, game.state, found)
    return [
        Help(document["match"], names[seat - 1], names[rival - 1], is_leader, len(leans), sum(leans))
        for (seat, rival, is_leader), leans in found.items()
        if names[seat - 1] != names[rival - 1]
    ]


def _play(game: Game, seat: int, text: str) -> None:
    if seat:  # chance follows by itself
        game.play(text)


def _compare(
    eye: _Eye, seat: int, before: State, chosen: State, found: dict[tuple[int, int, bool], list[float]]
) -> None:
    gain = eye.worth(chosen, seat)
    near = [after for after in eye.outcomes(before) if abs(eye.worth(after, seat) - gain) <= NEAR]
    if len(near) < 2:
        return
    rivals = [number for number in range(1, len(before.seats) + 1) if number != seat]
    standing = {rival: score(before, rival)["total"] for rival in rivals}
    leader = max(rivals, key=lambda rival: (standing[rival], -rival))
    for rival in rivals:
        left = score(chosen, rival)["total"]
        others = [score(after, rival)["total"] for after in near]
        if any(other != left for other in others):
            worse, better = (sum(other < left for other in others), sum(other > left for other in others))
            found[seat, rival, rival == leader].append((worse - better) / len(others))


def pairs(games: Iterable[Sequence[Help]], known: frozenset[str] = frozenset()) -> Found:
    """Every ordered pair that met often enough. `known`: bots that are known not to help one another, the house's."""
    by_game = [list(game) for game in games]
    given: dict[tuple[str, bool], dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for game in by_game:
        for one in game:
            sums = given[one.helper, one.is_leader][one.helped]
            sums[0] += one.turns
            sums[1] += one.lean
    every = {
        is_leader: _mean(rivals for (_, leads), rivals in given.items() if leads == is_leader)
        for is_leader in (True, False)
    }
    every_value: dict[tuple[str, str], list[float]] = defaultdict(list)
    for game in by_game:
        per_pair: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
        for one in game:
            others = {name: sums for name, sums in given[one.helper, one.is_leader].items() if name != one.helped}
            usual = _mean([others]) if others else every[one.is_leader]
            sums = per_pair[one.helper, one.helped]
            sums[0] += one.turns
            sums[1] += one.lean - one.turns * usual
        for pair, (turns, total) in per_pair.items():
            every_value[pair].append(total / turns)
    values = {pair: own for pair, own in every_value.items() if len(own) >= FEWEST}
    pooled = _pooled_spread(values.values())
    ts, spreads = {}, {}
    for (helper, helped), own in values.items() if pooled else ():
        # What the others got is a mean, too: its error is the larger, the fewer turns there were.
        rivals = [given[helper, is_leader] for is_leader in (True, False)]
        turns = sum(row[helped][0] for row in rivals if helped in row)
        to_others = sum(sums[0] for row in rivals for sums in row.values()) - turns
        spreads[helper, helped] = spread = max(stdev(own), pooled)
        ts[helper, helped] = fmean(own) / (spread * math.sqrt((1 + turns / max(1.0, to_others)) / len(own)))
    scale = null_scale([t for pair, t in ts.items() if known.issuperset(pair)])
    return Found(_tested(ts, values, spreads, scale or 1.0), scale, len(by_game))


def _pooled_spread(values: Iterable[Sequence[float]]) -> float:
    """The standard deviation of a game within its pair, over all pairs."""
    samples = list(values)
    freedom = sum(len(own) - 1 for own in samples)
    return math.sqrt(sum(variance(own) * (len(own) - 1) for own in samples) / freedom) if freedom else 0.0


def _mean(tables: Iterable[dict[str, list[float]]]) -> float:
    rows = [sums for table in tables for sums in table.values()]
    turns = sum(row[0] for row in rows)
    return sum(row[1] for row in rows) / turns if turns else 0.0


def _tested(
    ts: Mapping[tuple[str, str], float],
    values: Mapping[tuple[str, str], Sequence[float]],
    spreads: Mapping[tuple[str, str], float],
    scale: float,
) -> list[Pair]:
    if not ts:
        return []
    corrected = false_discovery_control([student.sf(t / scale, len(values[pair]) - 1) for pair, t in ts.items()])
    found = [
        Pair(*pair, len(values[pair]), fmean(values[pair]), fmean(values[pair]) / spreads[pair], t, float(p))
        for (pair, t), p in zip(ts.items(), corrected, strict=True)
    ]
    return sorted(found, key=lambda pair: (pair.p, -pair.t))


def null_scale(ts: Sequence[float]) -> float | None:
    """How much further t-values of bots that do not know one another scatter than they should; at least 1. None if
    there are too few to tell."""
    return max(1.0, math.sqrt(fmean(t * t for t in ts))) if len(ts) >= FEWEST_KNOWN else None
