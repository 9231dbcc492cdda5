"""Documents of the log of offers (notation.md, Offers), their chain, and comparing one with the terms sent to a bot."""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any

import pytest

from arena.referee import HiddenOffer, OfferError, check_chain, offer_digest, offer_document, other_terms

SEATS = [{"name": "a", "version": "1", "owner": 5}, {"name": "b", "version": "2", "owner": 6}]
POLICY = {"strikes": 3, "grace_ms": 60_000, "offer_ms": 10_000, "house": "greedy"}
FIRST: dict[str, Any] = {
    "format": "naqala/offer/1",
    "number": 1,
    "previous": "0" * 64,
    "match": "m1",
    "rules": "naqala-rules/1",
    "ruleset": {"players": 2, "expansions": []},
    "seats": SEATS,
    "clock": {"bank_ms": 60_000, "increment_ms": 1_000, "cap_ms": 10_000},
    "policy": POLICY,
    "rated": True,
    "commitment": "ab" * 32,
}


def following(document: dict[str, Any]) -> dict[str, Any]:
    """Return the next document of a log: its `previous` is the SHA-256 of the canonical bytes of this one."""
    plain = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return {**FIRST, "number": document["number"] + 1, "previous": sha256(plain.encode()).hexdigest(), "match": "m2"}


def test_a_document_has_the_keys_of_the_notation() -> None:
    arguments = {key: value for key, value in FIRST.items() if key != "format"}
    assert offer_document(**arguments) == FIRST
    assert list(offer_document(**arguments)) == list(FIRST)
    assert offer_digest(FIRST) == following(FIRST)["previous"]


def test_a_chain_holds_and_an_empty_one_does() -> None:
    second = following(FIRST)
    log = [FIRST, second, following(second)]
    assert list(check_chain(log)) == log
    assert list(check_chain([])) == []


@pytest.mark.parametrize(
    ("second", "why"),
    [
        (following(FIRST) | {"previous": "0" * 64}, "entry 2 does not have the hash of the previous entry"),
        (following(FIRST) | {"number": 3}, "entry 3 is out of order: 2 was expected"),
        (following(FIRST) | {"number": 2.0}, "entry 2.0 is out of order: 2 was expected"),
        (following(FIRST) | {"number": "2" * 90}, f"entry '{'2' * 39} is out of order: 2 was expected"),
        (following(FIRST) | {"format": "naqala/offer/2"}, "entry 2 is not a document in the format 'naqala/offer/1'"),
        (following(FIRST) | {"more": 1}, "entry 2 is not a document in the format 'naqala/offer/1'"),
        ({"format": "naqala/offer/1"}, "entry 2 is not a document in the format 'naqala/offer/1'"),
        ([], "entry 2 is not a document in the format 'naqala/offer/1'"),
    ],
)
def test_a_chain_breaks_where_an_entry_does_not_follow(second: Any, why: str) -> None:
    found = check_chain([FIRST, second])
    assert next(found) == FIRST
    with pytest.raises(OfferError) as error:
        next(found)
    assert str(error.value) == why


def test_a_chain_holds_by_the_hash_of_an_entry_that_is_hidden() -> None:
    second = following(FIRST)
    third, hidden = following(second), HiddenOffer(2, offer_digest(second))
    assert list(check_chain([FIRST, hidden, third])) == [FIRST, third]
    with pytest.raises(OfferError, match="entry 3 does not have the hash"):
        list(check_chain([FIRST, HiddenOffer(2, offer_digest(FIRST)), third]))
    with pytest.raises(OfferError, match="entry 3 is out of order: 2 was expected"):
        list(check_chain([FIRST, HiddenOffer(3, offer_digest(second)), third]))


def test_a_log_begins_with_its_first_document() -> None:
    with pytest.raises(OfferError, match="entry 2 is out of order: 1 was expected"):
        next(check_chain([following(FIRST)]))
    with pytest.raises(OfferError, match="entry 1 does not have the hash"):
        next(check_chain([FIRST | {"previous": "1" * 64}]))


def test_the_first_term_that_was_told_otherwise() -> None:
    seats = [{"name": "a", "version": "1"}, {"name": "b", "version": "2"}]
    told = {"match": "m1", "seats": seats, "clock": FIRST["clock"], "policy": POLICY}
    assert other_terms(FIRST, told) is None
    assert other_terms(FIRST, {}) is None
    assert other_terms(FIRST, told | {"seats": seats[::-1], "match": "m2"}) == "match"
    assert other_terms(FIRST, told | {"seats": seats[::-1], "clock": {}}) == "seats"
    assert other_terms(FIRST, told | {"seats": [seats[0], seats[1] | {"version": "3"}]}) == "seats"
    assert other_terms(FIRST, told | {"clock": {**FIRST["clock"], "cap_ms": 10_000.0}}) == "clock"
    assert other_terms(FIRST | {"clock": {**FIRST["clock"], "signature": 1}}, told) == "clock"
    assert other_terms(FIRST, {"tournament": "t"}) == "tournament"


def test_the_time_to_answer_is_compared_only_if_it_was_told() -> None:
    untimed = {key: value for key, value in POLICY.items() if key != "offer_ms"}
    assert other_terms(FIRST, {"policy": untimed}) is None
    assert other_terms(FIRST, {"policy": POLICY | {"offer_ms": 9_999}}) == "policy"
    assert other_terms(FIRST, {"policy": untimed | {"strikes": 4}}) == "policy"
