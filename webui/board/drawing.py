"""Drawing of a position as SVG.

Lengths are in units, not pixels: a tile measures 100, the pitch 106, the margin 26. From the bottom, the layers are
ground and motifs (hidden from screen readers), mountains, route, pieces (one focusable group a tile) and step numbers.
The style sheet sets the colours through classes. The shapes are the symbols in `webui/site/templates/site/drawings`,
which the page includes once.

An element that can change from one decision to the next is a **part**. Its name is in `data-part`, and it is always
drawn as a whole.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from arena.rules import TileView
from webui.board import names, route
from webui.board.pieces import TILE, pieces

PITCH = route.PITCH
MARGIN = 26
EDGE = MARGIN + (PITCH - TILE) // 2
"""Distance from the border of the drawing to the first tile."""

MOUNTAINS_ALONG = (
    '<path class="mountain" d="M-40 7-27-7-18 2-4-12 8 3 19-8 40 7z"/>'
    '<path class="mountain-light" d="M-27-7-22-3-27 0-31-3zM-4-12 1-6-4-3-8-7zM19-8 25-4 19-1 15-4z"/>'
)
MOUNTAINS_DOWN = "".join(
    f'<path class="mountain" d="M-11 {y} 0 {y - 20} 11 {y}z"/>'
    f'<path class="mountain-light" d="M0 {y - 20} 4.5 {y - 12} 0 {y - 10} -4.5 {y - 12}z"/>'
    for y in (-18, 6, 30)
)


@dataclass(frozen=True)
class Sowing:
    """A sowing in progress: the tiles visited so far, origin first, and in a replay the tiles still to come."""

    path: tuple[str, ...]
    ahead: tuple[str, ...] = ()


class Tiles(Protocol):
    """The properties of a `View` that a drawing needs. The examples of the documentation have only these."""

    @property
    def columns(self) -> int:
        """Number of columns."""

    @property
    def rows(self) -> int:
        """Number of rows."""

    @property
    def tiles(self) -> Mapping[str, TileView]:
        """The tiles by name."""


def draw_board(
    position: Tiles,
    seats: Sequence[str],
    *,
    sowing: Sowing | None = None,
    current: str = "",
    label: str = "",
    is_picture: bool = False,
) -> SafeString:
    """Return the drawing of a position's board.

    `seats`: the names of the bots, seat 1 first.
    `current`: the tile of the last action.
    `label`: the accessible name; by default one is made from the size of the board.
    `is_picture`: whether the drawing is one image (as in thumbnails). Otherwise the arrow keys reach every tile.
    """
    columns, rows, tiles = position.columns, position.rows, position.tiles
    width, height = columns * PITCH + 2 * MARGIN, rows * PITCH + 2 * MARGIN
    parts = draw_parts(position, None if is_picture else seats, sowing=sowing, current=current)
    role = "img" if is_picture else "group"
    drawn = [
        f'<svg class="board" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="{role}"',
        f' aria-label="{escape(label or names.board_label(columns, rows))}">',
        _frame(columns, rows, width, height),
        '<g class="layer-ground" aria-hidden="true">',
        *(parts[f"ground-{name}"] for name in tiles),
        "</g>",
        parts["marks"],
        mountains(tiles),
        parts["route"],
        '<g class="layer-pieces">',
        *(parts[f"tile-{name}"] for name in tiles),
        "</g>",
        parts["steps"],
        "</svg>",
    ]
    return mark_safe("".join(drawn))  # noqa: S308 - built here; every foreign text in it is escaped


def draw_parts(
    position: Tiles,
    seats: Sequence[str] | None,
    *,
    sowing: Sowing | None = None,
    current: str = "",
    only: Collection[str] | None = None,
) -> dict[str, SafeString]:
    """Return the parts of a board by name: `ground-A1` and `tile-A1` for each tile, `marks`, `route` and `steps`.

    `seats`: the names of the bots. With None, as for pictures, tiles have no accessible name and cannot be focused.
    `only`: the tiles to draw; None draws all of them.
    """
    tiles = position.tiles
    ranges = names.mountain_sides(tiles)
    parts = {}
    for number, (name, tile) in enumerate(tiles.items()):
        if only is not None and name not in only:
            continue
        parts[f"ground-{name}"] = _ground(tile)
        access = ""
        if seats is not None:
            stop = -1 if number else 0  # one tab stop; the arrow keys move it
            label = names.tile_label(tile, seats, ranges.get(name, ""))
            access = f' role="img" tabindex="{stop}" aria-label="{escape(label)}"'
        parts[f"tile-{name}"] = _tile(tile, access)
    parts["marks"] = f'<g class="layer-marks" data-part="marks" aria-hidden="true">{_marks(sowing, current)}</g>'
    parts["route"] = f'<g class="layer-route" data-part="route" aria-hidden="true">{_route(sowing)}</g>'
    parts["steps"] = f'<g class="layer-steps" data-part="steps" aria-hidden="true">{_steps(sowing)}</g>'
    return {name: SafeString(text) for name, text in parts.items()}


def _frame(columns: int, rows: int, width: int, height: int) -> str:
    right, bottom = width - 21, height - 21
    letters = "".join(
        f'<text class="coordinate" x="{79 + PITCH * i}" y="15.5">{chr(ord("A") + i)}</text>' for i in range(columns)
    )
    figures = "".join(f'<text class="coordinate" x="11.5" y="{83.5 + PITCH * i:g}">{i + 1}</text>' for i in range(rows))
    ticks = "".join(
        f"M{MARGIN + PITCH * i} 21v-7M{MARGIN + PITCH * i} {bottom}v7" for i in range(1, columns)
    ) + "".join(f"M21 {MARGIN + PITCH * i}h-7M{right} {MARGIN + PITCH * i}h7" for i in range(1, rows))
    return (
        '<g aria-hidden="true">'
        f'<rect class="board-ground" x="1" y="1" width="{width - 2}" height="{height - 2}" rx="12"/>'
        f'<rect class="board-frame" x="21" y="21" width="{right - 21}" height="{bottom - 21}" rx="9"/>'
        f'{letters}{figures}<path class="tick" d="{ticks}"/></g>'
    )


def _corner(name: str) -> tuple[int, int]:
    return EDGE + PITCH * (ord(name[0]) - ord("A")), EDGE + PITCH * (int(name[1:]) - 1)


def _tint(tile: TileView) -> str:
    return f"tint-{tile.colour or tile.kind}"


def _ground(tile: TileView) -> str:
    x, y = _corner(tile.name)
    border = f'<rect class="owner-border seat-{tile.owner}" x="2" y="2" width="96" height="96" rx="5.5"/>'
    return (
        f'<g class="tile {_tint(tile)}" data-part="ground-{tile.name}" transform="translate({x} {y})">'
        '<rect class="tile-ground" width="100" height="100" rx="7"/>'
        f'<use href="#t-{tile.kind}" width="100" height="100"/>{border if tile.owner else ""}</g>'
    )


def _marks(sowing: Sowing | None, current: str) -> str:
    marks = {current: "is-current"} if current else {}
    if sowing and len(sowing.path) > 1:
        marks.setdefault(sowing.path[0], "is-origin")
    corners = [(*_corner(name), mark) for name, mark in marks.items()]
    return "".join(
        f'<rect class="highlight {mark}" x="{x - 1}" y="{y - 1}" width="102" height="102" rx="8"/>'
        for x, y, mark in corners
    )


def _tile(tile: TileView, access: str) -> str:
    x, y = _corner(tile.name)
    return (
        f'<g class="tile {_tint(tile)}" data-part="tile-{tile.name}" data-tile="{tile.name}" data-kind="{tile.kind}"'
        f' transform="translate({x} {y})"{access}><rect class="hit" width="100" height="100" rx="7"/>'
        f"{pieces(tile)}</g>"
    )


def mountains(tiles: Mapping[str, TileView]) -> str:
    """Return the drawing of the mountains between tiles."""
    parts = []
    for name, tile in tiles.items():
        if where := tile.mountains:
            x, y = route.centre(name)
            side = -PITCH / 2 if where == "NW" else PITCH / 2
            parts.append(f'<g transform="translate({x:g} {y + side:g})">{MOUNTAINS_ALONG}</g>')
            parts.append(f'<g transform="translate({x + side:g} {y:g})">{MOUNTAINS_DOWN}</g>')
    return f'<g class="layer-mountains" aria-hidden="true">{"".join(parts)}</g>' if parts else ""


def _route(sowing: Sowing | None) -> str:
    if sowing is None or len(sowing.path) + len(sowing.ahead) < 2:
        return ""
    whole = (*sowing.path, *sowing.ahead)
    walked = len(sowing.path) - 1
    flight = _flight(whole)
    roads = whole[:-1] if flight else whole
    offsets = route.lanes(roads)
    parts = []
    if len(roads) - 1 > walked:
        ahead = route.line(route.corners(roads[walked:], offsets[walked:]))
        parts.append(f'<path class="route-halo" d="{ahead}"/><path class="route-ahead" d="{ahead}"/>')
    if flight and sowing.ahead:
        parts.append(f'<path class="route-halo" d="{flight[0]}"/><path class="route-ahead" d="{flight[0]}"/>')
    if walked and len(roads) > 1:
        path = route.line(route.corners(roads[: walked + 1], offsets[:walked]))
        parts.append(f'<path class="route-halo" d="{path}"/><path class="route-done" d="{path}"/>')
    if flight and not sowing.ahead:
        parts.append(f'<path class="route-halo" d="{flight[0]}"/><path class="route-flight" d="{flight[0]}"/>')
    return "".join(parts)


def _flight(path: Sequence[str]) -> tuple[str, route.Point] | None:
    """Return the arc of the last step if it is a flight by carpet. Otherwise return None."""
    return route.arc(path[-2], path[-1]) if route.is_flight(path[-2], path[-1]) else None


def _steps(sowing: Sowing | None) -> str:
    if sowing is None or len(sowing.path) + len(sowing.ahead) < 2:
        return ""
    whole = (*sowing.path, *sowing.ahead)
    flight = _flight(whole)
    points = [*route.step_points(whole[:-1]), flight[1]] if flight else route.step_points(whole)
    walked = len(sowing.path) - 1
    parts = []
    for number, (x, y) in enumerate(points, 1):
        state = " is-ahead" if number > walked else ""
        parts.append(
            f'<g class="route-step{state}" transform="translate({x:g} {y:g})"><circle r="10.5"/>'
            f'<text y="4.5">{number}</text></g>'
        )
    return "".join(parts)
