"""The interface of a bot: a class with one required method, and the values that it receives.

One object of the class plays one match. Its methods are never called at the same time.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from arena.bots.view import View
from arena.rules.components import EXPANSIONS
from arena.wire.codec import SeenEvent

PLAYER_COUNTS = (2, 3, 4, 5)
Choice = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """The match that a bot plays, with the terms of its offer.

    A test can make one to try a bot without a server.

    >>> class First(Bot):
    ...     def choose(self, view, legal):
    ...         return legal[self.match.seat - 1]
    >>> bot = First()
    >>> bot.match = MatchInfo(id="m1", seat=2, ruleset={"players": 2, "expansions": []})
    >>> bot.choose(None, ["bid 1", "bid 2"])
    'bid 2'
    """

    id: str
    seat: int
    """Your seat, from 1."""
    ruleset: dict[str, Any]
    """Number of players and expansions: `{"players": 4, "expansions": []}`."""
    participants: tuple[dict[str, Any], ...] = ()
    """The players, seat 1 first: `name`, `version`, `owner`. Empty until all bots have accepted the match."""
    clock: dict[str, Any] | None = None
    """`bank_ms`, `increment_ms`, `cap_ms`."""
    policy: dict[str, Any] | None = None
    """`strikes`, `grace_ms`, `house`."""
    commitment: bytes = b""
    """Hash of the server's own share of the seed. The server cannot change that share any more."""
    nonce: bytes = b""
    """This process's share of the seed; empty if the process has restarted since it accepted the match."""
    nonce_hashes: tuple[bytes, ...] = ()
    """SHA-256 of every seat's nonce, seat 1 first, as fixed when this process was asked to reveal its own."""
    rated: bool = False
    offer: dict[str, Any] | None = None
    """The offer as signed by the arena: `document` and `signature`.

    `None` until all bots have accepted the match, and in a match without an arena.
    """


@dataclass(frozen=True, slots=True)
class Ask:
    """The decision request that `choose` answers, except for the view.

    >>> ask = Ask(index=4, events=(), bank_ms=60_000, increment_ms=500, cap_ms=10_000, last_round_trip=None)
    >>> min(ask.bank_ms, ask.cap_ms) / 1000
    10.0
    """

    index: int
    """Index of the requested action in the record of the match."""
    events: tuple[SeenEvent, ...]
    """Events since the last request."""
    bank_ms: int
    """Time left in the bank, including the increment for this decision."""
    increment_ms: int
    """Time that this decision has added to the bank."""
    cap_ms: int
    """Maximum time for this one decision."""
    last_round_trip: dict[str, int] | None
    """`network_ns`, `queue_ns` and `thinking_ns` of the last answer, as measured by the server."""
    grace_ms: int = 0
    """Time for which you may still be disconnected in this match."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault of this seat. The default decision was played instead.

    >>> fault = Fault(index=7, reason="LATE", rule="", message="", strikes=1, played="bid 1", forfeited=False)
    >>> print(f"{fault.reason}: {fault.played} was played, strike {fault.strikes}")
    LATE: bid 1 was played, strike 1
    """

    index: int
    """Index of the faulty decision in the record of the match."""
    reason: str
    """`ILLEGAL`, `MALFORMED`, `LATE`, `GONE`, `FLOODING`, `NO_REVEAL`, or a reason that is newer than this library."""
    rule: str
    """Section of the rules that an illegal action breaks; empty for other faults."""
    message: str
    """A sentence that says what was wrong."""
    strikes: int
    """Strikes of this seat so far, including this one."""
    played: str
    """The action that was played instead."""
    forfeited: bool
    """Whether this was one strike too many. The arena's own player then continues for this seat."""


@dataclass(frozen=True, slots=True)
class End:
    """The end of a match.

    >>> class Proud(Bot):
    ...     def match_ended(self, end):
    ...         print("place", end.verdict["placements"][self.match.seat - 1], end.replay_url)
    """

    verdict: dict[str, Any]
    """`kind`, `placements`, `forfeits`."""
    result: dict[str, Any] | None
    """`scores`, `ranks` and `reason` of the game; `None` if it was not played to its end."""
    server_seed: bytes
    """The server's share of the seed; `match.commitment` is made from its hash."""
    nonces: tuple[bytes, ...]
    """Every seat's share of the seed, seat 1 first."""
    deal: bytes
    """Seed of the set-up if several games share one; otherwise empty."""
    replay_url: str
    """Address of the replay."""


class Bot:
    """Base class of all bots: derive from it and write `choose`.

    One object plays one match, in its own thread; its methods are never called at the same time. Any method may be
    `async def`. It is then awaited on an event loop of the match, which runs while a method is awaited and is closed at
    the end. `choose` is cancelled when its decision is no longer wanted: its time is up, or the match is over.

    An exception in `choose` costs a strike, and a default decision is played instead. An exception in another method
    costs nothing.

    >>> class First(Bot):
    ...     def choose(self, view, legal):
    ...         return legal[0]
    >>> First().choose(None, ["bid 1", "bid 2"])
    'bid 1'
    """

    name: ClassVar[str] = ""
    """The bot's name as registered. If the token belongs to another bot, the error then says so. May be empty."""
    version: ClassVar[str] = ""
    """Version of the bot; a new version is rated anew. If empty, it is derived from the bot's source file and from the
    Python files of its own folder that these import. Other files, such as weights, do not count."""
    player_counts: ClassVar[Sequence[int]] = ()
    """Numbers of players that this bot plays; empty for all."""
    expansions: ClassVar[Sequence[str]] = ()
    """Expansions that this bot can play, from `artisans` and `whims`.

    It is offered matches with some, all or none of them, and no others. Five players need an expansion.
    """
    wants_legal: ClassVar[bool] = True
    """If false, the server does not list the legal actions and `legal` is empty."""

    match: MatchInfo
    """The match that this object plays."""
    ask: Ask
    """The request being answered: clock, index and the events since the last one."""
    note: str = ""
    """Text for the bot's owner, at most 1 kB. Set it in `choose`; only the owner sees it, in the viewer."""

    def choose(self, view: View, legal: Sequence[str]) -> Choice | Awaitable[Choice]:
        """Decide. Return one action, or several that are played in order.

        Several actions are played until chance intervenes or another seat is to act. `view` is everything that this
        seat may see of the game. `legal` are the legal actions as text; it is empty if `wants_legal` is false.
        """
        raise NotImplementedError

    def match_started(self) -> Awaitable[None] | None:
        """Prepare for a match: load or open here what the match needs.

        It is called when the offer of `self.match` was accepted. The players are known only later, in `choose`.
        """
        return None

    def match_ended(self, end: End) -> Awaitable[None] | None:
        """Clean up after a match; no other method is called after this one.

        `end` has the verdict, the scores and the address of the replay.
        """
        return None

    def match_aborted(self, reason: str, message: str) -> Awaitable[None] | None:
        """Clean up after a match that is not played, or not to its end; it counts for nobody.

        It is called instead of `match_ended`.
        """
        return None

    def fault(self, fault: Fault) -> Awaitable[None] | None:
        """React to a fault of this seat; a default decision was played instead."""
        return None


def check_bot(bot: type[Bot]) -> None:
    """Check that a bot can decide and can be given matches.

    Raises ValueError if it has no `choose`, or if it lists an expansion or a number of players that does not exist.
    """
    if bot.choose is Bot.choose:
        raise ValueError(f"{bot.__name__} has no method choose(self, view, legal)")
    for name, announced, known in (
        ("expansions", bot.expansions, EXPANSIONS),
        ("player_counts", bot.player_counts, PLAYER_COUNTS),
    ):
        if not isinstance(announced, (list, tuple, set, frozenset)) or set(announced) - {*known}:
            raise ValueError(f"{bot.__name__}.{name} is {announced!r}: give a list with some of {known!r}")
    if set(bot.player_counts) == {5} and not bot.expansions:
        raise ValueError(f"{bot.__name__} plays only with five players, who need an expansion: list one in expansions")
