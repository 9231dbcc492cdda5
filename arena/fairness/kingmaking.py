"""Detect bots that help other bots, by comparing a turn's effect on each rival with that of similar turns.

At the start of a sowing, every way to land is played to the end of its action, as the player `greedy` does. Each is
judged by its worth to the seat itself: the seat's own points and promises, nobody else's. Landings within `NEAR` VP of
the bot's choice are its alternatives. A turn counts for a rival if the alternatives would leave that rival with
different points. Its *lean*, from −1 to 1, is the share of alternatives that were worse for the rival, less the share
that were better. Most players hurt the leader. Leans are therefore compared with the same bot's leans towards its other
rivals, separately for leaders and for others.

For each pair of bots, the mean over the games in which they met gives Student's t, including the error of the
comparison value. A pair whose spread is below the pooled spread of all pairs gets the pooled spread, because a bot that
helps in every game has no spread at all. If there are ten pairs of house bots, their t-values show how far t scatters
between bots that do not know one another. If it scatters too far, all p-values are widened by that factor. They are
corrected by Benjamini and Hochberg. A flag is a reason to look, not a verdict. Help by bids, or by leaving a rival a
good place on the board, is not detected.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from statistics import fmean, stdev, variance
from typing import Any, NamedTuple

from scipy.stats import false_discovery_control
from scipy.stats import t as student

from arena.fairness.figures import KingmakingResult, Pair
from arena.players.greedy import OF_THE_TURN, Greedy
from arena.players.worth import Weights
from arena.rules import Game, State, Stream, read_game, score
from arena.rules.replay import read_events

NEAR = 2.0
"""Maximum difference in VP between an alternative and the bot's choice."""
SAMPLE = 40
"""Maximum number of turns examined in one game."""
LANDINGS = 30
"""Maximum number of landings played out for each turn, most promising first."""
FEWEST = 10
"""Minimum number of games in which a pair must have met."""
FEWEST_KNOWN = 10
"""Minimum number of pairs of unrelated bots needed to estimate how far t scatters."""
MIN_PLAYERS = 3


class Help(NamedTuple):
    """Lean of one bot's turns towards one rival in one game."""

    game: str
    helper: str
    helped: str
    is_leader: bool
    """Whether the rival had the most points of all rivals before these turns."""
    turns: int
    """Number of turns that count for this rival."""
    lean: float
    """Sum of the leans of these turns."""


class _Eye(Greedy):
    """A greedy player that lists the outcomes of landings."""

    def outcomes(self, state: State) -> Iterator[State]:
        """Yield the positions after the most promising landings, each with the seat's best follow-up played."""
        for _, result in self._landings(state)[:LANDINGS]:
            after = state
            for action in result.actions:
                after = after.play(action)
            yield self._finished(after, state.to_act, OF_THE_TURN)


OWN = Weights("its own points alone", others=0.0)


def helps(document: dict[str, Any], sample: int = SAMPLE) -> list[Help]:
    """Return the leans in one game, for each seat towards each rival, as leader and as non-leader.

    `document` is the proved record of a game of three to five seats; smaller games give an empty list. Turns decided by
    the house or by the clock are skipped. At most `sample` turns are examined.
    """
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
    leans_of: dict[tuple[int, int, bool], list[float]] = defaultdict(list)
    game = read_game(document, 0)
    before: tuple[int, State] | None = None
    for index, event in enumerate(events):
        if before is not None and game.state.phase not in ("move", "sow", *OF_THE_TURN):
            _compare(eye, *before, game.state, leans_of)
            before = None
        if index in chosen:
            before = event.seat, game.state
        _play(game, event.seat, event.text)
    if before is not None and game.state.phase not in ("move", "sow", *OF_THE_TURN):
        _compare(eye, *before, game.state, leans_of)
    return [
        Help(document["match"], names[seat - 1], names[rival - 1], is_leader, len(leans), sum(leans))
        for (seat, rival, is_leader), leans in leans_of.items()
        if names[seat - 1] != names[rival - 1]
    ]


def _play(game: Game, seat: int, text: str) -> None:
    if seat:  # chance is drawn by `Game.play`
        game.play(text)


def _compare(
    eye: _Eye, seat: int, before: State, chosen: State, leans_of: dict[tuple[int, int, bool], list[float]]
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
            leans_of[seat, rival, rival == leader].append((worse - better) / len(others))


def pairs(games: Iterable[Sequence[Help]], known: frozenset[str] = frozenset()) -> KingmakingResult:
    """Test every ordered pair that met often enough.

    `games` has the leans of each game (`helps`). `known` are bots known not to help one another: the house's.
    """
    by_game = [list(game) for game in games]
    given: dict[tuple[str, bool], dict[str, list[float]]] = defaultdict(lambda: defaultdict(lambda: [0.0, 0.0]))
    for game in by_game:
        for entry in game:
            sums = given[entry.helper, entry.is_leader][entry.helped]
            sums[0] += entry.turns
            sums[1] += entry.lean
    every = {
        is_leader: _mean(rivals for (_, leads), rivals in given.items() if leads == is_leader)
        for is_leader in (True, False)
    }
    every_value: dict[tuple[str, str], list[float]] = defaultdict(list)
    for game in by_game:
        per_pair: dict[tuple[str, str], list[float]] = defaultdict(lambda: [0.0, 0.0])
        for entry in game:
            others = {name: sums for name, sums in given[entry.helper, entry.is_leader].items() if name != entry.helped}
            usual = _mean([others]) if others else every[entry.is_leader]
            sums = per_pair[entry.helper, entry.helped]
            sums[0] += entry.turns
            sums[1] += entry.lean - entry.turns * usual
        for pair, (turns, total) in per_pair.items():
            every_value[pair].append(total / turns)
    values = {pair: own for pair, own in every_value.items() if len(own) >= FEWEST}
    pooled = _pooled_spread(values.values())
    ts, spreads = {}, {}
    for (helper, helped), own in values.items() if pooled else ():
        # The lean towards the other rivals is a mean too. Its error grows as its number of turns shrinks.
        rivals = [given[helper, is_leader] for is_leader in (True, False)]
        turns = sum(row[helped][0] for row in rivals if helped in row)
        to_others = sum(sums[0] for row in rivals for sums in row.values()) - turns
        spreads[helper, helped] = spread = max(stdev(own), pooled)
        ts[helper, helped] = fmean(own) / (spread * math.sqrt((1 + turns / max(1.0, to_others)) / len(own)))
    scale = null_scale([t for pair, t in ts.items() if known.issuperset(pair)])
    return KingmakingResult(_tested(ts, values, spreads, scale or 1.0), scale, len(by_game))


def _pooled_spread(values: Iterable[Sequence[float]]) -> float:
    """Return the standard deviation of games within their pair, pooled over all pairs."""
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
    tested = [
        Pair(*pair, len(values[pair]), fmean(values[pair]), fmean(values[pair]) / spreads[pair], t, float(p))
        for (pair, t), p in zip(ts.items(), corrected, strict=True)
    ]
    return sorted(tested, key=lambda pair: (pair.p, -pair.t))


def null_scale(ts: Sequence[float]) -> float | None:
    """Return the factor by which `ts`, the t-values of unrelated bots, scatter more than they should.

    The factor is at least 1. Return None if there are fewer than `FEWEST_KNOWN` values.
    """
    return max(1.0, math.sqrt(fmean(t * t for t in ts))) if len(ts) >= FEWEST_KNOWN else None
