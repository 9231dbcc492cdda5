"""Who a bot is: what the gateway asks of the server that it belongs to. The answer is handed in (`webui.commands`)."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol

from arena.gateway.errors import ErrorReason


@dataclass(frozen=True, slots=True)
class Identity:
    """A bot that may connect, with the version that it names."""

    token_id: int
    bot_id: int
    bot_name: str
    owner_id: int
    is_house: bool
    """A bot of the arena's own: may meet other bots of its owner."""
    version_id: int


@dataclass(frozen=True, slots=True)
class Release:
    """A version that its author has released."""

    bot_name: str
    version: str
    is_ready: bool
    """It has not said hello yet."""


class Identities(Protocol):
    """Looks tokens up. Asked at hello and every few seconds, never for a message of a match."""

    async def identify(self, token: str, bot: str, version: str, address: str) -> Identity:
        """The bot of this token, as this version.

        `bot` is the name that the process gives itself, or empty; `address` is where it says hello from, an IPv6 one by
        its /64, empty if that says nothing. Raises `arena.gateway.errors.HelloRefused`.
        """
        ...

    async def release(self, token: str, version: str, note: str) -> Release:
        """Set the note of a version of the bot of this token. Raises `arena.gateway.errors.HelloRefused`."""
        ...

    async def is_known(self, token: str) -> bool:
        """Whether this token was valid some seconds ago; costs no look at the database for each."""
        ...

    async def matches(self, bot_id: int, match_ids: Collection[str]) -> dict[str, bool]:
        """Of these matches those of the bot, and whether each runs (or is to run); all of them run while that cannot be
        looked up."""
        ...

    async def revoked(self, token_ids: Collection[int]) -> set[int]:
        """Those of these tokens that are no longer valid; none while that cannot be looked up."""
        ...

    async def resting(self, token_ids: Collection[int]) -> dict[int, ErrorReason] | None:
        """Of these tokens those whose bots are given no new matches, and why; None while that cannot be looked up."""
        ...

    def close(self) -> None:
        """Release threads and connections."""
        ...
