"""Drawing of a knockout's bracket: a column for each stage, boxes for heats, and lines for entrants who advance.

The main bracket is at the top, the lower bracket or the consolation below it. The column that needs the most height is
laid out first. In later columns, a heat is centred on the heats from which its entrants come. In earlier columns, it is
centred on the heats to which they go.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Final

from django.utils.translation import gettext

from webui.events.bracket import BracketColumn, HeatLine

WIDTH, BETWEEN = 214, 46
"""Width of a box, and distance to the box of the next stage."""
ROW, GAP = 26, 14
"""Height of an entrant's row, and least space between boxes."""
HEAD, TITLE, EDGE = 34, 30, 1
"""Height of the stages' names, height of the title of a lower bracket, and space around the drawing."""
LETTERS: Final = 21
"""Maximum number of letters of a name."""
MARK: Final = 3
"""Number of letters whose space the mark of a hosted bot takes."""
BANDS: Final = {"lower": 1, "consolation": 2}
"""Position of groups below the main bracket."""


@dataclass
class TreeRow:
    """An entrant in a box."""

    place: HeatLine
    name: str
    """Name, shortened to fit."""
    y: float = 0
    """Vertical centre of the row."""


@dataclass(eq=False)
class TreeBox:
    """A heat, or a bye, which has only one row."""

    column: int
    band: int
    rows: list[TreeRow]
    is_bye: bool
    is_over: bool
    is_final: bool
    match: str = ""
    is_live: bool = False
    before: dict[int, TreeBox] = field(default_factory=dict)
    """Boxes from which the entrants come, by entrant."""
    after: list[TreeBox] = field(default_factory=list)
    top: float = 0

    @property
    def height(self) -> int:
        """Height of all its rows."""
        return ROW * len(self.rows)

    @property
    def middle(self) -> float:
        """Vertical centre of the box."""
        return self.top + self.height / 2

    @property
    def x(self) -> int:
        """Left edge of the box."""
        return EDGE + self.column * (WIDTH + BETWEEN)

    def row(self, entrant: int) -> TreeRow:
        """Return the row of an entrant."""
        return next(row for row in self.rows if row.place.entrant == entrant)


@dataclass(frozen=True)
class Drawing:
    """The elements that the template draws. All lengths are in pixels."""

    width: int
    height: int
    heads: list[tuple[int, BracketColumn]]
    """Stages, each with the left edge of its column."""
    titles: list[tuple[float, str]]
    """Titles of the brackets below the main one, each with its top."""
    boxes: list[TreeBox]
    lines: list[str]
    """SVG paths."""


def drawing(stages: Sequence[BracketColumn]) -> Drawing | None:
    """Return the drawing of these stages. Return None if there are none."""
    if not stages:
        return None
    boxes = _boxes(stages)
    titles, y = [], float(HEAD)
    for band in range(3):
        columns = _columns([box for box in boxes if box.band == band], len(stages))
        if not any(columns):
            continue
        if band:
            titles.append((y + GAP, gettext("Lower bracket") if band == 1 else gettext("Consolation")))
            y += GAP + TITLE
        y = _lay_out(columns, y)
    lines = [_line(box, entrant, source) for box in boxes for entrant, source in box.before.items()]
    width = len(stages) * (WIDTH + BETWEEN) - BETWEEN + 2 * EDGE
    heads = [(EDGE + k * (WIDTH + BETWEEN), stage) for k, stage in enumerate(stages)]
    return Drawing(width, round(y) + EDGE, heads, titles, boxes, lines)


def _boxes(stages: Sequence[BracketColumn]) -> list[TreeBox]:
    """Return a box for each heat and bye, linked to the boxes from which its entrants come."""
    boxes: list[TreeBox] = []
    last: dict[int, TreeBox] = {}
    for column, stage in enumerate(stages):
        column_boxes = []
        for heat in stage.heats:
            rows = [_row(place) for place in heat.places]
            is_final = heat.group in ("final", "reset final")
            box = TreeBox(
                column, BANDS.get(heat.group, 0), rows, False, heat.is_over, is_final, heat.match, heat.is_live
            )
            column_boxes.append(box)
        for bye in stage.byes:
            source = last.get(bye.entrant)
            # An entrant who has lost and has a bye waits in the lower bracket.
            band = 0 if source is None else source.band if source.row(bye.entrant).place.goes_on else BANDS["lower"]
            column_boxes.append(TreeBox(column, band, [_row(bye)], True, True, False))
        for box in column_boxes:
            for row in box.rows:
                source = last.get(row.place.entrant)
                if source and source.row(row.place.entrant).place.goes_on and (box.band == source.band or box.is_final):
                    box.before[row.place.entrant] = source
                    source.after.append(box)
        last |= {row.place.entrant: box for box in column_boxes for row in box.rows}
        boxes += column_boxes
    return boxes


def _row(place: HeatLine) -> TreeRow:
    name, width = "", MARK if place.bot.is_hosted else 0
    for letter in place.bot.name:
        width += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if width > LETTERS:
            return TreeRow(place, f"{name.rstrip()}…")
        name += letter
    return TreeRow(place, name)


def _columns(boxes: Iterable[TreeBox], count: int) -> list[list[TreeBox]]:
    """Return the boxes of a band by column. Boxes that lead to the same heat are adjacent."""
    columns: list[list[TreeBox]] = [[] for _ in range(count)]
    for box in boxes:
        columns[box.column].append(box)
    for column in reversed(range(count - 1)):
        order = {box: k for k, box in enumerate(columns[column + 1])}

        def target(box: TreeBox, order: dict[TreeBox, int] = order) -> float:
            return (
                fmean(positions)
                if (positions := [order[after] for after in box.after if after in order])
                else len(order)
            )

        columns[column].sort(key=target)
    return columns


def _lay_out(columns: Sequence[list[TreeBox]], top: float) -> float:
    """Set the position of every box of a band, from `top` downwards. Return the bottom of the band."""
    heights = [sum(box.height + GAP for box in column) for column in columns]
    base = heights.index(max(heights))
    _stack(columns[base], lambda _: None, top)
    for column in columns[base + 1 :]:
        _stack(column, lambda box: _mean(box.before.values(), box.band), top)
    for column in reversed(columns[:base]):
        _stack(column, lambda box: _mean(box.after, box.band), top)
    for column in columns:
        for box in column:
            # Sort rows by the height of their sources, so that lines do not cross.
            box.rows.sort(key=lambda row: _height_of_source(box, row))
            for k, row in enumerate(box.rows):
                row.y = box.top + ROW * (k + 0.5)
    return max(box.top + box.height for column in columns for box in column)


def _height_of_source(box: TreeBox, row: TreeRow) -> float:
    source = box.before.get(row.place.entrant)
    return source.row(row.place.entrant).y if source else box.middle


def _mean(others: Iterable[TreeBox], band: int) -> float | None:
    """Return the mean centre of the boxes in this band. Return None if there are none."""
    middles = [other.middle for other in others if other.band == band]
    return fmean(middles) if middles else None


def _stack(column: Iterable[TreeBox], wanted: Callable[[TreeBox], float | None], top: float) -> None:
    """Place the boxes of a column in their order, each as close as possible to its wanted position."""
    for box in column:
        middle = wanted(box)
        box.top = top if middle is None else max(top, middle - box.height / 2)
        top = box.top + box.height + GAP


def _line(box: TreeBox, entrant: int, source: TreeBox) -> str:
    """Return the path from an entrant's row to its next one."""
    x0, y0 = source.x + WIDTH, source.row(entrant).y
    x1, y1 = box.x, box.row(entrant).y
    bend = x1 - BETWEEN / 2
    return f"M{x0} {y0:g}H{bend - 12:g}C{bend:g} {y0:g} {bend:g} {y1:g} {bend + 12:g} {y1:g}H{x1}"
