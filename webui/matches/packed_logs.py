"""The packed log of a match that has ended: one small row instead of hundreds.

A packed log is JSON in gzip. Decisions and chance events are also in the record of the match, so their text is not
stored twice. Such an entry is the number 0 or 1. A hash of all of them is stored too, and reveals a record that differs
from its log.

An epoch is stored where it changes. Times are stored as milliseconds since the previous entry.
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
"""Kinds of log entries that are events of the replay. All other kinds concern the match, not the game. A packed log
stores the index of the kind in this tuple instead of the event.
"""
MILLISECOND: Final = timedelta(milliseconds=1)
NEVER: Final = datetime.min.replace(tzinfo=UTC)


class LoggedEntry(NamedTuple):
    """An entry of a log as it is stored."""

    number: int
    epoch: int
    """Epoch of the owner that wrote it."""
    kind: str
    seat: int
    text: str
    data: Any
    at: datetime
    """Time when it was written. In a packed log it is cut to whole milliseconds since the first entry."""

    @property
    def entry(self) -> Entry:
        """Return the entry as the referee wrote it."""
        return Entry(self.number, self.kind, self.seat, self.text, self.data)


def pack_log(log: Sequence[LoggedEntry], record: Mapping[str, Any] | None) -> bytes:
    """Return the log as bytes. The log is numbered from 0 without a gap. `record` is that of the match, if it has
    one.
    """
    events = [] if record is None else events_of(record)
    own = [[entry.seat, entry.text, entry.data] for entry in log if entry.kind in EVENT_KINDS]
    has_events = record is not None and events == own
    epochs: list[list[int]] = []
    entries: list[Any] = []
    waits: list[int] = []
    before = log[0].at if log else None
    for entry in log:
        if not epochs or epochs[-1][1] != entry.epoch:
            epochs.append([entry.number, entry.epoch])
        if has_events and entry.kind in EVENT_KINDS:
            entries.append(EVENT_KINDS.index(Kind(entry.kind)))
        else:
            entries.append([entry.kind, entry.seat, entry.text, entry.data])
        assert before is not None
        # Measure from the times stored so far, so that rounding errors do not add up.
        waits.append((entry.at - before) // MILLISECOND)
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
    """Return the log that was packed. Raise `RecordRefused` if it was packed with another record."""
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
    """Return the entries of a packed log that are not events of the replay. They can be read without the record."""
    entries = json.loads(gzip.decompress(packed))["entries"]
    listed = (Entry(number, *entry) for number, entry in enumerate(entries) if not isinstance(entry, int))
    return [entry for entry in listed if entry.kind not in EVENT_KINDS]


def events_of(record: Mapping[str, Any]) -> list[list[Any]]:
    """Return the events of a record in the form of the log: seat, text, data or None."""
    return [[*event, None][:3] for event in record["events"]]


def digest(events: Sequence[Sequence[Any]]) -> str:
    """Return the SHA-256 of events. It does not depend on the order in which a database returns the keys of their
    data.
    """
    return sha256(json.dumps(events, separators=(",", ":"), sort_keys=True).encode()).hexdigest()
