"""From the record of a match to its evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from math import exp
from typing import Any

from arena.story.chances import ROLLOUTS, chances
from arena.story.moments import Moment, moments
from arena.story.scores import decision, lead_changes
from arena.story.turning import turning_points
from arena.story.values import VERSION, Evaluation, Point, Values

CLOSE = 12.0
"""VP of margin by which a match is a third as close."""
TURNS = 1.0
"""Chances that change hands, in matches that turn two thirds as much as can be."""


def evaluate(record: Mapping[str, Any], rollouts: int = ROLLOUTS) -> Evaluation:
    """The evaluation of a replay document with a `verdict`; the same for the same record. `RulesError` for what is no
    replay, or whose events do not follow from the rules.

    It takes some seconds of processor time, by far the most in rollouts.
    """
    forfeits = {int(forfeit["seat"]): int(forfeit["at"]) for forfeit in record["verdict"]["forfeits"]}
    placements = record["verdict"]["placements"]
    winners = tuple([seat for seat, place in enumerate(placements, 1) if place == 1])
    found = list(moments(record))
    seed = bytes.fromhex(record["seed"])
    points = [_point(moment, seed, forfeits, rollouts) for moment in found[:-1]]
    last = found[-1]
    points.append(
        Point(last.index, tuple([(seat in winners) / len(winners) for seat, _ in enumerate(placements, 1)]), 0.0)
    )
    margin, decided_by, what = decision(last.state, winners, forfeits)
    turns = [each.after for moment in found for each in moment.decisions if each.ends_turn]
    changes = lead_changes([found[0].state, *turns])
    return Evaluation(
        tuple(points),
        turning_points(found, points, forfeits.values()),
        Values(winners, margin, changes, decided_by, what, excitement(points, margin)),
    )


def _point(moment: Moment, seed: bytes, forfeits: Mapping[int, int], rollouts: int) -> Point:
    own = sha256(seed + f"story {VERSION} {moment.index}".encode()).digest()
    out = [seat for seat, at in forfeits.items() if at <= moment.index]
    means, error = chances(moment.state, own, out=out, rollouts=rollouts)
    return Point(moment.index, means, error)


def excitement(points: Sequence[Point], margin: int) -> float:
    """0 to 1: the mean of how open a match was along its length, how often its chances changed hands beyond their
    noise, and how close it ended."""
    seats = len(points[0].chances)
    openness = [(1 - sum([chance * chance for chance in point.chances])) * seats / (seats - 1) for point in points]
    moved = 0.0
    for had, has in pairwise(points):
        change = sum([abs(new - old) for old, new in zip(had.chances, has.chances, strict=True)]) / 2
        moved += max(0.0, change - had.error - has.error)
    parts = (sum(openness) / len(openness), 1 - exp(-moved / TURNS), exp(-margin / CLOSE))
    return round(sum(parts) / len(parts), 3)
