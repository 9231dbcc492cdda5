"""A record's statements about its match are read without being trusted."""

from __future__ import annotations

from typing import Any

import pytest

from arena.referee import Clock, MatchIncident, Policy, Terms
from arena.referee.reading import check_texts, read_incidents, read_nonces, read_terms
from arena.rules import ReplayError, Ruleset

SEATS = [{"name": "a", "version": "1"}, {"name": "b", "version": "2"}]
RECORD: dict[str, Any] = {
    "match": "m1",
    "ruleset": {"players": 2, "expansions": []},
    "seats": SEATS,
    "server_seed": "ab" * 32,
    "nonces": ["01" * 16, "02" * 32],
    "nonce_hashes": ["0a" * 32, "0b" * 32],
    "clock": {"bank_ms": 5, "increment_ms": 6, "cap_ms": 7},
    "policy": {"strikes": 1, "grace_ms": 2, "offer_ms": 3, "house": "random"},
}
FAULT = {"at": 3, "seat": 2, "kind": "fault", "reason": "LATE"}
ABSENCE = {"at": 0, "seat": 1, "kind": "absence", "ms": 1}
WITHHELD = {"at": 0, "seat": 2, "kind": "forfeit", "reason": "NO_REVEAL"}


def refusal(read: Any, document: dict[str, Any]) -> str:
    with pytest.raises(ReplayError) as error:
        read(document)
    assert error.value.code == "BAD_REPLAY"
    return error.value.message


@pytest.mark.parametrize("text", ["x", "x" * 100, "ä b"])
def test_texts_have_1_to_100_printable_characters(text: str) -> None:
    check_texts({"match": text, "seats": [{"name": text, "version": text}]})


@pytest.mark.parametrize("text", ["", "x" * 101, "\n", 1, None])
def test_other_texts_are_refused_by_name(text: Any) -> None:
    why = f"needs 1 to 100 printable characters, not {text!r:.60}"
    assert refusal(check_texts, RECORD | {"match": text}) == f"the match {why}"
    for key in ("name", "version"):
        seats = [SEATS[0], SEATS[1] | {key: text}]
        assert refusal(check_texts, RECORD | {"seats": seats}) == f"the {key} of seat 2 {why}"


def test_the_terms_of_a_record() -> None:
    terms = Terms("m1", Ruleset(2), b"\xab" * 32, Clock(5, 6, 7), Policy(1, 2, 3, "random"))
    assert read_terms(RECORD) == read_terms(RECORD | {"deal": None}) == terms
    assert read_terms(RECORD | {"deal": "cd" * 32}).deal == b"\xcd" * 32


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ({"clock": []}, "the clock must be an object of whole numbers"),
        ({"clock": {"bank_ms": "5"}}, "the clock must be an object of whole numbers"),
        ({"clock": {"bank_ms": True}}, "the clock must be an object of whole numbers"),
        ({"clock": {"bank_ms": 5, "cap_ms": 1.0}}, "the clock must be an object of whole numbers"),
        ({"policy": None}, "the policy must be an object of whole numbers"),
        ({"policy": {"strikes": None, "house": "random"}}, "the policy must be an object of whole numbers"),
        ({"policy": {}}, "the policy must name a house player"),
        ({"policy": {"house": 1}}, "the policy must name a house player"),
        ({"clock": {"house": "random"}}, "unknown keys of a clock: house"),
        ({"policy": {"house": "random", "mercy": 1}}, "unknown keys of a policy: mercy"),
    ],
)
def test_terms_that_no_match_has_are_refused(change: dict[str, Any], why: str) -> None:
    assert refusal(read_terms, RECORD | change) == why


def test_a_clock_that_cannot_be_is_refused() -> None:
    assert refusal(read_terms, RECORD | {"clock": {"bank_ms": -1}}).startswith("invalid clock:")


def test_the_nonces_of_a_record_and_their_hashes() -> None:
    assert read_nonces(RECORD) == ([b"\1" * 16, b"\2" * 32], [b"\x0a" * 32, b"\x0b" * 32])


@pytest.mark.parametrize(
    "hashes", [None, 7, [], ["0a" * 32], ["0a" * 32] * 3, ["0a" * 32, "0b" * 31], ["0a" * 32, "x"]]
)
def test_there_is_one_hash_for_each_seat(hashes: Any) -> None:
    why = "`nonce_hashes` must be 2 strings of 64 hex digits"
    assert refusal(read_nonces, RECORD | {"nonce_hashes": hashes}) == why


def test_the_incidents_of_a_record() -> None:
    assert read_incidents(RECORD) == []
    assert read_incidents(RECORD | {"incidents": [WITHHELD, ABSENCE, FAULT, {**FAULT, "kind": "forfeit"}]}) == [
        MatchIncident(0, 2, "forfeit", reason="NO_REVEAL"),
        MatchIncident(0, 1, "absence", ms=1),
        MatchIncident(3, 2, "fault", reason="LATE"),
        MatchIncident(3, 2, "forfeit", reason="LATE"),
    ]


@pytest.mark.parametrize("incidents", [[], {}, None, "x"])
def test_incidents_are_a_list_of_at_least_one(incidents: Any) -> None:
    assert refusal(read_incidents, RECORD | {"incidents": incidents}) == "`incidents` must be a list that is not empty"


@pytest.mark.parametrize(
    "incident",
    [
        [], None, {}, {**FAULT, "more": 1}, {**FAULT, "ms": 5}, {**FAULT, "ms": 0},
        {**FAULT, "at": -1}, {**FAULT, "at": 1.0}, {**FAULT, "at": True}, {**FAULT, "at": "3"},
        {**FAULT, "seat": 0}, {**FAULT, "seat": 3}, {**FAULT, "seat": True}, {**FAULT, "kind": "strike"},
        {**FAULT, "reason": ""}, {**FAULT, "reason": "RUDE"}, {**FAULT, "reason": None},
        {**FAULT, "reason": "NO_REVEAL"}, {**WITHHELD, "kind": "fault"}, {**WITHHELD, "at": 1},
        {**ABSENCE, "ms": 0}, {**ABSENCE, "ms": -1}, {**ABSENCE, "ms": 1.5}, {**ABSENCE, "reason": "GONE"},
    ],
)  # fmt: skip
def test_an_incident_that_cannot_be_is_refused(incident: Any) -> None:
    why = refusal(read_incidents, RECORD | {"incidents": [FAULT, incident]})
    assert why == f"incident 1 is invalid: {incident!r:.200}"
