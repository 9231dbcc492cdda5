"""The interface between a local match and a competitor of any kind."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from arena.referee import Reason
from arena.rules import Ruleset

OFFER = -1
REVEAL = -2
"""Asks that are not decisions; a decision is identified by its index in the record."""


class NotStarted(Exception):
    """Raised when a competitor cannot play. The message is one line that names it and says what to do."""


class Announced(NamedTuple):
    """The facts that a bot announces about itself."""

    version: str
    player_counts: tuple[int, ...]
    """Numbers of players; empty for all."""
    expansions: tuple[str, ...]
    wants_legal: bool
    running: tuple[str, ...] = ()
    """The matches that it believes it is in."""

    def plays(self, ruleset: Ruleset) -> bool:
        """Return whether it announces that it plays this game."""
        counts = self.player_counts
        return (not counts or ruleset.players in counts) and set(ruleset.expansions) <= set(self.expansions)


class AskTime(NamedTuple):
    """Time that a bot has had for its pending ask."""

    open_ns: int
    """Nanoseconds since the ask was sent, without the network's share."""
    gone_ns: int = 0
    """The part of that time for which the bot was disconnected."""


class MessageReceived(NamedTuple):
    """A message of the bot about the match."""

    payload: bytes
    """A `BotMessage`."""
    ask_time: AskTime
    network_ns: int = 0


class BotLost(NamedTuple):
    """The bot is disconnected."""

    reason: str
    is_final: bool
    """Whether it cannot reconnect because its process has ended."""


class BotReturned(NamedTuple):
    """The bot is connected again."""


class ProtocolBroken(NamedTuple):
    """The bot broke a rule of the wire protocol."""

    reason: Reason
    message: str


CompetitorEvent = MessageReceived | BotLost | BotReturned | ProtocolBroken


class Competitor(Protocol):
    """A bot at one table. Its methods never wait, except `ready` and `renew`.

    It passes on the messages of one match only, in any thread, in their order.
    """

    @property
    def hello(self) -> Announced:
        """The facts that it announces about itself; known once it is ready."""
        ...

    def ready(self) -> None:
        """Wait until it can play. Raises `NotStarted`."""

    def enter(self, match: str, on_event: Callable[[CompetitorEvent], None]) -> None:
        """Begin a match. `on_event` receives everything that the bot says."""

    def send(self, match: str, message: bytes, ask: int | None = None) -> None:
        """Send a `ServerMessage`. `ask` identifies the ask if it needs an answer."""

    def ask_time(self, match: str) -> AskTime:
        """Return the time that it has had for its pending ask."""

    def leave(self, match: str) -> None:
        """End the match. The last message sent was the match's end."""

    def renew(self) -> None:
        """Prepare it for another match after it did not finish the last one in order. Raises `NotStarted`."""

    def close(self) -> None:
        """Stop it for good. May be called from any thread, more than once."""
