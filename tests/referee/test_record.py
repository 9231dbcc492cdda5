"""The log alone rebuilds the referee, and a log that no referee wrote is refused."""

from __future__ import annotations

from dataclasses import replace

import pytest

from arena.referee import AskMove, Entry, LogError, MatchOpened, Record, Referee
from arena.rules import format_position, view
from tests.referee.conftest import SECOND, Table, accepted, answer, house, play_on


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
    with pytest.raises(LogError, match="was expected"):
        Referee.resume(table.terms, table.log[1:], house)
    with pytest.raises(LogError, match="not the turn of seat"):
        Referee.resume(table.terms, _with_wrong_seat(table, number), house)


@pytest.mark.parametrize(
    ("entry", "why"),
    [
        (Entry(1, "lost", 1, ""), "entry 1 is out of order: 0 was expected"),
        (Entry(0, "lost", 4, ""), "entry 0 is of seat 4, which does not exist"),
        (Entry(0, "lost", 0, ""), "entry 0 has a wrong form: KeyError"),
        (Entry(0, "fault", 1, "LATE"), "entry 0 has a wrong form: KeyError"),
        (Entry(0, "commit", 1, "xx"), "entry 0 has a wrong form: ValueError"),
        (Entry(0, "moved", 1, ""), "entry 0 has the unknown kind 'moved'"),
    ],
)
def test_an_entry_that_no_log_has_is_refused(table: Table, entry: Entry, why: str) -> None:
    with pytest.raises(LogError, match=f"^{why}"):
        Record.fold(table.terms, [entry])


def test_a_note_alone_spends_no_time(table: Table) -> None:
    log = [Entry(0, "note", 1, "a plan", {"index": 0}), Entry(1, "note", 1, "", {"index": 0, "spent_ms": 7})]
    assert [Record.fold(table.terms, log[:length]).spent_ms for length in (0, 1, 2)] == [0, 0, 7]


def test_nobody_decides_before_the_game_or_after_it(table: Table) -> None:
    record = table.record
    assert (record.index, record.events, record.to_act, record.verdict) == (0, [], 0, None)
    assert record.unready == [1, 2, 3] and table.referee.waits_for == {1, 2, 3}
    with pytest.raises(LogError, match=r"^the game has not begun$"):
        _ = record.running
    table.begin()
    assert record.unready == [] and table.referee.waits_for == {table.ask.seat}
    assert record.to_act == table.ask.seat and record.verdict is None
    play_on(table)
    assert record.to_act == 0 and record.verdict is not None
    assert table.referee.is_over and table.referee.wake_at is None


def test_a_log_whose_chance_does_not_follow_from_the_seed_is_refused(drawn: Table) -> None:
    (chance,) = drawn.entries("chance")
    before, number = drawn.log[: chance.number], chance.number
    assert drawn.rebuilt().record == drawn.record
    with pytest.raises(LogError, match=f"entry {number}, before the chance event of its last decision"):
        Record.fold(drawn.terms, before)
    wrong = chance.text[:-1] + ("r" if chance.text[-1] != "r" else "w")
    with pytest.raises(LogError, match=f"entry {number}: this chance event does not follow from the seed: {wrong}"):
        Record.fold(drawn.terms, [*before, replace(chance, text=wrong)])
    with pytest.raises(LogError, match=f"entry {number}: this chance event does not follow"):
        Record.fold(drawn.terms, [*before, replace(chance, seat=1)])
    with pytest.raises(LogError, match=f"entry {number + 1}: this chance event does not follow"):
        Record.fold(drawn.terms, [*before, chance, replace(chance, number=number + 1)])


def test_the_deal_makes_the_set_up_of_a_match(table: Table) -> None:
    """Rules 9: games of one deal share everything that is open; what is hidden depends on the seed."""
    one, other = (Table(replace(table.terms, server_seed=bytes([n]) * 32, deal=bytes(32))) for n in (1, 2))
    for dealt in (one, other):
        dealt.begin()
    assert view(one.record.state, 0) == view(other.record.state, 0)
    assert format_position(one.record.state) != format_position(other.record.state)


def test_the_record_knows_which_process_of_a_bot_plays_if_it_was_told(table: Table) -> None:
    table.give(MatchOpened())
    table.give(replace(accepted(1), by="laptop"))
    table.give(accepted(2))
    for record in (table.record, table.rebuilt().record):
        assert [seat.by for seat in record.seats.values()] == ["laptop", "", ""]
    assert [entry.data for entry in table.log] == [{"by": "laptop"}, None]


def test_records_are_equal_if_their_games_are(table: Table) -> None:
    assert table.record != "record"
    assert Record(table.terms) == Record(table.terms)
    other = Table(table.terms)
    for one in (table, other):
        one.begin()
    first, second, *_ = [action.text for action in table.ask.legal]
    answer(table, first)
    answer(other, second)
    assert table.record.length == other.record.length
    assert table.record != other.record


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
