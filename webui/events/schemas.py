"""Schemas for events: what the API returns and accepts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Final, Literal

from pydantic import Field

from arena.events import GameKey
from webui.api.lists import Page, PageQuery
from webui.api.schemas import Joined, ValueView, converted, source
from webui.events import rounds, standings
from webui.events.rounds import GameView
from webui.events.values import EventPage

PublicState = Literal["open", "frozen", "running", "paused", "finished", "archived", "cancelled"]
EventState = Literal["draft", PublicState]
VERSION_FIXED = "False: bots still enter, and the version is the one that would play if the event started now."
STATES: Final[Mapping[str, Literal["scheduled", "running", "finished"]]] = {
    "played": "finished",
    "live": "running",
    "soon": "scheduled",
}
"""States of games by their status on pages. All other games wait."""


class Organised(ValueView):
    """An event after a request of its organiser."""

    event: str = Field(description="Its slug.")
    state: EventState = Field(
        description="State of the event. Requests to the arena itself take effect within seconds."
    )


class EventSummary(ValueView):
    """An event in a list of events."""

    slug: str = Field(description="Its name in addresses.")
    name: str
    state: EventState
    format: str
    players: int
    organiser: str = source("owner")
    entrants: int
    rounds: int = Field(description="Number of rounds drawn so far, without those whose draw discloses hidden results.")
    hidden: bool = source("is_hidden", "Results of a round are hidden until the organiser reveals them.")
    created_at: datetime


class EventStanding(ValueView):
    """An entrant in the standings."""

    place: int
    entrant: int
    bot: str = source("bot.slug", "Its name in addresses.")
    name: str = source("bot.name")
    hosted: bool = source("bot.is_hosted", "The arena runs the bot now, not its author.")
    version: str = Field(description="Version that plays, or would play if the event started now.")
    version_fixed: bool = source("is_fixed", VERSION_FIXED)
    points: str = Field(description="Number of points, possibly with a fraction.")
    games: int
    wins: int
    byes: int
    tie_breaks: list[str] = Field(description="Values in the order of the event's `tie_breaks`, without the lot.")
    disqualified: bool = source("is_disqualified")


class EventSeat(ValueView):
    """A seat of a game of an event."""

    seat: int = source("number")
    entrant: int
    bot: str = source("bot.slug", "Its name in addresses.")
    placement: int | None = Field(description="1 is best, and tied seats share a place. Null: no result.")
    score: int | None = Field(description="Null: the game was not played.")
    out: bool = source("is_out", "The entrant was absent or disqualified.")


class EventGameDocument(ValueView):
    """A game of a table."""

    round: int
    table: int
    game: int = Field(description="Number of the game at the table, from 0.")
    state: Annotated[
        Literal["waiting", "scheduled", "running", "finished"],
        converted(lambda status: STATES.get(status, "waiting")),
    ] = source("status", "`waiting`: for its bots, for a free place, or to be played again.")
    decided_by: Literal["match", "absence", "ruling"] | None = Field(description="Null: no result.")
    match: str | None = Field(description="Null: no match was scheduled, or the game was decided without one.")
    seats: list[EventSeat] = Field(description="Seat 1 first.")


class EventDocument(EventSummary):
    """An event."""

    organisers: list[str] = source("helpers", "Co-organisers, who help the organiser.")
    shown_rounds: int = source("shown", "Number of rounds whose results are shown.")
    tie_breaks: list[str]
    standings: list[EventStanding] = Field(description="Standings after the rounds that are shown.")
    games: list[EventGameDocument] = Field(description="Games that were drawn, without those of hidden rounds.")


class EventsQuery(PageQuery):
    """Filters for the list of events."""

    state: PublicState | None = None


class Events(Page[EventSummary]):
    """Events, newest first."""


def shown_event(page: EventPage) -> Joined:
    """Return an event with its standings and games."""
    return Joined(
        page.line,
        page,
        tie_breaks=[name for name in page.event.tie_breaks if name != "lot"],
        standings=standings.rows(page),
        games=[_game(key, view, page) for key, view in rounds.shown_games(page).items()],
    )


def _game(key: GameKey, view: GameView, page: EventPage) -> Joined:
    decided_by = None
    if view.status == "played":
        decided_by = "ruling" if view.is_ruled else "match" if key in page.event.games else "absence"
    number, table, game = key
    match = None if decided_by == "absence" else view.match or None
    return Joined(view, round=number, table=table, game=game, decided_by=decided_by, match=match)
