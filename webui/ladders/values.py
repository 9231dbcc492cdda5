"""Values of ladders: what staff set for them, references, and the terms of their games.

A setting is declared once here. Actions, the form for staff and the rights of the site are derived from it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Final

from arena.events import TermsError
from arena.events.fields import FlagRule, NumberRule, TermRule, TermsTable, term
from arena.referee import Clock
from arena.rules import Ruleset

MOST_SHARE: Final = 100
"""Maximum share of one game."""


@dataclass(frozen=True, slots=True)
class LimitedClock(TermsTable):
    """Thinking time of a seat, within the limits of the arena."""

    where: ClassVar[str] = "clock"
    bank_ms: int = term(
        NumberRule(0, 3_600_000, "ms"), "Milliseconds at the start of the match.", default=Clock().bank_ms
    )
    increment_ms: int = term(
        NumberRule(0, 60_000, "ms"), "Milliseconds added with each bid and turn.", default=Clock().increment_ms
    )
    cap_ms: int = term(
        NumberRule(1, 600_000, "ms"), "Maximum time for one decision, in milliseconds.", default=Clock().cap_ms
    )


@dataclass(frozen=True, slots=True)
class LadderClock(LimitedClock):
    """The clock of a ladder, under which bots must be able to think."""

    cap_ms: int = term(NumberRule(100, 600_000, "ms"), default=Clock().cap_ms)

    def __post_init__(self) -> None:
        if not self.bank_ms and not self.increment_ms:
            message = "needs a bank or an increment: otherwise nobody could think"
            raise TermsError("BAD_NUMBER", self.where, message)


class ClockRule(TermRule[Clock]):
    """A clock within the limits of `LadderClock`."""

    def read(self, value: Any, where: str) -> Clock:
        """Return the clock of a document."""
        return Clock(**LadderClock.parse(value).document())

    def write(self, value: Any) -> Any:
        """Return the clock's document."""
        return value.document()


@dataclass(frozen=True, slots=True)
class GameSettings(TermsTable):
    """The columns of `LadderTerms` that staff set."""

    is_open: bool = term(FlagRule(), "Whether new rated matches are made.")
    share: int = term(NumberRule(1, MOST_SHARE), "Share of the running matches, relative to the other games.")
    clock: Clock = term(ClockRule(), "Clock of new matches.")


@dataclass(frozen=True, slots=True, kw_only=True)
class GameTerms(GameSettings):
    """The terms under which the matchmaker plays a game."""

    game: str
    ruleset: Ruleset
    revision: int
    """Number of changes so far. 0 if the game has its default terms."""


@dataclass(frozen=True, slots=True)
class LadderSettings(TermsTable):
    """The columns of `Ladder` that staff set."""

    delay: int = term(
        NumberRule(0, 500), "Decisions that spectators of a running match see late; all at its end.", default=0
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class LadderRef(LadderSettings):
    """A ladder: its ruleset and clock, and its title for people."""

    id: int
    slug: str
    title: str
    players: int
    expansions: tuple[str, ...]
    clock: Clock
