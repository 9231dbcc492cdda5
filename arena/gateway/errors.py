"""Everything the gateway refuses a bot: canonical status, stable reason, and a sentence that says what to do.

Before a status that is not OK the bot gets an `Error` message with the same reason; the reason is in the trailing
metadata as well (`arena-reason`), for clients that look only there.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from grpc import StatusCode

from arena.referee import MAX_NONCE
from arena.wire.service import PROTOCOL
from arena.wire.v1.bot_pb2 import Error, ServerMessage

REASON_METADATA: Final = "arena-reason"


class ErrorReason(StrEnum):
    """The reasons of all `Error` messages. Those that end a stream with matches are `WireReason`s, too."""

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


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why something is not done."""

    status: StatusCode
    reason: ErrorReason
    message: str

    def encode(self, *, fatal: bool, match: str = "") -> bytes:
        """The `ServerMessage` that says so."""
        code: int = self.status.value[0]
        error = Error(code=code, reason=self.reason, message=self.message, match_id=match, fatal=fatal)
        return ServerMessage(error=error).SerializeToString()


class HelloRefused(Exception):
    """A hello that is turned down."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(f"{refusal.reason}: {refusal.message}")
        self.refusal = refusal


# At hello

BAD_TOKEN: Final = Refusal(
    StatusCode.UNAUTHENTICATED,
    ErrorReason.BAD_TOKEN,
    "This token is unknown, has expired or was revoked, or it is an API token: make a new one on your bot's page.",
)
HELLO_EXPECTED: Final = Refusal(
    StatusCode.INVALID_ARGUMENT,
    ErrorReason.HELLO_EXPECTED,
    "The first message of a stream is Hello, within ten seconds: open the stream and say hello at once.",
)
PROTOCOL_UNKNOWN: Final = Refusal(
    StatusCode.FAILED_PRECONDITION,
    ErrorReason.PROTOCOL_UNKNOWN,
    f"This server speaks {PROTOCOL}. With the Python library: upgrade naqala-arena. With a program of your own: let"
    " Accept give the SHA-256 of the nonce, and Reveal the nonce when RevealRequest asks for it (the page"
    f" /docs/protocol/ shows how); then put {PROTOCOL!r} into Hello.protocol.",
)
TOO_MANY_HELLOS: Final = Refusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.TOO_MANY_HELLOS,
    "Too many hellos from this address: wait a few seconds, and twice as long after every failure.",
)
TOO_MANY_STREAMS: Final = Refusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.TOO_MANY_STREAMS,
    "Too many streams are open with this token: close the ones you do not read; one stream plays many matches.",
)
TOO_MANY_VERSIONS: Final = Refusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.TOO_MANY_VERSIONS,
    "This bot had many new versions within an hour: put one that is known into Hello.version, or wait a while.",
)
ANOTHER_VERSION: Final = Refusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.ANOTHER_VERSION,
    "Another version of this bot is in a match under this process name: wait for its end, or choose another name.",
)
TRY_AGAIN: Final = Refusal(
    StatusCode.UNAVAILABLE,
    ErrorReason.TRY_AGAIN,
    "The server cannot look up tokens at the moment: try again in a few seconds.",
)


def another_bot(named: str, owner_of_token: str) -> Refusal:
    """The token is fine, but not that bot's."""
    return Refusal(
        StatusCode.UNAUTHENTICATED,
        ErrorReason.TOKEN_OF_ANOTHER_BOT,
        f"This token belongs to the bot {owner_of_token!r}, not to {named!r}: take the token of {named!r}.",
    )


def bad_hello(what: str) -> Refusal:
    """A field of Hello is invalid."""
    return Refusal(StatusCode.INVALID_ARGUMENT, ErrorReason.BAD_HELLO, what)


def bad_release(what: str) -> Refusal:
    """A name or a note that no version may have."""
    return Refusal(StatusCode.INVALID_ARGUMENT, ErrorReason.BAD_RELEASE, what)


# On a running stream: the end of it

TAKEN_OVER: Final = Refusal(
    StatusCode.ABORTED,
    ErrorReason.TAKEN_OVER,
    "The same process of this bot said hello on another stream, which has taken over: give every process its own name.",
)
GOING_DOWN: Final = Refusal(
    StatusCode.UNAVAILABLE,
    ErrorReason.GOING_DOWN,
    "This server is going down: reconnect after a moment, your matches wait for you.",
)
SILENT: Final = Refusal(
    StatusCode.DEADLINE_EXCEEDED,
    ErrorReason.SILENT,
    "No sign of life for three ping intervals: answer every Ping at once, on another thread than the one that thinks.",
)
SLOW_READER: Final = Refusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.SLOW_READER,
    "You do not read what is sent to you: read on another thread than the one that thinks, and reconnect.",
)
TOO_MANY_MESSAGES: Final = Refusal(
    StatusCode.RESOURCE_EXHAUSTED,
    ErrorReason.TOO_MANY_MESSAGES,
    "More messages that nobody asked for than Limits.max_messages_per_second allows: answer each request once.",
)

# On a running stream: one message of it

MATCH_UNKNOWN: Final = Refusal(
    StatusCode.NOT_FOUND, ErrorReason.MATCH_UNKNOWN, "You are not in this match, or it has ended: drop it and go on."
)
OFFER_UNKNOWN: Final = Refusal(
    StatusCode.NOT_FOUND,
    ErrorReason.OFFER_UNKNOWN,
    "No offer of this match is open to you: it was aborted meanwhile, or is another bot's; drop it and go on.",
)
UNREADABLE: Final = Refusal(
    StatusCode.INVALID_ARGUMENT,
    ErrorReason.UNREADABLE,
    "These bytes are not a BotMessage: generate your stubs from the current bot.proto.",
)
HELLO_AGAIN: Final = Refusal(
    StatusCode.FAILED_PRECONDITION,
    ErrorReason.HELLO_AGAIN,
    "You said hello on this stream already: open another one to reconnect.",
)


# On a running stream that goes on: why there are no new matches

RESTING: Final = {
    refusal.reason: refusal
    for refusal in (
        Refusal(
            StatusCode.FAILED_PRECONDITION,
            ErrorReason.LOCKED,
            "This bot was locked by the people who run the arena, and is given no new matches; those that run go on."
            " The notices of your account say why.",
        ),
        Refusal(
            StatusCode.FAILED_PRECONDITION,
            ErrorReason.RETIRED,
            "This bot has retired, and is given no new matches; those that run go on. Bring it back on its page.",
        ),
        Refusal(
            StatusCode.FAILED_PRECONDITION,
            ErrorReason.PAUSED,
            "This bot is paused, and is given no new matches; those that run go on. Let it play again on its page.",
        ),
    )
}


def nonce_size(size: int) -> Refusal:
    """A nonce that no bot can have given the hash of: the request stays open."""
    return Refusal(
        StatusCode.INVALID_ARGUMENT,
        ErrorReason.NONCE_SIZE,
        f"A nonce of {size} bytes; {MAX_NONCE} are allowed: reveal the nonce whose SHA-256 you sent in Accept.",
    )


def too_large(size: int, limit: int) -> Refusal:
    """A message over the limit. One that is far over it ends the stream."""
    return Refusal(
        StatusCode.RESOURCE_EXHAUSTED,
        ErrorReason.MESSAGE_TOO_LARGE,
        f"A message of {size} bytes; {limit} are allowed (Limits.max_message_bytes): shorten the note.",
    )
