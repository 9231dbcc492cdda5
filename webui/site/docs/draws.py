"""Draw pictures of small events. Their formats pair the bots, and chance decides the games, as in a dry run."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from django.utils.html import escape
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from arena.events import EventTable, History, Terms, parse_terms
from arena.events.formats.heats import finish, merits, seeds
from arena.events.formats.league import League
from arena.events.formats.round_robin import RoundRobin
from arena.events.plan import played_by_chance
from arena.events.standings import standings
from arena.events.tiebreaks import scores
from webui.events.words import group_name, number_words

Example = tuple[Mapping[str, Any], int, int]
"""Format of an event, number of seats at a table, and number of bots."""
SWISS: Example = ({"kind": "swiss", "rounds": 3}, 3, 9)
KNOCKOUT: Example = ({"kind": "knockout"}, 3, 9)
LEAGUE: Example = ({"kind": "league", "size": 4, "moves": 1, "seasons": 2}, 2, 8)
ROBIN = (4, 12)
"""Number of seats at a table, and number of bots."""
COLUMN = 132
"""Width of a table, in pixels."""
GAP = 44
"""Space between two columns of tables, in pixels."""
ROW = 24
"""Height of a row of a table, in pixels."""
HEAD = 26
"""Height of a heading, in pixels."""
BETWEEN = 12
"""Space between two tables of a column, in pixels."""
CELL = 34
"""Width and height of a matrix's cell, in pixels."""


@dataclass(frozen=True)
class DrawRow:
    """A bot at a table or in a division, with the number shown beside it."""

    bot: int
    number: str
    is_marked: bool = False


@dataclass(frozen=True)
class DrawBox:
    """A table or a division."""

    head: str
    rows: Sequence[DrawRow]


@dataclass(frozen=True)
class Column:
    """A round or a season."""

    head: str
    boxes: Sequence[DrawBox]


def terms(example: Example) -> Terms:
    """Return the terms of an example."""
    format, players, bots = example
    document = {"name": "Example", "format": dict(format), "game": {"players": players}, "entry": {"entrants": bots}}
    return parse_terms(document)


def history(example: Example) -> History:
    """Return the draws and results of an example. They are the same every time."""
    return played_by_chance(terms(example), example[2])


def swiss() -> str:
    """Draw the rounds of a Swiss, with the points that each bot had before the round."""
    event, columns = history(SWISS), []
    for number, round in enumerate(event.rounds):
        before = scores(replace(event, rounds=event.rounds[:number]))
        boxes = [
            _box(table, {seat: number_words(Fraction(before[seat].halves, 2)) for seat in table.seats})
            for table in round.tables
        ]
        columns.append(Column(_round(round.number), boxes))
    return _columns(columns, _("Three rounds of a Swiss"))


def knockout() -> str:
    """Draw the heats of a knockout, with the points of each bot. Winners are marked."""
    event, columns = history(KNOCKOUT), []
    seed_of = seeds(event)
    for round in event.rounds:
        boxes = []
        for table in round.tables:
            won = {seat: number_words(Fraction(-key[0], 2)) for seat, key in merits(table, seed_of).items()}
            boxes.append(_box(table, won, marked={finish(table, seed_of)[0]}))
        columns.append(Column(capfirst(group_name(round.label)) or _round(round.number), boxes))
    return _columns(columns, _("A knockout"))


def league() -> str:
    """Draw two seasons of a league: the standings of the first and the divisions of the second.

    Bots that have changed their division are marked.
    """
    event, form = history(LEAGUE), terms(LEAGUE).format
    assert isinstance(form, League)
    first, second = form.begun(event)
    after = replace(event, rounds=first.rounds)
    place = {row.entrant: row for row in standings(form.counted(after), form.TIE_BREAKS, {}, form.order(after))}
    columns = []
    for number, season in enumerate((first, second), start=1):
        boxes = []
        for at, division in enumerate(season.divisions):
            moved = set(division) - set(first.divisions[at])
            if number == 1:
                order = sorted(division, key=lambda bot: list(place).index(bot))
                rows = [DrawRow(bot, number_words(place[bot].points)) for bot in order]
            else:
                rows = [
                    DrawRow(bot, ("▲" if at == 0 else "▼") if bot in moved else "", bot in moved) for bot in division
                ]
            boxes.append(DrawBox(capfirst(group_name(f"division {at + 1}")), rows))
        columns.append(Column(capfirst(group_name(f"season {number}, round 1")), boxes))
    return _columns(columns, _("Two seasons of a league"))


def round_robin() -> str:
    """Draw a matrix of how often each pair of bots meets in a round robin."""
    players, bots = ROBIN
    meetings = RoundRobin().schedule(players, bots).meetings
    size = (bots + 1) * CELL
    parts = []
    for row in range(bots):
        at = (row + 1) * CELL
        parts.append(_text("draw-head", at + CELL // 2, 22, f"{row + 1}"))
        parts.append(_text("draw-head", CELL // 2, at + 22, f"{row + 1}"))
        for column in range(bots):
            if row != column:
                count, x = meetings[row][column], (column + 1) * CELL
                parts.append(
                    f'<rect class="draw-cell draw-count-{count}" x="{x + 1}" y="{at + 1}"'
                    f' width="{CELL - 2}" height="{CELL - 2}"/>'
                )
                parts.append(_text("draw-middle", x + CELL // 2, at + 22, f"{count}"))
    return _svg(size, size, parts, _("Meetings of a round robin"))


def _round(number: int) -> str:
    return _("Round %(n)s") % {"n": number}


def _box(table: EventTable, numbers: Mapping[int, str], marked: Iterable[int] = ()) -> DrawBox:
    head = _("Table %(n)s") % {"n": table.number}
    return DrawBox(head, [DrawRow(seat, numbers[seat], seat in set(marked)) for seat in table.seats])


def _columns(columns: Sequence[Column], label: str) -> str:
    heights = [sum(HEAD + len(box.rows) * ROW + BETWEEN for box in column.boxes) for column in columns]
    height = max(heights) + HEAD
    parts = []
    for at, column in enumerate(columns):
        x, y = at * (COLUMN + GAP), HEAD + (max(heights) - heights[at]) // 2
        parts.append(_text("draw-stage", x, 16, column.head))
        for box in column.boxes:
            y += HEAD
            parts.append(_text("draw-label", x, y - 7, box.head))
            height = len(box.rows) * ROW
            parts.append(f'<rect class="draw-frame" x="{x}" y="{y}" width="{COLUMN}" height="{height}" rx="5"/>')
            for row in box.rows:
                css = " is-on" if row.is_marked else ""
                bot = _("Bot %(n)s") % {"n": row.bot}
                parts.append(
                    f'<g class="draw-bot{css}" data-bot="{row.bot}">'
                    f"{_text('draw-name', x + 10, y + 17, bot)}"
                    f"{_text('draw-points', x + COLUMN - 10, y + 17, row.number)}</g>"
                )
                y += ROW
            y += BETWEEN
    return _svg(len(columns) * (COLUMN + GAP) - GAP, height, parts, label)


def _text(css: str, x: int, y: int, words: str) -> str:
    return f'<text class="{css}" x="{x}" y="{y}">{escape(words)}</text>'


def _svg(width: int, height: int, parts: Iterable[str], label: str) -> str:
    return (
        f'<svg class="draws" width="{width}" height="{height}" viewBox="-1 -1 {width + 2} {height + 2}" role="img"'
        f' aria-label="{escape(label)}">{"".join(parts)}</svg>'
    )
