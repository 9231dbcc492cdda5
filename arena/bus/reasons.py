"""What gateways tell workers, and why: the one list of kinds and reasons that travel between processes.

The values are on the wire. A process of a newer version may send a reason that this one does not know: it is read as
`WireReason.OTHER`, so that a rolling restart loses no message.
"""

from __future__ import annotations

from enum import StrEnum


class WireKind(StrEnum):
    """What a `FromBot` says."""

    MESSAGE = "message"
    """The bot said something about this match; `payload` is the `BotMessage`."""
    LOST = "lost"
    """The bot's stream ended while its gateway lives. The bot's clock goes on; pending asks are kept for its return."""
    BACK = "back"
    """The bot has a stream again; its gateway has written the pending asks again."""
    MOVED = "moved"
    """The gateway gives the bot up through no fault of the bot. Never charged: look up the bot's presence and ask again
    through the gateway found there."""
    FAULT = "fault"
    """The bot broke a limit of the wire."""
    UNDELIVERABLE = "undeliverable"
    """The gateway could not take a `ToBot`. Never charged: look up the bot's presence and ask again."""


class WireReason(StrEnum):
    """Why. Each member names the kinds that carry it."""

    NONE = ""
    """Nothing to explain (`message`, `back`)."""
    OTHER = "OTHER"
    """A reason of a newer version (any kind); never sent."""

    STREAM_LOST = "STREAM_LOST"
    """The stream broke, or the bot ended it (`lost`)."""
    SILENT = "SILENT"
    """The gateway ended the stream: no sign of life for three ping intervals (`lost`)."""
    SLOW_READER = "SLOW_READER"
    """The gateway ended the stream: the bot does not read what is sent to it (`fault`, then `lost`)."""
    TOO_MANY_MESSAGES = "TOO_MANY_MESSAGES"
    """The gateway ended the stream: too many messages that answer nothing (`lost`, after the fault `FLOODING`)."""
    MESSAGE_TOO_LARGE = "MESSAGE_TOO_LARGE"
    """The gateway ended the stream: a message far over the limit of its size (`lost`)."""
    BAD_TOKEN = "BAD_TOKEN"  # noqa: S105 - a name
    """The gateway ended the stream: the token was revoked (`lost`)."""
    TAKEN_OVER = "TAKEN_OVER"
    """The same process of the bot said hello on another stream: at the same gateway (`lost`, then `back`) or at another
    one (`moved`)."""
    STALLED = "STALLED"
    """The gateway stood still, and the stream was lost meanwhile (`moved`)."""
    GOING_DOWN = "GOING_DOWN"
    """The gateway shuts down (`lost`, `moved`, `undeliverable`)."""

    ABSENT = "ABSENT"
    """No gateway has announced the bot for a while: what the worker finds by itself (never sent)."""

    FLOODING = "FLOODING"
    """Too many messages that answer nothing (`fault`)."""
    OVERSIZED = "OVERSIZED"
    """A message over the limit of its size (`fault`)."""
    MALFORMED = "MALFORMED"
    """A message that cannot be read (`fault`)."""

    UNKNOWN_SESSION = "UNKNOWN_SESSION"
    """The gateway does not know this process of the bot (`undeliverable`)."""
    STALE_EPOCH = "STALE_EPOCH"
    """The gateway has heard of a later owner of the match (`undeliverable`)."""
    LEFT = "LEFT"
    """The bot asked for no further matches while this offer was open: it has turned the offer down."""
    LEAVING = "LEAVING"
    """The bot accepts no more matches: the offer was not delivered (`undeliverable`)."""
    TOO_MANY_MATCHES = "TOO_MANY_MATCHES"
    """The bot is in too many matches at this gateway (`undeliverable`)."""

    @classmethod
    def _missing_(cls, value: object) -> WireReason | None:
        return cls.OTHER if isinstance(value, str) else None
