"""The log alone makes the referee anew, and what no referee wrote is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.referee import (
    AskMove,
    Entry,
    LogError,
    Referee,
)
from tests.referee.conftest import SECOND, Table, answer, house, play_on


def test_a_new_owner_asks_for_the_pending_decision_and_charges_no_gap(table: Table) -> None:
    table.begin()
    answer(table, think_ms=30)
    ask = table.write()
    assert table.referee.wake_at == table.now + 10 * SECOND
    table.now += 1000 * SECOND
    (again,) = table.resume()
    assert isinstance(again, AskMove)
    assert (again.seat, again.index, again.view, again.bank_ms) == (ask.seat, ask.index, ask.view, ask.bank_ms)
    assert again.events == ask.events


def test_a_match_that_ended_before_its_finish_was_written_is_finished_by_the_next_owner(table: Table) -> None:
    table.begin()
    play_on(table)
    (first,) = table.finishes
    assert table.resume() == [first]


def test_a_log_that_no_referee_wrote_is_refused(table: Table) -> None:
    table.begin()
    play_on(table)
    number = next(entry.number for entry in table.log if entry.kind == "decision")
    with pytest.raises(LogError, match="was due"):
        Referee.resume(table.terms, table.log[1:], house)
    with pytest.raises(LogError, match="not for seat"):
        Referee.resume(table.terms, _with_wrong_seat(table, number), house)
    chance = next((entry.number for entry in table.log if entry.kind == "chance"), None)
    if chance is not None:
        with pytest.raises(LogError, match="before the chance"):
            Referee.resume(table.terms, table.log[:chance], house)


def _with_wrong_seat(table: Table, number: int) -> list[Entry]:
    entry = table.log[number]
    return [*table.log[:number], replace(entry, seat=entry.seat % 3 + 1)]


def test_the_fold_of_a_stored_log_checks_every_decision(table: Table, checked: list[str]) -> None:
    table.begin()
    for _ in range(20):
        answer(table)
    checked.clear()
    table.rebuilt()
    assert checked == [entry.text for entry in table.entries("decision")]


@pytest.mark.parametrize("text", ["bid 99", "take A1", "take A1 and run", "!bag w"])
def test_a_log_with_a_decision_that_is_not_legal_is_refused(table: Table, text: str) -> None:
    table.begin()
    answer(table)
    entry = table.entries("decision")[0]
    log = [*table.log[: entry.number], replace(entry, text=text)]
    with pytest.raises(LogError, match=f"entry {entry.number}"):
        Referee.resume(table.terms, log, house)
