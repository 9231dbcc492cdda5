"""Pictures for link previews: PNG of 1200 by 630 pixels, with the site's fonts and colours."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from io import BytesIO
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Final

from PIL import Image, ImageDraw, ImageFont

WIDTH, HEIGHT = 1200, 630
"""Size of a picture in link previews, in pixels."""
LEFT: Final = 72
SITE: Final = Path(__file__).parents[1] / "site" / "static" / "site"
TITLES, TEXTS = "vollkorn", "inter"
SCRIPTS: Final = (
    ("cyrillic", re.compile("[\u0400-\u04ff\u2116]")),
    ("latin-ext", re.compile("[\u0100-\u0130\u0132-\u0151\u0154-\u02ba\u1e00-\u1eff]")),
)
"""Font files of a family, with the characters in each, as in `static/site/fonts.css`. All others are in `latin`."""
_ONE_AT_A_TIME: Final = Lock()
"""Lock under which pictures are drawn: the fonts are shared, and pictures must not occupy all processors."""

Draw = ImageDraw.ImageDraw


def png(paint: Callable[[Draw], None]) -> bytes:
    """Return a picture with the site's name at the top, and below it what `paint` draws."""
    with _ONE_AT_A_TIME:
        image = Image.new("RGB", (WIDTH, HEIGHT), colour("page"))
        draw = ImageDraw.Draw(image)
        draw.rectangle((0, 0, WIDTH, 10), fill=colour("accent"))
        write(draw, (LEFT, 54), "Naqala Arena", TITLES, 34, "accent")
        paint(draw)
        stored = BytesIO()
        image.save(stored, "PNG", optimize=True)
        return stored.getvalue()


def title(draw: Draw, text: str) -> float:
    """Draw a title of at most two lines below the site's name. Return the vertical position below it, in pixels."""
    available, lines, size = WIDTH - 2 * LEFT, [""], 0
    for size in (76, 56, 44):
        lines = wrapped(text, size, available)
        if len(lines) <= 2 and all(width(line, TITLES, size) <= available for line in lines):
            break
    y = 116.0
    for line in lines[:2]:
        write(draw, (LEFT, y), cut(line, size, available, TITLES, 400), TITLES, size, "ink")
        y += size * 1.08
    return y + 22


def panel(draw: Draw, top: float) -> None:
    """Draw a panel from `top` to the bottom."""
    draw.rounded_rectangle(
        (LEFT - 24, top, WIDTH - LEFT + 24, HEIGHT - 36), 18, fill=colour("panel"), outline=colour("line"), width=2
    )


def right_of(draw: Draw, text: str, middle: float, size: int = 34) -> None:
    """Write a text that ends at the right margin."""
    at = WIDTH - LEFT - width(text, TEXTS, size, 700)
    write(draw, (at, middle - size * 0.62), text, TEXTS, size, "ink", weight=700)


@cache
def _font(family: str, script: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(str(SITE / "fonts" / f"{family}-{script}.woff2"), size)
    if family == TEXTS:
        font.set_variation_by_axes([weight])
    return font


@cache
def colour(name: str) -> str:
    """Return a colour of the light theme (`static/site/tokens.css`)."""
    match = re.search(rf"--{name}: (#[0-9a-f]{{6}})", (SITE / "tokens.css").read_text(encoding="utf-8"))
    assert match is not None, name
    return match[1]


def _runs(text: str, family: str, size: int, weight: int) -> Iterator[tuple[str, ImageFont.FreeTypeFont]]:
    def script(letter: str) -> str:
        return next((name for name, letters in SCRIPTS if letters.match(letter)), "latin")

    for name, letters in groupby(text, script):
        yield "".join(letters), _font(family, name, size, weight)


def width(text: str, family: str, size: int, weight: int = 400) -> float:
    """Return the width of a text, in pixels."""
    return sum(font.getlength(run) for run, font in _runs(text, family, size, weight))


def write(
    draw: Draw,
    at: tuple[float, float],
    text: str,
    family: str,
    size: int,
    ink: str,
    *,
    weight: int = 400,
) -> None:
    """Write a text. `at` is the top left corner of its first line."""
    x, y = at
    for run, font in _runs(text, family, size, weight):
        draw.text((x, y + size), run, font=font, fill=colour(ink), anchor="ls")
        x += font.getlength(run)


def cut(text: str, size: int, available: float, family: str = TEXTS, weight: int = 650) -> str:
    """Return as much of a text as fits into `available` pixels."""
    if width(text, family, size, weight) <= available:
        return text
    while text and width(f"{text}…", family, size, weight) > available:
        text = text[:-1]
    return f"{text.rstrip()}…"


def wrapped(text: str, size: int, available: float) -> list[str]:
    """Return a title as lines."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and width(longer, TITLES, size) > available:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
