"""Route for the status of the arena."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from django.db import InterfaceError, OperationalError
from ninja import Router
from pydantic import Field

from webui.api.callers import Request
from webui.api.problems import Problem
from webui.api.schemas import ValueView, converted, source
from webui.status.values import ArenaStatus, Day
from webui.status.words import current_status

State = Annotated[Literal["up", "degraded", "down", "unknown"], converted(str)]
Milliseconds = Annotated[float, converted(lambda seconds: round(1000 * seconds, 3))]


class Parts(ValueView):
    """States of the arena's parts. A part is degraded if a process is missing and others do its work."""

    site: State
    gateway: State
    referee: State
    upkeep: State
    database: State
    redis: State


class DecisionOverhead(ValueView):
    """Overhead of the arena in the last hour: its own time between a bot's answer and the next request."""

    decisions: int
    median_ms: Milliseconds = source("median_s")
    p99_ms: Milliseconds = source("p99_s")


class Trouble(ValueView):
    """A run of consecutive hours with trouble."""

    began: dt.datetime
    ended: dt.datetime = Field(description="End of the last of these hours.")
    minutes: int
    parts: list[str] = Field(
        description="Parts that were down or degraded, longest first. Empty if only observations are missing."
    )
    outage: bool = source("is_outage", "Whether a part was down, or observations are missing.")


class Status(ValueView, use_attribute_docstrings=True):
    """The current status of the arena, and its history."""

    at: dt.datetime
    state: State = Field(description="State of the worst part.")
    parts: Parts
    running_matches: int = source("running")
    oldest_wait_s: Annotated[float, converted(lambda wait: round(wait, 1))] = Field(
        description="Longest time that a match has now waited for a referee."
    )
    overloaded: bool = source(
        "is_overloaded",
        "Whether the arena gets too little of its machine's processor, and therefore makes fewer matches.",
    )
    upkeep_late_s: Annotated[float, converted(lambda late: round(late, 1))] = Field(
        description="Longest time for which a periodic task has now been due, such as making matches."
    )
    overhead: DecisionOverhead | None = Field(description="Null if the last hour had no decision.")
    days: list[Day] = Field(description="At most the last 90 days, oldest first.")
    incidents: list[Trouble] = Field(description="Incidents, latest first.")


router = Router(tags=["status"])


@router.get("/status", response=Status)
def get_status(request: Request) -> ArenaStatus:
    """The status of the arena: whether matches are played, how fast, and which parts work.

    This is the content of the page `/status/`. It is at most ten seconds old."""
    try:
        return current_status()
    except (OperationalError, InterfaceError):
        raise Problem("TRY_AGAIN", "the database of the arena does not answer; try again in a moment") from None
