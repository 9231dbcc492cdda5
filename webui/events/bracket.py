"""The bracket of a knockout, for templates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from arena.events.formats.bracket import Heat as DrawnHeat
from arena.events.formats.bracket import Stage as Drawn
from arena.events.formats.bracket import bracket
from arena.events.formats.knockout import Knockout
from webui.bots.values import BotRef
from webui.events.values import EventPage
from webui.events.words import group_name, number_words


@dataclass(frozen=True)
class HeatLine:
    """An entrant in a heat."""

    entrant: int
    bot: BotRef
    points: str
    score: int
    goes_on: bool


@dataclass(frozen=True)
class BracketHeat:
    """A table of a stage."""

    number: int
    group: str
    """Name of the group in the format. `label` has it in words."""
    label: str
    is_over: bool
    places: Sequence[HeatLine]
    match: str
    """Match of the heat, if it plays only one and that may be watched."""
    is_live: bool


@dataclass(frozen=True)
class BracketColumn:
    """A column of the bracket."""

    round: int
    label: str
    heats: Sequence[BracketHeat]
    byes: Sequence[HeatLine]


def stages(page: EventPage) -> list[BracketColumn]:
    """Return the stages whose results are shown. The list is empty for formats other than a knockout."""
    format = page.event.terms.format
    if not isinstance(format, Knockout) or not page.shown:
        return []
    history = page.event.history(page.shown)
    return [
        BracketColumn(
            stage.round,
            group_name(stage.label),
            [_heat(page, stage, heat) for heat in stage.heats],
            [HeatLine(number, page.bots[number], "", 0, True) for number in stage.byes],
        )
        for stage in bracket(format, history)
    ]


def _heat(page: EventPage, stage: Drawn, heat: DrawnHeat) -> BracketHeat:
    game = page.games.get((stage.round, heat.table, 0)) if page.event.terms.unit == "match" else None
    return BracketHeat(
        heat.table,
        heat.group,
        group_name(heat.group),
        heat.is_over,
        [
            HeatLine(
                place.entrant,
                page.bots[place.entrant],
                number_words(Fraction(place.halves, 2)),
                place.score,
                place.goes_on or (k == 0 and heat.is_over and _is_final(stage.label, heat.group)),
            )
            for k, place in enumerate(heat.places)
        ],
        game.match if game else "",
        game is not None and game.state == "RUNNING",
    )


def _is_final(label: str, group: str) -> bool:
    return label in ("final", "reset final") and group in ("", "final")
