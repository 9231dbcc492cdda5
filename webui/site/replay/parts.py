"""The parts of a table: all that can change from one decision to the next, by name, for pages and frames alike.

A part is one element with its name in `data-part`. Those of the board are drawn (`draw_parts`); the others are a
fragment of `templates/site/table` and the values it shows, so that two places can be compared without drawing either.
A part that a place does not have (scores while hands are hidden) is an empty `<template>`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.template import Context, Engine, Template
from django.utils.html import format_html
from django.utils.safestring import SafeString, mark_safe

from webui.ladder.values import SeatLine
from webui.site import panels
from webui.site.board import draw_parts
from webui.site.replay import moves as course
from webui.site.replay.pictures import current_tile
from webui.site.replay.replay import Document, Story
from webui.site.words import consequence_words, decision_words


@dataclass(frozen=True)
class Part:
    """A fragment with what it shows; equal parts look the same."""

    template: str
    shown: Mapping[str, Any]

    def render(self, name: str) -> SafeString:
        """The element."""
        if not self.template:
            return format_html('<template data-part="{}"></template>', name)
        return mark_safe(_fragment(self.template).render(Context(dict(self.shown), use_l10n=False)).strip())


@cache
def _fragment(name: str) -> Template:
    return Engine.get_default().get_template(f"site/table/{name}.html")


NOTHING = Part("", {})
STANDING = ("line", "is_acting", "total", "rank")
BAR = ("parts", "bar_label", "total")
STOCK = ("gold", "viziers", "elders", "artisans", "camels", "all_camels", "tents")
"""What a seat has in numbers."""


def table_parts(story: Story, lines: Sequence[SeatLine], place: int) -> dict[str, Part]:
    """All parts around the board at a place that has a position."""
    position = _at(story, place)
    scores = story.scores(place)
    is_end = story.is_over and place == len(story.steps)
    parts = {
        "turn-track": Part("turn_track", {"spots": panels.turn_track(position, story.ruleset.track.costs)}),
        "bid-track": Part("bid_track", {"spots": panels.bid_track(position), "is_bidding": position["phase"] == "bid"}),
        "caption": Part("caption", caption(story, lines, place)),
        "counter": Part("counter", _counter(story, place)),
        "market": Part("market", {"market": panels.market(position)}),
        "djinns": Part("djinns", {"djinns": panels.djinn_row(position)}),
        "cities": Part("cities", {"cities": cities}) if (cities := panels.cities(position)) else NOTHING,
        "items": Part("items", {"items": items}) if (items := panels.items(position)) else NOTHING,
        "score-table": NOTHING,
    }
    for seat in panels.seat_panels(position, lines, scores):
        name = f"seat-{seat.seat}"
        parts |= {
            f"{name}-total": Part(
                "seat_total", {"seat": _of(seat, "line", "is_acting", "total", "rank"), "is_end": is_end}
            ),
            f"{name}-bar": Part("seat_bar", {"seat": _of(seat, "parts", "bar_label", "total")})
            if seat.parts
            else NOTHING,
            f"{name}-stock": Part("seat_stock", {"seat": _of(seat, *STOCK)}),
            f"{name}-hand": Part("seat_hand", {"seat": _of(seat, "hand", "cards")}),
            f"{name}-djinns": Part("seat_djinns", {"seat": _of(seat, "djinns")}),
            f"{name}-items": Part("seat_items", {"seat": _of(seat, "items")}) if seat.items else NOTHING,
            f"{name}-whims": Part("seat_whims", {"seat": _of(seat, "whims")}) if seat.whims else NOTHING,
        }
    if scores:
        totals = [score["total"] for score in scores]
        shown = {"rows": panels.score_table(scores), "totals": totals, "lines": lines, "is_end": is_end}
        parts["score-table"] = Part("score_table", shown)
    return parts


def board_parts(story: Story, names: Sequence[str], place: int, since: int | None = None) -> dict[str, SafeString]:
    """All parts of the board at a place that has a position; or only those that may differ from those at `since`."""
    position, only = _at(story, place), None
    if since is not None:
        was, tiles = _at(story, since)["board"]["tiles"], position["board"]["tiles"]
        only = {name for name in tiles if tiles[name] != was[name]}
    sowing, current = story.sowing(place), current_tile(story, place)
    return draw_parts(position, names, sowing=sowing, current=current, only=only)


def sentence(story: Story, names: Sequence[str], place: int) -> str:
    """The decision in words. What was picked up is drawn beside the sentence, and is not said twice."""
    step = story.steps[place - 1]
    after = None if step.verb == "take" else story.position(place)
    return decision_words(step.text, names, story.ruleset, story.position(place - 1), after)


def caption(story: Story, lines: Sequence[SeatLine], place: int) -> dict[str, Any]:
    """The decision at a place, for its sentence; no seat before the first."""
    if not place:
        return {"seat": 0}
    step = story.steps[place - 1]
    names = [line.version.bot.name for line in lines]
    return {
        "seat": step.seat,
        "bot": names[step.seat - 1],
        "sentence": sentence(story, names, place),
        "fault": course.fault_words(step),
        "hand": panels.hand_of(_at(story, place), story, place),
        "held": panels.held_of(_at(story, place)),
        "followed": _followed(story, names, place),
    }


def _followed(story: Story, names: Sequence[str], place: int) -> list[str]:
    """What the decision brought about by itself; nothing where the position before it cannot be shown."""
    step, before = story.steps[place - 1], story.position(place - 1)
    return consequence_words(step.text, step.chance, names, before, _at(story, place)) if before else []


def _counter(story: Story, place: int) -> dict[str, Any]:
    return {
        "index": story.steps[place - 1].index if place else None,
        "last_index": story.steps[-1].index if story.steps else 0,
        "round": _at(story, place)["round"],
    }


def _of(seat: panels.SeatPanel, *fields: str) -> dict[str, Any]:
    return {"seat": seat.seat, **{field: getattr(seat, field) for field in fields}}


def _at(story: Story, place: int) -> Document:
    position = story.position(place)
    assert position is not None  # a place without one has no parts
    return position
