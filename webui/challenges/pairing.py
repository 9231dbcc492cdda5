"""The matches of challenges: made as soon as all bots are online with a free place.

They come before the ladders' matches, so that a challenge gets the next place that is free, and take part of what the
ladders leave untouched: a bot with several places always keeps one for rated matches, a bot that an event waits for is
left to the event, and half as many as the ladders' matches are played at the same time. While only the opponents have
no place yet, one of the challenger's is kept.

Any number of advancers may run at any time and be killed anywhere: each challenge is one transaction that moves its
state by compare-and-set.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import structlog
from django.db import transaction
from django.db.models import F, Prefetch
from django.db.models.functions import Now

from arena.referee import Clock, Policy
from arena.rules import parse_ruleset
from webui.bots.models import BotVersion
from webui.challenges.models import Challenge, ChallengeMatch, ChallengeSeat, ChallengeState, ChallengeTerms
from webui.challenges.queries import WAIT_S, check_seats
from webui.challenges.values import ChallengeRefusal, WantedSeat
from webui.core.dbtime import before_now
from webui.core.errors import NotFound
from webui.matches.models import Participant
from webui.matches.ownership import schedule_match
from webui.pairing.hooks import awaited_bots
from webui.pairing.models import Exclusion
from webui.pairing.sessions import IN_FLIGHT_STATES, Online, OnlineSession

HOUSE_AT_ONCE: Final = 2
"""Matches by challenges that a bot of the house plays at the same time, at most."""

_SEATS: Final = ChallengeSeat.objects.order_by("seat").select_related("bot")

log = structlog.get_logger(__name__)


@dataclass
class _Step:
    """What the challenges of one step share."""

    sessions: Mapping[int, Sequence[OnlineSession]]
    """Those of each bot: of a thousand that are online, a challenge is about a few, and its transaction keeps others
    from writing."""
    versions: Mapping[int, Sequence[int]]
    """Those of each bot that are online and were not taken off, newest first."""
    free: int
    """Matches that may still be made."""
    kept: Counter[int] = field(default_factory=Counter)
    """Places that are kept for challengers, by version."""


def advance_challenges(sessions: Iterable[OnlineSession], capacity: int) -> Counter[int]:
    """Make the matches of challenges that can be played, and end what has waited for too long. Returns the places that
    are to be kept free for challenges that wait for their opponents' places, by version.

    `capacity`: how many matches the ladders may have in flight; of challenges, half as many."""
    waiting = Challenge.objects.filter(state=ChallengeState.WAITING)
    if not waiting.exists():
        return Counter()
    waiting.filter(created_at__lt=before_now(WAIT_S)).update(state=ChallengeState.EXPIRED, ended_at=Now())
    rows = list(waiting.order_by("created_at", "pk").prefetch_related(Prefetch("seats", _SEATS)))
    flying = ChallengeMatch.objects.filter(match__state__in=IN_FLIGHT_STATES)
    of_owner = Counter(flying.values_list("challenge__owner", flat=True))
    sessions = list(sessions)
    versions = _online(sessions)
    step = _Step(_of_bots(sessions, versions), versions, max(1, capacity // 2) - of_owner.total())
    for row in sorted(rows, key=lambda row: of_owner[row.owner_id]):
        if all(seat.bot_id in step.versions for seat in row.seats.all()):
            try:
                _advance(row, step)
            except Exception:
                log.exception("challenge_not_advanced", challenge=row.pk)  # the others go on
    return step.kept


def _online(sessions: Sequence[OnlineSession]) -> dict[int, list[int]]:
    """`_Step.versions`."""
    ids = {session.bot_version for session in sessions if session.connected and not session.leaving}
    off = Exclusion.objects.filter(ended_at=None).exclude(matches=[]).values("version")  # a new one may be tried
    found: dict[int, list[int]] = {}
    there = BotVersion.objects.filter(pk__in=ids, retired_at=None).exclude(pk__in=off)
    for pk, bot in there.order_by("-pk").values_list("pk", "bot_id"):
        found.setdefault(bot, []).append(pk)
    return found


def _of_bots(
    sessions: Sequence[OnlineSession], versions: Mapping[int, Sequence[int]]
) -> dict[int, list[OnlineSession]]:
    """`_Step.sessions`."""
    bot_of = {version: bot for bot, of_bot in versions.items() for version in of_bot}
    found: dict[int, list[OnlineSession]] = {}
    for session in sessions:
        if (bot := bot_of.get(session.bot_version)) is not None:
            found.setdefault(bot, []).append(session)
    return found


@transaction.atomic
def _advance(row: Challenge, step: _Step) -> None:
    """Make the match of one challenge, if it can be played now."""
    seats = list(row.seats.all())
    same = Challenge.objects.filter(pk=row.pk, state=ChallengeState.WAITING)
    try:
        check_seats(row.owner_id, [WantedSeat(seat.bot_id, seat.version_id) for seat in seats])
    except (ChallengeRefusal, NotFound):
        same.update(state=ChallengeState.REFUSED, ended_at=Now())
        return
    # Of two challenges of the same bots one is looked at after the other, or both might find the last place.
    list(ChallengeTerms.objects.select_for_update().filter(bot__in={seat.bot_id for seat in seats}).order_by("pk"))
    ruleset = parse_ruleset(row.ruleset)
    bots = {seat.bot_id for seat in seats}
    sessions = [session for bot in bots for session in step.sessions[bot]]
    online = Online.of(sessions, ruleset.players, ruleset.expansions)
    versions = _versions(seats, step, online)
    if versions is None or step.free <= 0 or _is_awaited(seats):
        return
    if _is_full(row, seats, versions, online):
        step.kept.update(
            version for version, seat in zip(versions, seats, strict=True) if seat.bot.owner_id == row.owner_id
        )
    elif same.update(state=ChallengeState.MATCHED, ended_at=Now()):
        clock, policy = Clock().document(), Policy().document()
        # By the name of its challenge: so one name is in the logs of all processes, from the request to the last move.
        match = schedule_match(ruleset, versions, clock, policy, rated=False, match_id=row.pk)
        ChallengeMatch.objects.create(challenge=row, match_id=match)
        step.free -= 1


def _versions(seats: Sequence[ChallengeSeat], step: _Step, online: Online) -> list[int] | None:
    """Who plays at each seat: the version that was chosen, or the newest one; None if somebody is not there, or does
    not play this game."""
    taken = {seat.version_id for seat in seats}
    found = []
    for seat in seats:
        known = [version for version in step.versions[seat.bot_id] if version in online.room]
        wanted = seat.version_id or next((version for version in known if version not in taken), None)
        if wanted is None or wanted not in known:
            return None
        taken.add(wanted)
        found.append(wanted)
    return found


def _is_awaited(seats: Sequence[ChallengeSeat]) -> bool:
    """Whether an event waits for a free place of one of the bots."""
    return bool(awaited_bots({seat.bot_id for seat in seats}))


def _is_full(row: Challenge, seats: Sequence[ChallengeSeat], versions: Sequence[int], online: Online) -> bool:
    """Whether a bot has no place for it: all are taken, the last one is the ladders', or it plays as many challenges of
    others as its owner allows."""
    playing = Participant.objects.filter(match__challenge_match__isnull=False, match__state__in=IN_FLIGHT_STATES)
    of_version = Counter(playing.filter(version__in=versions).values_list("version", flat=True))
    if any(online.room[v] <= 0 or of_version[v] >= max(1, online.capacity[v] - 1) for v in versions):
        return True
    guests = [seat.bot_id for seat in seats if seat.bot.owner_id != row.owner_id]
    allowed = dict(ChallengeTerms.objects.filter(bot__in=guests).values_list("bot", "at_once"))
    by_others = playing.filter(version__bot__in=guests).exclude(
        version__bot__owner=F("match__challenge_match__challenge__owner")
    )
    of_bot = Counter(by_others.values_list("version__bot", flat=True))
    return any(of_bot[bot] >= allowed.get(bot, HOUSE_AT_ONCE) for bot in guests)
