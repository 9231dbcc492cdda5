"""What a bot author writes: a class with one method.

One object of it plays one match; its methods are never called at the same time.
"""

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from inspect import getsourcefile
from pathlib import Path
from typing import Any, ClassVar

from arena.bots.view import View
from arena.rules.components import EXPANSIONS
from arena.wire.codec import SeenEvent
from arena.wire.versions import LIBRARY_VERSION

PLAYER_COUNTS = (2, 3, 4, 5)
Choice = str | Sequence[str]


@dataclass(frozen=True, slots=True)
class MatchInfo:
    """The match that a bot plays, as it was offered."""

    id: str
    seat: int
    """Your seat, from 1."""
    ruleset: dict[str, Any]
    """`{"players": 4, "expansions": []}`."""
    participants: tuple[dict[str, Any], ...] = ()
    """Who plays, seat 1 first: `name`, `version`, `owner`. Empty until all have accepted the match."""
    clock: dict[str, Any] | None = None
    """`bank_ms`, `increment_ms`, `cap_ms`."""
    policy: dict[str, Any] | None = None
    """`strikes`, `grace_ms`, `house`."""
    commitment: bytes = b""
    """The hash of the server's own share of the seed, which it cannot change any more."""
    nonce: bytes = b""
    """What this process gives to the seed; empty if the process was started again since."""
    nonce_hashes: tuple[bytes, ...] = ()
    """SHA-256 of every seat's nonce, seat 1 first, as they stood when this process was asked for its own."""
    rated: bool = False
    offer: dict[str, Any] | None = None
    """The offer as the arena has signed it: `document` and `signature`. None until all have accepted the match, and
    from an arena of before."""


@dataclass(frozen=True, slots=True)
class Ask:
    """What came with a decision request besides the view."""

    index: int
    """The place in the record of the action that is asked for."""
    events: tuple[SeenEvent, ...]
    """What happened since the last request."""
    bank_ms: int
    """Time left, the increment for this decision included."""
    increment_ms: int
    """What this decision has added to it."""
    cap_ms: int
    """The most that this one decision may take."""
    last_round_trip: dict[str, int] | None
    """`network_ns`, `queue_ns`, `thinking_ns` of the last answer, as the server measured them."""
    grace_ms: int = 0
    """How long you may still be gone in this match."""


@dataclass(frozen=True, slots=True)
class Fault:
    """Something this seat did wrong; the default decision was played for it."""

    index: int
    """The place in the record of the decision that went wrong."""
    reason: str
    """`ILLEGAL`, `MALFORMED`, `LATE`, `GONE`, `FLOODING`, `NO_REVEAL`, or one that is newer than this library."""
    rule: str
    """The section of the rules that an illegal action breaks, else empty."""
    message: str
    """What was wrong, in a sentence."""
    strikes: int
    """The strikes of this seat so far, this one included."""
    played: str
    """What was played instead."""
    forfeited: bool
    """Whether that was one strike too many: the arena's own player goes on for this seat."""


@dataclass(frozen=True, slots=True)
class End:
    """How a match ended."""

    verdict: dict[str, Any]
    """`kind`, `placements`, `forfeits`."""
    result: dict[str, Any] | None
    """`scores`, `ranks`, `reason` of the game, if it was played to its end."""
    server_seed: bytes
    """What `match.commitment` was the hash of."""
    nonces: tuple[bytes, ...]
    """What every seat gave to the seed, seat 1 first."""
    deal: bytes
    """The seed of the set-up, if several games have the same one; else empty."""
    replay_url: str
    """The address of the replay."""


class Bot:
    """Derive from this and write `choose`.

    One object plays one match, in a thread of its own; its methods are never called at the same time. Each of them may
    be `async def`: then it is awaited on an event loop of the match, which runs while a method is awaited and is closed
    at the end. `choose` is cancelled where its decision is no longer wanted: its time is up, or the match is over.
    What `choose` raises costs a strike, with a default decision in its place; what another method raises costs nothing.
    """

    name: ClassVar[str] = ""
    """The bot's name as registered, to be told clearly when the token is another bot's. May stay empty."""
    version: ClassVar[str] = ""
    """A new version is rated anew. When empty, it is taken from the text of the bot's source file."""
    player_counts: ClassVar[Sequence[int]] = ()
    """The numbers of players this bot plays; empty for all."""
    expansions: ClassVar[Sequence[str]] = ()
    """The expansions this bot can play, of `artisans` and `whims`: it is offered matches with some, all or none of
    them, and with no others. Five players need one of them."""
    wants_legal: ClassVar[bool] = True
    """False: the server need not list the legal actions, `legal` is empty."""

    match: MatchInfo
    """The match that this object plays."""
    ask: Ask
    """The request that is being answered: clock, index and the events since the last one."""
    note: str = ""
    """Set it in `choose`: it goes with this answer, at most 1 kB, and only the bot's owner sees it in the viewer."""

    def choose(self, view: View, legal: Sequence[str]) -> Choice | Awaitable[Choice]:
        """Decide: one action, or several to be played in order until chance intervenes or another seat is to act."""
        raise NotImplementedError

    def match_started(self) -> Awaitable[None] | None:
        """The offer of `self.match` was accepted: what a bot loads or opens for a match belongs here. Who plays is told
        later, and known in `choose`."""
        return None

    def match_ended(self, end: End) -> Awaitable[None] | None:
        """The match is over, and this is the last method called: what was opened is closed here. `end` has the verdict,
        the scores and the address of the replay."""
        return None

    def match_aborted(self, reason: str, message: str) -> Awaitable[None] | None:
        """The match will not be played, or not to its end; it counts for nobody. Called instead of `match_ended`."""
        return None

    def fault(self, fault: Fault) -> Awaitable[None] | None:
        """This seat did something wrong, and a default decision was played for it."""
        return None


def check_bot(bot: type[Bot]) -> None:
    """Raise ValueError if it cannot decide, or announces what there is not: that would leave it without matches."""
    if bot.choose is Bot.choose:
        raise ValueError(f"{bot.__name__} has no method choose(self, view, legal)")
    for name, announced, known in (
        ("expansions", bot.expansions, EXPANSIONS),
        ("player_counts", bot.player_counts, PLAYER_COUNTS),
    ):
        if not isinstance(announced, (list, tuple, set, frozenset)) or set(announced) - {*known}:
            raise ValueError(f"{bot.__name__}.{name} is {announced!r}: give a list with some of {known!r}")
    if set(bot.player_counts) == {5} and not bot.expansions:
        raise ValueError(f"{bot.__name__} plays with five alone and knows no expansion: five play with one only")


def version_of(bot: type[Bot]) -> str:
    """The version to say hello with."""
    if bot.version:
        return bot.version
    source = getsourcefile(bot)
    return sha256(Path(source).read_bytes()).hexdigest()[:LIBRARY_VERSION] if source else "0"
