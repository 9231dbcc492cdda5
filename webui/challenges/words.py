"""Challenges in words: why one is refused, and what one waits for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.utils.translation import gettext_lazy as _

from arena.bus import Presence
from webui.challenges.values import ChallengeLine, ChallengeRefusal, ChallengeSeatLine
from webui.core.errors import LadderError

REFUSALS: Final[Mapping[str, Any]] = {
    "NO_OWN": _("A bot of yours must have a seat."),
    "NOT_ACCEPTED": _("%(bot)s does not accept your challenges."),
    "PAUSED": _("%(bot)s is paused and plays no matches."),
    "TWICE": _("A version has one seat at most: choose different bots or versions."),
    "NOT_YOURS": _("Of %(bot)s the newest version plays."),
    "TAKEN_OFF": _("Version %(version)s of %(bot)s was taken off, since it forfeited one match after the other."),
    "HOURLY": _("You have made %(n)s challenges within an hour. Wait a while."),
    "OPEN": _("%(n)s challenges of yours wait or are played. Let one end, or withdraw one."),
    "FRIENDS": _("Name %(n)s accounts at most."),
    "NO_ACCOUNT": _("There is no account %(name)s."),
}
"""By the reason of a `ChallengeRefusal`."""


def refusal_sentence(error: LadderError) -> str:
    """Why it was refused."""
    if isinstance(error, ChallengeRefusal):
        return str(REFUSALS[error.reason]) % error.values
    return str(_("This cannot be played: choose the seats again."))


@dataclass(frozen=True)
class WaitingSeat:
    """A seat of a challenge that waits."""

    seat: ChallengeSeatLine
    state: str
    """`online`, `offline`, `other game`: it is online and does not play this one; `unknown`: the bus is away."""


def waiting_seats(line: ChallengeLine, online: Mapping[int, Sequence[Presence]] | None) -> list[WaitingSeat]:
    """Of each seat whether its bot is there. `online`: the connected processes of each bot; None: not known."""
    return [WaitingSeat(seat, _state(line, seat, online)) for seat in line.seats]


def _state(line: ChallengeLine, seat: ChallengeSeatLine, online: Mapping[int, Sequence[Presence]] | None) -> str:
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
        line.ruleset["players"] in session.player_counts and set(line.ruleset["expansions"]) <= set(session.expansions)
        for session in there
    )
    return "online" if plays else "other game"
