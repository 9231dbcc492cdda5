"""A view as an SVG picture for notebooks: the board, with everything else as text below. It needs no style sheet or
font.

Units: a tile is 100 wide and high; a line of text below the board is 22 high.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator
from html import escape

from arena.bots.drawing import pending_words, seat_lines
from arena.rules import Ruleset, TileView, View

TILE, EDGE, LINE = 100, 12, 22
LETTERS = 13
"""Number of letters of a text line that fit below one tile."""
PAPER, INK, MUTED = "#f7f1e3", "#2b2118", "#6b5d4d"
GROUND = {"red": "#f0b7a1", "blue": "#b3d3e6", None: "#d9d2c4"}
BORDER = {"red": "#a33a1c", "blue": "#1f5f86", None: "#7d7364"}
HOLES = {"lake": "#7db4cf", "chasm": "#8b8378"}
TRIBES = {"y": "#f2c230", "w": "#ffffff", "g": "#3f8f4a", "b": "#2f6fc4", "r": "#c5372c", "p": "#7d4aa8"}
DARK = "gbrp"
"""Tribes whose letter is white."""
SEATS = ("", "#0f8aa0", "#a8328f", "#c46a00", "#2e7d32", "#8a7a00")
IN_A_ROW = 6
RADIUS = 7.5


def svg_of(view: View) -> str:
    """Return the picture as a complete SVG document."""
    lines = [part for line in _lines(view) for part in textwrap.wrap(line, view.columns * LETTERS)]
    width = view.columns * TILE + 2 * EDGE
    height = view.rows * TILE + 2 * EDGE + LINE * len(lines) + EDGE
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
        f' role="img" font-family="sans-serif" font-size="14" fill="{INK}">',
        f"<title>{escape(lines[0])}</title>",
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
    ]
    parts += [f'<g transform="translate({EDGE} {EDGE})">', *tiles_of(view).values(), "</g>"]
    first = view.rows * TILE + 2 * EDGE + LINE // 2
    parts += [_text(EDGE, first + LINE * number, line) for number, line in enumerate(lines)]
    return "".join([*parts, "</svg>"])


def tiles_of(view: View) -> dict[str, str]:
    """Return the picture of each tile by name, at its place on a board whose corner is 0, 0."""
    return {
        name: f'<g transform="translate({tile.column * TILE} {tile.row * TILE})">{"".join(_tile(tile, view))}</g>'
        for name, tile in view.tiles.items()
    }


def _tile(tile: TileView, view: View) -> Iterator[str]:
    ground, border = HOLES.get(tile.kind, GROUND[tile.colour]), BORDER[tile.colour]
    thick = 4 if tile.name == view.turn.at else 1.5
    yield f'<rect x="2" y="2" width="96" height="96" rx="8" fill="{ground}" stroke="{border}" stroke-width="{thick}"/>'
    value = "" if not tile.is_passable else " 5+" if tile.kind == "city" else f" {tile.value}"
    yield _text(8, 18, f"{tile.name}{value}", "bold", 14)
    yield _text(8, 32, tile.kind, size=11, colour=MUTED if tile.is_passable else INK)
    for place, letter in enumerate(tile.meeples):
        x, y = 16 + 14 * (place % IN_A_ROW), 44 + 16 * (place // IN_A_ROW)
        colour = "#ffffff" if letter in DARK else INK
        yield f'<circle cx="{x}" cy="{y}" r="{RADIUS}" fill="{TRIBES[letter]}" stroke="{INK}" stroke-width="0.8"/>'
        yield _text(x, y + 4, letter, "bold", 11, colour, "middle")
    if tile.owner:
        shape = f'<circle cx="84" cy="15" r="11" fill="{SEATS[tile.owner]}"/>'
        if tile.tent:
            shape = f'<path d="M70 26 84 2 98 26z" fill="{SEATS[tile.owner]}"/>'
        yield shape + _text(84, 20 if not tile.tent else 23, str(tile.owner), "bold", 13, "#ffffff", "middle")
    pieces = [
        f"{piece}×{number}" if number > 1 else piece
        for piece, number in (("palm", tile.palms), ("palace", tile.palaces))
        if number
    ]
    if tile.mountains:
        pieces.append(f"▲{tile.mountains}")
    if tile.whim:
        pieces.append(tile.whim)
    yield _text(8, 92, " ".join(pieces), size=11)


def _lines(view: View) -> Iterator[str]:
    """Yield the lines of text below the board."""
    viewer = f"seat {view.seat}" if view.seat else "a spectator"
    yield f"View of {viewer}: round {view.round}, {pending_words(view)}"
    costs = Ruleset(view.players, view.expansions).track.costs
    spots = " ".join(f"{cost}:{seat or '–'}" for cost, seat in zip(costs, view.turn_track, strict=True))
    yield f"Bids (price:seat) {spots} · order {' '.join(map(str, view.bid_order)) or '–'}"
    yield f"Market: {', '.join(view.market) or 'empty'}"
    yield f"Djinns: {', '.join(view.djinns) or 'none'}"
    for seat in view.seats:
        yield f"Seat {seat.number}: {' · '.join(seat_lines(view, seat))}"


def _text(
    x: float, y: float, text: str, weight: str = "normal", size: int = 14, colour: str = INK, anchor: str = "start"
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" fill="{colour}" text-anchor="{anchor}">'
        f"{escape(text)}</text>"
    )
