"""The one codec between protocol messages and the values that the rest of the arena works with.

Values are documents of the notation (dicts), events and plain numbers. `encode_x` makes a message and `decode_x` reads
one. Both raise only `CodecError`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from google.protobuf.message import DecodeError, Message

from arena.rules import View
from arena.wire.names import ENDINGS, VERDICTS, CodecError, Document, guarded, known_keys
from arena.wire.v1.bot_pb2 import (
    BotMessage,
    Clock,
    Forfeit,
    Participant,
    Policy,
    RoundTrip,
    ServerMessage,
    Verdict,
)
from arena.wire.v1.game_pb2 import Event as EventMessage
from arena.wire.v1.game_pb2 import GameResult, GameView, Ruleset, Score
from arena.wire.views import decode_view, encode_view, pack_view

__all__ = [
    "CodecError",
    "SeenEvent",
    "decode_bot",
    "decode_clock",
    "decode_events",
    "decode_participants",
    "decode_policy",
    "decode_result",
    "decode_round_trip",
    "decode_ruleset",
    "decode_server",
    "decode_verdict",
    "decode_view",
    "encode_clock",
    "encode_events",
    "encode_participants",
    "encode_policy",
    "encode_result",
    "encode_round_trip",
    "encode_ruleset",
    "encode_verdict",
    "encode_view",
    "pack_view",
    "unpack_view",
]

M = TypeVar("M", bound=Message)
_SCORES = ("gold", "viziers", "elders", "djinns", "tiles", "palms", "palaces", "goods")
_EXTRA_SCORES = ("artisans", "items")


@dataclass(frozen=True, slots=True)
class SeenEvent:
    """An event as its receiver may see it."""

    index: int
    """Index of the event in the record."""
    seat: int
    """Seat that decided; 0 for chance."""
    text: str
    """The event in the notation."""


# --- bytes ---


def decode_server(payload: bytes) -> ServerMessage:
    """Read a server message."""
    return _parse(ServerMessage(), payload)


def decode_bot(payload: bytes) -> BotMessage:
    """Read a bot message."""
    return _parse(BotMessage(), payload)


def unpack_view(payload: bytes) -> View:
    """Return the view in a serialized `GameView`. Raise `CodecError` if it cannot be read."""
    return decode_view(_parse(GameView(), payload))


def _parse(message: M, payload: bytes) -> M:
    try:
        message.ParseFromString(payload)
    except DecodeError as error:
        raise CodecError(f"not a {message.DESCRIPTOR.name}: {error}") from error
    return message


# --- events ---


def encode_events(events: Iterable[Sequence[Any]], first: int) -> list[EventMessage]:
    """Encode events `(seat, text, …)`; the first gets the index `first`. Facts about the events are not sent."""
    return guarded(
        "events",
        lambda: [EventMessage(index=first + i, seat=event[0], text=event[1]) for i, event in enumerate(events)],
    )


def decode_events(messages: Iterable[EventMessage]) -> list[SeenEvent]:
    """Return the events that were sent."""
    return [SeenEvent(message.index, message.seat, message.text) for message in messages]


# --- the terms of a match ---


def encode_ruleset(document: Document) -> Ruleset:
    """Encode a ruleset, such as `{"players": 4, "expansions": []}`."""
    known_keys(document, ("players", "expansions"), "ruleset")
    return guarded(
        "a ruleset",
        lambda: Ruleset(players=document["players"], expansions=document["expansions"]),
    )


def decode_ruleset(message: Ruleset) -> Document:
    """Return the document of a ruleset message."""
    return {"players": message.players, "expansions": list(message.expansions)}


def encode_clock(document: Document) -> Clock:
    """Encode a clock, such as `{"bank_ms": 60000, "increment_ms": 1000, "cap_ms": 10000}`."""
    known_keys(document, ("bank_ms", "increment_ms", "cap_ms"), "clock")
    return guarded("a clock", lambda: Clock(**document))


def decode_clock(message: Clock) -> Document:
    """Return the document of a clock message."""
    return {
        "bank_ms": message.bank_ms,
        "increment_ms": message.increment_ms,
        "cap_ms": message.cap_ms,
    }


def encode_policy(document: Document) -> Policy:
    """Encode a policy, such as `{"strikes": 3, "grace_ms": 60000, "house": "greedy"}`."""
    known_keys(document, ("strikes", "grace_ms", "house"), "policy")
    return guarded("a policy", lambda: Policy(**document))


def decode_policy(message: Policy) -> Document:
    """Return the document of a policy message."""
    return {
        "strikes": message.strikes,
        "grace_ms": message.grace_ms,
        "house": message.house,
    }


def encode_participants(seats: Iterable[Document]) -> list[Participant]:
    """Encode the `seats` of a replay, each with `name`, `version` and perhaps `owner`."""
    return guarded(
        "seats",
        lambda: [Participant(bot=seat["name"], version=seat["version"], owner=seat.get("owner", "")) for seat in seats],
    )


def decode_participants(messages: Iterable[Participant]) -> list[Document]:
    """Return the participants in the form of a replay's `seats`."""
    return [
        {"name": message.bot, "version": message.version} | ({"owner": message.owner} if message.owner else {})
        for message in messages
    ]


def encode_round_trip(network_ns: int, queue_ns: int, thinking_ns: int) -> RoundTrip:
    """Encode how the time of an answer is divided. Nanoseconds are cut to microseconds."""
    return guarded(
        "a round trip",
        lambda: RoundTrip(
            network_us=network_ns // 1000,
            queue_us=queue_ns // 1000,
            thinking_us=thinking_ns // 1000,
        ),
    )


def decode_round_trip(message: RoundTrip) -> Document:
    """Return how the time of an answer is divided, in nanoseconds."""
    return {
        "network_ns": message.network_us * 1000,
        "queue_ns": message.queue_us * 1000,
        "thinking_ns": message.thinking_us * 1000,
    }


# --- how a match ended ---


def encode_result(document: Document) -> GameResult:
    """Encode the `result` of a replay."""
    known_keys(document, ("scores", "ranks", "reason"), "result")
    for score in document["scores"]:
        known_keys(score, (*_SCORES, *_EXTRA_SCORES, "total"), "score")
    return guarded(
        "a result",
        lambda: GameResult(
            scores=[Score(**score) for score in document["scores"]],
            ranks=document["ranks"],
            reason=ENDINGS.number(document["reason"]),
        ),
    )


def decode_result(message: GameResult) -> Document:
    """Return the `result` of a replay."""
    return {
        "scores": [
            {name: getattr(score, name) for name in _SCORES}
            | {name: getattr(score, name) for name in _EXTRA_SCORES if score.HasField(name)}
            | {"total": score.total}
            for score in message.scores
        ],
        "ranks": list(message.ranks),
        "reason": ENDINGS.name(message.reason),
    }


def encode_verdict(document: Document) -> Verdict:
    """Encode the `verdict` of a replay."""
    known_keys(document, ("kind", "placements", "forfeits"), "verdict")
    return guarded(
        "a verdict",
        lambda: Verdict(
            kind=VERDICTS.number(document["kind"]),
            placements=document["placements"],
            forfeits=[Forfeit(**forfeit) for forfeit in document["forfeits"]],
        ),
    )


def decode_verdict(message: Verdict) -> Document:
    """Return the `verdict` of a replay."""
    return {
        "kind": VERDICTS.name(message.kind),
        "placements": list(message.placements),
        "forfeits": [
            {"seat": forfeit.seat, "at": forfeit.at, "reason": forfeit.reason} for forfeit in message.forfeits
        ],
    }
