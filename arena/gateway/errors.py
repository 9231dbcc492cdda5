"""All refusals of the gateway: a canonical status, a stable reason, and a sentence that says what to do.

Before a status that is not OK the bot gets an `Error` message with the same reason. The trailing metadata carries the
reason as well (`arena-reason`), for clients that read only the metadata.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from grpc import StatusCode

from arena.referee import MAX_NONCE
from arena.wire.service import PROTOCOL
from arena.wire.v1.bot_pb2 import Error, ServerMessage

REASON_METADATA: Final = "arena-reason"
MOST_NAMED: Final = 5
"""Maximum number of bots that a refusal names."""


class ErrorReason(StrEnum):
    """The reasons of all `Error` messages. Those that end a stream with matches are also `WireReason`s."""

    BAD_TOKEN = "BAD_TOKEN"  # noqa: S105 - a name
    TOKEN_OF_ANOTHER_BOT = "TOKEN_OF_ANOTHER_BOT"  # noqa: S105
    HELLO_EXPECTED = "HELLO_EXPECTED"
    BAD_HELLO = "BAD_HELLO"
    PROTOCOL_UNKNOWN = "PROTOCOL_UNKNOWN"
    TOO_MANY_HELLOS = "TOO_MANY_HELLOS"
    TOO_MANY_STREAMS = "TOO_MANY_STREAMS"
    TOO_MANY_VERSIONS = "TOO_MANY_VERSIONS"
    BAD_RELEASE = "BAD_RELEASE"
    ANOTHER_VERSION = "ANOTHER_VERSION"
    HOSTED_VERSION = "HOSTED_VERSION"
    TRY_AGAIN = "TRY_AGAIN"
    TAKEN_OVER = "TAKEN_OVER"
    GOING_DOWN = "GOING_DOWN"
    SILENT = "SILENT"
    SLOW_READER = "SLOW_READER"
    TOO_MANY_MESSAGES = "TOO_MANY_MESSAGES"
    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    MATCH_UNKNOWN = "MATCH_UNKNOWN"
    OFFER_UNKNOWN = "OFFER_UNKNOWN"
    NONCE_SIZE = "NONCE_SIZE"
    UNREADABLE = "UNREADABLE"
    HELLO_AGAIN = "HELLO_AGAIN"
    LOCKED = "LOCKED"
    RETIRED = "RETIRED"
    PAUSED = "PAUSED"
    LEFT_OUT = "LEFT_OUT"
    TAKEN_OFF = "TAKEN_OFF"


@dataclass(frozen=True, slots=True)
class GatewayRefusal:
    """The status, reason and message of a refused request."""

    status: StatusCode
    reason: ErrorReason
    message: str

    def encode(self, *, fatal: bool, match: str = "") -> bytes:
        """Encode the refusal as a `ServerMessage`. `fatal` means that the stream ends."""
        code: int = self.status.value[0]
        error = Error(code=code, reason=self.reason, message=self.message, match_id=match, fatal=fatal)
        return ServerMessage(error=error).SerializeToString()


class HelloRefused(Exception):
    """Raised when a hello is refused."""

    def __init__(self, refusal: GatewayRefusal) -> None:
        super().__init__(f"{refusal.reason}: {refusal.message}")
        self.refusal = refusal


# At hello

BAD_TOKEN: Final = GatewayRefusal(
    StatusCode.UNAUTHENTICATED,
    ErrorReason.BAD_TOKEN,
    "This token is unknown, has expired or was revoked, or it is an API token: make a new one on your bot's page.",
)
HELLO_EXPECTED: Final = GatewayRefusal(
    StatusCode.INVALID_ARGUMENT,
    ErrorReason.HELLO_EXPECTED,
    "Hello must be the first message of a stream: send it within ten seconds of opening the stream.",
)
PROTOCOL_UNKNOWN: Final = GatewayRefusal(
    StatusCode.FAILED_PRECONDITION,
    ErrorReason.PROTOCOL_UNKNOWN,
    f"This server speaks {PROTOCOL}. If you use the Python library, upgrade naqala-arena. In your own client, send the"
    " SHA-256 of the nonce in Accept, and the nonce in Reveal when RevealRequest asks for it (see /docs/protocol/)."
    f" Then set Hello.protocol to {PROTOCOL!r}.",
)
TOO_MANY_HELLOS: Final = GatewayRefusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.TOO_MANY_HELLOS,
    "Too many hellos from this address: wait a few seconds, and double the wait after every failure.",
)
TOO_MANY_STREAMS: Final = GatewayRefusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.TOO_MANY_STREAMS,
    "Too many streams are open with this token: close those that you do not read. One stream plays many matches.",
)
TOO_MANY_VERSIONS: Final = GatewayRefusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.TOO_MANY_VERSIONS,
    "This bot had too many new versions within an hour: set Hello.version to a known version, or wait a while.",
)
ANOTHER_VERSION: Final = GatewayRefusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.ANOTHER_VERSION,
    "Another version of this bot is in a match under this process name: wait until it ends, or choose another name.",
)
HOSTED_VERSION: Final = GatewayRefusal(
    StatusCode.FAILED_PRECONDITION,
    ErrorReason.HOSTED_VERSION,
    "This version was submitted, so only the arena runs it: set Hello.version to another name.",
)
TRY_AGAIN: Final = GatewayRefusal(
    StatusCode.UNAVAILABLE,
    ErrorReason.TRY_AGAIN,
    "The server cannot look up tokens at the moment: try again in a few seconds.",
)


def another_bot(named: str, owner_of_token: str) -> GatewayRefusal:
    """Refuse a valid token that belongs to another bot."""
    return GatewayRefusal(
        StatusCode.UNAUTHENTICATED,
        ErrorReason.TOKEN_OF_ANOTHER_BOT,
        f"This token belongs to the bot {owner_of_token!r}, not to {named!r}: use the token of {named!r}.",
    )


def bad_hello(problem: str) -> GatewayRefusal:
    """Refuse a hello with an invalid field; `problem` names the field and says what to do."""
    return GatewayRefusal(StatusCode.INVALID_ARGUMENT, ErrorReason.BAD_HELLO, problem)


def bad_release(problem: str) -> GatewayRefusal:
    """Refuse a version name or a note that is not allowed."""
    return GatewayRefusal(StatusCode.INVALID_ARGUMENT, ErrorReason.BAD_RELEASE, problem)


# On a running stream: refusals that end it

TAKEN_OVER: Final = GatewayRefusal(
    StatusCode.ABORTED,
    ErrorReason.TAKEN_OVER,
    "This process of the bot said hello on another stream, which replaces this one: give every process its own name.",
)
GOING_DOWN: Final = GatewayRefusal(
    StatusCode.UNAVAILABLE,
    ErrorReason.GOING_DOWN,
    "This server is shutting down: reconnect after a moment; your matches wait for you.",
)
SILENT: Final = GatewayRefusal(
    StatusCode.DEADLINE_EXCEEDED,
    ErrorReason.SILENT,
    "No sign of life for three ping intervals: answer every Ping at once, on a thread that does not compute moves.",
)
SLOW_READER: Final = GatewayRefusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.SLOW_READER,
    "You do not read your messages: read them on a thread that does not compute moves, and reconnect.",
)
TOO_MANY_MESSAGES: Final = GatewayRefusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.TOO_MANY_MESSAGES,
    "More unrequested messages than Limits.max_messages_per_second allows: answer each request once.",
)

# On a running stream: refusals of one message

MATCH_UNKNOWN: Final = GatewayRefusal(
    StatusCode.NOT_FOUND, ErrorReason.MATCH_UNKNOWN, "You are not in this match, or it has ended: ignore it and go on."
)
OFFER_UNKNOWN: Final = GatewayRefusal(
    StatusCode.NOT_FOUND,
    ErrorReason.OFFER_UNKNOWN,
    "No offer of this match is open to you: the match was aborted, or is another bot's. Ignore it and go on.",
)
UNREADABLE: Final = GatewayRefusal(
    StatusCode.INVALID_ARGUMENT,
    ErrorReason.UNREADABLE,
    "These bytes are not a BotMessage: generate your stubs from the current bot.proto.",
)
HELLO_AGAIN: Final = GatewayRefusal(
    StatusCode.FAILED_PRECONDITION,
    ErrorReason.HELLO_AGAIN,
    "You already said hello on this stream: open another stream to reconnect.",
)


# On a running stream, which continues: why the bot gets no new matches

RESTING: Final = {
    refusal.reason: refusal
    for refusal in (
        GatewayRefusal(
            StatusCode.FAILED_PRECONDITION,
            ErrorReason.LOCKED,
            "This bot was locked by the arena's staff and gets no new matches; running matches continue."
            " The notices of your account say why.",
        ),
        GatewayRefusal(
            StatusCode.FAILED_PRECONDITION,
            ErrorReason.RETIRED,
            "This bot is retired and gets no new matches; running matches continue. Bring it back on its page.",
        ),
        GatewayRefusal(
            StatusCode.FAILED_PRECONDITION,
            ErrorReason.PAUSED,
            "This bot is paused and gets no new matches; running matches continue. Let it play again on its page.",
        ),
    )
}


def left_out(until: datetime, failures: int, bots: Sequence[str]) -> GatewayRefusal:
    """Tell a bot that it is left out of ladder matches until a time.

    `failures` is the number of offers that `bots` failed to take: the bot itself, or bots of the same owner.
    """
    *names, last = bots if len(bots) <= MOST_NAMED else (*bots[:MOST_NAMED], f"{len(bots) - MOST_NAMED} more")
    who = f"{', '.join(names)} and {last}" if names else last
    offers = "1 offer" if failures == 1 else f"{failures} offers"
    shared = " A bot shares this rest until it has finished a match." if len(bots) > 1 else ""
    return GatewayRefusal(
        StatusCode.FAILED_PRECONDITION,
        ErrorReason.LEFT_OUT,
        f"This bot gets no new ladder matches until {until:%H:%M:%S} UTC. In the last day, {who} declined, missed or"
        f" did not answer {offers}.{shared} Stay connected, and accept every offer.",
    )


def taken_off(version: str, forfeits: int, match: str) -> GatewayRefusal:
    """Tell a bot that its version plays no rated matches after so many forfeits in a row, the last one in `match`."""
    return GatewayRefusal(
        StatusCode.FAILED_PRECONDITION,
        ErrorReason.TAKEN_OFF,
        f"Version {version} plays no rated matches, because it forfeited {forfeits} in a row, the last one in match"
        f" {match}. Look at what went wrong. When it is repaired, have it examined on your bot's page.",
    )


def nonce_size(size: int) -> GatewayRefusal:
    """Refuse a nonce of a size that no bot can have sent the hash of. The request stays open."""
    return GatewayRefusal(
        StatusCode.INVALID_ARGUMENT,
        ErrorReason.NONCE_SIZE,
        f"The nonce has {size} bytes, but at most {MAX_NONCE} are allowed: reveal the nonce whose SHA-256 you sent in"
        " Accept.",
    )


def too_large(size: int, limit: int) -> GatewayRefusal:
    """Refuse a message over the limit. A message far over the limit ends the stream."""
    return GatewayRefusal(
        StatusCode.RESOURCE_EXHAUSTED,
        ErrorReason.MESSAGE_TOO_LARGE,
        f"The message has {size} bytes, but at most {limit} are allowed (Limits.max_message_bytes): shorten the note.",
    )
