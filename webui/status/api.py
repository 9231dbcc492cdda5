"""The status of the arena through the HTTP API."""

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
    """The parts of the arena: up; degraded, where a process is short and others do its work; down."""

    site: State
    gateway: State
    referee: State
    upkeep: State
    database: State
    redis: State


class DecisionOverhead(Schema):
    """What the arena added to the decisions of the last hour: its own time, from an answer to the next request."""

    decisions: int
    median_ms: float
    p99_ms: float


class Day(Schema):
    """A day (UTC), in minutes."""

    date: dt.date
    minutes: int = Field(description="That are known: all that have passed since the arena was first looked at.")
    well: int
    degraded: int
    down: int = Field(description="With those at which nobody looked.")


class Trouble(Schema):
    """Hours on end in which not all was well."""

    began: dt.datetime
    ended: dt.datetime = Field(description="The end of the last of these hours.")
    minutes: int
    parts: list[str] = Field(
        description="Which parts, the one first that was away or short for longest; empty: nobody looked."
    )
    outage: bool = Field(description="A part was away, or nobody looked.")


class Status(Schema):
    """How the arena is, and how it was."""

    at: dt.datetime
    state: State = Field(description="Of the worst part.")
    parts: Parts
    running_matches: int
    oldest_wait_s: float = Field(description="For how long the match has waited for a referee that has waited longest.")
    overhead: DecisionOverhead | None = Field(description="Null: no decision in the last hour.")
    days: list[Day] = Field(description="The last 90 days at most, the oldest first.")
    incidents: list[Trouble] = Field(description="The latest first.")

    @classmethod
    def of(cls, status: ArenaStatus) -> Status:
        """The status as the page shows it."""
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
    """How the arena is: whether matches are played, how fast, and which of its parts work.

    What the page `/status/` shows; ten seconds old at most."""
    try:
        return Status.of(current_status())
    except (OperationalError, InterfaceError):
        raise Problem("TRY_AGAIN", "the database of the arena does not answer; try again in a moment") from None
