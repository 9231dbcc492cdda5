"""Evaluate a match from its record."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256
from itertools import pairwise
from math import exp
from typing import Any

from arena.referee import Verdict
from arena.story.accuracy import losses
from arena.story.chances import ROLLOUTS, chances
from arena.story.moments import Moment, moments
from arena.story.scores import decision, lead_changes
from arena.story.turning import turning_points
from arena.story.values import VERSION, Evaluation, Point, StoryValues

CLOSE = 12.0
"""Margin in VP at which a match counts as 1/e as close as a tie."""
TURNS = 1.0
"""Sum of chance moved between seats at which a match has 1 − 1/e of the maximum for turns."""
LOSSES = 6
"""Rollouts of a moment for each pair of rollouts of a sowing."""


def evaluate(record: Mapping[str, Any], rollouts: int = ROLLOUTS) -> Evaluation:
    """Return the evaluation of a replay document with a `verdict`.

    The same record gives the same evaluation. Raise `RulesError` if the record is not a replay, or its events do not
    follow from the rules. An evaluation takes some seconds of processor time, nearly all of it in rollouts. There are
    `rollouts` of them from each moment, and a third of that for each sowing.
    """
    verdict = Verdict.parse(record["verdict"])
    forfeits = {forfeit.seat: forfeit.at for forfeit in verdict.forfeits}
    placements = verdict.placements
    winners = tuple([seat for seat, place in enumerate(placements, 1) if place == 1])
    all_moments = list(moments(record))
    seed = bytes.fromhex(record["seed"])
    points = [_point(moment, seed, forfeits, rollouts) for moment in all_moments[:-1]]
    last = all_moments[-1]
    points.append(
        Point(last.index, tuple([(seat in winners) / len(winners) for seat, _ in enumerate(placements, 1)]), 0.0)
    )
    margin, decided_by, what = decision(last.state, winners, forfeits)
    turns = [each.after for moment in all_moments for each in moment.decisions if each.ends_turn]
    changes = lead_changes([all_moments[0].state, *turns])
    return Evaluation(
        tuple(points),
        turning_points(all_moments, points, forfeits.values()),
        StoryValues(winners, margin, changes, decided_by, what, excitement(points, margin)),
        tuple(losses(record, forfeits, max(2, rollouts // LOSSES * 2))),
    )


def _point(moment: Moment, seed: bytes, forfeits: Mapping[int, int], rollouts: int) -> Point:
    own = sha256(seed + f"story {VERSION} {moment.index}".encode()).digest()
    out = [seat for seat, at in forfeits.items() if at <= moment.index]
    means, error = chances(moment.state, own, out=out, rollouts=rollouts)
    return Point(moment.index, means, error)


def excitement(points: Sequence[Point], margin: int) -> float:
    """Return how exciting a match was, from 0 to 1.

    This is the mean of three figures: how open the match was over its length, how much chance moved between seats
    beyond the noise, and how close it ended.
    """
    seats = len(points[0].chances)
    openness = [(1 - sum([chance * chance for chance in point.chances])) * seats / (seats - 1) for point in points]
    moved = 0.0
    for had, has in pairwise(points):
        change = sum([abs(new - old) for old, new in zip(had.chances, has.chances, strict=True)]) / 2
        moved += max(0.0, change - had.error - has.error)
    parts = (sum(openness) / len(openness), 1 - exp(-moved / TURNS), exp(-margin / CLOSE))
    return round(sum(parts) / len(parts), 3)
