"""The bytes that are signed, and the first difference between two JSON documents."""

from __future__ import annotations

from typing import Any

import pytest

from arena.referee import LogError, canonical_bytes, difference, unsigned
from tests.referee.conftest import Table, play_on


def test_canonical_bytes_are_those_of_rfc_8785() -> None:
    assert canonical_bytes({"b": [1, True, None, "x y"], "a": {"ä": "é"}}) == (
        b'{"a":{"\xc3\xa4":"\xc3\xa9"},"b":[1,true,null,"x y"]}'
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        canonical_bytes({"a": float("nan")})


def test_a_signature_covers_all_but_itself() -> None:
    assert unsigned({"a": {"signature": 1}, "signature": 2}) == {"a": {"signature": 1}}


@pytest.mark.parametrize(
    ("given", "expected", "where"),
    [
        ({"a": [1, {"b": "x"}], "signature": {}}, {"a": [1, {"b": "x"}]}, None),
        ({"a": [1, {"b": "x"}]}, {"a": [1, {"b": "y"}]}, "/a/1/b"),
        ({"a": 1, "b": 1}, {"a": 2, "b": 2}, "/a"),
        ({"a": [1, 1]}, {"a": [2, 2]}, "/a/0"),
        ({"a": [1]}, {"a": [1, 1]}, "/a"),
        ({"a": {"signature": 1}}, {"a": {}}, "/a/signature"),
        ({"a": {}}, {"a": {"c": 1, "b": 1}}, "/a/b"),
        ({"a": 1, "b": 2}, {"a": 2}, "/b"),
        ({"a": {}}, {"a": []}, "/a"),
        ({"a": []}, {"a": {}}, "/a"),
        ({"a": 1}, {"a": True}, "/a"),
        ({"a": 1.0}, {"a": 1}, "/a"),
        ({"a": None}, {"a": None}, None),
    ],
)
def test_the_first_difference(given: Any, expected: Any, where: str | None) -> None:
    assert difference(given, expected) == where


def test_a_difference_is_named_from_where_the_documents_stand() -> None:
    assert difference([1, 2], [1, 3], "/seats") == "/seats/1"
    assert difference({"signature": 1}, {}, "/facts") == "/facts/signature"


def test_a_match_that_goes_on_has_no_record(table: Table) -> None:
    with pytest.raises(LogError, match=r"^the match is not over$"):
        table.referee.replay([])
    table.begin()
    with pytest.raises(LogError, match=r"^the match is not over$"):
        table.referee.replay([])


def test_the_record_of_a_match_without_incidents_says_nothing_of_them(table: Table) -> None:
    table.begin()
    play_on(table)
    document = table.referee.replay([{"name": name, "version": "1"} for name in "abc"])
    assert list(document) == [
        *("format", "rules", "match", "ruleset", "seed", "commitment", "seats", "server_seed", "nonces"),
        *("nonce_hashes", "clock", "policy", "verdict", "setup", "events", "result"),
    ]
    assert document["match"] == "m" and document["server_seed"] == "00" * 32
    assert document["nonces"] == ["01" * 16, "02" * 16, "03" * 16]
    assert document["verdict"]["kind"] == "completed"
