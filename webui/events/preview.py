"""Picture of an event for link previews: a PNG of 1200 by 630 pixels."""

from __future__ import annotations

from django.utils.translation import ngettext

from webui.core.canvas import HEIGHT, LEFT, TEXTS, WIDTH, Draw, colour, cut, panel, png, right_of, title, width, write
from webui.events.values import EventPage
from webui.events.words import STATES, course_words, format_words, number_words


def picture(page: EventPage) -> bytes:
    """Return the picture of an event: its name, format and state, and the first three if results are shown."""
    return png(lambda draw: _draw(draw, page))


def _draw(draw: Draw, page: EventPage) -> None:
    y = title(draw, page.line.name)
    words = [format_words(page.event), *filter(None, [course_words(page.event)]), str(STATES[page.line.state])]
    write(draw, (LEFT, y), cut(" · ".join(words), 30, WIDTH - 2 * LEFT), TEXTS, 30, "ink-2", weight=500)
    rows = [line for line in page.standings if line.games + line.byes][:3]
    if rows:
        _standings(draw, page, max(y + 66, 350))
    else:
        players, entrants = page.line.players, page.line.entrants
        words = [ngettext("%(n)s player", "%(n)s players", players) % {"n": players}]
        words.append(ngettext("%(n)s bot", "%(n)s bots", entrants) % {"n": entrants})
        write(draw, (LEFT, HEIGHT - 110), " · ".join(words), TEXTS, 38, "accent", weight=650)


def _standings(draw: Draw, page: EventPage, top: float) -> None:
    """Draw the first three, in a panel at the bottom."""
    height = (HEIGHT - 36 - top) / 3
    panel(draw, top)
    for k, line in enumerate(page.standings[:3]):
        middle = top + height * (k + 0.5)
        if k:
            draw.line((LEFT, middle - height / 2, WIDTH - LEFT, middle - height / 2), fill=colour("line"), width=2)
        draw.ellipse((LEFT, middle - 22, LEFT + 44, middle + 22), fill=colour("accent" if k == 0 else "accent-soft"))
        place = str(line.place)
        at = LEFT + 22 - width(place, TEXTS, 24, 700) / 2
        write(draw, (at, middle - 15), place, TEXTS, 24, "on-accent" if k == 0 else "accent", weight=700)
        name = cut(page.bots[line.entrant].name, 30, 780)
        write(draw, (LEFT + 68, middle - 18), name, TEXTS, 30, "ink", weight=650)
        right_of(draw, number_words(line.points), middle)
