"""The interface through which the gateway looks up tokens and bots. The server provides it (`webui.commands`)."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Protocol

from arena.gateway.errors import GatewayRefusal


@dataclass(frozen=True, slots=True)
class Identity:
    """A bot that may connect, and the version that it named."""

    token_id: int
    bot_id: int
    bot_name: str
    owner_id: int
    is_house: bool
    """Whether the bot belongs to the arena itself; such a bot may meet other bots of its owner."""
    version_id: int
    session: str = ""
    """Id of the only session that this bot may open. Empty: the name of its process decides."""


@dataclass(frozen=True, slots=True)
class ReleaseToken:
    """A version that its author has released."""

    bot_name: str
    version: str
    is_ready: bool
    """Whether the version has not said hello yet."""


class Identities(Protocol):
    """Looks up tokens. It is called at hello and every few seconds, never for a message of a match."""

    async def identify(
        self, token: str, bot: str, version: str, address: str, still_plays: Callable[[int], int | None]
    ) -> Identity:
        """Return the identity of the bot of this token, as this version, which is made if it is new.

        `bot` is the name that the process gives itself, or empty. `address` is the origin of the hello: an IPv6 address
        is given by its /64, and an address that says nothing is empty. `still_plays` returns, for the id of the token,
        the id of the version as which the process still plays matches, or `None`. It may be called in another thread.

        Raises `arena.gateway.errors.HelloRefused`. The refusal ANOTHER_VERSION makes no version.
        """
        ...

    async def release(self, token: str, version: str, note: str) -> ReleaseToken:
        """Set the note of a version of this token's bot. Raises `arena.gateway.errors.HelloRefused`."""
        ...

    async def is_known(self, token: str) -> bool:
        """Return whether this token was valid some seconds ago. The result is cached, so most calls do not query the
        database."""
        ...

    async def matches(self, bot_id: int, match_ids: Collection[str]) -> dict[str, bool]:
        """Return those of these matches that the bot is in, and whether each one runs or will run.

        While the lookup is unavailable all of them count as running.
        """
        ...

    async def revoked(self, token_ids: Collection[int]) -> set[int]:
        """Return those of these tokens that are no longer valid; the set is empty while the lookup is unavailable."""
        ...

    async def resting(self, token_ids: Collection[int]) -> dict[int, GatewayRefusal] | None:
        """Return the tokens whose bots get no new matches, with the reason; `None` while the lookup is unavailable.

        A reason stays equal for as long as it lasts, so that a bot is sent it once.
        """
        ...

    def close(self) -> None:
        """Release threads and connections."""
        ...
