"""Violations that refereeing a record again detects, each on a record of its own."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

import pytest

from arena.referee import AskMove, AskWritten, SeatBack, SeatLost, Terms, TimePassed
from arena.rules import Ruleset, default_action, read_game
from tests.kit.records import RefereedMatch, refereed
from tests.referee.conftest import nonce_of, refusal


def drawing(ask: AskMove) -> str:
    """Return the action of a bot that draws meeples from the bag (`!bag`) whenever it can."""
    legal = [action.text for action in ask.legal]
    return next((text for text in legal if "anun-nak" in text), legal[0])


def faultless(players: int, server_seed: bytes) -> dict[str, Any]:
    terms = Terms("m", Ruleset(players), server_seed)
    match = refereed(terms, [nonce_of(seat) for seat in terms.seats], drawing)
    document: dict[str, Any] = json.loads(json.dumps(match.document([("bot", "1")] * players)))
    return document


@pytest.fixture(scope="module")
def drawn() -> dict[str, Any]:
    return faultless(3, bytes([56]) * 32)


def test_chance_has_no_facts_and_ends_an_answer(drawn: dict[str, Any]) -> None:
    events = drawn["events"]
    index = next(i for i, event in enumerate(events) if event[0] == 0 and events[i + 1][2] == {"ms": 0})
    assert events[index - 1][0] == events[index + 1][0]
    assert refusal(drawn) == ""
    tampered = deepcopy(drawn)
    tampered["events"][index].append({})
    assert refusal(tampered) == f"FACTS {index}: chance has no facts"
    tampered = deepcopy(drawn)
    del tampered["events"][index + 1][2]
    seat = events[index + 1][0]
    assert refusal(tampered) == f"CLOCK {index + 1}: seat {seat} was asked for this decision, and `ms` is missing"


def test_a_forced_decision_is_no_answer(drawn: dict[str, Any]) -> None:
    events = drawn["events"]
    index = next(
        i
        for i in range(2, len(events))
        if events[i - 2][0] == 0 and events[i - 1][1:] == ["pass", {"forced": True}] and events[i][2] == {"ms": 0}
    )
    tampered = deepcopy(drawn)
    del tampered["events"][index][2]
    seat = events[index][0]
    assert refusal(tampered) == f"CLOCK {index}: seat {seat} was asked for this decision, and `ms` is missing"


def test_an_answer_of_many_decisions_is_charged_once() -> None:
    terms = Terms("m", Ruleset(3), bytes(32))
    match = RefereedMatch(terms, [nonce_of(seat) for seat in terms.seats])
    while not match.referee.is_over:
        state, plan = match.referee.record.state, list[str]()
        while len(plan) < 4 and state.due is None and not state.is_over:
            plan.append(next(iter(state.legal)).text)
            state = state.play(state.parse(plan[-1]))
        match.answer(*plan, ms=1)
    record = json.loads(json.dumps(match.document([("bot", "1")] * 3)))
    events = record["events"]
    assert any([event[2:] for event in events[i : i + 3]] == [[{"ms": 1}], [], []] for i in range(len(events)))
    assert refusal(record) == ""


def test_nothing_is_decided_after_the_end_of_a_match() -> None:
    record = faultless(2, bytes(32))
    record["incidents"] = [
        {"at": 9, "seat": 1, "kind": "absence", "ms": 60_000},
        {"at": 9, "seat": 1, "kind": "forfeit", "reason": "GONE"},
    ]
    assert refusal(record) == "OVER 9: the match was over before this event"


def test_a_house_player_must_exist(record: dict[str, Any]) -> None:
    tampered = {**record, "policy": {**record["policy"], "house": "nobody"}}
    assert refusal(tampered).startswith("HOUSE 11: there is no house player 'nobody'")


def test_a_default_decision_is_the_one_of_the_seed(drawn: dict[str, Any]) -> None:
    game = read_game(drawn, 0)
    default, played = default_action(game.setup, game.seed, 0).text, drawn["events"][0][1]
    assert default != played
    tampered = deepcopy(drawn)
    tampered["events"][0][2] = {"ms": 0, "default": "ILLEGAL"}
    tampered["incidents"] = [{"at": 0, "seat": tampered["events"][0][0], "kind": "fault", "reason": "ILLEGAL"}]
    assert refusal(tampered) == f"CHOICE 0: the seed gives {default!r} here, not {played!r}"


def absent() -> dict[str, Any]:
    """A match of two in which the first to bid is away for 20 s of its first decision, and then late."""
    terms = Terms("m", Ruleset(2), bytes(32))
    match = RefereedMatch(terms, [nonce_of(seat) for seat in terms.seats])
    seat, index = match.ask.seat, match.ask.index
    match.give(AskWritten(seat, index))
    match.give(SeatLost(seat))
    match.give(SeatBack(seat), after_ms=20_000)
    match.give(TimePassed(), after_ms=10_000)
    while not match.referee.is_over:
        match.answer(drawing(match.ask))
    document: dict[str, Any] = json.loads(json.dumps(match.document([("bot", "1")] * 2)))
    return document


def test_an_absence_is_charged_beyond_the_cap_and_no_more_than_it_was() -> None:
    record = absent()
    seat, _, facts = record["events"][0]
    assert facts == {"ms": 30_000, "default": "LATE"}
    assert record["incidents"] == [
        {"at": 0, "seat": seat, "kind": "absence", "ms": 20_000},
        {"at": 0, "seat": seat, "kind": "fault", "reason": "LATE"},
    ]
    assert refusal(record) == ""
    facts["ms"] = 30_001
    assert refusal(record) == "CLOCK 0: `ms` must be from 0 to 30000, as bank and cap allow, not 30001"
    facts["ms"] = 9_999
    assert refusal(record) == "CLOCK 0: a late seat must be charged all the time it had, 10000 to 30000 ms, not 9999"
    facts["ms"] = 30_000
    record["incidents"][0]["seat"] = 3 - seat
    assert refusal(record) == "CLOCK 0: `ms` must be from 0 to 10000, as bank and cap allow, not 30000"


def test_records_from_before_absences_were_charged_to_the_grace_are_still_right() -> None:
    """There an absence ended with the cap, in a strike that was called GONE."""
    record = absent()
    record["events"][0][2] = {"ms": 10_000, "default": "GONE"}
    record["incidents"][1]["reason"] = "GONE"
    assert refusal(record) == ""
    del record["incidents"][0]  # it came back at a later decision
    assert refusal(record) == ""
