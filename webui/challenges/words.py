"""Words for refusals of challenges, and for what a challenge waits for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from webui.bots.presence import Online
from webui.challenges.values import ChallengeLine, ChallengeRefusal, ChallengeSeatLine
from webui.core.errors import LadderError

REFUSALS: Final[Mapping[str, Any]] = {
    "NO_OWN": _("A bot of yours must have a seat."),
    "NOT_ACCEPTED": _("%(bot)s does not accept your challenges."),
    "PAUSED": _("%(bot)s is paused and plays no matches."),
    "TWICE": _("A version can have only one seat: choose different bots or versions."),
    "NOT_YOURS": _("%(bot)s plays with its newest version."),
    "TAKEN_OFF": _("Version %(version)s of %(bot)s was taken off, because it forfeited several matches in a row."),
    "HOURLY": _("You have made %(n)s challenges within an hour. Wait a while."),
    "OPEN": _("You already have %(n)s challenges that wait or are played. Wait until one ends, or withdraw one."),
    "FRIENDS": _("Name at most %(n)s accounts."),
    "NO_ACCOUNT": _("There is no account %(name)s."),
}
"""Sentences by the reason of a `ChallengeRefusal`."""


def refusal_sentence(error: LadderError) -> str:
    """Return the reason for a refusal as a sentence."""
    if isinstance(error, ChallengeRefusal):
        return str(REFUSALS[error.reason]) % error.values
    return str(_("This cannot be played: choose the seats again."))


@dataclass(frozen=True)
class WaitingSeat:
    """A seat of a waiting challenge."""

    seat: ChallengeSeatLine
    state: str
    """State of its bot: `online`, `offline`, `other game` (online, but it does not play this game), or `unknown` (the
    bus is unavailable)."""


def waiting_seats(line: ChallengeLine, online: Online) -> list[WaitingSeat]:
    """Return the state of the bot at each seat. `online` are the sessions of each bot, or None if they are not
    known."""
    return [WaitingSeat(seat, _state(line, seat, online)) for seat in line.seats]


def _state(line: ChallengeLine, seat: ChallengeSeatLine, online: Online) -> str:
    if online is None:
        return "unknown"
    there = [
        session
        for session in online.get(seat.bot.id, ())
        if not session.leaving and (seat.version is None or session.bot_version == seat.version.id)
    ]
    if not there:
        return "offline"
    plays = any(
        line.ruleset.players in session.player_counts and set(line.ruleset.expansions) <= set(session.expansions)
        for session in there
    )
    return "online" if plays else "other game"
