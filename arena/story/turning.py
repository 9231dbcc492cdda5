"""Find the turning points of a match: the turns and biddings that changed the chances most."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from math import hypot

from arena.rules import score
from arena.rules.components import DJINN_NUMBER, DJINNS
from arena.rules.geometry import tiles_of
from arena.rules.notation import TILE_NAMES
from arena.story.moments import Moment
from arena.story.scores import leader
from arena.story.values import Point, TurningKind, TurningPoint

MOST, FEWEST = 5, 3
"""Maximum number of turning points, and the number below which small ones are kept."""
MOST_SLIPS = 2
"""Maximum number of slips (turns that cost the seat itself chances), if there are enough other turning points."""
LEAST_SWING = 0.08
"""Minimum change of chance for a turning point beyond the first three."""
ERRORS = 2.0
"""Standard errors that a change must exceed not to count as noise."""


def turning_points(
    moments: Sequence[Moment], points: Sequence[Point], forfeits: Collection[int] = ()
) -> tuple[TurningPoint, ...]:
    """Return three to five turning points, or fewer if there are not as many, in the order of the match.

    `points` are the chances at the moments. `forfeits` are the indices at which seats forfeited: changes there are not
    due to anything played, so they are left out.
    """
    turns = []
    pairs = zip(moments, moments[1:], points, points[1:], strict=False)
    for before, after, had, has in pairs:
        if any(before.index < at <= after.index for at in forfeits):
            continue
        turn = _turn(before, after, had, has)
        if abs(turn.swing) > ERRORS * hypot(had.error, has.error):
            turns.append(turn)
    turns.sort(key=lambda turn: -abs(turn.swing))
    slips = [turn for turn in turns if turn.kind == TurningKind.SLIP]
    wins = [turn for turn in turns if turn.kind != TurningKind.SLIP]
    # Gains say more than slips, so slips give way when there are enough gains.
    chosen = sorted([*wins[:MOST], *slips[: max(MOST_SLIPS, FEWEST - len(wins))]], key=lambda turn: -abs(turn.swing))
    selected = [turn for number, turn in enumerate(chosen[:MOST]) if number < FEWEST or abs(turn.swing) >= LEAST_SWING]
    return tuple(sorted(selected, key=lambda turn: turn.index))


def _turn(before: Moment, after: Moment, had: Point, has: Point) -> TurningPoint:
    """Describe what happened between two moments: a turn, or all bids of a round."""
    changes = [new - old for old, new in zip(had.chances, has.chances, strict=True)]
    is_bidding = after.decisions[0].text.startswith("bid ")
    seat = changes.index(max(changes)) + 1 if is_bidding else after.decisions[0].seat
    had_points, has_points = (score(moment.state, seat)["total"] for moment in (before, after))
    if is_bidding:
        kind, what = TurningKind.OUTBID if after.state.to_act == seat else TurningKind.BID, ""
    else:
        kind, what = _happened(before, after, seat, changes[seat - 1])
    return TurningPoint(
        index=before.index,
        until=after.index,
        round=before.state.round,
        seat=seat,
        kind=kind,
        what=what,
        gain=has_points - had_points,
        swing=changes[seat - 1],
    )


def _happened(before: Moment, after: Moment, seat: int, swing: float) -> tuple[TurningKind, str]:
    if swing < 0:
        return TurningKind.SLIP, ""
    if leader(after.state) == seat and leader(before.state) not in (0, seat):
        return TurningKind.LEAD, ""
    if djinns := list(_djinns(after, seat)):
        return TurningKind.DJINN, max(djinns, key=lambda djinn: DJINNS[DJINN_NUMBER[djinn]].value)
    had, has = before.state.seats[seat - 1].owned, after.state.seats[seat - 1].owned
    if taken := tiles_of(has & ~had):
        return TurningKind.TILE, TILE_NAMES[max(taken, key=lambda tile: after.state.board.tiles[tile].value)]
    return TurningKind.GAIN, ""


def _djinns(after: Moment, seat: int) -> Iterator[str]:
    """Yield the ids of the Djinns that the seat gained in its turn."""
    for decision in after.decisions:
        verb, *words = decision.text.split(" ")
        if decision.seat == seat and verb in ("summon", "keep") and words[0] in DJINN_NUMBER:
            yield words[0]
