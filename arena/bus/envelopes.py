"""The messages on the bus, and their bytes.

An envelope is one line of JSON (the address) followed by the payload as it is sent over the wire. Neither the bus nor
the gateway interprets a match, and the payload is never encoded a second time. Unknown fields are ignored and missing
ones take their default, so workers and gateways of two successive versions can communicate during a rolling restart.
The names of the fields and the tags (`_`) are part of the format.
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
    "PERSON",
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
    "hosted_session",
    "hosted_version",
    "person_session",
    "probe_id",
    "probed_session",
    "session_id",
]

OFFER_INDEX: Final = -1
"""`index` of an offer, which is an ask before the first decision: accept or decline answers it."""

REVEAL_INDEX: Final = -3
"""`index` of a request for a nonce, between the offer and the first decision."""
NO_ASK: Final = -2
"""`index` in the answer to a probe while the bot has no pending ask."""
PROBE: Final = "probe:"
"""Prefix of the session of a probe: a `ToBot` that the gateway answers itself.

The answer follows everything that the gateway has sent before. It has the `index` and the `open_ns` of the pending
ask.
"""


PERSON: Final = "person:"
"""Prefix of the session of a person at a table, who answers through the site."""
HOSTED: Final = "hosted:"
"""Prefix of the session of a hosted version at a runner."""


class EnvelopeError(ValueError):
    """Raised for bytes on the bus that are not an envelope; the reader drops them."""


class ToBot(Struct, frozen=True, tag_field="_", tag="ToBot"):
    """A worker's message for one bot, in the mailbox of the gateway that holds the bot's session.

    An ask may be sent again at any time: after a silence, by the next owner of the match, or to be sure. The gateway
    writes the same (match, index) only once to a stream. If the answer is already known, it delivers that answer
    again.
    """

    session: str
    """Session of the receiver: `Presence.id`."""
    match: str
    seat: int
    epoch: int
    """Epoch of the owner. A message with a lower epoch than the gateway has seen for this match is dropped."""
    reply_to: str
    """Id of the worker whose mailbox receives the answers from now on."""
    payload: bytes = b""
    """A serialised `ServerMessage`."""
    ask: bool = False
    """Whether the message needs an answer: the gateway measures it, stores it, and writes it again when the bot
    reconnects."""
    index: int = 0
    """Index of an ask: position in the record, `OFFER_INDEX` or `REVEAL_INDEX`."""
    final: bool = False
    """Whether this is the last message of the match to this bot; the gateway forgets the match after it. For a runner,
    one without a payload means that another runner plays the seat now."""


class FromBot(Struct, frozen=True, tag_field="_", tag="FromBot"):
    """A message from a gateway to the worker that plays a match."""

    match: str
    seat: int
    session: str
    kind: WireKind
    payload: bytes = b""
    """A serialised `BotMessage` (only for kind `message`)."""
    epoch: int = 0
    """The highest epoch the gateway has seen for the match."""
    index: int = 0
    """Index of the pending ask, if this answers it. For a late answer `is_answer` is false."""
    is_answer: bool = False
    """Whether the message answers the pending ask. The three times below are measured then."""
    think_ns: int = 0
    """Arrival − first written − network, never negative. This time is charged."""
    network_ns: int = 0
    """Shortest ping round trip of the last minute, at most 250 ms. This time is not charged."""
    queue_ns: int = 0
    """Time that the ask waited in the gateway before it was written. This time is not charged."""
    open_ns: int = -1
    """Time for which the bot has had the ask of this `index`; -1 if unknown. Set in answers to probes and for kind
    `moved`.

    It excludes the network, and the time for which the gateway was stalled.
    """
    gone_ns: int = 0
    """Part of `think_ns`, or of `open_ns`, for which the bot had no stream."""
    received_at_ns: int = 0
    """Wall clock of the gateway when the message arrived (for logs and overhead, not for clocks)."""
    gateway: str = ""
    """Id of the gateway that sent the message."""
    reason: WireReason = WireReason.NONE
    number: int = 0
    """Counter of the messages that this gateway has sent, from 1. A repeated number is a duplicate, delivered around
    an outage.
    """


class Evict(Struct, frozen=True, tag_field="_", tag="Evict"):
    """A message from gateway to gateway: the session has connected at `gateway`, so close its older stream."""

    session: str
    gateway: str
    connected_at_ns: int
    """When the newer stream connected; an older eviction does not affect a newer stream."""


class Presence(Struct, frozen=True, tag_field="_", tag="Session"):
    """One bot process that a gateway holds. The same process keeps its id over reconnects."""

    id: str
    """`session_id(token id, process name)`, `hosted_session(version, runner)`, or `person_session(version)`."""
    gateway: str
    """Id of the gateway process that holds it. Its mailbox is the path to the bot. A restarted gateway has a new id."""
    bot: int
    bot_version: int
    owner: int
    process: str
    token: int = 0
    """Id of the token with which it said hello; 0 if unknown, or if a runner plays it."""
    is_house: bool = False
    """Whether it is one of the arena's own bots, which may meet others of their owner."""
    capacity: int = 1
    """Number of matches that it plays at once."""
    running: int = 0
    """Number of matches that its gateway knows it to be in …"""
    matches: tuple[str, ...] = ()
    """… and their ids."""
    places: int = 0
    """Number of sandboxes of its runner, which all versions hosted there share; 0 if no runner plays it."""
    player_counts: tuple[int, ...] = (2, 3, 4)
    expansions: tuple[str, ...] = ()
    wants_legal: bool = False
    sdk: str = ""
    connected: bool = True
    """False while the stream is lost and its matches wait for the bot to reconnect."""
    leaving: bool = False
    """Whether it asked for no further matches, or its gateway is draining."""
    connected_at_ns: int = 0
    """Wall clock at hello; the newer of two announcements with one id is valid."""
    round_trip_ns: int = 0
    """Shortest ping round trip of the last minute, at most 250 ms; 0 before the first measurement."""

    @property
    def is_available(self) -> bool:
        """Whether it may be offered another match."""
        return self.connected and not self.leaving and self.running < self.capacity


def session_id(token_id: int | str, process: str) -> str:
    """Return the id of a bot process, which is stable over reconnects and gateways."""
    return sha256(f"{token_id}\n{process}".encode()).hexdigest()[:32]


def person_session(version: int) -> str:
    """Return the id of the session of a person, whichever gateway holds it."""
    return f"{PERSON}{version}"


def hosted_session(version: int, runner: str) -> str:
    """Return the id of the session in which a runner plays the matches of a hosted version."""
    return f"{HOSTED}{version}:{runner}"


def hosted_version(session: str) -> int | None:
    """Return the id of the version whose session at a runner this is; None if no runner plays it."""
    return int(session.removeprefix(HOSTED).partition(":")[0]) if session.startswith(HOSTED) else None


def probe_id(name: str, session: str) -> str:
    """Return the session to which a probe is addressed. It asks about the envelope's match at this session."""
    return f"{PROBE}{name}:{session}"


def probed_session(session: str) -> str:
    """Return the session that a probe asks about."""
    return session.removeprefix(PROBE).partition(":")[2]


def encode_to_gateway(envelope: ToBot | Evict) -> bytes:
    """Return the bytes for the mailbox of a gateway."""
    return _line(envelope) if isinstance(envelope, Evict) else _line_with_payload(envelope)


def decode_to_gateway(data: bytes) -> ToBot | Evict:
    """Return the envelope that `encode_to_gateway` has encoded. Raise `EnvelopeError`."""
    return _decode(data, _TO_GATEWAY)


def encode_from_bot(envelope: FromBot) -> bytes:
    """Return the bytes for the mailbox of a worker."""
    return _line_with_payload(envelope)


def decode_from_bot(data: bytes) -> FromBot:
    """Return the envelope that `encode_from_bot` has encoded. Raise `EnvelopeError`."""
    return _decode(data, _FROM_BOT)


def encode_presence(presence: Presence) -> bytes:
    """Return the bytes of a presence."""
    return _line(presence)


def decode_presence(data: bytes) -> Presence:
    """Return the presence that `encode_presence` has encoded. Raise `EnvelopeError`."""
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
