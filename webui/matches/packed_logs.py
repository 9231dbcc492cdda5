"""The log of a match that has ended, in one small row instead of hundreds.

A packed log is JSON in gzip. What the record of the match has too, decisions and chance, is not written twice: those
entries are 0 or 1, and their hash stands beside them, so that a record that departs from its log is still found out.
Epochs are written where they change; times as milliseconds since the entry before.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any, Final, NamedTuple

from arena.referee import Entry, Kind
from webui.matches.values import RecordRefused

FORMAT: Final = 1
EVENT_KINDS: Final = (Kind.DECISION, Kind.CHANCE)
"""Kinds of log entries that are events of the replay; all others are about the match, not the game. In a packed log
an event is its place here."""
MILLISECOND: Final = timedelta(milliseconds=1)
NEVER: Final = datetime.min.replace(tzinfo=UTC)


class LoggedEntry(NamedTuple):
    """An entry of a log as it is stored."""

    number: int
    epoch: int
    """Which owner wrote it."""
    kind: str
    seat: int
    text: str
    data: Any
    at: datetime
    """When it was written; of a packed log cut to whole milliseconds since the first entry."""

    @property
    def entry(self) -> Entry:
        """As the referee wrote it."""
        return Entry(self.number, self.kind, self.seat, self.text, self.data)


def pack_log(log: Sequence[LoggedEntry], record: Mapping[str, Any] | None) -> bytes:
    """The log, which is numbered from 0 without a gap, as bytes. `record` is that of the match, if it has one."""
    events = [] if record is None else events_of(record)
    own = [[one.seat, one.text, one.data] for one in log if one.kind in EVENT_KINDS]
    has_events = record is not None and events == own
    epochs: list[list[int]] = []
    entries: list[Any] = []
    waits: list[int] = []
    before = log[0].at if log else None
    for one in log:
        if not epochs or epochs[-1][1] != one.epoch:
            epochs.append([one.number, one.epoch])
        if has_events and one.kind in EVENT_KINDS:
            entries.append(EVENT_KINDS.index(Kind(one.kind)))
        else:
            entries.append([one.kind, one.seat, one.text, one.data])
        assert before is not None
        # From what has been written down so far, so that what is cut off does not add up.
        waits.append((one.at - before) // MILLISECOND)
        before += waits[-1] * MILLISECOND
    document = {
        "v": FORMAT,
        "at": log[0].at.isoformat() if log else None,
        "ms": waits,
        "epochs": epochs,
        "entries": entries,
        "events": digest(own) if has_events else None,
    }
    return gzip.compress(json.dumps(document, separators=(",", ":"), ensure_ascii=False).encode(), mtime=0)


def unpack_log(packed: bytes, record: Mapping[str, Any] | None) -> list[LoggedEntry]:
    """The log that was packed. `RecordRefused` if the record is not that with which it was packed."""
    document = json.loads(gzip.decompress(packed))
    listed: list[list[Any]] = []
    if document["events"] is not None:
        if record is None:
            raise RecordRefused("the events of the log are in its record, and that is missing")
        listed = events_of(record)
        if digest(listed) != document["events"]:
            raise RecordRefused("the record departs from its packed log: it has other events")
    events = iter(listed)
    epochs = dict(document["epochs"])
    at, epoch = datetime.fromisoformat(document["at"]) if document["at"] else NEVER, 0
    log = []
    for number, (entry, ms) in enumerate(zip(document["entries"], document["ms"], strict=True)):
        epoch = epochs.get(number, epoch)
        at += ms * MILLISECOND
        kind, seat, text, data = [str(EVENT_KINDS[entry]), *next(events)] if isinstance(entry, int) else entry
        log.append(LoggedEntry(number, epoch, kind, seat, text, data, at))
    return log


def own_entries(packed: bytes) -> list[Entry]:
    """The entries of a packed log that are no events of the replay: what can be read of it without the record."""
    entries = json.loads(gzip.decompress(packed))["entries"]
    listed = (Entry(number, *entry) for number, entry in enumerate(entries) if not isinstance(entry, int))
    return [entry for entry in listed if entry.kind not in EVENT_KINDS]


def events_of(record: Mapping[str, Any]) -> list[list[Any]]:
    """The events of a record as the log has them: seat, text, data or None."""
    return [[*event, None][:3] for event in record["events"]]


def digest(events: Sequence[Sequence[Any]]) -> str:
    """SHA-256 of events, however a database orders the keys of their data."""
    return sha256(json.dumps(events, separators=(",", ":"), sort_keys=True).encode()).hexdigest()
