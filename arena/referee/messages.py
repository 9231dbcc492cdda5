"""What goes into a referee (events, past tense) and what comes out (commands, imperative). Values without behaviour."""

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
    """An owner has folded the log, whatever there is of it, and begins to referee. The first event."""


@dataclass(frozen=True, slots=True)
class OfferAccepted:
    """A bot takes the match."""

    seat: int
    nonce_hash: bytes
    """SHA-256 of its nonce."""
    by: str = ""
    """Which process of the bot plays it, in whatever words the shell uses: it is kept for the match's next owner."""


@dataclass(frozen=True, slots=True)
class NonceRevealed:
    """A bot gives its nonce away."""

    seat: int
    nonce: bytes
    """Empty, unless that is what it gave the hash of: it says that it will not, or cannot."""


@dataclass(frozen=True, slots=True)
class OfferDeclined:
    """A bot does not take the match."""

    seat: int
    reason: str = ""
    is_blamed: bool = True
    """Whether it is the bot's doing; else it could not be asked, and nothing counts against it, unless it has let go of
    the offer before."""


@dataclass(frozen=True, slots=True)
class AskWritten:
    """The pending ask is on its way to the bot: from now on it must be answered in time."""

    seat: int
    index: int


@dataclass(frozen=True, slots=True)
class ClockRead:
    """Who measures the pending ask (or the offer, or the request to reveal) around the wire says how long the bot has
    had it. To be handed in before `TimePassed`: what a shell sees of time is longer than what a bot had."""

    seat: int
    index: int
    """The ask; of no meaning before the game."""
    open_ns: int
    gone_ns: int = 0
    """Of that, for how long the bot had no stream."""


@dataclass(frozen=True, slots=True)
class TimeSpent:
    """A bot has had the pending ask for so long on a path that it has left. That goes on its next path's account."""

    seat: int
    index: int
    open_ns: int
    gone_ns: int = 0
    """Of that, for how long the bot had no stream."""


@dataclass(frozen=True, slots=True)
class MoveArrived:
    """A bot's answer."""

    seat: int
    index: int
    """The ask that it answers."""
    actions: tuple[str, ...]
    note: str = ""
    think_ns: int = 0
    """What is charged, as it was measured around the wire, on the path on which it came."""
    network_ns: int = 0
    """What was measured and is not charged: for the round trip."""
    queue_ns: int = 0
    """What was measured and is not charged: for what waited at the gateway."""
    gone_ns: int = 0
    """For how long of `think_ns` the bot had no stream."""


@dataclass(frozen=True, slots=True)
class SeatFaulted:
    """A bot broke a rule of the wire: a message that cannot be read, or far too many of them."""

    seat: int
    reason: Reason
    message: str


@dataclass(frozen=True, slots=True)
class SeatLost:
    """A bot dropped its stream while the way to it was sound: its doing."""

    seat: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class SeatBack:
    """There is a way to the bot again, after whichever loss."""

    seat: int


@dataclass(frozen=True, slots=True)
class PathLost:
    """Our way to a bot broke: no clock of it runs until it is back."""

    seat: int
    left_by_bot: bool = False
    """The bot has left it for another one."""
    is_refused: bool = False
    """The gateway would not take what was sent, and nothing of ours is known to have broken."""


@dataclass(frozen=True, slots=True)
class TimePassed:
    """It is `wake_at` or later, and everything that arrived before has been handed in."""


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
    """Make these entries durable, in one transaction, before anything that follows."""

    entries: tuple[Entry, ...]
    positions: tuple[tuple[int, State], ...] = field(default=(), compare=False, repr=False)
    """For each decision among them its index, and the state after it and the chance that followed."""


@dataclass(frozen=True, slots=True)
class OfferMatch:
    """Offer the match to a bot."""

    seat: int


@dataclass(frozen=True, slots=True)
class AskReveal:
    """Ask a bot for its nonce, now that all seats have given the hash of theirs."""

    seat: int
    nonce_hashes: tuple[bytes, ...]
    """Seat 1 first."""


@dataclass(frozen=True, slots=True)
class AskMove:
    """Ask a bot for its decision; then hand in `AskWritten`."""

    seat: int
    index: int
    phase: Phase
    view: View
    """All that the seat may see."""
    events: Sequence[GameEvent]
    """Since its last ask, as the seat may see them."""
    since: int
    """The index of the first of them."""
    legal: Iterable[Action]
    """Enumerated only when somebody looks."""
    bank_ms: int
    cap_ms: int
    """Bank and cap as they are for a path that begins now; who measures that path takes off what passes on it."""
    grace_ms: int
    """What is left of it."""

    @property
    def limit_ms(self) -> int:
        """When it is late: the smaller of bank and cap."""
        return min(self.bank_ms, self.cap_ms)


@dataclass(frozen=True, slots=True)
class ResumeSeat:
    """Give a bot its running match back. Its pending ask, if any, follows as `AskReveal` or `AskMove`."""

    seat: int
    index: int
    view: View | None
    """None before the game has begun."""
    bank_ms: int
    """Without what the seat has had of its pending ask."""
    grace_ms: int
    all_accepted: bool = True
    """Whether all seats have accepted: before that no bot is told who plays."""


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
    """The default decision, empty if none was played."""
    has_forfeited: bool


@dataclass(frozen=True, slots=True)
class FinishMatch:
    """The match has ended: write its result, then tell every bot."""

    verdict: Verdict


@dataclass(frozen=True, slots=True)
class AbortMatch:
    """The match does not begin: write that, then tell every bot."""

    reason: str
    message: str
    seats: tuple[int, ...]
    """Whose doing it was."""


Command = Append | OfferMatch | AskReveal | AskMove | ResumeSeat | TellFault | FinishMatch | AbortMatch
