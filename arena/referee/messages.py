"""The events that go into a referee (past tense) and the commands that come out (imperative).

Values without behaviour.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from arena.referee.log import Entry, Reason
from arena.referee.verdict import Verdict
from arena.rules import Action, Phase, State, View
from arena.rules import Event as GameEvent

# --- events ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class MatchOpened:
    """A process has folded the log, which may be empty, and begins to referee. This is the first event."""


@dataclass(frozen=True, slots=True)
class OfferAccepted:
    """A bot has accepted the match."""

    seat: int
    nonce_hash: bytes
    """SHA-256 of its nonce."""
    by: str = ""
    """The bot's process that plays, in the shell's own terms. It is stored for the match's next owner."""


@dataclass(frozen=True, slots=True)
class NonceRevealed:
    """A bot has revealed its nonce."""

    seat: int
    nonce: bytes
    """The nonce. Empty means that the bot will not or cannot reveal it, unless its hash is that of an empty nonce."""


@dataclass(frozen=True, slots=True)
class OfferDeclined:
    """A bot does not accept the match."""

    seat: int
    reason: str = "the bot declined the offer"
    """The arena's own sentence, which all bots of the match receive."""
    said: str = ""
    """The bot's words. Only its owner may read them."""
    is_blamed: bool = True
    """Whether the bot declined. Otherwise it could not be asked, and it is blamed only if it had dropped the offer
    before."""
    is_overbooked: bool = False
    """Whether the bot was not asked because the arena had given its last place away twice. The abort then names no
    seat."""


@dataclass(frozen=True, slots=True)
class AskWritten:
    """The pending ask has been sent to the bot: its clock runs from now on."""

    seat: int
    index: int


@dataclass(frozen=True, slots=True)
class ClockRead:
    """A measurement around the wire of how long the bot has had the pending ask, the offer, or the request to reveal.

    Hand it in before `TimePassed`, because the time that a shell measures is longer than the bot's own.
    """

    seat: int
    index: int
    """Index of the ask; meaningless before the game."""
    open_ns: int
    gone_ns: int = 0
    """Part of `open_ns` for which the bot had no stream."""


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """A bot has had the pending ask for this long on a path that it has left. The time is charged to its next path."""

    seat: int
    index: int
    open_ns: int
    gone_ns: int = 0
    """Part of `open_ns` for which the bot had no stream."""


@dataclass(frozen=True, slots=True)
class MoveArrived:
    """A bot has answered."""

    seat: int
    index: int
    """Index of the ask that it answers."""
    actions: tuple[str, ...]
    note: str = ""
    think_ns: int = 0
    """Time to charge, as measured around the wire on the path on which the answer came."""
    network_ns: int = 0
    """Measured time that is not charged: the round trip."""
    queue_ns: int = 0
    """Measured time that is not charged: waiting at the gateway."""
    gone_ns: int = 0
    """Part of `think_ns` for which the bot had no stream."""


@dataclass(frozen=True, slots=True)
class SeatFaulted:
    """A bot broke a rule of the protocol: it sent a message that cannot be parsed, or far too many messages."""

    seat: int
    reason: Reason
    message: str


@dataclass(frozen=True, slots=True)
class SeatLost:
    """A bot dropped its stream while its path was sound. The bot is responsible."""

    seat: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SeatBack:
    """A path to the bot exists again, whatever the loss was."""

    seat: int
    by: str = ""
    """Process of the bot that plays from now on; empty if it is the same as before."""


@dataclass(frozen=True, slots=True)
class PathLost:
    """Our path to a bot broke: none of its clocks runs until it is back."""

    seat: int
    left_by_bot: bool = False
    """Whether the bot has left this path for another one."""
    is_refused: bool = False
    """Whether the gateway refused the message although nothing of ours is known to be broken."""
    is_handed_over: bool = False
    """Whether another process of the bot takes over. No `TimeSpent` tells how long the old one has had its ask."""


@dataclass(frozen=True, slots=True)
class TimePassed:
    """The time is `wake_at` or later, and everything that arrived before has been handed in."""


Event = (
    MatchOpened
    | OfferAccepted
    | OfferDeclined
    | NonceRevealed
    | AskWritten
    | ClockRead
    | TimeSpent
    | MoveArrived
    | SeatFaulted
    | SeatLost
    | SeatBack
    | PathLost
    | TimePassed
)

# --- commands, to be carried out in the order given ------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Append:
    """Store these entries durably, in one transaction, before anything that follows."""

    entries: tuple[Entry, ...]
    positions: tuple[tuple[int, State], ...] = field(default=(), compare=False, repr=False)
    """For each decision among the entries: its index, and the state after it and the chance events that followed."""


@dataclass(frozen=True, slots=True)
class OfferMatch:
    """Offer the match to a bot."""

    seat: int


@dataclass(frozen=True, slots=True)
class AskReveal:
    """Ask a bot for its nonce, now that all seats have sent their hashes."""

    seat: int
    nonce_hashes: tuple[bytes, ...]
    """Hashes of all seats, seat 1 first."""


@dataclass(frozen=True, slots=True)
class AskMove:
    """Ask a bot for its decision; then hand in `AskWritten`."""

    seat: int
    index: int
    phase: Phase
    view: View
    """Everything that the seat may see."""
    events: Sequence[GameEvent]
    """Events since its last ask, as the seat may see them."""
    since: int
    """Index of the first of these events."""
    legal: Iterable[Action]
    """Legal actions, enumerated only when they are read."""
    bank_ms: int
    cap_ms: int
    """Bank and cap for a path that begins now. The process that measures the path subtracts the time spent on it."""
    grace_ms: int
    """Grace that is left."""

    @property
    def limit_ms(self) -> int:
        """Time limit of the ask: the smaller of bank and cap."""
        return min(self.bank_ms, self.cap_ms)


@dataclass(frozen=True, slots=True)
class ResumeSeat:
    """Give a bot its running match back. Its pending ask, if any, follows as `AskReveal` or `AskMove`."""

    seat: int
    index: int
    view: View | None
    """None before the game has begun."""
    bank_ms: int
    """Bank without the time that the seat has already had for its pending ask."""
    grace_ms: int
    all_accepted: bool = True
    """Whether all seats have accepted. Before that, no bot learns who plays."""


@dataclass(frozen=True, slots=True)
class TellFault:
    """Tell a bot about its own fault."""

    seat: int
    index: int
    reason: str
    rule: str
    message: str
    strikes: int
    played: str
    """Default decision; empty if none was played."""
    has_forfeited: bool


@dataclass(frozen=True, slots=True)
class FinishMatch:
    """The match has ended: store its result, then tell every bot."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class AbortMatch:
    """The match does not begin: store that, then tell every bot."""

    reason: str
    message: str
    seats: tuple[int, ...]
    """Seats that are the cause. They are blamed unless the reason is NO_PLACE."""


Command = Append | OfferMatch | AskReveal | AskMove | ResumeSeat | TellFault | FinishMatch | AbortMatch
