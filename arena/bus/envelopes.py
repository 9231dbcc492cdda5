"""What travels over the bus, and its bytes.

An envelope is one line of JSON (the address) followed by the payload as it goes over the wire: neither the bus nor the
gateway looks into a match, and the payload is never encoded a second time. Unknown fields are ignored and missing ones
take their default, so that workers and gateways of two neighbouring versions can talk during a rolling restart.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, fields
from hashlib import sha256
from typing import Any, Final

from arena.bus.reasons import WireKind, WireReason

__all__ = [
    "OFFER_INDEX",
    "EnvelopeError",
    "Evict",
    "FromBot",
    "Presence",
    "ToBot",
    "decode_from_bot",
    "decode_presence",
    "decode_to_gateway",
    "encode_from_bot",
    "encode_presence",
    "encode_to_gateway",
    "session_id",
]

OFFER_INDEX: Final = -1
"""The `index` of an offer: it is an ask as well (accept or decline answers it), before the first decision."""


class EnvelopeError(ValueError):
    """Bytes on the bus that are no envelope; the reader drops them."""


@dataclass(frozen=True, slots=True)
class ToBot:
    """A worker's message for one bot, in the mailbox of the gateway that holds the bot's session.

    An ask may be sent again at any time (after a silence, by the next owner of the match, to be sure): the gateway
    writes the same (match, index) only once to a stream, and when the answer is there already it hands that same
    answer out again.
    """

    session: str
    """Whom it is for: `Presence.id`."""
    match: str
    seat: int
    epoch: int
    """The owner's epoch. What comes with a lower epoch than the gateway has seen for this match is dropped."""
    reply_to: str
    """The worker id whose mailbox takes the answers from now on."""
    payload: bytes
    """A serialised `ServerMessage`."""
    ask: bool = False
    """The message wants an answer: measure it, keep it, write it again when the bot comes back."""
    index: int = 0
    """Of an ask: position in the record, or `OFFER_INDEX`."""
    final: bool = False
    """The last message of this match to this bot; the gateway forgets the match after it."""


@dataclass(frozen=True, slots=True)
class FromBot:
    """What a gateway tells the worker that plays a match."""

    match: str
    seat: int
    session: str
    kind: WireKind
    payload: bytes = b""
    """A serialised `BotMessage` (only of kind `message`)."""
    epoch: int = 0
    """The highest epoch the gateway has seen for the match."""
    index: int = 0
    """Of an answer to the pending ask: its index. A late answer has `is_answer` false."""
    is_answer: bool = False
    """The message answers the pending ask, so the three times below are measured."""
    think_ns: int = 0
    """Arrival − first written − network, never negative: what is charged."""
    network_ns: int = 0
    """The least ping round trip of the last minute, at most 250 ms: not charged."""
    queue_ns: int = 0
    """How long the ask waited in the gateway before it was written: not charged."""
    received_at_ns: int = 0
    """The gateway's wall clock when the message arrived (for logs and overhead, not for clocks)."""
    gateway: str = ""
    """The gateway that speaks."""
    reason: WireReason = WireReason.NONE


@dataclass(frozen=True, slots=True)
class Evict:
    """From gateway to gateway: the session has dialled in at `gateway`, give its older stream up."""

    session: str
    gateway: str
    connected_at_ns: int
    """Of the newer stream; an older eviction does not touch a newer stream."""


@dataclass(frozen=True, slots=True)
class Presence:
    """One bot process that a gateway holds. The same process keeps its id over reconnects."""

    id: str
    """`session_id(token id, process name)`."""
    gateway: str
    """The gateway process that holds it; its mailbox is the way to the bot. A restarted gateway has a new id."""
    bot: int
    bot_version: int
    owner: int
    process: str
    is_house: bool = False
    """A bot of the arena's own: may meet others of its owner."""
    capacity: int = 1
    """How many matches it plays at once."""
    running: int = 0
    """How many matches its gateway knows it to be in …"""
    matches: tuple[str, ...] = ()
    """… and which."""
    player_counts: tuple[int, ...] = (2, 3, 4)
    expansions: tuple[str, ...] = ()
    wants_legal: bool = False
    sdk: str = ""
    connected: bool = True
    """False while the stream is lost and its matches wait for it to come back."""
    leaving: bool = False
    """It asked for no further matches, or its gateway drains."""
    connected_at_ns: int = 0
    """Wall clock at hello; the newer of two announcements with one id holds."""
    round_trip_ns: int = 0
    """The least ping round trip of the last minute, at most 250 ms; 0 while nothing was measured."""

    @property
    def is_available(self) -> bool:
        """Whether it may be offered another match."""
        return self.connected and not self.leaving and self.running < self.capacity


def session_id(token_id: int | str, process: str) -> str:
    """The identity of a bot process, stable over reconnects and gateways."""
    return sha256(f"{token_id}\n{process}".encode()).hexdigest()[:32]


def encode_to_gateway(envelope: ToBot | Evict) -> bytes:
    return _encode(envelope)


def decode_to_gateway(data: bytes) -> ToBot | Evict:
    envelope = _decode(data)
    if not isinstance(envelope, (ToBot, Evict)):
        raise EnvelopeError(f"not for a gateway: {type(envelope).__name__}")
    return envelope


def encode_from_bot(envelope: FromBot) -> bytes:
    return _encode(envelope)


def decode_from_bot(data: bytes) -> FromBot:
    envelope = _decode(data)
    if not isinstance(envelope, FromBot):
        raise EnvelopeError(f"not for a worker: {type(envelope).__name__}")
    return envelope


def encode_presence(presence: Presence) -> bytes:
    return _encode(presence)


def decode_presence(data: bytes) -> Presence:
    envelope = _decode(data)
    if not isinstance(envelope, Presence):
        raise EnvelopeError(f"not a presence: {type(envelope).__name__}")
    return envelope


_Envelope = ToBot | FromBot | Evict | Presence
_TYPES: Final[dict[str, Any]] = {"ToBot": ToBot, "FromBot": FromBot, "Evict": Evict, "Session": Presence}
"""By the tag in the line of JSON. The tags are on the wire."""
_TAGS: Final = {cls: tag for tag, cls in _TYPES.items()}
_ADDRESSES: Final = {
    name: tuple((f.name, str(f.type).startswith("tuple")) for f in fields(cls) if f.name != "payload")
    for name, cls in _TYPES.items()
}
"""Of every envelope: the fields in its line of JSON, and whether a field is a tuple (JSON has only lists)."""
_dumps: Final = json.JSONEncoder(separators=(",", ":")).encode
_loads: Final = json.JSONDecoder().decode


def _encode(envelope: _Envelope) -> bytes:
    name = _TAGS[type(envelope)]
    address = {field: getattr(envelope, field) for field, _ in _ADDRESSES[name]}
    address["_"] = name
    line = _dumps(address).encode() + b"\n"
    return line + envelope.payload if isinstance(envelope, (ToBot, FromBot)) else line


def _decode(data: bytes) -> _Envelope:
    line, _, payload = data.partition(b"\n")
    try:
        address = _loads(line.decode())
        name = address["_"]
        values: dict[str, Any] = {
            field: tuple(address[field]) if is_tuple else address[field]
            for field, is_tuple in _ADDRESSES[name]
            if field in address
        }
        if name in ("ToBot", "FromBot"):
            values["payload"] = payload
        if name == "FromBot":
            values["kind"] = WireKind(values["kind"])
            values["reason"] = WireReason(values.get("reason", WireReason.NONE))
        envelope: _Envelope = _TYPES[name](**values)
    except (ValueError, KeyError, TypeError) as error:
        raise EnvelopeError(f"unreadable envelope: {error}") from error
    return envelope
