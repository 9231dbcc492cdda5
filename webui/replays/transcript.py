"""Transcripts: the log of a match as the owner of one of its bots may read it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from msgspec import convert

from arena.referee import Entry, Kind, Record
from arena.referee.reading import read_terms
from arena.wire.history import as_text, codec_of, messages, pack
from arena.wire.matches import Signed
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine
from webui.words import badges

# The messages that a seat received in a finished match, for the owner of its bot, as a file and as text.


def messages_of(line: MatchLine, seat: int) -> list[bytes]:
    """Return the messages sent to a seat, in order. Empty while the match runs, and if it has no record."""
    record = match_queries.match_record(line.id)
    if record is None:
        return []
    terms, offer = read_terms(record), match_queries.signed_offer(line.id)
    codec = codec_of(
        record,
        terms,
        [seat_line.version.bot.owner for seat_line in sorted(line.seats, key=lambda seat_line: seat_line.seat)],
        is_rated=line.rated,
        signed=Signed(offer.document.encode(), offer.key, bytes.fromhex(offer.signature)),
    )
    end = codec.end(record, f"{settings.SITE_URL}/matches/{line.id}/" if settings.SITE_URL else "")
    log = match_queries.match_log(line.id, notes_of=[seat])
    return [message.payload for message in messages(codec, Record(terms), log, seat, end)]


def messages_file(line: MatchLine, seat: int) -> bytes:
    """Return the messages as one file, in which each message follows its length."""
    return pack(messages_of(line, seat))


def messages_text(line: MatchLine, seat: int) -> bytes:
    """Return the messages in protobuf's text format, in UTF-8."""
    return "".join(as_text(messages_of(line, seat))).encode()


def asks_of(log: Sequence[Entry], seat: int) -> list[int]:
    """Return the indices of the decisions that a seat's bot was asked for, including the one at which it forfeited."""
    indices, played = [], 0
    for entry in log:
        data = data_of(entry)
        if entry.seat == seat and entry.kind == Kind.DECISION and data.ms is not None:
            indices.append(played)
        elif entry.seat == seat and entry.kind == Kind.FORFEIT and data.index is not None:
            indices.append(data.index)
        played += entry.kind in (Kind.DECISION, Kind.CHANCE)
    return indices


PRIVATE = {Kind.COMMIT: ("by",), Kind.READY: ("by",), Kind.FAULT: ("rule", "message")}
"""Keys of `data` that only the bot's owner may see: names of processes, and the faults in an answer."""

KINDS = {
    Kind.COMMIT: gettext_lazy("accepted"),
    Kind.READY: gettext_lazy("ready"),
    Kind.ABORT: gettext_lazy("never began"),
    Kind.DECISION: gettext_lazy("decision"),
    Kind.CHANCE: gettext_lazy("drawn"),
    Kind.FAULT: gettext_lazy("fault"),
    Kind.FORFEIT: gettext_lazy("forfeit"),
    Kind.LOST: gettext_lazy("connection lost"),
    Kind.BACK: gettext_lazy("back again"),
    Kind.NOTE: gettext_lazy("note"),
}


@dataclass(frozen=True)
class EntryData:
    """The data of a log entry. The kind of the entry says which fields it has (`arena.referee.log`)."""

    index: int | None = None
    ms: int | None = None
    network_ms: int | None = None
    queue_ms: int | None = None
    spent_ms: int | None = None
    strikes: int | None = None
    forced: bool = False
    default: str = ""
    house: str = ""
    rule: str = ""
    message: str = ""
    by: str = ""


def data_of(entry: Entry) -> EntryData:
    """Return the data of an entry."""
    return convert(entry.data or {}, EntryData)


def owner_log(log: Sequence[Entry], seats: Collection[int]) -> list[Entry]:
    """Return the entries without data that is private to other owners.

    `log`: a log that is already without the notes of other owners (`queries.match_log`).
    `seats`: the seats of the reading owner's bots.
    """
    entries = []
    for entry in log:
        private = () if entry.seat in seats else PRIVATE.get(Kind(entry.kind), ())
        data = {key: value for key, value in (entry.data or {}).items() if key not in private}
        entries.append(replace(entry, data=data or None))
    return entries


def entry_document(entry: Entry) -> dict[str, Any]:
    """Return an entry as a line of the JSONL file."""
    line: dict[str, Any] = {"number": entry.number, "kind": str(entry.kind), "seat": entry.seat, "text": entry.text}
    return {**line, "data": dict(entry.data)} if entry.data else line


@dataclass(frozen=True)
class Times:
    """The total times of a bot's answers in a match, in milliseconds."""

    charged: int
    network: int
    """Time in the network, which is not charged. Neither is `queue`."""
    queue: int


def times_of(log: Sequence[Entry], seats: Collection[int]) -> Times:
    """Return the sums over the entries of these seats."""
    facts = [data_of(entry) for entry in log if entry.seat in seats and entry.kind in (Kind.DECISION, Kind.NOTE)]
    times = ((data.ms, data.network_ms, data.queue_ms) for data in facts)
    return Times(*(sum(ms or 0 for ms in column) for column in zip((0, 0, 0), *times, strict=True)))


@dataclass(frozen=True)
class TranscriptRow:
    """An entry as a row of the page."""

    number: int
    seat: int
    kind: str
    what: str
    text: str
    ms: int | None
    more: str
    is_own: bool
    index: int | None
    """Index of the replay's event that the entry is or concerns, as on the match's page. None if there is none."""

    @property
    def is_event(self) -> bool:
        """Whether it is an event of the replay."""
        return self.kind in (Kind.DECISION, Kind.CHANCE)


def transcript_rows(log: Sequence[Entry], seats: Collection[int]) -> list[TranscriptRow]:
    """Return the rows of a log."""
    rows, played = [], 0
    for entry in log:
        index = data_of(entry).index
        if entry.kind in (Kind.DECISION, Kind.CHANCE):
            index, played = played, played + 1
        rows.append(_row(entry, seats, index))
    return rows


@dataclass(frozen=True)
class OwnNote:
    """A note or fault of a bot at a decision, which its owner sees beside the board."""

    number: int
    """Number of the entry in the log."""
    index: int
    """Index of the decision."""
    seat: int
    text: str
    is_fault: bool


def own_notes(log: Sequence[Entry], seats: Collection[int]) -> list[OwnNote]:
    """Return the notes and faults of these seats, in the order of the log."""
    notes = []
    for entry in log:
        data = data_of(entry)
        is_fault = entry.kind in (Kind.FAULT, Kind.FORFEIT)
        is_shown = is_fault or (entry.kind == Kind.NOTE and entry.text)
        if entry.seat in seats and data.index is not None and is_shown:
            words_ = [badges.reason_words(entry.text), data.message] if is_fault else [entry.text]
            text = ": ".join(word for word in words_ if word)
            notes.append(OwnNote(entry.number, data.index, entry.seat, text, is_fault))
    return notes


def _row(entry: Entry, seats: Collection[int], index: int | None) -> TranscriptRow:
    data = data_of(entry)
    more = []
    if entry.kind in (Kind.FAULT, Kind.FORFEIT, Kind.LOST) and entry.text:
        more.append(badges.reason_words(entry.text))
    if data.forced:
        more.append(_("the only legal action"))
    if data.default:
        more.append(_("played for it: %(reason)s") % {"reason": badges.reason_words(data.default)})
    if data.house:
        more.append(_("decided by the house player %(name)s") % {"name": data.house})
    if data.strikes is not None:
        more.append(_("strike %(n)s") % {"n": data.strikes})
    if data.index is not None:
        more.append(_("at decision %(n)s") % {"n": data.index})
    credits_ = ((data.network_ms, _("%(n)s ms network")), (data.queue_ms, _("%(n)s ms queue of the gateway")))
    if credited := [text % {"n": ms} for ms, text in credits_ if ms is not None]:
        more.append(_("not charged: %(times)s") % {"times": ", ".join(credited)})
    if data.spent_ms is not None:
        more.append(_("%(n)s ms on a connection that it left") % {"n": data.spent_ms})
    more.extend(filter(None, (data.rule, data.message, data.by)))
    return TranscriptRow(
        number=entry.number,
        seat=entry.seat,
        kind=str(entry.kind),
        what=str(KINDS[Kind(entry.kind)]) if entry.text or data.by or entry.kind != Kind.NOTE else _("time"),
        text=entry.text,
        ms=data.ms,
        more="; ".join(more),
        is_own=entry.seat in seats,
        index=index,
    )
