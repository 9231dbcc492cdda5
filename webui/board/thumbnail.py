"""Thumbnails: boards as separate image files, which lists show at a small size.

An image cannot use the style sheets and drawings of its page. It therefore contains those that it needs, with the
colours of both themes. The drawing leaves out details that are illegible at this size: motifs, badges, letters and
figures.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

from arena.rules import TileView
from webui.board.drawing import MARGIN, PITCH, Tiles, draw_parts, mountains
from webui.core.static_files import shown_in

STATIC = Path(__file__).parents[1] / "site" / "static" / "site"
_COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
_RULE = re.compile(r"([^{}]+)\{([^{}]*)\}")
_VARIABLE = re.compile(r"--([\w-]+):\s*([^;]+);")
_CLASS = re.compile(r"\.([\w-]+)")
_LEFT_OUT = re.compile(
    r'<use href="#t-[\w-]+"[^>]*/>|<path class="badge-ground"[^>]*/>|<text [^>]*>[^<]*</text>|<rect class="hit"[^>]*/>'
    r'| data-[a-z]+="[^"]*"'
)


def draw_thumbnail(position: Tiles) -> str:
    """Return the board of a position or view as a standalone SVG document."""
    width, height = position.columns * PITCH + 2 * MARGIN, position.rows * PITCH + 2 * MARGIN
    parts = draw_parts(position, None)
    drawn = _LEFT_OUT.sub(
        "",
        "".join(parts[f"ground-{name}"] for name in position.tiles)
        + mountains(position.tiles)
        + "".join(parts[f"tile-{name}"] for name in position.tiles),
    )
    symbols = shown_in(drawn)
    frame = f'<rect class="board-ground" width="{width}" height="{height}" rx="24"/>'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="board" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}"><style>{_style(symbols + drawn)}</style>{symbols}{frame}{drawn}</svg>'
    )


def empty_board(columns: int, rows: int) -> str:
    """Return an empty board, for a match of which nothing can be shown yet."""

    class Empty:
        tiles: dict[str, TileView] = {}

        def __init__(self) -> None:
            self.columns, self.rows = columns, rows

    return draw_thumbnail(Empty())


def _style(drawn: str) -> str:
    """Return the style rules and colours that this drawing needs."""
    drawn_classes = {name for names in re.findall(r'class="([^"]*)"', drawn) for name in names.split()}
    used = {"board", "board-ground", *drawn_classes}
    rules = [
        (selector, text)
        for selector, text in _rules()
        if selector != ".board"
        and all(set(_CLASS.findall(part)) <= used and _CLASS.findall(part) for part in selector.split(","))
    ]
    light, dark = _colours()
    seats = "".join(text for _, text in rules)
    names = sorted(name for name in set(re.findall(r"var\(--([\w-]+)\)", seats)) if name in light)

    def root(colours: dict[str, str]) -> str:
        return ":root{" + "".join(f"--{name}:{colours[name]};" for name in names if name in colours) + "}"

    plain = "".join(f"{selector}{{{text.strip()}}}" for selector, text in rules)
    return f"{root(light)}@media(prefers-color-scheme:dark){{{root(dark)}}}{plain}"


@cache
def _rules() -> tuple[tuple[str, str], ...]:
    """Return the selectors and declarations for the pieces and the colours of the seats."""
    board = (STATIC / "board.css").read_text(encoding="utf-8")
    base = (STATIC / "base.css").read_text(encoding="utf-8")
    seats = "\n".join(re.findall(r"^\.seat-\d .*$", base, re.MULTILINE))
    rules = _RULE.findall(_COMMENT.sub("", board) + seats)
    return tuple((" ".join(selectors.split()), " ".join(text.split())) for selectors, text in rules)


@cache
def _colours() -> tuple[dict[str, str], dict[str, str]]:
    """Return the colours by name, for the light and the dark theme."""
    tokens = (STATIC / "tokens.css").read_text(encoding="utf-8")
    light, dark = tokens.split("@media (prefers-color-scheme: dark) {", 1)[0], tokens.split(":root.theme-dark", 1)[1]
    return dict(_VARIABLE.findall(light)), dict(_VARIABLE.findall(dark.split("}", 1)[0]))
