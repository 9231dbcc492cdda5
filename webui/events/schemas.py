"""Schemas for events: what the API returns and accepts."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

from ninja import Schema
from pydantic import Field

from arena.events import GameKey
from webui.api.lists import Page, PageQuery
from webui.events import rounds, standings
from webui.events.rounds import GameView
from webui.events.values import EventLine, EventPage

PublicState = Literal["open", "frozen", "running", "paused", "finished", "archived", "cancelled"]
EventState = Literal["draft", PublicState]
VERSION_FIXED = "False: bots still enter, and the version is the one that would play if the event started now."
STATES: Final[Mapping[str, Literal["scheduled", "running", "finished"]]] = {
    "played": "finished",
    "live": "running",
    "soon": "scheduled",
}
"""States of games by their status on pages. All other games wait."""


class Organised(Schema):
    """An event after a request of its organiser."""

    event: str = Field(description="Its slug.")
    state: EventState = Field(
        description="State of the event. Requests to the arena itself take effect within seconds."
    )


class EventSummary(Schema):
    """An event in a list of events."""

    slug: str = Field(description="Its name in addresses.")
    name: str
    state: EventState
    format: str
    players: int
    organiser: str
    entrants: int
    rounds: int = Field(description="Number of rounds drawn so far, without those whose draw discloses hidden results.")
    hidden: bool = Field(description="Results of a round are hidden until the organiser reveals them.")
    created_at: datetime

    @classmethod
    def of(cls, line: EventLine) -> EventSummary:
        """Return the event as a list shows it."""
        return cls(**_common(line))


class EventStanding(Schema):
    """An entrant in the standings."""

    place: int
    entrant: int
    bot: str = Field(description="Its name in addresses.")
    name: str
    version: str = Field(description="Version that plays, or would play if the event started now.")
    version_fixed: bool = Field(description=VERSION_FIXED)
    points: str = Field(description="Number of points, possibly with a fraction.")
    games: int
    wins: int
    byes: int
    tie_breaks: list[str] = Field(description="Values in the order of the event's `tie_breaks`, without the lot.")
    disqualified: bool


class EventSeat(Schema):
    """A seat of a game of an event."""

    seat: int
    entrant: int
    bot: str = Field(description="Its name in addresses.")
    placement: int | None = Field(description="1 is best, and tied seats share a place. Null: no result.")
    score: int | None = Field(description="Null: the game was not played.")
    out: bool = Field(description="The entrant was absent or disqualified.")


class EventGameDocument(Schema):
    """A game of a table."""

    round: int
    table: int
    game: int = Field(description="Number of the game at the table, from 0.")
    state: Literal["waiting", "scheduled", "running", "finished"] = Field(
        description="`waiting`: for its bots, for a free place, or to be played again."
    )
    decided_by: Literal["match", "absence", "ruling"] | None = Field(description="Null: no result.")
    match: str | None = Field(description="Null: no match was scheduled, or the game was decided without one.")
    seats: list[EventSeat] = Field(description="Seat 1 first.")

    @classmethod
    def of(cls, key: GameKey, view: GameView, page: EventPage) -> EventGameDocument:
        """Return the game as the event's page shows it."""
        decided_by: Literal["match", "absence", "ruling"] | None = None
        if view.status == "played":
            decided_by = "ruling" if view.is_ruled else "match" if key in page.event.games else "absence"
        number, table, game = key
        return cls(
            round=number,
            table=table,
            game=game,
            state=STATES.get(view.status, "waiting"),
            decided_by=decided_by,
            match=None if decided_by == "absence" else view.match or None,
            seats=[
                EventSeat(
                    seat=seat.number,
                    entrant=seat.entrant,
                    bot=seat.bot.slug,
                    placement=seat.placement,
                    score=seat.score,
                    out=seat.is_out,
                )
                for seat in view.seats
            ],
        )


class EventDocument(EventSummary):
    """An event."""

    organisers: list[str] = Field(description="Co-organisers, who help the organiser.")
    shown_rounds: int = Field(description="Number of rounds whose results are shown.")
    tie_breaks: list[str]
    standings: list[EventStanding] = Field(description="Standings after the rounds that are shown.")
    games: list[EventGameDocument] = Field(description="Games that were drawn, without those of hidden rounds.")

    @classmethod
    def of_page(cls, page: EventPage) -> EventDocument:
        """Return the event as its page shows it to the caller."""
        lines = zip(page.standings, standings.rows(page), strict=True)
        return cls(
            **_common(page.line),
            organisers=page.helpers,
            shown_rounds=page.shown,
            tie_breaks=[name for name in page.event.tie_breaks if name != "lot"],
            standings=[
                EventStanding(
                    place=row.place,
                    entrant=line.entrant,
                    bot=row.bot.slug,
                    name=row.bot.name,
                    version=row.version,
                    version_fixed=row.is_fixed,
                    points=row.points,
                    games=row.games,
                    wins=row.wins,
                    byes=row.byes,
                    tie_breaks=row.tie_breaks,
                    disqualified=row.is_disqualified,
                )
                for line, row in lines
            ],
            games=[EventGameDocument.of(key, view, page) for key, view in rounds.shown_games(page).items()],
        )


class EventsQuery(PageQuery):
    """Filters for the list of events."""

    state: PublicState | None = None


class Events(Page[EventSummary]):
    """Events, newest first."""


def _common(line: EventLine) -> dict[str, Any]:
    return {
        "slug": line.slug,
        "name": line.name,
        "state": line.state,
        "format": line.format,
        "players": line.players,
        "organiser": line.owner,
        "entrants": line.entrants,
        "rounds": line.rounds,
        "hidden": line.is_hidden,
        "created_at": line.created_at,
    }
