"""The parts of a table: everything that can change from one decision to the next, by name. Pages and frames use them.

A part is one element with its name in `data-part`. The parts of the board are drawn (`draw_parts`). Each other part is
a fragment of `jinja2/` with the values that it shows, so that two plies can be compared without rendering them.

A part that does not exist at a ply, such as the scores while hands are hidden, is an empty `<template>`. A part must
depend only on the plies up to its own, not on the length of the replay. The reason is that each frame of a live match
has changes to the texts of the previous ply.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, TypeVar

from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from arena.rules import View
from webui.board import rows, seats, tracks
from webui.board.drawing import draw_parts
from webui.board.fragments import Fragments, fragments
from webui.core.static_files import edition
from webui.matches.values import MatchLine, SeatLine
from webui.ratings import queries as rating_queries
from webui.ratings.values import Rated
from webui.replays.gains import Gain, gains_at, gains_of_turn
from webui.replays.moves import fault_words
from webui.replays.pictures import board_picture, current_tile
from webui.replays.replay import Replay
from webui.words.badges import reason_words
from webui.words.consequences import consequence_words
from webui.words.decisions import decision_words
from webui.words.titles import result_words


class TablePart(NamedTuple):
    """A fragment with the values that it shows. Equal parts look the same."""

    template: str
    shown: Mapping[str, Any]

    def render(self, name: str, drawing: Fragments | None = None) -> SafeString:
        """Return the element. Pass `drawing` to render many parts without looking up the active language each time."""
        if not self.template:
            return format_html('<template data-part="{}"></template>', name)
        return (drawing or fragments()).draw(self.template, self.shown)


T = TypeVar("T")
NOTHING = TablePart("", {})
STOCK = ("gold", "viziers", "elders", "artisans", "camels", "all_camels", "tents")
"""Names of the numbers shown at a seat."""
Drawn = dict[str, tuple[Any, Any]]
"""Cache of parts (or of all parts of a seat) by name. Each entry has the values it was made from, and the result."""


def table_parts(
    replay: Replay, lines: Sequence[SeatLine], ply: int, drawn: Drawn | None = None
) -> dict[str, TablePart]:
    """Return all parts around the board at a ply that has a position.

    `drawn`: a cache. Pass the same one for many plies of a replay, so that unchanged parts are not made again.
    """
    drawn = {} if drawn is None else drawn
    position = _at(replay, ply)
    scores = replay.scores(ply)
    is_end = replay.is_over and ply == len(replay.steps)

    def part(name: str, made_of: object, make: Callable[[], T]) -> T:
        if name not in drawn or drawn[name][0] != made_of:
            drawn[name] = made_of, make()
        made: T = drawn[name][1]
        return made

    def track() -> TablePart:
        return TablePart("turn_track", {"spots": tracks.turn_track(position, replay.ruleset.track.costs)})

    def bids() -> TablePart:
        return TablePart("bid_track", {"spots": tracks.bid_track(position), "is_bidding": position.phase == "bid"})

    def score_table() -> TablePart:
        assert scores
        totals = [score["total"] for score in scores]
        shown = {"rows": seats.score_table(scores), "totals": totals, "lines": lines, "is_end": is_end}
        return TablePart("score_table", shown)

    market = (position.market, position.cards_left, len(position.discard))
    djinns = (position.djinns, position.djinns_left)
    parts = {
        "turn-track": part("turn-track", position.turn_track, track),
        "bid-track": part("bid-track", (position.bid_order, position.phase == "bid"), bids),
        "caption": TablePart("caption", caption(replay, lines, ply)),
        "counter": TablePart("counter", {"index": replay.index_of(ply), "is_end": is_end}),
        "round": part("round", position.round, lambda: TablePart("round", {"round": position.round})),
        "market": part("market", market, lambda: TablePart("market", {"market": rows.market(position)})),
        "djinns": part("djinns", djinns, lambda: TablePart("djinns", {"djinns": rows.djinn_row(position)})),
        "cities": TablePart("cities", {"cities": cities}) if (cities := rows.cities(position)) else NOTHING,
        "items": TablePart("items", {"items": items}) if (items := rows.items(position)) else NOTHING,
        "score-table": part("score-table", (scores, is_end), score_table) if scores else NOTHING,
    }
    gained = {gain.seat: gain for gain in gains_of_turn(replay, ply)}
    for known in seats.seats_known(position, scores, replay.points(ply), replay.bounds(ply)):
        gain = gained.get(known.view.number)
        seat = partial(_seat_parts, position, lines, known, gain, is_end)
        parts |= part(f"seat-{known.view.number}", (known, gain, is_end), seat)
    return parts


def _seat_parts(
    position: View, lines: Sequence[SeatLine], known: seats.SeatKnown, gain: Gain | None, is_end: bool
) -> dict[str, TablePart]:
    """Return the parts of one seat. Each fragment gets only its own values, so other changes do not affect it."""
    seat = seats.seat_panel(position, lines[known.view.number - 1], known)
    name = f"seat-{seat.seat}"
    return {
        f"{name}-total": TablePart(
            "seat_total",
            {"seat": _of(seat, "line", "total", "seen", "rank", "bounds"), "gain": gain, "is_end": is_end},
        ),
        f"{name}-mini": TablePart("seat_mini", {"seat": _of(seat, "seen", "bounds"), "gain": gain}),
        f"{name}-bar": TablePart("seat_bar", {"seat": _of(seat, "parts", "bar_label", "seen")})
        if seat.parts
        else NOTHING,
        f"{name}-stock": TablePart("seat_stock", {"seat": _of(seat, *STOCK)}),
        f"{name}-hand": TablePart("seat_hand", {"seat": _of(seat, "hand", "cards")}),
        f"{name}-djinns": TablePart("seat_djinns", {"seat": _of(seat, "djinns"), "is_end": is_end}),
        f"{name}-items": TablePart("seat_items", {"seat": _of(seat, "items")}) if seat.items else NOTHING,
        f"{name}-whims": TablePart("seat_whims", {"seat": _of(seat, "whims")}) if seat.whims else NOTHING,
    }


def board_parts(replay: Replay, names: Sequence[str], ply: int, since: int | None = None) -> dict[str, SafeString]:
    """Return the parts of the board at a ply that has a position. With `since`, skip tiles unchanged since that ply."""
    position, only = _at(replay, ply), None
    if since is not None:
        was, tiles = _at(replay, since).tiles, position.tiles
        only = {name for name, tile in tiles.items() if tile is not was[name] and tile != was[name]}
    sowing, current = replay.sowing(ply), current_tile(replay, ply)
    return draw_parts(position, names, sowing=sowing, current=current, only=only)


def sentence(replay: Replay, names: Sequence[str], ply: int) -> str:
    """Return the decision in words. Picked-up meeples are drawn beside the sentence, so it does not name them."""
    step = replay.steps[ply - 1]
    after = None if step.verb == "take" else replay.position(ply)
    return decision_words(step.text, names, replay.ruleset, replay.position(ply - 1), after)


def caption(replay: Replay, lines: Sequence[SeatLine], ply: int) -> dict[str, Any]:
    """Return the values of the caption, which tells the decision at a ply. Its seat is 0 before the first decision."""
    if not ply:
        return {"seat": 0}
    step = replay.steps[ply - 1]
    names = [line.version.bot.name for line in lines]
    return {
        "seat": step.seat,
        "bot": names[step.seat - 1],
        "sentence": sentence(replay, names, ply),
        "fault": fault_words(step),
        "forfeit": _forfeit(lines[step.seat - 1], step.index),
        "hand": tracks.hand_of(_at(replay, ply), replay.sowing(ply)),
        "held": tracks.held_of(_at(replay, ply)),
        "gains": [(gain, names[gain.seat - 1]) for gain in gains_at(replay, ply)],
        "followed": _followed(replay, names, ply),
        "result": _result(replay, lines, ply),
    }


def _forfeit(line: SeatLine, index: int) -> str:
    """Return the words for a forfeit. Empty except at the first decision that the house took for the seat."""
    if not line.forfeit_reason or line.forfeited_at != index:
        return ""
    return _("forfeits: %(reason)s") % {"reason": reason_words(line.forfeit_reason)}


def _result(replay: Replay, lines: Sequence[SeatLine], ply: int) -> dict[str, Any]:
    """Return the outcome, the winner, all points and the reasons of forfeits. Empty before the end of the match."""
    scores = replay.scores(ply)
    if not replay.is_over or ply < len(replay.steps) or not scores:
        return {}
    placed = sorted(lines, key=lambda line: (line.placement or len(lines) + 1, line.seat))
    points = ", ".join(f"{line.version.bot.name} {scores[line.seat - 1]['total']}" for line in placed)
    gone = [
        _("%(bot)s forfeited: %(reason)s") % {"bot": line.version.bot.name, "reason": reason_words(line.forfeit_reason)}
        for line in lines
        if line.forfeit_reason
    ]
    return {"winner": placed[0].seat, "words": result_words(lines), "points": points, "gone": gone}


def _followed(replay: Replay, names: Sequence[str], ply: int) -> list[str]:
    """Return the consequences of the decision in words. Empty if the position before it may not be shown."""
    step, before = replay.steps[ply - 1], replay.position(ply - 1)
    return consequence_words(step.text, step.chance, names, before, _at(replay, ply)) if before else []


def _of(seat: seats.SeatPanel, *fields: str) -> dict[str, Any]:
    return {"seat": seat.seat, **{field: getattr(seat, field) for field in fields}}


def _at(replay: Replay, ply: int) -> View:
    position = replay.position(ply)
    assert position is not None  # callers pass only plies that have a position
    return position


@dataclass(frozen=True, kw_only=True)
class ShownTable:
    """A table at one ply, as templates show it."""

    position: View
    parts: Mapping[str, TablePart]
    board: SafeString | None
    seats: list[tuple[SeatLine, Rated | None]]
    """Seats, each with the rating of its version on the ladder of the match."""
    index: int
    is_live: bool
    edition: str
    """Edition of the site, which its scripts compare with their own."""


def shown_table(replay: Replay, line: MatchLine, ply: int, *, label: str = "") -> ShownTable:
    """Return the table of a match at a ply that has a position. `label`: as in `board_picture`."""
    versions = [seat.version.id for seat in line.seats]
    ratings = rating_queries.published_ratings(line.ladder.slug, versions) if line.ladder and line.rated else {}
    return ShownTable(
        position=_at(replay, ply),
        parts=table_parts(replay, line.seats, ply),
        board=board_picture(line, replay, ply, label=label),
        seats=[(seat, ratings.get(seat.version.id)) for seat in line.seats],
        index=replay.index_of(ply),
        is_live=not replay.is_over,
        edition=edition(),
    )
