"""Current programme of TV for its pages. It is the same for all viewers, so it is cached for all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from itertools import accumulate
from typing import Any

from django.core.cache import caches
from django.template.loader import render_to_string
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import get_language

from webui.core.errors import RecordAway
from webui.core.static_files import edition
from webui.matches.values import MatchLine, SeatLine
from webui.replays.parts import ShownTable, shown_table
from webui.replays.replay import ENDED, Replay, Step, load_replay
from webui.tv import queries
from webui.tv.values import Channel, Programme
from webui.words.titles import seat_names
from webui.words.vocabulary import listed

# The pace at which a person can follow a match, and the ply that a show of it has reached after some time.
#
# The viewer uses the same durations (`static/site/viewer/motions.js`).


COSTS_MS = {"take": 580, "drop": 270, "fly": 270}
OTHER_MS = 960


def cost_ms(step: Step) -> int:
    """Return how long a decision is shown, motions included, in milliseconds at speed 1."""
    return COSTS_MS.get(step.verb, OTHER_MS)


def ply_after(replay: Replay, passed_s: float, whole_s: float | None) -> int:
    """Return the ply that is shown after `passed_s` seconds of a show.

    `whole_s`: the length of the whole show in seconds; None for a show at speed 1.
    """
    sums = [0, *accumulate(map(cost_ms, replay.steps))]
    shown_ms = 1000 * passed_s if whole_s is None else sums[-1] * (passed_s / whole_s if whole_s > 0 else 1)
    return max(0, sum(each <= shown_ms for each in sums) - 1)


FRESH_S = 2
"""Seconds for which the programme is cached."""


def channel_now() -> Channel:
    """Return the current and next matches."""
    channel = caches["pages"].get_or_set("tv", queries.channel, FRESH_S)
    assert isinstance(channel, Channel)
    return channel


def shown_now(*, is_small: bool) -> SafeString:
    """Return the table of the current match as HTML, large or small, with the next matches. It is empty without a
    match."""
    key = f"tv/{'small' if is_small else 'large'}/{get_language()}/{edition()}"
    made = str(caches["pages"].get_or_set(key, lambda: _made(is_small), FRESH_S))
    return mark_safe(made)  # noqa: S308 - rendered by a template


def _made(is_small: bool) -> str:
    channel = channel_now()
    shown = _programme_table(channel, channel.now, is_small=is_small) if channel.now else None
    if shown is None:
        return ""
    return render_to_string(f"tv/{'small' if is_small else 'large'}.html", vars(shown))


@dataclass(frozen=True)
class ProgrammeTable:
    """Values for the template of the current match."""

    channel: Channel
    programme: Programme
    line: MatchLine
    title: str
    table: ShownTable
    shown_ms: int | None
    rest_ms: int | None


def _programme_table(channel: Channel, programme: Programme, *, is_small: bool) -> ProgrammeTable | None:
    """Return the table at this moment of the show. Return None if there is nothing to show."""
    line, at = programme.line, channel.at
    try:
        replay = load_replay(line)
    except RecordAway:
        return None
    if replay is None:
        return None
    until = programme.shown_until
    whole_s = (until - programme.begins_at).total_seconds() if until else None
    ply = ply_after(replay, (at - programme.begins_at).total_seconds(), whole_s)
    title = listed(seat_names(line))
    table = shown_table(replay, line, ply, label=title if is_small else "")
    return ProgrammeTable(
        channel,
        programme,
        line,
        title,
        replace(table, seats=[(quiet(seat), rating) for seat, rating in table.seats]),
        shown_ms=_ms(programme.shown_until, at),
        rest_ms=_ms(programme.ends_at, at),
    )


def quiet(seat: SeatLine) -> SeatLine:
    """Return the seat without its result."""
    return replace(seat, placement=None, rank=None, score=None, forfeited_at=None, forfeit_reason="")


def _ms(end: datetime | None, at: datetime) -> int | None:
    return max(0, round(1000 * (end - at).total_seconds())) if end else None


def document(channel: Channel) -> dict[str, Any]:
    """Return the current and next matches as JSON, without results."""
    return {
        "at": channel.at.isoformat(),
        "now": channel.now and _programme(channel.now),
        "next": channel.next and _programme(channel.next),
        "later": [_match(line) for line in channel.later],
    }


def _programme(programme: Programme) -> dict[str, Any]:
    return {
        "number": programme.number,
        "begins": programme.begins_at.isoformat(),
        "ends": programme.ends_at and programme.ends_at.isoformat(),
        "is_live": programme.line.state not in ENDED,
        **_match(programme.line),
    }


def _match(line: MatchLine) -> dict[str, Any]:
    return {
        "match": line.id,
        "players": line.players,
        "expansions": list(line.expansions),
        "ladder": line.ladder and line.ladder.slug,
        "seats": [{"bot": seat.version.bot.name, "version": seat.version.name} for seat in line.seats],
    }
