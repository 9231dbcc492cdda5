"""Events as the API shows them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final, Literal

from ninja import Schema
from pydantic import Field

from arena.events import GameKey
from webui.api.lists import Page, PageQuery
from webui.events import rounds, standings
from webui.events.entry_api import VERSION_FIXED
from webui.events.rounds import GameView
from webui.events.values import EventLine, EventPage

PublicState = Literal["open", "frozen", "running", "paused", "finished", "archived", "cancelled"]
EventState = Literal["draft", PublicState]
STATES: Final[Mapping[str, Literal["scheduled", "running", "finished"]]] = {
    "played": "finished",
    "live": "running",
    "soon": "scheduled",
}
"""States of games by their status on pages. All other games wait."""


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
    version: str = Field(description="That plays, or would play if the event started now.")
    version_fixed: bool = Field(description=VERSION_FIXED)
    points: str = Field(description="A number, perhaps with a fraction.")
    games: int
    wins: int
    byes: int
    tie_breaks: list[str] = Field(description="In the order of `tie_breaks` of the event, without the lot.")
    disqualified: bool


class EventSeat(Schema):
    """A seat of a game of an event."""

    seat: int
    entrant: int
    bot: str = Field(description="Its name in addresses.")
    placement: int | None = Field(description="1 is best, equal ones share it; null without a result.")
    score: int | None = Field(description="Null where the game was not played.")
    out: bool = Field(description="It did not come, or was disqualified.")


class EventGameDocument(Schema):
    """A game of a table."""

    round: int
    table: int
    game: int = Field(description="Of the table, from 0.")
    state: Literal["waiting", "scheduled", "running", "finished"] = Field(
        description="`waiting`: for its bots, for a free place, or to be played again."
    )
    decided_by: Literal["match", "absence", "ruling"] | None = Field(description="Null without a result.")
    match: str | None = Field(description="Null: none was scheduled, or the game was decided without one.")
    seats: list[EventSeat] = Field(description="Seat 1 first.")

    @classmethod
    def of(cls, key: GameKey, view: GameView, page: EventPage) -> EventGameDocument:
        """The game as the page of the event shows it."""
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

    organisers: list[str] = Field(description="Who helps the organiser.")
    shown_rounds: int = Field(description="Rounds whose results are shown.")
    tie_breaks: list[str]
    standings: list[EventStanding] = Field(description="After the rounds that are shown.")
    games: list[EventGameDocument] = Field(description="Those that were drawn, without those of hidden rounds.")

    @classmethod
    def of_page(cls, page: EventPage) -> EventDocument:
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
