"""Kinds and reasons of messages from gateways to workers.

The values are part of the format. A process of a newer version may send a reason that this version does not know. It
is read as `WireReason.OTHER`, so a rolling restart loses no message.
"""

from __future__ import annotations

from enum import StrEnum


class WireKind(StrEnum):
    """Kind of a `FromBot`."""

    MESSAGE = "message"
    """The bot sent a message about this match; `payload` is the `BotMessage`."""
    LOST = "lost"
    """The bot's stream ended while its gateway is alive. The bot's clock goes on; pending asks are kept until it
    reconnects."""
    BACK = "back"
    """The bot has a stream again; its gateway has written the pending asks again."""
    MOVED = "moved"
    """The gateway gives the bot up through no fault of the bot, which is never charged.

    Look up the bot's presence, and ask again through the gateway found there.
    """
    FAULT = "fault"
    """The bot broke a limit of the protocol."""
    UNDELIVERABLE = "undeliverable"
    """The gateway could not accept a `ToBot`. The bot is never charged: look up its presence and ask again."""


class WireReason(StrEnum):
    """Reason of a message. Each member names the kinds that have it."""

    NONE = ""
    """There is nothing to explain (`message`, `back`)."""
    OTHER = "OTHER"
    """A reason of a newer version (any kind). It is never sent."""

    STREAM_LOST = "STREAM_LOST"
    """The stream broke, or the bot ended it (`lost`)."""
    SILENT = "SILENT"
    """The gateway closed the stream: the bot was silent for three ping intervals (`lost`)."""
    SLOW_READER = "SLOW_READER"
    """The gateway closed the stream: the bot does not read its messages (`fault`, then `lost`)."""
    TOO_MANY_MESSAGES = "TOO_MANY_MESSAGES"
    """The gateway closed the stream: too many messages that answer nothing (`lost`, after the fault `FLOODING`)."""
    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    """The gateway closed the stream: a message far over the size limit (`lost`)."""
    BAD_TOKEN = "BAD_TOKEN"  # noqa: S105 - a name
    """The gateway closed the stream: the token was revoked (`lost`)."""
    TAKEN_OVER = "TAKEN_OVER"
    """The same process of the bot said hello on another stream.

    It did so at the same gateway (`lost`, then `back`) or at another one (`moved`).
    """
    STALLED = "STALLED"
    """The gateway stalled, and the stream was lost meanwhile (`moved`)."""
    GOING_DOWN = "GOING_DOWN"
    """The gateway is shutting down (`lost`, `moved`, `undeliverable`)."""

    ABSENT = "ABSENT"
    """No gateway has announced the bot for a while. The worker detects this itself, so it is never sent."""

    FLOODING = "FLOODING"
    """The bot sent too many messages that answer nothing (`fault`)."""
    OVERSIZED = "OVERSIZED"
    """A message is over the size limit (`fault`)."""
    MALFORMED = "MALFORMED"
    """A message cannot be parsed (`fault`)."""

    UNKNOWN_SESSION = "UNKNOWN_SESSION"
    """The gateway does not know this process of the bot (`undeliverable`)."""
    STALE_EPOCH = "STALE_EPOCH"
    """The gateway knows a later owner of the match (`undeliverable`)."""
    LEFT = "LEFT"
    """The bot asked for no further matches while this offer was pending, and thereby declined it."""
    LEAVING = "LEAVING"
    """The bot accepts no more matches: the offer was not delivered (`undeliverable`)."""
    TOO_MANY_MATCHES = "TOO_MANY_MATCHES"
    """The bot is in too many matches at this gateway (`undeliverable`)."""

    @classmethod
    def _missing_(cls, value: object) -> WireReason | None:
        return cls.OTHER if isinstance(value, str) else None
