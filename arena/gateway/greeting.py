"""Check a bot's `Hello` and build the `Welcome` that answers it."""

from __future__ import annotations

import time
from collections.abc import Sequence
from importlib.metadata import version
from typing import Final

from google.protobuf.message import DecodeError

from arena.bus import Presence, session_id
from arena.gateway import errors
from arena.gateway.errors import HelloRefused
from arena.gateway.identity import Identity
from arena.gateway.limits import GatewayLimits
from arena.referee.texts import harmless
from arena.rules import RULES
from arena.rules.components import EXPANSIONS
from arena.wire.service import PROTOCOL
from arena.wire.v1.bot_pb2 import BotMessage, Hello, Limits, ServerMessage, Welcome
from arena.wire.versions import MAX_VERSION

ALL_PLAYER_COUNTS: Final = (2, 3, 4, 5)
SERVER_NAME: Final = f"naqala-arena/{version('naqala-arena')}"


def read_hello(data: bytes) -> Hello:
    """Return the hello in the first message of a stream.

    Raises `HelloRefused` when the message is not a hello, or when the hello cannot be used.
    """
    try:
        message = BotMessage.FromString(data)
    except DecodeError:
        message = BotMessage()
    if message.WhichOneof("kind") != "hello":
        raise HelloRefused(errors.HELLO_EXPECTED)
    hello = message.hello
    if hello.protocol != PROTOCOL:
        raise HelloRefused(errors.PROTOCOL_UNKNOWN)
    if not 1 <= len(hello.process) <= 64 or not hello.process.isprintable():
        raise HelloRefused(
            errors.bad_hello("Hello.process: name this process with 1 to 64 printable characters, always the same.")
        )
    if not 1 <= len(hello.version) <= MAX_VERSION:
        raise HelloRefused(errors.bad_hello("Hello.version: give the version of your bot in 1 to 40 characters."))
    if not hello.max_matches:
        raise HelloRefused(errors.bad_hello("Hello.max_matches: set how many matches you play at once, at least 1."))
    return hello


def presence_of(hello: Hello, identity: Identity, gateway: str, limits: GatewayLimits) -> Presence:
    """Return the presence of the session that this hello opens.

    Raises `HelloRefused` when no match could ever be offered to the session.
    """
    counts = tuple(sorted(set(hello.player_counts) & set(ALL_PLAYER_COUNTS)))
    if hello.player_counts and not counts:
        raise HelloRefused(
            errors.bad_hello("Hello.player_counts: list some of 2, 3, 4 and 5, or leave it empty for all of them.")
        )
    # Refuse a hello that can never be matched now, so that the bot does not wait for nothing.
    if unknown := sorted(set(hello.expansions) - set(EXPANSIONS)):
        raise HelloRefused(
            errors.bad_hello(
                f"Hello.expansions: {unknown[0][:32]!r} is not one of {', '.join(EXPANSIONS)}; list some, or none."
            )
        )
    if counts == (5,) and not hello.expansions:
        raise HelloRefused(
            errors.bad_hello("Hello.player_counts: five players need an expansion; add one to Hello.expansions.")
        )
    return Presence(
        id=identity.session or session_id(identity.token_id, hello.process),
        gateway=gateway,
        bot=identity.bot_id,
        bot_version=identity.version_id,
        owner=identity.owner_id,
        process=hello.process,
        token=identity.token_id,
        is_house=identity.is_house,
        capacity=min(hello.max_matches, limits.max_matches),
        player_counts=counts or ALL_PLAYER_COUNTS,
        expansions=tuple(sorted(set(hello.expansions))),
        wants_legal=hello.wants_legal,
        sdk=harmless(hello.sdk[:64]),
        connected_at_ns=time.time_ns(),
    )


def welcome(
    presence: Presence, identity: Identity, limits: GatewayLimits, running: Sequence[str], over: Sequence[str]
) -> bytes:
    """Encode the answer to an accepted hello.

    `running` are the matches that the session continues. `over` are the claimed matches that it does not.
    """
    message = Welcome(
        bot=identity.bot_name,
        protocol=PROTOCOL,
        rules=RULES,
        server=SERVER_NAME,
        session=presence.id,
        limits=Limits(
            max_matches=presence.capacity,
            max_message_bytes=limits.max_message_bytes,
            max_actions=limits.max_actions,
            max_note_bytes=limits.max_note_bytes,
            max_messages_per_second=limits.max_messages_per_second,
            ping_interval_ms=int(limits.ping_interval_s * 1000),
        ),
        running=running,
        over=over,
    )
    return ServerMessage(welcome=message).SerializeToString()
