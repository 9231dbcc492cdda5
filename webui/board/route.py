"""The path of a sowing: from tile centre to tile centre, round corners, two lanes where an edge is walked twice."""

from collections.abc import Sequence
from itertools import pairwise
from math import hypot

PITCH = 106
FIRST = 79
"""Centre of the first column and row."""
LANE = 24
"""Between two lanes of one edge."""
RADIUS = 20
MOST_BOW = 40
"""How far a flight may bow out: no further than the drawing reaches beside the outer tiles."""

Point = tuple[float, float]


def centre(tile: str) -> Point:
    """The middle of a tile on the drawing."""
    return FIRST + PITCH * (ord(tile[0]) - ord("A")), FIRST + PITCH * (int(tile[1:]) - 1)


def lanes(path: Sequence[str]) -> list[float]:
    """For each step of a path how far it runs beside the line between the two centres."""
    edges = [frozenset(step) for step in pairwise(path)]
    return [LANE * (edges[:index].count(edge) - (edges.count(edge) - 1) / 2) for index, edge in enumerate(edges)]


def step_points(path: Sequence[str]) -> list[Point]:
    """Where the number of each step stands: where its line crosses the road between two tiles."""
    return [
        ((a[0] + b[0]) / 2 + (lane if a[0] == b[0] else 0), (a[1] + b[1]) / 2 + (lane if a[1] == b[1] else 0))
        for (a, b), lane in zip(pairwise(map(centre, path)), lanes(path), strict=True)
    ]


def is_flight(a: str, b: str) -> bool:
    """Whether a step leaves the roads: only a flying carpet goes to a tile that is not a neighbour."""
    return abs(ord(a[0]) - ord(b[0])) + abs(int(a[1:]) - int(b[1:])) != 1


def arc(a: str, b: str) -> tuple[str, Point]:
    """Path data of a flight from tile to tile, and the top of its bow; a flight on the spot is a point."""
    (ax, ay), (bx, by) = centre(a), centre(b)
    mx, my = (ax + bx) / 2, (ay + by) / 2
    length = hypot(bx - ax, by - ay) or 1
    bow = min(length / 4, MOST_BOW) / length  # to the left of the way
    x, y = round(mx + (by - ay) * bow, 1), round(my - (bx - ax) * bow, 1)
    return f"M{ax:g} {ay:g}Q{2 * x - mx:g} {2 * y - my:g} {bx:g} {by:g}", (x, y)


def corners(path: Sequence[str], offsets: Sequence[float]) -> list[Point]:
    """The points that the line runs through; `offsets` are the lanes of its steps."""
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
    """Path data of a line through the points, its corners rounded; relative, so that like turns are like text."""
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
