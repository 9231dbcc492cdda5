"""The messages that a seat received in a finished match, for the owner of its bot, as a file and as text."""

from collections.abc import Sequence

from django.conf import settings

from arena.referee import Entry, Kind, Record
from arena.referee.reading import read_terms
from arena.wire.history import as_text, codec_of, messages, pack
from arena.wire.matches import Signed
from webui.matches import queries as match_queries
from webui.matches.values import MatchLine


def messages_of(line: MatchLine, seat: int) -> list[bytes]:
    """Return the messages sent to a seat, in order. Empty while the match runs, and if it has no record."""
    record = match_queries.match_record(line.id)
    if record is None:
        return []
    terms, offer = read_terms(record), match_queries.signed_offer(line.id)
    codec = codec_of(
        record,
        terms,
        [one.version.bot.owner for one in sorted(line.seats, key=lambda one: one.seat)],
        is_rated=line.rated,
        signed=Signed(offer.document.encode(), offer.key, bytes.fromhex(offer.signature)),
    )
    end = codec.end(record, f"{settings.SITE_URL}/matches/{line.id}/" if settings.SITE_URL else "")
    log = match_queries.match_log(line.id, notes_of=[seat])
    return [one.payload for one in messages(codec, Record(terms), log, seat, end)]


def messages_file(line: MatchLine, seat: int) -> bytes:
    """Return the messages as one file, in which each message follows its length."""
    return pack(messages_of(line, seat))


def messages_text(line: MatchLine, seat: int) -> bytes:
    """Return the messages in protobuf's text format, in UTF-8."""
    return "".join(as_text(messages_of(line, seat))).encode()


def asks_of(log: Sequence[Entry], seat: int) -> list[int]:
    """Return the indices of the decisions that a seat's bot was asked for, including the one at which it forfeited."""
    found, played = [], 0
    for entry in log:
        data = entry.data or {}
        if entry.seat == seat and entry.kind == Kind.DECISION and "ms" in data:
            found.append(played)
        elif entry.seat == seat and entry.kind == Kind.FORFEIT:
            found.append(data["index"])
        played += entry.kind in (Kind.DECISION, Kind.CHANCE)
    return found
