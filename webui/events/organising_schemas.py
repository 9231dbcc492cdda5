"""Schemas of what organisers send."""

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
Why = Annotated[Text, Field(max_length=LONGEST_WHY, description="The reason; it stands in the log for everybody.")]


class Organised(Schema):
    """An event after what was done with it."""

    event: str = Field(description="Its slug.")
    state: EventState = Field(description="What is asked of the arena itself, it does within seconds.")


class ReasonInput(Input):
    """Why something is done."""

    why: Why = Field(min_length=1)


class PerhapsReason(Input):
    """Why something is done, if that is said."""

    why: Why = ""


class RoundOrder(Input):
    """A round."""

    round: Number = Field(description="From 1.")


class GamesOrder(Input):
    """Games of an event: those that fit all that is said."""

    round: Number | None = Field(None, description="From 1.")
    table: Number | None = Field(None, description="Of the round, from 1.")
    game: Game | None = Field(None, description="Of the table, from 0.")
    entrant: Number | None = Field(None, description="All games of the tables of this entrant.")
    why: Why = Field(min_length=1)


class Ruling(Input):
    """The result of a game as an organiser rules it."""

    round: Number = Field(description="From 1.")
    table: Number = Field(description="Of the round, from 1.")
    game: Game = Field(description="Of the table, from 0.")
    placements: list[Annotated[int, Field(ge=1, le=5)]] = Field(
        min_length=2, max_length=5, description="Seat 1 first; after a tie as many places are free."
    )
    why: Why = Field(min_length=1)


def _limited(name: str, described: str) -> Any:
    least, most = LIMITS[f"course.{name}"]
    return Field(None, ge=least, le=most, description=described)


class CourseChange(Input):
    """What is changed of the course of an event."""

    starts_at: Time | None = None
    next_round_at: Time | None = None
    round_every_s: int | None = _limited("round_every_s", "Seconds between rounds; 0: none.")
    no_show_s: int | None = _limited("no_show_s", "Seconds for which a bot is waited for.")
    matches_at_once: int | None = _limited("matches_at_once", "At most.")


class MessageInput(Input):
    """What the entrants of an event are told."""

    text: Text = Field(min_length=1, max_length=2000)
