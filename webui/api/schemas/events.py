"""Events as the API shows them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from ninja import Schema
from pydantic import Field

from webui.api.lists import Page, PageQuery
from webui.ladder.values.events import EventLine, EventPage
from webui.site.events import standings

PublicState = Literal["open", "frozen", "running", "paused", "finished", "archived", "cancelled"]
EventState = Literal["draft", PublicState]


class EventSummary(Schema):
    """An event in a list of events."""

    slug: str = Field(description="Its name in addresses.")
    name: str
    state: EventState
    format: str
    players: int
    organiser: str
    entrants: int
    rounds: int = Field(description="Drawn so far, without those whose draw tells hidden results.")
    hidden: bool = Field(description="Results of a round are hidden until the organiser reveals them.")
    created_at: datetime

    @classmethod
    def of(cls, line: EventLine) -> EventSummary:
        """The event as a list shows it."""
        return cls(**_common(line))


class EventStanding(Schema):
    """An entrant in the standings."""

    place: int
    entrant: int
    bot: str = Field(description="Its name in addresses.")
    name: str
    version: str
    points: str = Field(description="A number, perhaps with a fraction.")
    games: int
    wins: int
    byes: int
    tie_breaks: list[str] = Field(description="In the order of `tie_breaks` of the event, without the lot.")
    disqualified: bool


class EventGame(Schema):
    """A game of a table, with its match."""

    round: int
    table: int
    game: int
    match: str
    state: str


class Event(EventSummary):
    """An event."""

    organisers: list[str] = Field(description="Who helps the organiser.")
    shown_rounds: int = Field(description="Rounds whose results are shown.")
    tie_breaks: list[str]
    standings: list[EventStanding] = Field(description="After the rounds that are shown.")
    games: list[EventGame] = Field(description="Those that were scheduled, without those of hidden rounds.")

    @classmethod
    def of_page(cls, page: EventPage) -> Event:
        """The event as its page shows it to who asks."""
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
                    points=row.points,
                    games=row.games,
                    wins=row.wins,
                    byes=row.byes,
                    tie_breaks=row.tie_breaks,
                    disqualified=row.is_disqualified,
                )
                for line, row in lines
            ],
            games=[
                EventGame(round=round, table=table, game=game, match=played.match, state=played.state.lower())
                for (round, table, game), played in sorted(page.games.items())
            ],
        )


class EventsQuery(PageQuery):
    """Which events are asked for."""

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
