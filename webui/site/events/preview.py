"""The picture of an event for who has a link to it: 1200 by 630 pixels, as PNG."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from io import BytesIO
from itertools import groupby
from pathlib import Path
from threading import Lock
from typing import Final

from django.utils.translation import ngettext
from PIL import Image, ImageDraw, ImageFont

from webui.ladder.values.events import EventPage
from webui.site.events.words import STATES, course_words, format_words, number_words

WIDTH, HEIGHT = 1200, 630
"""What link previews show."""
LEFT: Final = 72
SITE: Final = Path(__file__).parents[1] / "static" / "site"
TITLES, TEXTS = "vollkorn", "inter"
SCRIPTS: Final = (
    ("cyrillic", re.compile("[\u0400-\u04ff\u2116]")),
    ("latin-ext", re.compile("[\u0100-\u0130\u0132-\u0151\u0154-\u02ba\u1e00-\u1eff]")),
)
"""The files of a family and what is in them, as `static/site/fonts.css` says; all else is in `latin`."""
_ONE_AT_A_TIME: Final = Lock()
"""The fonts are shared, and pictures are not to take all processors."""


def picture(page: EventPage) -> bytes:
    """The picture of an event: its name, format and state, and the first three as far as results are shown."""
    with _ONE_AT_A_TIME:
        return _draw(page)


def _draw(page: EventPage) -> bytes:
    image = Image.new("RGB", (WIDTH, HEIGHT), _colour("page"))
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, WIDTH, 10), fill=_colour("accent"))
    _write(draw, (LEFT, 54), "Naqala Arena", TITLES, 34, "accent")
    size = 76 if len(page.line.name) <= 40 else 56
    y = 116.0
    for line in _wrapped(page.line.name, size, WIDTH - 2 * LEFT)[:2]:
        _write(draw, (LEFT, y), line, TITLES, size, "ink")
        y += size * 1.08
    words = [format_words(page.event), *filter(None, [course_words(page.event)]), str(STATES[page.line.state])]
    y += 22
    _write(draw, (LEFT, y), _cut(" · ".join(words), 30, WIDTH - 2 * LEFT), TEXTS, 30, "ink-2", weight=500)
    rows = [line for line in page.standings if line.games + line.byes][:3]
    if rows:
        _standings(draw, page, max(y + 66, 350))
    else:
        players, entrants = page.line.players, page.line.entrants
        words = [ngettext("%(n)s player", "%(n)s players", players) % {"n": players}]
        words.append(ngettext("%(n)s bot", "%(n)s bots", entrants) % {"n": entrants})
        _write(draw, (LEFT, HEIGHT - 110), " · ".join(words), TEXTS, 38, "accent", weight=650)
    stored = BytesIO()
    image.save(stored, "PNG", optimize=True)
    return stored.getvalue()


def _standings(draw: ImageDraw.ImageDraw, page: EventPage, top: float) -> None:
    """The first three, in a panel at the bottom."""
    height = (HEIGHT - 36 - top) / 3
    draw.rounded_rectangle(
        (LEFT - 24, top, WIDTH - LEFT + 24, HEIGHT - 36), 18, fill=_colour("panel"), outline=_colour("line"), width=2
    )
    for k, line in enumerate(page.standings[:3]):
        middle = top + height * (k + 0.5)
        if k:
            draw.line((LEFT, middle - height / 2, WIDTH - LEFT, middle - height / 2), fill=_colour("line"), width=2)
        draw.ellipse((LEFT, middle - 22, LEFT + 44, middle + 22), fill=_colour("accent" if k == 0 else "accent-soft"))
        place = str(line.place)
        at = LEFT + 22 - _width(place, TEXTS, 24, 700) / 2
        _write(draw, (at, middle - 15), place, TEXTS, 24, "on-accent" if k == 0 else "accent", weight=700)
        points = number_words(line.points)
        name = _cut(page.bots[line.entrant].name, 30, 780)
        _write(draw, (LEFT + 68, middle - 18), name, TEXTS, 30, "ink", weight=650)
        right = WIDTH - LEFT - _width(points, TEXTS, 34, 700)
        _write(draw, (right, middle - 21), points, TEXTS, 34, "ink", weight=700)


@cache
def _font(family: str, script: str, size: int, weight: int) -> ImageFont.FreeTypeFont:
    font = ImageFont.truetype(str(SITE / "fonts" / f"{family}-{script}.woff2"), size)
    if family == TEXTS:
        font.set_variation_by_axes([weight])
    return font


@cache
def _colour(name: str) -> str:
    """A colour of the light theme (`static/site/tokens.css`)."""
    found = re.search(rf"--{name}: (#[0-9a-f]{{6}})", (SITE / "tokens.css").read_text(encoding="utf-8"))
    assert found is not None, name
    return found[1]


def _runs(text: str, family: str, size: int, weight: int) -> Iterator[tuple[str, ImageFont.FreeTypeFont]]:
    def script(letter: str) -> str:
        return next((name for name, letters in SCRIPTS if letters.match(letter)), "latin")

    for name, letters in groupby(text, script):
        yield "".join(letters), _font(family, name, size, weight)


def _width(text: str, family: str, size: int, weight: int = 400) -> float:
    return sum(font.getlength(run) for run, font in _runs(text, family, size, weight))


def _write(
    draw: ImageDraw.ImageDraw,
    at: tuple[float, float],
    text: str,
    family: str,
    size: int,
    colour: str,
    *,
    weight: int = 400,
) -> None:
    x, y = at
    for run, font in _runs(text, family, size, weight):
        draw.text((x, y + size), run, font=font, fill=_colour(colour), anchor="ls")
        x += font.getlength(run)


def _cut(text: str, size: int, width: float) -> str:
    """As much of a text as has room."""
    if _width(text, TEXTS, size, 650) <= width:
        return text
    while text and _width(f"{text}…", TEXTS, size, 650) > width:
        text = text[:-1]
    return f"{text.rstrip()}…"


def _wrapped(text: str, size: int, width: float) -> list[str]:
    """A title in lines."""
    lines = [""]
    for word in text.split():
        longer = f"{lines[-1]} {word}".strip()
        if lines[-1] and _width(longer, TITLES, size) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines
