"""The path of a sowing. It runs from tile centre to tile centre with rounded corners.

An edge that is walked twice has two lanes.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import hypot

PITCH = 106
FIRST = 79
"""Centre of the first column and row."""
LANE = 24
"""Distance between two lanes of the same edge."""
RADIUS = 20
MOST_BOW = 40
"""Maximum distance that a flight curves away from the straight line, so that it stays inside the drawing."""

Point = tuple[float, float]


def centre(tile: str) -> Point:
    """Return the centre of a tile on the drawing."""
    return FIRST + PITCH * (ord(tile[0]) - ord("A")), FIRST + PITCH * (int(tile[1:]) - 1)


def lanes(path: Sequence[str]) -> list[float]:
    """Return, for each step of a path, its sideways distance from the line between the two centres."""
    edges = [frozenset(step) for step in pairwise(path)]
    return [LANE * (edges[:index].count(edge) - (edges.count(edge) - 1) / 2) for index, edge in enumerate(edges)]


def step_points(path: Sequence[str]) -> list[Point]:
    """Return the position of each step's number, which is where its line crosses the road between the two tiles."""
    return [
        ((a[0] + b[0]) / 2 + (lane if a[0] == b[0] else 0), (a[1] + b[1]) / 2 + (lane if a[1] == b[1] else 0))
        for (a, b), lane in zip(pairwise(map(centre, path)), lanes(path), strict=True)
    ]


def is_flight(a: str, b: str) -> bool:
    """Return whether a step is a flight. Only a flying carpet reaches a tile that is not a neighbour."""
    return abs(ord(a[0]) - ord(b[0])) + abs(int(a[1:]) - int(b[1:])) != 1


def arc(a: str, b: str) -> tuple[str, Point]:
    """Return the path data of a flight from tile to tile, and the top of its arc. A flight in place is a point."""
    (ax, ay), (bx, by) = centre(a), centre(b)
    mx, my = (ax + bx) / 2, (ay + by) / 2
    length = hypot(bx - ax, by - ay) or 1
    bow = min(length / 4, MOST_BOW) / length  # to the left of the direction
    x, y = round(mx + (by - ay) * bow, 1), round(my - (bx - ax) * bow, 1)
    return f"M{ax:g} {ay:g}Q{2 * x - mx:g} {2 * y - my:g} {bx:g} {by:g}", (x, y)


def corners(path: Sequence[str], offsets: Sequence[float]) -> list[Point]:
    """Return the points that the line runs through. `offsets` are the lanes of its steps."""
    centres = [centre(tile) for tile in path]
    points: list[Point] = []
    for index, (x, y) in enumerate(centres):
        here: list[Point] = []
        if index:
            here.append(_beside((x, y), centres[index - 1], offsets[index - 1]))
        if index < len(centres) - 1:
            here.append(_beside((x, y), centres[index + 1], offsets[index]))
        if len(here) == 2:
            (ax, ay), (bx, by) = here
            before, after = centres[index - 1], centres[index + 1]
            if (before[0] == x) != (after[0] == x):  # a corner: where the two lanes meet
                here = [(ax, by) if before[0] == x else (bx, ay)]
        points.extend(point for point in here if not points or point != points[-1])
    return points


def _beside(point: Point, other: Point, lane: float) -> Point:
    return (point[0] + lane, point[1]) if point[0] == other[0] else (point[0], point[1] + lane)


def line(points: Sequence[Point]) -> str:
    """Return the path data of a line through the points, with rounded corners.

    Coordinates are relative, so that equal turns have equal text and compress well.
    """
    straight = [
        _direction(before, here) == _direction(here, after)
        for before, here, after in zip(points, points[1:], points[2:], strict=False)
    ]
    bends = [point for point, is_straight in zip(points, [False, *straight, False], strict=False) if not is_straight]
    at = bends[0]
    data = [f"M{_pair(at)}"]
    for before, corner, after in zip(bends, bends[1:], bends[2:], strict=False):
        radius = min(RADIUS, _distance(before, corner) / 2, _distance(corner, after) / 2)
        enter, leave = _towards(corner, before, radius), _towards(corner, after, radius)
        data.append(f"{_along(at, enter)}q{_pair(_step(enter, corner))} {_pair(_step(enter, leave))}")
        at = leave
    return "".join([*data, _along(at, bends[-1])])


def _step(a: Point, b: Point) -> Point:
    return b[0] - a[0], b[1] - a[1]


def _direction(a: Point, b: Point) -> tuple[bool, bool, bool]:
    return a[0] == b[0], a[0] < b[0], a[1] < b[1]


def _along(a: Point, b: Point) -> str:
    x, y = _step(a, b)
    return f"h{x:g}" if x else f"v{y:g}" if y else ""


def _distance(a: Point, b: Point) -> float:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])  # all lines run along an axis


def _towards(start: Point, end: Point, length: float) -> Point:
    whole = _distance(start, end) or 1
    return start[0] + (end[0] - start[0]) * length / whole, start[1] + (end[1] - start[1]) * length / whole


def _pair(point: Point) -> str:
    return f"{point[0]:g} {point[1]:g}"
