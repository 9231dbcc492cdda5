"""The table is complete, and the diagram in the README matches it."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

import arena.referee
from arena.referee import TABLE, Event, MatchOpened, RefereeState
from tests.referee.conftest import Table
from tests.referee.diagram import with_diagram

README = Path(arena.referee.__file__).with_name("README.md")

EVENTS = {event.__name__ for event in get_args(Event)}

IGNORED = {
    RefereeState.NEW: EVENTS - {"MatchOpened"},
    RefereeState.OFFERING: {"MatchOpened", "NonceRevealed", "AskWritten", "MoveArrived", "SeatFaulted", "TimeSpent"},
    RefereeState.REVEALING: {
        "MatchOpened",
        "OfferAccepted",
        "OfferDeclined",
        "AskWritten",
        "MoveArrived",
        "SeatFaulted",
        "TimeSpent",
    },
    RefereeState.PENDING: {"MatchOpened", "OfferAccepted", "OfferDeclined", "NonceRevealed", "ClockRead"},
    RefereeState.THINKING: {"MatchOpened", "OfferAccepted", "OfferDeclined", "NonceRevealed", "AskWritten"},
    RefereeState.OVER: EVENTS,
    RefereeState.ABORTED: EVENTS,
}
"""Events that change nothing in these states. All others are rows of the table."""


def test_every_event_in_every_state_is_a_row_or_ignored_on_purpose() -> None:
    for state in RefereeState:
        handled = {event.__name__ for source, event in TABLE if source == state}
        assert handled | IGNORED[state] == EVENTS
        assert not handled & IGNORED[state]


def test_a_handler_that_leads_elsewhere_than_its_row_is_our_fault(
    monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    row = TABLE[RefereeState.NEW, MatchOpened]
    monkeypatch.setitem(TABLE, (RefereeState.NEW, MatchOpened), replace(row, to=(RefereeState.OVER,)))
    with pytest.raises(AssertionError, match=r"^MatchOpened led from NEW to OFFERING, which is not in the table$"):
        table.give(MatchOpened())


def test_every_state_can_be_reached_and_left() -> None:
    reached = {target for row in TABLE.values() for target in row.to}
    left = {source for source, _ in TABLE}
    assert reached == set(RefereeState) - {RefereeState.NEW}
    assert left == set(RefereeState) - {RefereeState.OVER, RefereeState.ABORTED}


def test_the_readme_shows_the_table() -> None:
    text = README.read_text()
    if os.environ.get("ARENA_WRITE_DIAGRAM"):
        README.write_text(with_diagram(text))
    assert text == with_diagram(text), "to draw it anew, run this test with ARENA_WRITE_DIAGRAM=1"
