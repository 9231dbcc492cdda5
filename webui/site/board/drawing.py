"""A position document in, SVG out.

Units, not pixels: a tile is 100, the pitch 106, the margin 26. Layers from below: ground and motifs (hidden from
readers), mountains, route, pieces (one focusable group a tile), step numbers. Colours come from the style sheet through
classes; the shapes are the symbols in `templates/site/drawings`, which the page includes once.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from webui.site.board import names, route

TILE = 100
PITCH = route.PITCH
MARGIN = 26
EDGE = MARGIN + (PITCH - TILE) // 2
"""From the border of the drawing to the first tile."""

BADGES = {  # colour -> outline of the value badge, x of its number
    "red": ("M0 7a7 7 0 0 1 7-7H35L21 26H0z", 14),
    "blue": ("M0 7a7 7 0 0 1 7-7H31V9A17 17 0 0 1 14 26H0z", 15),
}
MOUNTAINS_ALONG = (
    '<path class="ma" d="M-40 7-27-7-18 2-4-12 8 3 19-8 40 7z"/>'
    '<path class="mb2" d="M-27-7-22-3-27 0-31-3zM-4-12 1-6-4-3-8-7zM19-8 25-4 19-1 15-4z"/>'
)
MOUNTAINS_DOWN = "".join(
    f'<path class="ma" d="M-11 {y} 0 {y - 20} 11 {y}z"/>'
    f'<path class="mb2" d="M0 {y - 20} 4.5 {y - 12} 0 {y - 10} -4.5 {y - 12}z"/>'
    for y in (-18, 6, 30)
)
SIZES = {1: 36.0, 2: 33.0, 3: 30.0}
"""Size of a meeple by how many glyphs stand on the tile; more than three are smaller."""
SIZE_OF_MANY, SIZE_OF_SIX = 27.5, 23.5
MIDDLES = {"y": 0.58, "w": 0.56, "g": 0.5, "b": 0.62, "r": 0.44, "p": 0.5}
"""Where the middle of a silhouette lies in its square, for the number on it."""


@dataclass(frozen=True)
class Sowing:
    """A sowing in progress: the tiles walked, origin first, and in a replay those still to come."""

    path: tuple[str, ...]
    ahead: tuple[str, ...] = ()


def draw_board(
    position: Mapping[str, Any],
    seats: Sequence[str],
    *,
    sowing: Sowing | None = None,
    current: str = "",
    label: str = "",
    is_picture: bool = False,
) -> SafeString:
    """The board of a position or view document.

    `seats` are the names of the bots, seat 1 first; `current` is the tile of the last act. A picture (thumbnail) is one
    image with `label` for readers; otherwise every tile is an element of its own that the arrow keys reach.
    """
    columns, rows = position["board"]["columns"], position["board"]["rows"]
    tiles: Mapping[str, Mapping[str, Any]] = position["board"]["tiles"]
    marks = dict.fromkeys([current] if current else [], " is-cur")
    if sowing and len(sowing.path) > 1:
        marks.setdefault(sowing.path[0], " is-origin")
    width, height = columns * PITCH + 2 * MARGIN, rows * PITCH + 2 * MARGIN
    role = "img" if is_picture else "group"
    parts = [
        f'<svg class="board" width="{width}" height="{height}" viewBox="0 0 {width} {height}" role="{role}"',
        f' aria-label="{escape(label or names.board_label(columns, rows))}">',
        _frame(columns, rows, width, height),
        '<g class="l-ground" aria-hidden="true">',
        *(_ground(name, tile, marks.get(name, "")) for name, tile in tiles.items()),
        "</g>",
        _mountains(tiles),
        _route(sowing),
        '<g class="l-pieces">',
    ]
    for number, (name, tile) in enumerate(tiles.items()):
        access = ""
        if not is_picture:
            stop = -1 if number else 0  # one tab stop; the arrow keys move it
            access = f' role="img" tabindex="{stop}" aria-label="{escape(names.tile_label(name, tile, seats))}"'
        parts.append(_pieces(name, tile, marks.get(name, ""), access))
    parts += ["</g>", _steps(sowing), "</svg>"]
    return mark_safe("".join(parts))  # built here; every foreign text in it is escaped


def _frame(columns: int, rows: int, width: int, height: int) -> str:
    right, bottom = width - 21, height - 21
    letters = "".join(
        f'<text class="co-l" x="{79 + PITCH * i}" y="15.5">{chr(ord("A") + i)}</text>' for i in range(columns)
    )
    figures = "".join(f'<text class="co-l" x="11.5" y="{83.5 + PITCH * i:g}">{i + 1}</text>' for i in range(rows))
    ticks = "".join(
        f"M{MARGIN + PITCH * i} 21v-7M{MARGIN + PITCH * i} {bottom}v7" for i in range(1, columns)
    ) + "".join(f"M21 {MARGIN + PITCH * i}h-7M{right} {MARGIN + PITCH * i}h7" for i in range(1, rows))
    return (
        f'<g aria-hidden="true"><rect class="gnd" x="1" y="1" width="{width - 2}" height="{height - 2}" rx="12"/>'
        f'<rect class="neat" x="21" y="21" width="{right - 21}" height="{bottom - 21}" rx="9"/>'
        f'{letters}{figures}<path class="tick" d="{ticks}"/></g>'
    )


def _corner(name: str) -> tuple[int, int]:
    return EDGE + PITCH * (ord(name[0]) - ord("A")), EDGE + PITCH * (int(name[1:]) - 1)


def _tint(tile: Mapping[str, Any]) -> str:
    return f"t-{tile['colour'] or tile['kind']}"


def _ground(name: str, tile: Mapping[str, Any], mark: str) -> str:
    x, y = _corner(name)
    owner = f'<rect class="ow s{tile["owner"]}" x="2" y="2" width="96" height="96" rx="5.5"/>' if tile["owner"] else ""
    outline = '<rect class="hl" x="-1" y="-1" width="102" height="102" rx="8"/>' if mark else ""
    return (
        f'<g class="tile {_tint(tile)}{mark}" transform="translate({x} {y})">'
        f'<rect class="gr" width="100" height="100" rx="7"/><use href="#t-{tile["kind"]}" width="100" height="100"/>'
        f"{owner}{outline}</g>"
    )


def _mountains(tiles: Mapping[str, Mapping[str, Any]]) -> str:
    parts = []
    for name, tile in tiles.items():
        if where := tile.get("mountains"):
            x, y = route.centre(name)
            side = -PITCH / 2 if where == "NW" else PITCH / 2
            parts.append(f'<g transform="translate({x:g} {y + side:g})">{MOUNTAINS_ALONG}</g>')
            parts.append(f'<g transform="translate({x + side:g} {y:g})">{MOUNTAINS_DOWN}</g>')
    return f'<g class="l-mountains" aria-hidden="true">{"".join(parts)}</g>' if parts else ""


def _route(sowing: Sowing | None) -> str:
    if sowing is None or len(sowing.path) + len(sowing.ahead) < 2:
        return ""
    whole = (*sowing.path, *sowing.ahead)
    offsets = route.lanes(whole)
    walked = len(sowing.path) - 1
    parts = []
    if sowing.ahead:
        ahead = route.line(route.corners(whole[walked:], offsets[walked:]))
        parts.append(f'<path class="rt-h" d="{ahead}"/><path class="rt-f" d="{ahead}"/>')
    if walked:
        done = route.line(route.corners(sowing.path, offsets[:walked]))
        parts.append(f'<path class="rt-h" d="{done}"/><path class="rt" d="{done}"/>')
    return f'<g class="l-route" aria-hidden="true">{"".join(parts)}</g>'


def _steps(sowing: Sowing | None) -> str:
    if sowing is None or len(sowing.path) + len(sowing.ahead) < 2:
        return ""
    walked = len(sowing.path) - 1
    parts = []
    for number, (x, y) in enumerate(route.step_points((*sowing.path, *sowing.ahead)), 1):
        state = " f" if number > walked else ""
        parts.append(
            f'<g class="st{state}" transform="translate({x:g} {y:g})"><circle r="10.5"/>'
            f'<text y="4.5">{number}</text></g>'
        )
    return f'<g class="l-steps" aria-hidden="true">{"".join(parts)}</g>'


def _pieces(name: str, tile: Mapping[str, Any], mark: str, access: str) -> str:
    x, y = _corner(name)
    parts = [
        f'<g class="tile {_tint(tile)}{mark}" data-tile="{name}" transform="translate({x} {y})"{access}>',
        '<rect class="hit" width="100" height="100" rx="7"/>',
    ]
    if tile["colour"]:
        outline, middle = BADGES[tile["colour"]]
        value = "★" if tile["kind"] == "city" else tile["value"]
        parts.append(f'<path class="bg" d="{outline}"/><text class="bv" x="{middle}" y="19">{value}</text>')
    if owner := tile["owner"]:
        parts.append(_tent(owner) if tile.get("tent") else _camel(owner))
    buildings = tile["palms"] or tile["palaces"]
    parts.append(_meeples(tile["meeples"], bool(buildings)))
    if buildings:
        parts.append(_buildings(tile["palms"], tile["palaces"]))
    return "".join(parts) + "</g>"


def _camel(seat: int) -> str:
    return (
        f'<g class="own s{seat}"><use href="#camel" x="54" y="4" width="42" height="34"/></g>'
        f'<text class="cn s{seat}" x="71.6" y="22.9">{seat}</text>'
    )


def _tent(seat: int) -> str:
    return (
        f'<g class="own s{seat}" transform="translate(64 6)"><path class="cb" d="M15 1 30 25H0z"/>'
        f'<path class="tn" d="M15 8 20 25H10z"/></g><text class="cn s{seat}" x="79" y="24">{seat}</text>'
    )


def _meeples(group: str, has_buildings: bool) -> str:
    """Up to five are drawn each; from six on one glyph a tribe with its number in it."""
    tribes = names.counts(group)
    drawn = [(tribe, 1) for tribe, number in tribes for _ in range(number)]
    if len(drawn) > 5:
        drawn = tribes
    parts = []
    for (tribe, number), (x, y, size) in zip(drawn, _places(len(drawn), has_buildings), strict=True):
        glyph = "n" if number > 1 else "m"
        parts.append(
            f'<use class="mp" href="#{glyph}-{tribe}" x="{x:g}" y="{y:g}" width="{size:g}" height="{size:g}"/>'
        )
        if number > 1:
            baseline = y + size * MIDDLES[tribe] + 4.7
            parts.append(f'<text class="mn on-{tribe}" x="{x + size / 2:g}" y="{baseline:g}">{number}</text>')
    return "".join(parts)


def _places(count: int, has_buildings: bool) -> list[tuple[float, float, float]]:
    """x, y and size of each glyph: one row of up to three, else rows of three; clear of what stands bottom right."""
    size = SIZES.get(count, SIZE_OF_SIX if count > 5 else SIZE_OF_MANY)
    if count <= 3:
        gap = {1: 0.0, 2: 3.0, 3: 1.5}[count] if count else 0.0
        left = (TILE - count * size - (count - 1) * gap) / 2
        top = 44.0 if count == 3 and not has_buildings else 38.0
        return [(left + i * (size + gap), top, size) for i in range(count)]
    rest = count - 3
    pitch = size + 1.5
    left = (TILE - 3 * size - 3) / 2
    below = 7.0 if has_buildings else (TILE - rest * size - (rest - 1) * 1.5) / 2
    return [(left + i * pitch, 37.0, size) for i in range(3)] + [(below + i * pitch, 67.0, size) for i in range(rest)]


def _buildings(palms: int, palaces: int) -> str:
    """Bottom right, read from the right: palaces first; the number in a dark disc from two on."""
    kinds = [(kind, number) for kind, number in (("palace", palaces), ("palm", palms)) if number]
    size = 27 if len(kinds) == 1 else 23
    parts = []
    for place, (kind, number) in enumerate(kinds):
        x, y = 98 - size - 18 * place, 96 - size
        parts.append(f'<use class="bd" href="#{kind}" x="{x}" y="{y}" width="{size}" height="{size}"/>')
        if number > 1:
            cx, cy = 93 - 18 * place, y + 2
            parts.append(
                f'<circle class="bc" cx="{cx}" cy="{cy}" r="7"/>'
                f'<text class="bt" x="{cx}" y="{cy + 3.6:g}">{number}</text>'
            )
    return "".join(parts)
