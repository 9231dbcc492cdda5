"""Values of people at tables."""

from dataclasses import dataclass
from typing import Final

from arena.referee import Clock
from arena.rules import State, View
from webui.bots.values import BotRef
from webui.core.errors import Refusal
from webui.ladders.values import LadderRef
from webui.ratings.values import Rated
from webui.words.titles import UNTIMED_MS

MINUTE_MS: Final = 60_000
CLOCKS: Final = {
    "none": Clock(bank_ms=UNTIMED_MS, increment_ms=0, cap_ms=20 * MINUTE_MS),
    "30": Clock(bank_ms=30 * MINUTE_MS, increment_ms=0, cap_ms=10 * MINUTE_MS),
    "10": Clock(bank_ms=10 * MINUTE_MS, increment_ms=0, cap_ms=2 * MINUTE_MS),
}
"""Clocks by name, the same for all seats. Even without a clock, whoever goes away gives up after a while: no bot waits
for ever.
"""
CLOCK_FOR_OTHERS: Final = "10"
"""The only clock for a table with bots that are not the house's. A program that never answers has a core as long."""
GUEST_DAY_S: Final = 86400.0
"""Seconds for which a guest comes back to a game in the same browser."""


class TableRefused(Refusal):
    """The person cannot sit down at this table."""

    code = "TABLE_REFUSED"


class AnswerRefused(Refusal):
    """The decision is not the one that is asked for. The page is older than the game."""

    code = "ANSWER_REFUSED"


@dataclass(frozen=True)
class Visitor:
    """Who sits at the browser: an account, or else a guest."""

    user_id: int | None
    guest: str | None
    """Hash of the secret in the browser. None if there is none, or somebody is signed in."""


@dataclass(frozen=True)
class OfferedOpponent:
    """A bot that plays against people."""

    bot: BotRef
    description: str
    rated: Rated | None
    """Rating of its best version. None if it has none."""
    ladder: LadderRef | None
    """Ladder of this rating. None if it is on the overall list."""


@dataclass(frozen=True)
class RatedPerson:
    """A person with a rating against bots of the house."""

    name: str
    """Name at tables."""
    user: str | None
    """Name of the account. None for a guest."""
    rated: Rated


@dataclass(frozen=True)
class OwnSeat:
    """The seat of a person in a match."""

    match: str
    seat: int
    state: str
    has_left: bool
    """Whether the person has given up or forfeited, so that a house player goes on."""


@dataclass(frozen=True)
class AskedSeat:
    """What the seat of a person is asked for."""

    index: int
    """Index of the decision among the events of the game."""
    view: View
    state: State
    """A state that fits the view. What is legal in it is legal for the seat."""
