"""Measure how many points the seats of a match lost by their sowings, in the judgement of a quick house player.

Only sowings are measured: most points follow from them, and bids would double the cost. Each sowing is compared with
the most promising others. All are played on to the end of the round, equally often and with the same draws.

The best of several noisy numbers looks better than it is. Therefore one half of the rollouts says which sowing is best,
and the other half says by how much. The loss of a single sowing is noisy, and may be negative. The mean over all
sowings of a seat is less so.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from math import sqrt
from statistics import fmean, stdev
from typing import Any

from arena.rules import State, read_game
from arena.rules.replay import read_events
from arena.story.options import choice_of, is_same, leads_of, promising
from arena.story.values import Loss

TRIED = 3
"""Number of other sowings that are played on, most promising first."""
ROLLOUTS = 4
"""Rollouts of each sowing, an even number: two in each half."""
LONGEST = 60
"""Number of decisions that are read to find the end of a sowing. The longest one has fewer."""
LEAST = 3
"""Minimum number of sowings of a seat for which an accuracy is given."""


@dataclass(frozen=True)
class Accuracy:
    """How many points a seat lost by a sowing, on average."""

    seat: int
    sowings: int
    """Number of sowings measured."""
    points: float
    """Mean loss in VP; 0 is best. Noise can make it negative."""
    error: float
    """Standard error of `points`."""


def losses(record: Mapping[str, Any], forfeits: Mapping[int, int], rollouts: int = ROLLOUTS) -> Iterator[Loss]:
    """Yield what the sowings of a replay document cost, in the order of the match.

    `forfeits` are the indices at which seats forfeited. A house player has decided for them since, which is left out.
    The same record gives the same losses. Raise `RulesError` if the events do not follow from the rules.
    """
    seed, game = bytes.fromhex(record["seed"]), read_game(dict(record), 0)
    decisions: list[tuple[int, int, State, str]] = []
    for event in read_events(dict(record)):
        if event.seat:
            decisions.append((len(game.events), event.seat, game.state, event.text))
            game.play(event.text)
    for number, (index, seat, state, text) in enumerate(decisions):
        if not text.startswith("take ") or forfeits.get(seat, index + 1) <= index:
            continue
        played = [text for *_, text in decisions[number : number + LONGEST]]
        points = loss_of(state, played, sha256(seed + f"accuracy {index}".encode()).digest(), rollouts)
        if points is not None:
            yield Loss(index, seat, points)


def loss_of(state: State, played: Sequence[str], seed: bytes, rollouts: int = ROLLOUTS) -> float | None:
    """Return the VP that the best sowing promised more than the one played. Return None if there was no other.

    `played` are the decisions of the match from this state on.
    """
    own = choice_of(state, played)
    others = islice((choice for choice in promising(state, seed) if not is_same(state, choice, own)), TRIED)
    choices = [own, *others]
    if len(choices) < 2:
        return None
    leads = [leads_of([state] * rollouts, choice, seed, rounds=1) for choice in choices]
    half = rollouts // 2
    return fmean((_gain(leads, slice(half), slice(half, None)), _gain(leads, slice(half, None), slice(half))))


def _gain(leads: Sequence[Sequence[float]], chosen_by: slice, measured_by: slice) -> float:
    """Return how far the best choice of one half of the rollouts is ahead of the first choice in the other half."""
    best = max(leads, key=lambda each: fmean(each[chosen_by]))
    return fmean(best[measured_by]) - fmean(leads[0][measured_by])


def accuracies(measured: Iterable[Loss], seats: int) -> list[Accuracy | None]:
    """Return the accuracy of each seat, seat 1 first. None for a seat with fewer than `LEAST` sowings."""
    points: list[list[float]] = [[] for _ in range(seats)]
    for loss in measured:
        points[loss.seat - 1].append(loss.points)
    return [
        Accuracy(seat, len(own), fmean(own), stdev(own) / sqrt(len(own))) if len(own) >= LEAST else None
        for seat, own in enumerate(points, 1)
    ]
