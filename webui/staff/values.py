"""Values of the pages of staff: searches, what the pages show, and the consequences of acts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Final

from webui.bots.values import BotRef
from webui.ladders.values import GameTerms, LadderRef
from webui.matches.values import MatchLine, MatchPage
from webui.profiles.values import BotLine
from webui.status.values import ProcessLine


class Right(StrEnum):
    """Right of a member of staff. Each one but `GRANT` is a permission of Django, with the app of its table."""

    VIEW_MATCH = "matches.view_match"
    CHANGE_MATCH = "matches.change_match"
    VIEW_LADDER = "ladders.view_ladder"
    CHANGE_LADDER = "ladders.change_ladder"
    VIEW_BOT = "bots.view_bot"
    CHANGE_BOT = "bots.change_bot"
    VIEW_HOSTING = "hosting.view_submission"
    CHANGE_HOSTING = "hosting.change_submission"
    VIEW_USER = "accounts.view_user"
    CHANGE_USER = "accounts.change_user"
    VIEW_SUSPICIONS = "fairness.view_fairnessreport"
    VIEW_AUDIT = "accounts.view_auditentry"
    GRANT = "staff.grant"
    """Right to say who is staff. No permission has this name, so nobody but an admin has it."""


GRANTED: Final = tuple(right for right in Right if right is not Right.GRANT)
"""Rights that an admin can give to others."""


class Role(StrEnum):
    """Role of an account, which decides its rights besides playing."""

    PLAYER = "player"
    """Nothing."""
    STAFF = "staff"
    """See `/staff/`, and what rights allow."""
    ADMIN = "admin"
    """Everything, and say who is staff."""


@dataclass(frozen=True)
class MatchSearch:
    """Conditions of a search for matches. An empty field sets no condition."""

    match: str = ""
    """Id of the match. The other conditions are then ignored."""
    bot: str = ""
    owner: str = ""
    """Name of the user whose bot has a seat."""
    state: str = ""
    ladder: str = ""
    trouble: str = ""
    """Kind of problem: `forfeit`: a seat was forfeited; `taken-over`: the match is in flight and has lost an owner;
    `late`: the match is in flight and nobody works on it.
    """
    age: str = ""
    """Age of the match: `hour`, `day` or `week`: made since then; `old`: in flight and made more than an hour ago."""


@dataclass(frozen=True)
class Ownership:
    """The owner of a match, which may write it, and its lease."""

    owner: str
    """Id that is new for each run of the task that plays the match. Empty while there is no owner."""
    epoch: int
    failures: int
    """Number of owners that failed at the match."""
    lease_s: float | None
    """Seconds until the lease expires. None: the match has no owner."""
    waits_s: float | None
    """Seconds that the match has waited for a worker. None: it does not wait."""


@dataclass(frozen=True)
class StaffMatchLine:
    """A match in a list for staff. Before it has begun, its seats are empty, as on public pages."""

    line: MatchLine
    ownership: Ownership


@dataclass(frozen=True)
class OrderLine:
    """An order of staff about a match."""

    kind: str
    reason: str
    by: str
    at: datetime
    state: str
    ended_at: datetime | None


@dataclass(frozen=True)
class Belonging:
    """Event, comparison, challenge or examination that a match is part of."""

    event: str = ""
    """Address of the event."""
    event_name: str = ""
    round: int = 0
    table: int = 0
    game: int = 0
    comparison: str = ""
    challenge: str = ""
    is_examination: bool = False

    @property
    def plays_again_by_itself(self) -> bool:
        """Return whether a match without a result is replaced automatically."""
        return bool(self.event or self.comparison or self.is_examination)


@dataclass(frozen=True)
class StaffMatch:
    """A match for staff: what is public now, and who works on it."""

    page: MatchPage
    """The match as its public page shows it, without seats before it has begun."""
    ownership: Ownership
    rung_at: datetime | None
    """Time when the workers were last notified of it again."""
    log_form: str
    has_record: bool
    shown: int | None
    """Number of decisions that spectators see. None: nothing is stored for them."""
    decided_s: float | None
    """Seconds since the last decision was written. None if spectators have a delay, or if there is no decision."""
    belonging: Belonging
    orders: Sequence[OrderLine]
    """Orders about the match, latest first."""

    @property
    def is_in_flight(self) -> bool:
        """Return whether the match waits or runs."""
        return self.page.line.state in ("SCHEDULED", "RUNNING")

    @property
    def has_waiting_order(self) -> bool:
        """Return whether an order is still waiting for a worker."""
        return any(order.state == "waiting" for order in self.orders)

    @property
    def can_be_voided(self) -> bool:
        """Return whether the match can be ended without a result."""
        return self.is_in_flight and not self.has_waiting_order

    @property
    def can_be_played_again(self) -> bool:
        """Return whether the match ended without a result, and nothing else replaces it."""
        is_over = self.page.line.state in ("VOID", "ABORTED")
        free = not self.page.replaced_by and not self.belonging.plays_again_by_itself
        return is_over and free and not self.has_waiting_order


@dataclass(frozen=True)
class StaffLadder:
    """A ladder of a game for staff."""

    ladder: LadderRef
    matches: int
    """Number of rated matches that have finished."""
    scheduled: int
    running: int
    is_played: bool
    """Whether the matchmaker makes new matches for the ladder now."""


@dataclass(frozen=True)
class StaffGame:
    """A game, how it is played, and its ladders. The ladder that is played now comes first."""

    terms: GameTerms
    percent: float
    """Share of the matches of all open games, in percent. 0 for a closed game."""
    ladders: Sequence[StaffLadder]

    @property
    def current(self) -> StaffLadder | None:
        """Return the ladder of the present clock, or None before its first match."""
        key = self.terms.clock
        return next((ladder for ladder in self.ladders if ladder.ladder.clock == key), None)


@dataclass(frozen=True)
class InFlight:
    """Matches, events and challenges that bots take part in now."""

    running: Sequence[str]
    """Ids of matches that have begun, at most `MOST_NAMED`."""
    running_count: int
    waiting_count: int
    """Number of matches that have not begun. Their ids are not shown, because they are secret."""
    events: Sequence[tuple[str, str]]
    """Address and name of each live event that one of the bots has entered."""
    challenges: int
    """Number of challenges that wait for their bots."""


@dataclass(frozen=True)
class UserLine:
    """A user in a list for staff."""

    id: int
    name: str
    email: str
    is_active: bool
    is_staff: bool
    joined: datetime
    seen: datetime | None
    """Time of the last sign-in."""
    bots: int


@dataclass(frozen=True)
class StaffUser:
    """A user for staff."""

    line: UserLine
    role: Role
    rights: Sequence[Right]
    """Rights of a member of staff who is not an admin."""
    is_house: bool
    """Whether the user owns house bots."""
    is_erased: bool
    has_verified_email: bool
    has_second_factor: bool
    sessions: int
    bots: Sequence[BotLine]
    """Bots, newest first, at most `BOTS_SHOWN`."""
    in_flight: InFlight


@dataclass(frozen=True)
class StaffBot:
    """A bot for staff."""

    bot: BotRef
    state: str
    description: str
    created_at: datetime
    owner_is_active: bool
    is_retired: bool
    versions: int
    tokens: int
    """Number of tokens that are not revoked."""
    taken_off: Sequence[str]
    """Versions that play no rated matches."""
    sources: int
    """Number of versions whose source is published."""
    in_flight: InFlight


@dataclass(frozen=True)
class Queue:
    """A queue: how many items wait, and how long the oldest has waited."""

    waiting: int
    oldest_s: float
    failed: int = 0
    """Number of failed items among the newest."""


@dataclass(frozen=True)
class DoctorReport:
    """The latest report of the nightly doctor."""

    at: datetime
    looked_at: Mapping[str, int]
    found: int
    findings: Sequence[Mapping[str, str]]
    skipped: int


@dataclass(frozen=True)
class Operations:
    """The state of the arena for the people who run it."""

    processes: Sequence[ProcessLine]
    matches: Queue
    """Matches that wait for a referee."""
    running: int
    leases_over: int
    """Number of running matches whose lease has expired."""
    orders: Queue
    mails: Queue
    webhooks: Queue
    doctor: DoctorReport | None
    """Latest report of the doctor. None: it has not run yet, or its report is too old."""


@dataclass(frozen=True)
class AuditSearch:
    """Conditions of a search in the audit log. An empty field sets no condition."""

    act: str = ""
    actor: str = ""
    account: str = ""
    subject: str = ""
    is_all: bool = False
    """Whether to include what users did with their own accounts. Otherwise only acts of staff are found."""


@dataclass(frozen=True, kw_only=True)
class StaffSubmission:
    """A submission for staff, in any state."""

    id: int
    bot: str
    slug: str
    """Slug of the bot."""
    owner: str
    version: str
    state: str
    is_current: bool
    is_kept: bool
    """Whether an event, a comparison or a challenge plays with it."""
    has_image: bool
    lock_reason: str
    """Reason for which staff have locked it. Empty if it is not locked."""
    runner: str
    """Name of the runner that builds or examines it. Empty if none does."""
    failures: int
    """Number of claims that ended by a fault of the arena."""
    fault: str
    fault_text: str
    created_at: datetime
    ended_at: datetime | None


@dataclass(frozen=True, kw_only=True)
class StaffRunner:
    """A runner for staff."""

    id: int
    name: str
    created_at: datetime
    seen_at: datetime | None
    is_heard: bool
    """Whether it has called lately."""
    paused_at: datetime | None
    cores: int
    places: int
    seats: Sequence[str] | None
    """Matches of the seats that it plays. None: the bus does not answer."""
    jobs: Sequence[StaffSubmission]


@dataclass(frozen=True, kw_only=True)
class StaffHosting:
    """Hosted bots as a whole."""

    paused_at: datetime | None
    runners: Sequence[StaffRunner]
    waiting: int
    """Number of submissions that wait for a runner."""
    versions: int
    """Number of hosted versions that play."""
