"""The published record of a match (docs/notation.md, Replay), and the bytes of it that are signed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from arena.referee.log import LogError
from arena.referee.record import Record
from arena.rules import replay_document

SIGNATURE: Final = "signature"
"""Key of a record that its signature does not cover."""


def unsigned(document: Mapping[str, Any]) -> dict[str, Any]:
    """Return the part of a record that its signature covers."""
    return {key: value for key, value in document.items() if key != SIGNATURE}


def match_document(record: Record, seats: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the published record of a match that is over, without a signature.

    `seats` are the documents of the players, seat 1 first. Raise `LogError` if the match is not over.
    """
    terms, verdict = record.terms, record.verdict
    if verdict is None:
        raise LogError("the match is not over")
    document = replay_document(
        record.running,
        match=terms.match,
        seats=seats,
        server_seed=terms.server_seed,
        nonces=[seat.nonce for seat in record.seats.values()],
        nonce_hashes=[seat.nonce_hash for seat in record.seats.values()],
        clock=terms.clock.document(),
        policy=terms.policy.document(),
        verdict=verdict.document(),
    )
    if record.incidents:
        document["incidents"] = [incident.document() for incident in record.incidents]
    return document


def canonical_bytes(document: Mapping[str, Any]) -> bytes:
    """Return the canonical encoding of a JSON document: UTF-8, sorted keys, no spaces.

    The document consists of objects, lists, strings, whole numbers, booleans and null. For such documents this is the
    encoding of RFC 8785. Raise `ValueError` for anything else.
    """
    return json.dumps(document, ensure_ascii=False, allow_nan=False, sort_keys=True, separators=(",", ":")).encode()


def difference(given: Any, expected: Any, where: str = "") -> str | None:
    """Return the first place (`/seats/0/name`) where two JSON documents differ; None if they are equal.

    `true` differs from 1 and 1.0. A signature at the top level is ignored.
    """
    if isinstance(given, dict) and isinstance(expected, dict):
        given = given if where else unsigned(given)
        if unlike := sorted(given.keys() ^ expected.keys()):
            return f"{where}/{unlike[0]}"
        pairs = [(key, given[key], expected[key]) for key in given]
    elif isinstance(given, list) and isinstance(expected, list) and len(given) == len(expected):
        pairs = [(place, value, wanted) for place, (value, wanted) in enumerate(zip(given, expected, strict=True))]
    else:
        return None if type(given) is type(expected) and given == expected else where
    places = (difference(value, wanted, f"{where}/{key}") for key, value, wanted in pairs)
    return next((place for place in places if place is not None), None)
