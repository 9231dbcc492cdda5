"""The referee's reaction to an answer: batches, notes, illegal actions, forced decisions."""

from __future__ import annotations

import pytest

from arena.referee import (
    Append,
    AskMove,
    MoveArrived,
    Referee,
    TellFault,
    Terms,
)
from arena.rules import Game, Ruleset, format_position
from tests.referee.conftest import MS, Table, answer, first_legal, house, play_on, to_phase


def test_a_batch_is_played_until_another_seat_is_to_decide(table: Table) -> None:
    ask = table.begin()
    answer(table, *first_legal(ask), "end", "end")
    assert [entry.text for entry in table.entries("decision")] == list(first_legal(ask))
    assert not table.entries("fault")


def test_a_batch_is_one_append_and_is_charged_once(table: Table) -> None:
    table.begin()
    ask = to_phase(table, "move")
    state = table.record.state
    actions = []
    for _ in range(2):
        actions.append(next(iter(state.legal)).text)
        state = state.play(state.parse(actions[-1]))
    length = len(table.log)
    answer(table, *actions, think_ms=70, note="a plan")
    note, first, second = table.log[length : length + 3]
    assert (note.kind, note.text, note.data) == ("note", "a plan", {"index": ask.index})
    assert (first.text, second.text) == tuple(actions)
    assert first.data is not None and first.data["ms"] == 70
    assert "ms" not in (second.data or {})
    assert table.ask.since == ask.index  # the bot also receives its own decisions
    assert [event.text for event in table.ask.events][:2] == actions


def test_what_an_answer_has_after_chance_is_dropped(drawn: Table) -> None:
    (chance,) = drawn.entries("chance")
    assert (chance.seat, chance.text.split()[0]) == (0, "!bag")
    assert drawn.entries("fault") == []


def test_what_is_stored_has_the_position_after_each_decision(table: Table) -> None:
    table.begin()
    ask = to_phase(table, "move")
    game = Game.resume(Ruleset(3), table.record.running.seed, None, table.record.running.events)
    plan, positions = list[str](), list[tuple[int, object]]()
    for index in (ask.index, ask.index + 1):
        plan.append(next(iter(game.state.legal)).text)
        game.play(plan[-1])
        positions.append((index, format_position(game.state)))
    table.write()
    append, *_ = table.referee.handle(MoveArrived(ask.seat, ask.index, tuple(plan)), table.now)
    assert isinstance(append, Append)
    assert [(index, format_position(state)) for index, state in append.positions[:2]] == positions
    assert [entry.text for entry in append.entries[:2]] == plan
    assert table.referee.handle(MoveArrived(ask.seat, ask.index, tuple(plan)), table.now) == []


def test_an_illegal_action_in_a_batch_is_a_fault_at_its_own_index(table: Table) -> None:
    table.begin()
    ask = to_phase(table, "move")
    answer(table, first_legal(ask)[0], "take A1", "end")
    (fault,) = table.entries("fault")
    assert (fault.text, fault.seat, fault.data and fault.data["index"]) == ("ILLEGAL", ask.seat, ask.index + 1)
    assert fault.data is not None and fault.data["rule"] == "8"
    assert fault.data["message"].startswith("'take' is not legal in phase")
    first, second = table.entries("decision")[-2:] if table.log[-1].kind != "chance" else table.entries("decision")[:2]
    assert first.text == first_legal(ask)[0]
    assert second.data is not None and second.data["default"] == "ILLEGAL" and "ms" not in second.data


@pytest.mark.parametrize(
    ("actions", "reason"),
    [
        ((), "MALFORMED"),
        (("hello",), "MALFORMED"),
        (("bid 99",), "MALFORMED"),
        (("end",), "ILLEGAL"),
        (("!bag w",), "ILLEGAL"),
    ],
)
def test_answers_that_are_no_legal_action(table: Table, actions: tuple[str, ...], reason: str) -> None:
    ask = table.begin()
    table.write()
    told = table.give(MoveArrived(ask.seat, ask.index, actions, "", 30 * MS))[0]
    assert isinstance(told, TellFault)
    assert told.reason == reason
    assert (told.message == "the answer has no action") == (not actions)
    assert table.entries("decision")[0].data == {"ms": 30, "default": reason}


def test_forced_decisions_are_played_without_asking(table: Table) -> None:
    table.begin()
    play_on(table)
    forced = [entry for entry in table.entries("decision") if entry.data and "forced" in entry.data]
    assert len(forced) > 10
    asked = {(command.seat, command.index) for command in table.told if isinstance(command, AskMove)}
    game = Referee.resume(table.terms, table.log, house).record.running
    assert len(asked) + len(forced) == sum(event.seat != 0 for event in game.events)


def test_only_the_seat_that_keeps_an_item_is_told_which(table: Table) -> None:
    table = Table(Terms("m", Ruleset(3, ("artisans",)), bytes([10]) * 32))
    table.begin()
    while not (kept := [entry for entry in table.entries("decision") if entry.text.startswith("keep ")]):
        answer(table)
    index = table.record.events.index((kept[0].seat, kept[0].text))
    asks: dict[int, AskMove] = {}
    while len(asks) < 3:
        asks.setdefault(table.ask.seat, table.ask)
        answer(table)
    told = {seat: ask.events[index - ask.since].text for seat, ask in asks.items()}
    assert told == dict.fromkeys((1, 2, 3), "keep ?") | {kept[0].seat: kept[0].text}


def test_a_note_is_cut_to_a_kilobyte_at_a_letter(table: Table) -> None:
    table.begin()
    answer(table, note="ä" * 600 + "end")
    assert table.entries("note")[0].text == "ä" * 512
    answer(table, note="x" + "ä" * 600)
    assert table.entries("note")[1].text == "x" + "ä" * 511


def test_nothing_that_a_bot_writes_is_refused_by_a_database(table: Table) -> None:
    ask = table.begin()
    answer(table, "take \0" + "x" * 1000, note="a\0b")
    assert table.entries("note")[0].text == "a\N{REPLACEMENT CHARACTER}b"
    fault = table.entries("fault")[0]
    assert fault.seat == ask.seat and fault.data is not None
    assert "\0" not in fault.data["message"] and len(fault.data["message"]) <= 200


def test_an_answer_is_checked_once_and_what_the_referee_chose_itself_not_at_all(
    table: Table, checked: list[str]
) -> None:
    table.begin()
    answered: list[str] = []
    while len(answered) < 20:
        answered += first_legal(table.ask)
        answer(table)
    ask = table.write()
    table.give(MoveArrived(ask.seat, ask.index, ("take A1 and run",)))  # not an action at all: the default is played
    assert checked == answered
    assert [entry for entry in table.entries("decision") if (entry.data or {}).get("default")]
