"""Schemas of organisers' requests."""

from __future__ import annotations

from typing import Annotated, Any

from ninja import Schema
from pydantic import Field

from arena.events.terms import LIMITS
from webui.api.schemas import Input
from webui.events.actions import LONGEST_WHY
from webui.events.schemas import EventState
from webui.events.term_schemas import Time

Number = Annotated[int, Field(ge=1, le=99_999)]
Game = Annotated[int, Field(ge=0, le=99_999)]
Text = Annotated[str, Field(pattern=r"^[^\x00]*$")]
Why = Annotated[
    Text, Field(max_length=LONGEST_WHY, description="Reason for the decision. Everybody can read it in the log.")
]


class Organised(Schema):
    """An event after a request of its organiser."""

    event: str = Field(description="Its slug.")
    state: EventState = Field(
        description="State of the event. Requests to the arena itself take effect within seconds."
    )


class ReasonInput(Input):
    """The reason for a decision."""

    why: Why = Field(min_length=1)


class PerhapsReason(Input):
    """The reason for a decision, which may be empty."""

    why: Why = ""


class RoundOrder(Input):
    """The number of a round."""

    round: Number = Field(description="Number of the round, from 1.")


class GamesOrder(Input):
    """A selection of an event's games. A game must match all fields that are given."""

    round: Number | None = Field(None, description="Number of the round, from 1.")
    table: Number | None = Field(None, description="Number of the table in the round, from 1.")
    game: Game | None = Field(None, description="Number of the game at the table, from 0.")
    entrant: Number | None = Field(None, description="Number of an entrant: all games at this entrant's tables.")
    why: Why = Field(min_length=1)


class Ruling(Input):
    """The result of a game, as ruled by an organiser."""

    round: Number = Field(description="Number of the round, from 1.")
    table: Number = Field(description="Number of the table in the round, from 1.")
    game: Game = Field(description="Number of the game at the table, from 0.")
    placements: list[Annotated[int, Field(ge=1, le=5)]] = Field(
        min_length=2, max_length=5, description="Placements, seat 1 first. After a tie, as many places are skipped."
    )
    why: Why = Field(min_length=1)


def _limited(name: str, described: str) -> Any:
    least, most = LIMITS[f"course.{name}"]
    return Field(None, ge=least, le=most, description=described)


class CourseChange(Input):
    """Changes to the times and limits of an event."""

    starts_at: Time | None = None
    next_round_at: Time | None = None
    round_every_s: int | None = _limited("round_every_s", "Seconds from the start of a round to the next. 0: no limit.")
    no_show_s: int | None = _limited("no_show_s", "Seconds for which a table waits for a bot.")
    matches_at_once: int | None = _limited("matches_at_once", "Maximum number of matches at the same time.")


class MessageInput(Input):
    """A message to the entrants of an event."""

    text: Text = Field(min_length=1, max_length=2000)
