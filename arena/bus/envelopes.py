"""What travels over the bus, and its bytes.

An envelope is one line of JSON (the address) followed by the payload as it goes over the wire: neither the bus nor the
gateway looks into a match, and the payload is never encoded a second time. Unknown fields are ignored and missing ones
take their default, so that workers and gateways of two neighbouring versions can talk during a rolling restart. The
names of the fields and the tags (`_`) are on the wire.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Final, TypeVar

from msgspec import MsgspecError, Struct
from msgspec.json import Decoder, Encoder
from msgspec.structs import force_setattr, replace

from arena.bus.reasons import WireKind, WireReason

__all__ = [
    "NO_ASK",
    "OFFER_INDEX",
    "PROBE",
    "REVEAL_INDEX",
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
    "probe_id",
    "probed_session",
    "session_id",
]

OFFER_INDEX: Final = -1
"""The `index` of an offer: it is an ask as well (accept or decline answers it), before the first decision."""

REVEAL_INDEX: Final = -3
"""The `index` of a request for a nonce, between the offer and the first decision."""
NO_ASK: Final = -2
"""The `index` in the answer to a probe while the bot is asked for nothing."""
PROBE: Final = "probe:"
"""What the session of a probe begins with: a `ToBot` that the gateway answers itself, behind all that it has said
before, with the `index` and the `open_ns` of the ask that is out."""


class EnvelopeError(ValueError):
    """Bytes on the bus that are not an envelope; the reader drops them."""


class ToBot(Struct, frozen=True, tag_field="_", tag="ToBot"):
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
    payload: bytes = b""
    """A serialised `ServerMessage`."""
    ask: bool = False
    """The message wants an answer: measure it, keep it, write it again when the bot comes back."""
    index: int = 0
    """Of an ask: position in the record, `OFFER_INDEX` or `REVEAL_INDEX`."""
    final: bool = False
    """The last message of this match to this bot; the gateway forgets the match after it."""


class FromBot(Struct, frozen=True, tag_field="_", tag="FromBot"):
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
    open_ns: int = -1
    """How long the bot has had the ask of this `index`, without the network, and without the time for which the gateway
    stood still; -1: not said. Of the answer to a probe, and of kind `moved`."""
    gone_ns: int = 0
    """For how long of `think_ns`, or of `open_ns`, the bot had no stream."""
    received_at_ns: int = 0
    """The gateway's wall clock when the message arrived (for logs and overhead, not for clocks)."""
    gateway: str = ""
    """The gateway that speaks."""
    reason: WireReason = WireReason.NONE
    number: int = 0
    """Counts what this gateway has sent, from 1: one that comes again was delivered twice, around an outage. 0: of an
    earlier version, not counted."""


class Evict(Struct, frozen=True, tag_field="_", tag="Evict"):
    """From gateway to gateway: the session has dialled in at `gateway`, give its older stream up."""

    session: str
    gateway: str
    connected_at_ns: int
    """Of the newer stream; an older eviction does not touch a newer stream."""


class Presence(Struct, frozen=True, tag_field="_", tag="Session"):
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


def probe_id(name: str, session: str) -> str:
    """The session that a probe is addressed to: it asks about the match of its envelope at this session."""
    return f"{PROBE}{name}:{session}"


def probed_session(session: str) -> str:
    """The session that a probe asks about."""
    return session.removeprefix(PROBE).partition(":")[2]


def encode_to_gateway(envelope: ToBot | Evict) -> bytes:
    """The bytes for the mailbox of a gateway."""
    return _line(envelope) if isinstance(envelope, Evict) else _line_with_payload(envelope)


def decode_to_gateway(data: bytes) -> ToBot | Evict:
    """What `encode_to_gateway` was given; raises `EnvelopeError`."""
    return _decode(data, _TO_GATEWAY)


def encode_from_bot(envelope: FromBot) -> bytes:
    """The bytes for the mailbox of a worker."""
    return _line_with_payload(envelope)


def decode_from_bot(data: bytes) -> FromBot:
    """What `encode_from_bot` was given; raises `EnvelopeError`."""
    return _decode(data, _FROM_BOT)


def encode_presence(presence: Presence) -> bytes:
    """The bytes of a presence."""
    return _line(presence)


def decode_presence(data: bytes) -> Presence:
    """What `encode_presence` was given; raises `EnvelopeError`."""
    return _decode(data, _PRESENCE)


T = TypeVar("T", ToBot | Evict, FromBot, Presence)

_ENCODER: Final = Encoder()
_TO_GATEWAY: Final[Decoder[ToBot | Evict]] = Decoder(ToBot | Evict)
_FROM_BOT: Final = Decoder(FromBot)
_PRESENCE: Final = Decoder(Presence)


def _line(envelope: Struct) -> bytes:
    return _ENCODER.encode(envelope) + b"\n"


def _line_with_payload(envelope: ToBot | FromBot) -> bytes:
    return _line(replace(envelope, payload=b"")) + envelope.payload


def _decode(data: bytes, decoder: Decoder[T]) -> T:
    line, _, payload = data.partition(b"\n")
    try:
        envelope = decoder.decode(line)
    except (MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise EnvelopeError(f"unreadable envelope: {error}") from error
    if isinstance(envelope, (ToBot, FromBot)):
        force_setattr(envelope, "payload", payload)  # nobody else has seen it yet
    return envelope
