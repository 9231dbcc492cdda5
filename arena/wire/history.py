"""Rebuild the messages that a seat received in a match from its log, and read and write files of messages.

The messages are the bytes that were sent, as far as the log records them (`arena.referee.history`), with four
differences. A request has the legal actions even if the bot did not want them, because the log does not record that.
`last_round_trip` is in whole milliseconds. `bank_ms` and `cap_ms` of a repeated request have their values when the
clock last stopped. Messages that are not about the match are missing: Welcome, pings and pongs, errors.

A file holds the messages in order, each preceded by its length as a varint (delimited protobuf).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from io import BytesIO
from typing import Any, Final, NamedTuple

from google.protobuf import proto, text_format
from google.protobuf.message import DecodeError

from arena.referee import (
    MILLISECOND,
    AbortMatch,
    AskMove,
    AskReveal,
    Command,
    Entry,
    Kind,
    OfferMatch,
    Reason,
    Record,
    ResumeSeat,
    TellFault,
    Terms,
    sent_commands,
)
from arena.rules import State
from arena.wire.matches import REPEATED, MatchCodec, RoundTrip, Signed
from arena.wire.names import CodecError
from arena.wire.v1.bot_pb2 import MatchAborted, Resumed, ServerMessage

NOT_ANSWERED: Final = (Reason.LATE, Reason.GONE, Reason.FLOODING)
"""Reasons for a default decision that mean that the bot did not answer."""


class Sent(NamedTuple):
    """A message to a seat, a `ServerMessage`."""

    payload: bytes
    ask: int | None = None
    """Index of the decision that the message requests."""
    state: State | None = None
    """Position at the time of the message; None before the game."""


def codec_of(
    document: Mapping[str, Any],
    terms: Terms,
    owners: Sequence[str] = (),
    *,
    is_rated: bool = False,
    signed: Signed | None = None,
) -> MatchCodec:
    """Return the codec of a match. `document` is its record, `owners` are the owners of the bots, seat 1 first."""
    return MatchCodec(
        match=terms.match,
        ruleset=terms.ruleset,
        participants=[
            {"name": seat["name"], "version": seat["version"], "owner": owners[place] if owners else ""}
            for place, seat in enumerate(document["seats"])
        ],
        clock=terms.clock,
        policy=terms.policy,
        commitment=bytes.fromhex(document["commitment"]),
        is_rated=is_rated,
        signed=signed,
    )


def messages(codec: MatchCodec, record: Record, log: Sequence[Entry], seat: int, end: bytes) -> Iterator[Sent]:
    """Yield the messages that a seat received.

    `record` is a record into which nothing has been folded yet, and `end` is the message that ended the match.
    """
    times, read = _Times(seat), 0
    for sent in sent_commands(record, log, seat):
        for place in range(read, sent.log_length):
            times.take(log[place])
        read = sent.log_length
        ask = sent.command.index if isinstance(sent.command, AskMove) else None
        yield Sent(_message(codec, sent.command, times.last, end), ask, sent.state)


def _message(codec: MatchCodec, command: Command, last: RoundTrip | None, end: bytes) -> bytes:
    match command:
        case OfferMatch(seat):
            return codec.offer(seat)
        case AskReveal():
            return codec.reveal_request(command)
        case AskMove():
            return codec.request(command, last, wants_legal=True)
        case ResumeSeat():
            return codec.resumed(command)
        case TellFault():
            return codec.fault(command)
        case AbortMatch(reason, message):
            return codec.aborted(reason, message)
        case _:
            return end


class _Times:
    """Keeps how the time of a seat's last answer is divided."""

    def __init__(self, seat: int) -> None:
        self.last: RoundTrip | None = None
        self._seat = seat
        self._credits = (0, 0)

    def take(self, entry: Entry) -> None:
        data = entry.data or {}
        if entry.seat != self._seat:
            return
        if entry.kind == Kind.NOTE and "spent_ms" not in data:
            self._credits = data.get("network_ms", 0), data.get("queue_ms", 0)
        elif entry.kind == Kind.DECISION and "ms" in data:
            if data.get("default") not in NOT_ANSWERED:
                network_ms, queue_ms = self._credits
                self.last = RoundTrip(network_ms * MILLISECOND, queue_ms * MILLISECOND, data["ms"] * MILLISECOND)
            self._credits = (0, 0)


# Files


def pack(payloads: Iterable[bytes]) -> bytes:
    """Return a file of messages."""
    file = BytesIO()
    for payload in payloads:
        proto.serialize_length_prefixed(ServerMessage.FromString(payload), file)
    return file.getvalue()


def unpack(data: bytes) -> list[bytes]:
    """Return the messages of a file. Raise `CodecError` if it cannot be read."""
    file, payloads = BytesIO(data), []
    try:
        while file.tell() < len(data):
            message = proto.parse_length_prefixed(ServerMessage, file)
            if message.WhichOneof("kind") is None:
                raise CodecError("a message is of no kind that this protocol knows")
            payloads.append(message.SerializeToString())
    except (DecodeError, ValueError) as error:
        raise CodecError(f"not a file of length-prefixed messages: {error}") from None
    return payloads


def as_text(payloads: Iterable[bytes]) -> Iterator[str]:
    """Yield the messages in protobuf's text format, each below a comment with its number and kind."""
    for number, payload in enumerate(payloads, 1):
        message = ServerMessage.FromString(payload)
        kind = message.WhichOneof("kind")
        index = (
            getattr(getattr(message, kind or ""), "index", None) if kind in ("request", "resumed", "fault") else None
        )
        yield f"# {number}: {kind}{'' if index is None else f', index {index}'}\n"
        yield text_format.MessageToString(message, as_utf8=True) + "\n"


# Messages for a bot that plays a past match again


def for_bot(payload: bytes, *, wants_legal: bool, nonce_hash: bytes = b"", seat: int = 0) -> bytes:
    """Adapt a message for a bot that plays the match again.

    Remove the legal actions unless `wants_legal`. In the request for the nonce, put the bot's new `nonce_hash` in place
    of the hash of `seat` at the time.
    """
    message = ServerMessage.FromString(payload)
    if message.WhichOneof("kind") == "request" and not wants_legal:
        del message.request.legal[:]
    elif message.WhichOneof("kind") == "reveal_request":
        message.reveal_request.nonce_hashes[seat - 1] = nonce_hash
    else:
        return payload
    return message.SerializeToString()


def kind_of(payload: bytes) -> str:
    """Return the kind of a message, as `bot.proto` names it."""
    return ServerMessage.FromString(payload).WhichOneof("kind") or ""


def legal_in(payload: bytes) -> tuple[str, ...]:
    """Return the legal actions of a request."""
    return tuple(ServerMessage.FromString(payload).request.legal)


def resumed(sent: Iterable[bytes], request: bytes) -> bytes:
    """Return a `Resumed` message for the running match, to be sent before `request`.

    The terms, players and signature come from the messages `sent` earlier, the view from the request.
    """
    pending = ServerMessage.FromString(request).request
    message = ServerMessage(
        resumed=Resumed(
            match_id=pending.match_id,
            index=pending.index,
            view=pending.view,
            bank_ms=pending.bank_ms,
            grace_ms=pending.grace_ms,
        )
    )
    for payload in sent:
        earlier = ServerMessage.FromString(payload)
        if earlier.HasField("offer"):
            message.resumed.terms.CopyFrom(earlier.offer.terms)
        elif earlier.HasField("reveal_request"):
            message.resumed.terms.participants.extend(earlier.reveal_request.participants)
            if earlier.reveal_request.HasField("signed"):
                message.resumed.signed.CopyFrom(earlier.reveal_request.signed)
            break
    return message.SerializeToString()


def aborted(match: str, why: str) -> bytes:
    """Return a message that the match is aborted."""
    message = ServerMessage(match_aborted=MatchAborted(match_id=match, reason=REPEATED, message=why))
    return message.SerializeToString()
