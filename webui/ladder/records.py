"""The log and the record of a match: read, verified against the rules, compressed."""

import gzip
import json
from collections.abc import Mapping, Sequence
from typing import Any

from arena.players import ask_house
from arena.referee import Entry, Kind, prove
from arena.rules import RulesError
from webui.ladder.models import LogRow, Match, MatchSecret
from webui.ladder.values import RecordRefused

EVENT_KINDS = (Kind.DECISION, Kind.CHANCE)
"""Kinds of log entries that are events of the replay; all others are about the match, not the game."""


def read_log(match_id: str, since: int = 0) -> list[Entry]:
    """The log from entry number `since` on, in order."""
    rows = LogRow.objects.filter(match_id=match_id, number__gte=since).order_by("number")
    return [Entry(*row) for row in rows.values_list("number", "kind", "seat", "text", "data")]


def pack_record(document: Mapping[str, Any]) -> bytes:
    """The document as compact JSON in gzip; equal documents give equal bytes."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    return gzip.compress(text.encode(), mtime=0)


def unpack_record(packed: bytes) -> dict[str, Any]:
    """The document that was packed."""
    document: dict[str, Any] = json.loads(record_text(packed))
    return document


def record_text(packed: bytes) -> str:
    """The same as the very text that was packed."""
    return gzip.decompress(packed).decode()


def check_record(match: Match, secret: MatchSecret, log: Sequence[Entry], document: Mapping[str, Any]) -> None:
    """Refuse a document that does not belong to this match, or does not follow from its log or the rules."""
    expected = {
        "match": match.id,
        "rules": match.rules,
        "ruleset": match.ruleset,
        "commitment": match.commitment,
        "server_seed": secret.server_seed,
        "deal": secret.deal or None,
    }
    for key, value in expected.items():
        if document.get(key) != value:
            # The values stay out of the message: it is logged, and the seed may be among them.
            raise RecordRefused(f"the record of match {match.id} has another {key!r} than the match")
    events = [[entry.seat, entry.text, entry.data] for entry in log if entry.kind in EVENT_KINDS]
    recorded = [[*event, None][:3] for event in document["events"]]
    if recorded != events:
        index = next(
            (i for i, pair in enumerate(zip(recorded, events, strict=False)) if pair[0] != pair[1]),
            min(len(recorded), len(events)),
        )
        raise RecordRefused(f"the record of match {match.id} departs from its log at index {index}")
    forfeits = [
        {"seat": e.seat, "at": (e.data or {})["index"], "reason": e.text} for e in log if e.kind == Kind.FORFEIT
    ]
    if document["verdict"]["forfeits"] != forfeits:
        raise RecordRefused(f"the record of match {match.id} has other forfeits than its log")
    hashes = [e.text for e in sorted(log, key=lambda entry: entry.seat) if e.kind == Kind.COMMIT]
    if document.get("nonce_hashes", []) != hashes:
        raise RecordRefused(f"the record of match {match.id} has other hashes of nonces than its log")
    try:
        prove(dict(document), ask_house)
    except RulesError as error:
        raise RecordRefused(f"the record of match {match.id} does not follow from the rules: {error}") from error
