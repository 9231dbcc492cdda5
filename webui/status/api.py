"""Route for the status of the arena."""

from __future__ import annotations

import datetime as dt
from typing import Literal

from django.db import InterfaceError, OperationalError
from ninja import Router, Schema
from pydantic import Field

from webui.api.callers import Request
from webui.api.problems import Problem
from webui.status.values import ArenaStatus
from webui.status.words import current_status

State = Literal["up", "degraded", "down", "unknown"]


class Parts(Schema):
    """States of the arena's parts. A part is degraded if a process is missing and others do its work."""

    site: State
    gateway: State
    referee: State
    upkeep: State
    database: State
    redis: State


class DecisionOverhead(Schema):
    """Overhead of the arena in the last hour: its own time between a bot's answer and the next request."""

    decisions: int
    median_ms: float
    p99_ms: float


class Day(Schema):
    """A day (UTC) of the history, in minutes."""

    date: dt.date
    minutes: int = Field(description="Known minutes: those that have passed since the arena was first observed.")
    well: int
    degraded: int
    down: int = Field(description="Minutes with a part down, and minutes without an observation.")


class Trouble(Schema):
    """A run of consecutive hours with trouble."""

    began: dt.datetime
    ended: dt.datetime = Field(description="End of the last of these hours.")
    minutes: int
    parts: list[str] = Field(
        description="Parts that were down or degraded, longest first. Empty if only observations are missing."
    )
    outage: bool = Field(description="Whether a part was down, or observations are missing.")


class Status(Schema):
    """The current status of the arena, and its history."""

    at: dt.datetime
    state: State = Field(description="State of the worst part.")
    parts: Parts
    running_matches: int
    oldest_wait_s: float = Field(description="Longest time that a match has now waited for a referee.")
    overhead: DecisionOverhead | None = Field(description="Null if the last hour had no decision.")
    days: list[Day] = Field(description="At most the last 90 days, oldest first.")
    incidents: list[Trouble] = Field(description="Incidents, latest first.")

    @classmethod
    def of(cls, status: ArenaStatus) -> Status:
        """Make the document of a status, with the values that the page shows."""
        overhead = status.overhead
        return cls(
            at=status.at,
            state=status.state.value,
            parts=Parts(**{part: state.value for part, state in status.parts.items()}),
            running_matches=status.running,
            oldest_wait_s=round(status.oldest_wait_s, 1),
            overhead=DecisionOverhead(
                decisions=overhead.decisions,
                median_ms=round(1000 * overhead.median_s, 3),
                p99_ms=round(1000 * overhead.p99_s, 3),
            )
            if overhead
            else None,
            days=[
                Day(date=day.date, minutes=day.minutes, well=day.well, degraded=day.degraded, down=day.down)
                for day in status.days
            ],
            incidents=[
                Trouble(
                    began=one.began, ended=one.ended, minutes=one.minutes, parts=list(one.parts), outage=one.is_outage
                )
                for one in status.incidents
            ],
        )


router = Router(tags=["status"])


@router.get("/status", response=Status)
def get_status(request: Request) -> Status:
    """The status of the arena: whether matches are played, how fast, and which parts work.

    This is the content of the page `/status/`. It is at most ten seconds old."""
    try:
        return Status.of(current_status())
    except (OperationalError, InterfaceError):
        raise Problem("TRY_AGAIN", "the database of the arena does not answer; try again in a moment") from None
