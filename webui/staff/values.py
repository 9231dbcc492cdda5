"""What the people who run an arena look for and see, and what follows from what they do."""

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
    """Right of a member of staff. Each one but `GRANT` is a permission of Django."""

    VIEW_MATCH = "view_match"
    CHANGE_MATCH = "change_match"
    VIEW_LADDER = "view_ladder"
    CHANGE_LADDER = "change_ladder"
    VIEW_BOT = "view_bot"
    CHANGE_BOT = "change_bot"
    VIEW_USER = "view_user"
    CHANGE_USER = "change_user"
    VIEW_SUSPICIONS = "view_fairnessreport"
    VIEW_AUDIT = "view_auditentry"
    GRANT = "grant"
    """Right to say who is staff. No permission has this name, so nobody but an admin has it."""


GRANTED: Final = tuple(right for right in Right if right is not Right.GRANT)
"""Rights that an admin can give to others."""


class Role(StrEnum):
    """What an account may do beside playing."""

    PLAYER = "player"
    """Nothing."""
    STAFF = "staff"
    """See `/staff/`, and what rights allow."""
    ADMIN = "admin"
    """Everything, and say who is staff."""


@dataclass(frozen=True)
class MatchSearch:
    """Which matches are looked for; what is empty is not asked."""

    match: str = ""
    """An id, which alone decides."""
    bot: str = ""
    owner: str = ""
    """Name of the user whose bot has a seat."""
    state: str = ""
    ladder: str = ""
    trouble: str = ""
    """`forfeit`: a seat was given up; `taken-over`: it is in flight and has lost an owner; `late`: it is in flight and
    nobody works at it."""
    age: str = ""
    """`hour`, `day`, `week`: made since then; `old`: in flight, and made more than an hour ago."""


@dataclass(frozen=True)
class Ownership:
    """Who may write a match, and since when nobody does."""

    owner: str
    """A fresh id for each run of the task that plays it; empty while nobody does."""
    epoch: int
    attempts: int
    lease_s: float | None
    """Seconds until its lease is over; None: it has no owner."""
    waits_s: float | None
    """For how long it has waited for a worker; None: it does not."""


@dataclass(frozen=True)
class StaffMatchLine:
    """A match in a list for staff. Its seats are empty before it has begun, as for everybody."""

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
    """What else a match is part of."""

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
        """Whether what it is part of has a game played again that has no result."""
        return bool(self.event or self.comparison or self.is_examination)


@dataclass(frozen=True)
class StaffMatch:
    """A match for staff: what everybody may see of it now, and how it is worked at."""

    page: MatchPage
    """Without seats before it has begun."""
    ownership: Ownership
    rung_at: datetime | None
    """When the workers were last told of it again."""
    log_form: str
    has_record: bool
    shown: int | None
    """Decisions that spectators see; None: nothing is stored for them."""
    decided_s: float | None
    """Seconds since the last one was written; None where spectators are held back, or there is none."""
    belonging: Belonging
    orders: Sequence[OrderLine]
    """The latest first."""

    @property
    def is_in_flight(self) -> bool:
        """Whether it waits or runs."""
        return self.page.line.state in ("SCHEDULED", "RUNNING")

    @property
    def has_waiting_order(self) -> bool:
        """Whether a worker has still to carry one out."""
        return any(order.state == "waiting" for order in self.orders)

    @property
    def can_be_voided(self) -> bool:
        """Whether it can be ended without a result."""
        return self.is_in_flight and not self.has_waiting_order

    @property
    def can_be_played_again(self) -> bool:
        """Whether it ended without a result, and nobody else has it played again."""
        is_over = self.page.line.state in ("VOID", "ABORTED")
        free = not self.page.replaced_by and not self.belonging.plays_again_by_itself
        return is_over and free and not self.has_waiting_order


@dataclass(frozen=True)
class StaffLadder:
    """A ladder of a game for staff."""

    ladder: LadderRef
    matches: int
    """Rated ones that have finished."""
    scheduled: int
    running: int
    is_played: bool
    """Whether the matchmaker makes new matches for it now."""


@dataclass(frozen=True)
class StaffGame:
    """A game, with how it is played and its ladders, the one that is played now first."""

    terms: GameTerms
    percent: float
    """Of the matches of all open games; 0 for one that is closed."""
    ladders: Sequence[StaffLadder]

    @property
    def current(self) -> StaffLadder | None:
        """That of the present clock; None before its first match."""
        key = self.terms.clock
        return next((one for one in self.ladders if one.ladder.clock == key), None)


@dataclass(frozen=True)
class InFlight:
    """What bots are in now."""

    running: Sequence[str]
    """Ids of matches that have begun, at most `MOST_NAMED`."""
    running_count: int
    waiting_count: int
    """Matches that have not begun; nobody may know which."""
    events: Sequence[tuple[str, str]]
    """Address and name of events that go on and have one of them entered."""
    challenges: int
    """That wait for their bots."""


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
    """Last sign-in."""
    bots: int


@dataclass(frozen=True)
class StaffUser:
    """A user for staff."""

    line: UserLine
    role: Role
    rights: Sequence[Right]
    """Rights of somebody who is staff and no admin."""
    is_house: bool
    """Owns bots of the house."""
    is_erased: bool
    has_verified_email: bool
    has_second_factor: bool
    sessions: int
    bots: Sequence[BotLine]
    """The newest first, at most `BOTS_SHOWN`."""
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
    """That are not revoked."""
    taken_off: Sequence[str]
    """Versions that play no rated matches."""
    in_flight: InFlight


@dataclass(frozen=True)
class Queue:
    """What waits, and for how long the oldest has waited."""

    waiting: int
    oldest_s: float
    failed: int = 0
    """Of the newest ones, given up."""


@dataclass(frozen=True)
class DoctorReport:
    """What the nightly doctor found last."""

    at: datetime
    looked_at: Mapping[str, int]
    found: int
    findings: Sequence[Mapping[str, str]]
    skipped: int


@dataclass(frozen=True)
class Operations:
    """How the arena is at work, for the people who run it."""

    processes: Sequence[ProcessLine]
    matches: Queue
    """Those that wait for a referee."""
    running: int
    leases_over: int
    """Running matches whose owner has not renewed its lease in time."""
    orders: Queue
    mails: Queue
    webhooks: Queue
    doctor: DoctorReport | None
    """None: it has not run yet, or its report is too old."""


@dataclass(frozen=True)
class AuditSearch:
    """Which entries of the audit log are looked for; what is empty is not asked."""

    act: str = ""
    actor: str = ""
    account: str = ""
    subject: str = ""
    is_all: bool = False
    """What users did with their own accounts, too; otherwise acts of staff alone."""
