"""Boards of an event in play, for templates, and its picture for link previews."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.utils.translation import ngettext

from arena.events.values import seats_of_game
from webui.bots.values import BotRef
from webui.core.canvas import HEIGHT, LEFT, TEXTS, WIDTH, Draw, colour, cut, panel, png, right_of, title, width, write
from webui.events.values import EventPage
from webui.events.words import STATES, course_words, format_words, number_words, place_words


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


@dataclass(frozen=True)
class BoardSeat:
    """A seat of a running match."""

    number: int
    bot: BotRef
    camels: int | None
    """Number of camels left. None before the match has a position."""
    acts: bool
    """Whether the match waits for this seat's decision."""


@dataclass(frozen=True)
class EventBoard:
    """A running match."""

    match: str
    place: str
    """Place of the match in words, such as `Round 2, table 3`."""
    round: int | None
    """Round of the game."""
    seats: Sequence[BoardSeat]


def boards(page: EventPage) -> list[EventBoard]:
    """Return the running matches that may be watched, by table."""
    shown = []
    for key, game in sorted(page.games.items()):
        # the same rule as for the match's own page
        is_public = not page.event.terms.hidden or key[0] <= page.event.revealed
        if game.state != "RUNNING" or not is_public or key in page.event.games:
            continue
        seen = page.boards.get(game.match)
        table = page.event.rounds[key[0] - 1].tables[key[1] - 1]
        entrants = seats_of_game(table.seats, key[2], page.event.terms.unit)
        seats = [
            BoardSeat(
                number,
                page.bots[entrant],
                seen.camels[number - 1] if seen else None,
                seen is not None and seen.to_act == number,
            )
            for number, entrant in enumerate(entrants, start=1)
        ]
        shown.append(EventBoard(game.match, place_words(page.event, key), seen.round if seen else None, seats))
    return shown
