"""The local gateway's refusals at hello: those of the server, with advice for local games."""

from __future__ import annotations

from typing import Any, Final, NoReturn

import grpc.aio
from google.protobuf.message import DecodeError
from grpc import StatusCode

from arena.gateway.errors import (
    HELLO_EXPECTED,
    PROTOCOL_UNKNOWN,
    REASON_METADATA,
    ErrorReason,
    GatewayRefusal,
    HelloRefused,
    bad_hello,
    too_large,
)
from arena.gateway.limits import GatewayLimits
from arena.rules.components import EXPANSIONS
from arena.wire.service import PROTOCOL
from arena.wire.v1.bot_pb2 import BotMessage, Hello
from arena.wire.versions import MAX_VERSION, is_commit

PLAYER_COUNTS: Final = (2, 3, 4, 5)
LIMITS: Final = GatewayLimits()
Context = grpc.aio.ServicerContext[Any, Any]

BAD_TOKEN: Final = GatewayRefusal(
    StatusCode.UNAUTHENTICATED,
    ErrorReason.BAD_TOKEN,
    "This token is unknown here: set Hello.token to the value of the environment variable ARENA_TOKEN.",
)
GOING_DOWN: Final = GatewayRefusal(
    StatusCode.UNAVAILABLE, ErrorReason.GOING_DOWN, "The games are over: reconnect when new ones start."
)


async def refuse(context: Context, refusal: GatewayRefusal) -> NoReturn:
    """End a call with the canonical status. Always raises `grpc.aio.AbortError`."""
    await context.abort(refusal.status, f"{refusal.reason}: {refusal.message}", ((REASON_METADATA, refusal.reason),))
    raise AssertionError("abort has raised")


def read_hello(data: bytes, most_bytes: int) -> Hello:
    """Return the hello in the first message of a stream, without checking its token.

    Raises `HelloRefused` if it is no hello, or has more than `most_bytes` bytes.
    """
    if len(data) > most_bytes:
        raise HelloRefused(too_large(len(data), LIMITS.max_message_bytes))
    try:
        message = BotMessage.FromString(data)
    except DecodeError:
        message = BotMessage()
    if message.WhichOneof("kind") != "hello":
        raise HelloRefused(HELLO_EXPECTED)
    return message.hello


def check_hello(hello: Hello) -> None:
    """Raise `HelloRefused` for a hello that the server would refuse."""
    if hello.protocol != PROTOCOL:
        raise HelloRefused(PROTOCOL_UNKNOWN)
    counts = set(hello.player_counts) & set(PLAYER_COUNTS)
    for is_wrong, problem in (
        (
            not 1 <= len(hello.process) <= 64 or not hello.process.isprintable(),
            "process: name this process with 1 to 64 printable characters, always the same.",
        ),
        (not 1 <= len(hello.version) <= MAX_VERSION, "version: give the version of your bot in 1 to 40 characters."),
        (is_commit(hello.version), "version: name a release ('1.4'), not a commit."),
        (not hello.max_matches, "max_matches: set how many matches you play at once, at least 1."),
        (
            hello.player_counts and not counts,
            "player_counts: list some of 2, 3, 4 and 5, or leave it empty for all of them.",
        ),
        (set(hello.expansions) - set(EXPANSIONS), f"expansions: name some of {', '.join(EXPANSIONS)}, or none."),
        (
            counts == {5} and not hello.expansions,
            "player_counts: five players need an expansion; add one to Hello.expansions.",
        ),
    ):
        if is_wrong:
            raise HelloRefused(bad_hello(f"Hello.{problem}"))
