"""Logs and records of matches: read them, verify them against the rules, and compress them."""

import gzip
import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.players import ask_house
from arena.referee import Entry, Kind, prove
from arena.rules import RulesError
from webui.matches.models import LogRow, Match, MatchRecord, MatchSecret, PackedLog
from webui.matches.packed_logs import EVENT_KINDS, LoggedEntry, events_of, own_entries, unpack_log
from webui.matches.record_store import packed_of
from webui.matches.values import RecordRefused


def read_log(match_id: str, since: int = 0) -> list[Entry]:
    """Return the log of a match that runs or has just ended, in order, from entry number `since`."""
    rows = LogRow.objects.filter(match_id=match_id, number__gte=since).order_by("number")
    return [Entry(*row) for row in rows.values_list("number", "kind", "seat", "text", "data")]


def log_rows(match_id: str) -> list[LoggedEntry]:
    """Return the rows of a log, in order. Return none if the log is packed."""
    rows = LogRow.objects.filter(match_id=match_id).order_by("number")
    return [LoggedEntry(*row) for row in rows.values_list("number", "epoch", "kind", "seat", "text", "data", "at")]


def ended_log(match_id: str, record: Mapping[str, Any] | None = None) -> list[LoggedEntry]:
    """Return the log of a match that has ended, packed or not.

    `record` is the document of its record, if the caller has read it already. Raise `RecordRefused` if the log was
    packed with another record.
    """
    if rows := log_rows(match_id):
        return rows
    # Read this after the rows: whoever deletes the rows has stored the packed log in the same transaction.
    packed = PackedLog.objects.filter(pk=match_id).values_list("packed", flat=True).first()
    if packed is None:
        return []
    if record is None:
        row = MatchRecord.objects.filter(pk=match_id).first()
        record = unpack_record(packed_of(row)) if row else None
    return unpack_log(bytes(packed), record)


def faults_in(match_ids: Sequence[str]) -> Iterator[tuple[str, Entry]]:
    """Yield the faults of bots in the logs of these matches, which have ended, each with its match's id."""
    rows = list(LogRow.objects.filter(match__in=match_ids, kind=str(Kind.FAULT)).order_by("match", "number"))
    for row in rows:
        yield row.match_id, Entry(row.number, row.kind, row.seat, row.text, row.data)
    # If a log was packed after its rows were read, its faults have been yielded: skip it. Records are not read, because
    # their store may be unreachable.
    packed = PackedLog.objects.filter(pk__in=match_ids).exclude(pk__in={row.match_id for row in rows}).order_by("pk")
    for match_id, log in packed.values_list("pk", "packed"):
        yield from ((match_id, entry) for entry in own_entries(bytes(log)) if entry.kind == Kind.FAULT)


def pack_record(document: Mapping[str, Any]) -> bytes:
    """Return the document as compact JSON in gzip. Equal documents give equal bytes."""
    text = json.dumps(document, separators=(",", ":"), ensure_ascii=False)
    return gzip.compress(text.encode(), mtime=0)


def unpack_record(packed: bytes) -> dict[str, Any]:
    """Return the document that was packed."""
    document: dict[str, Any] = json.loads(record_text(packed))
    return document


def record_text(packed: bytes) -> str:
    """Return the exact text that was packed."""
    return gzip.decompress(packed).decode()


def check_record(match: Match, secret: MatchSecret, log: Sequence[Entry], document: Mapping[str, Any]) -> None:
    """Raise `RecordRefused` if the document does not belong to this match, or does not follow from its log and the
    rules.
    """
    expected = {
        "match": match.id,
        "rules": match.rules,
        "ruleset": match.ruleset.document(),
        "commitment": match.commitment,
        "server_seed": secret.server_seed,
        "deal": secret.deal or None,
    }
    for key, value in expected.items():
        if document.get(key) != value:
            # The values are not in the message, because it is logged and the seed may be one of them.
            raise RecordRefused(f"the record of match {match.id} has another {key!r} than the match")
    events = [[entry.seat, entry.text, entry.data] for entry in log if entry.kind in EVENT_KINDS]
    recorded = events_of(document)
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
    if document.get("nonce_hashes") != hashes:
        raise RecordRefused(f"the record of match {match.id} has other hashes of nonces than its log")
    try:
        prove(dict(document), ask_house)
    except RulesError as error:
        raise RecordRefused(f"the record of match {match.id} does not follow from the rules: {error}") from error
