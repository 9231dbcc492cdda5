"""What a local match needs of a competitor, in whichever form it plays, and what it hears from one."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, Protocol

from arena.referee import Reason
from arena.rules import Ruleset

OFFER = -1
REVEAL = -2
"""Asks beside decisions, which have their index in the record."""


class NotStarted(Exception):
    """A competitor cannot play; the message is one line that names it and says what to do."""


class Announced(NamedTuple):
    """What a bot says of itself."""

    version: str
    player_counts: tuple[int, ...]
    """Empty: all."""
    expansions: tuple[str, ...]
    wants_legal: bool
    running: tuple[str, ...] = ()
    """The matches that it believes it is in."""

    def plays(self, ruleset: Ruleset) -> bool:
        """Whether it says that it plays this game."""
        counts = self.player_counts
        return (not counts or ruleset.players in counts) and set(ruleset.expansions) <= set(self.expansions)


class Had(NamedTuple):
    """What a bot has had of its pending ask."""

    open_ns: int
    """Since that was on its way, without the network's share."""
    gone_ns: int = 0
    """For how long of it the bot could not be reached."""


class Said(NamedTuple):
    """A bot has said something about the match."""

    payload: bytes
    """A `BotMessage`."""
    had: Had
    network_ns: int = 0


class Lost(NamedTuple):
    """The bot cannot be reached."""

    reason: str
    is_final: bool
    """Whether it cannot come back: its process has ended."""


class Back(NamedTuple):
    """It can be reached again."""


class Broke(NamedTuple):
    """It broke a rule of the wire."""

    reason: Reason
    message: str


Heard = Said | Lost | Back | Broke


class Competitor(Protocol):
    """A bot at one table. Its methods never wait, except `ready` and `renew`; messages of one match alone are heard, in
    whichever thread, in their order."""

    @property
    def hello(self) -> Announced:
        """What it says of itself; known once it is ready."""
        ...

    def ready(self) -> None:
        """Wait until it can play. `NotStarted`."""

    def enter(self, match: str, hear: Callable[[Heard], None]) -> None:
        """The match begins; what the bot says goes to `hear`."""

    def send(self, match: str, message: bytes, ask: int | None = None) -> None:
        """Tell it something, a `ServerMessage`; if it is to answer, which ask that is."""

    def had(self, match: str) -> Had:
        """What it has had of its pending ask."""

    def leave(self, match: str) -> None:
        """The match is over, and what was sent last is how it ended."""

    def renew(self) -> None:
        """It did not come to the end of its last match in order: make it fit for another one. `NotStarted`."""

    def close(self) -> None:
        """End it, for good; from any thread, more than once."""
