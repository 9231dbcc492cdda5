"""Matches of challenges. They are made as soon as all bots are online with a free place.

Challenges are served before the ladders, so that a challenge gets the next free place. They leave enough for others. A
bot with several places always keeps one for rated matches. A bot for which an event waits is left to the event. Matches
of challenges are limited to half the number for ladders. If only the opponents lack a place, a place of the challenger
is reserved.

Tables with people come before all others, and some places are kept for them (`webui.pairing.quotas`). A task of their
own makes these matches every second. They last as long as people like, so they get at most half of the runners' places.

Any number of advancers may run at any time, and each may be killed at any point. Each challenge is one transaction that
changes its state by compare-and-set.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Exists, F, OuterRef, Prefetch, QuerySet
from django.db.models.functions import Now

from arena.referee import Clock, Policy
from webui.bots.models import BotVersion
from webui.bots.queries import PLAYS_NEW, VERSION_MAY_PLAY
from webui.challenges.models import Challenge, ChallengeMatch, ChallengeSeat, ChallengeState, ChallengeTerms
from webui.challenges.queries import WAIT_S, check_seats
from webui.challenges.values import ChallengeRefusal, WantedSeat
from webui.core.dbtime import before_now
from webui.core.errors import NotFound
from webui.core.upkeep import UpkeepWorker
from webui.matches.models import Participant
from webui.matches.ownership import schedule_match
from webui.pairing.hooks import PLACES_OF_RUNNERS, awaited_bots
from webui.pairing.models import Exclusion
from webui.pairing.quotas import CHALLENGES, is_turn_of
from webui.pairing.sessions import IN_FLIGHT_STATES, Online, OnlineSession, PlaceTaken, RunnersFull, claim_places
from webui.pairing.shares import is_turn_of_earliest, shared_owners

HOUSE_AT_ONCE: Final = 2
"""Maximum number of challenges that a bot of the house plays at the same time."""

_SEATS: Final = ChallengeSeat.objects.order_by("seat").select_related("bot")

log = structlog.get_logger(__name__)


@dataclass
class _Step:
    """Data that the challenges of one step share."""

    sessions: Mapping[int, Sequence[OnlineSession]]
    """Sessions by bot. A challenge is about a few of perhaps a thousand bots online, and its transaction blocks other
    writers."""
    versions: Mapping[int, Sequence[int]]
    """Versions by bot that are online and may play if their bots may, newest first."""
    new: set[int]
    """Versions of which a seat gets the newest unless one was chosen."""
    free: int
    """Number of matches without people that may still be made."""
    reserved: Counter[int] = field(default_factory=Counter)
    """Number of places reserved for challengers (`places_wanted`), by version."""

    @property
    def hosted(self) -> set[int]:
        """Return the bots that runners play."""
        return {bot for bot, of_bot in self.sessions.items() if any(session.places for session in of_bot)}


def advance_challenges(sessions: Iterable[OnlineSession], capacity: int) -> Counter[int]:
    """Make the matches of challenges that can be played, and let old challenges expire.

    Return the places to reserve for challenges whose opponents have no place yet, by version. `capacity` is the number
    of matches that the ladders may have in flight; challenges may have half as many.
    """
    return _advance_all(Challenge.objects.filter(state=ChallengeState.WAITING), lambda: sessions, capacity)


def advance_tables(worker: UpkeepWorker) -> None:
    """Make the matches for which people wait, as soon as they can be played."""
    at_tables = ChallengeSeat.objects.filter(challenge=OuterRef("pk"), bot__is_person=True)
    waiting = Challenge.objects.filter(Exists(at_tables), state=ChallengeState.WAITING)
    _advance_all(waiting, worker.presences, 0)


def _advance_all(
    waiting: QuerySet[Challenge], online: Callable[[], Iterable[OnlineSession]], capacity: int
) -> Counter[int]:
    """Make the matches of these challenges. See `advance_challenges`."""
    if not waiting.exists():
        return Counter()
    waiting.filter(created_at__lt=before_now(WAIT_S)).update(state=ChallengeState.EXPIRED, ended_at=Now())
    rows = list(waiting.order_by("created_at", "pk").prefetch_related(Prefetch("seats", _SEATS)))
    flying = ChallengeMatch.objects.filter(~Exists(_people_at("match")), match__state__in=IN_FLIGHT_STATES)
    of_owner = Counter(flying.values_list("challenge__owner", flat=True))
    sessions = list(online())
    versions = _online(sessions)
    new = set(BotVersion.objects.filter(PLAYS_NEW, pk__in=chain(*versions.values())).values_list("pk", flat=True))
    step = _Step(_of_bots(sessions, versions), versions, new, max(1, capacity // 2) - of_owner.total())
    for row in _in_turn(
        [row for row in rows if all(seat.bot_id in step.versions for seat in row.seats.all())], of_owner
    ):
        try:
            _advance(row, step)
        except RunnersFull:
            if PLACES_OF_RUNNERS not in step.reserved:
                places = sum(seat.bot_id in step.hosted for seat in row.seats.all())
                is_next = _has_person(row.seats.all()) or is_turn_of(CHALLENGES)
                step.reserved[PLACES_OF_RUNNERS] = places if is_next else 0
        except PlaceTaken:
            continue  # the challenge waits
        except Exception:
            log.exception("challenge_not_advanced", challenge=row.pk)  # continue with the other challenges
    return step.reserved


def chosen_versions() -> list[int]:
    """Return the versions that waiting challenges have chosen."""
    seats = ChallengeSeat.objects.filter(challenge__state=ChallengeState.WAITING, version__isnull=False)
    return list(seats.values_list("version_id", flat=True).distinct())


def _in_turn(rows: Sequence[Challenge], of_owner: Mapping[int, int]) -> list[Challenge]:
    """Return the waiting challenges in the order in which they get places. `rows` has the earliest first.

    Tables with people come first. Then come those whose share has the fewest matches in flight. In some steps the
    earliest challenge comes before them (`is_turn_of_earliest`), so that many owners do not delay one for ever.
    """
    tables = [row for row in rows if _has_person(row.seats.all())]
    rows = [row for row in rows if not _has_person(row.seats.all())]
    shared = shared_owners({row.owner_id for row in rows})
    flying: Counter[int] = Counter()
    for owner, matches in of_owner.items():
        flying[shared.get(owner, owner)] += matches
    first = int(is_turn_of_earliest())
    by_share = sorted(rows[first:], key=lambda row: flying[shared.get(row.owner_id, row.owner_id)])
    return [*tables, *rows[:first], *by_share]


def _online(sessions: Sequence[OnlineSession]) -> dict[int, list[int]]:
    """Return `_Step.versions`."""
    ids = {session.bot_version for session in sessions if session.connected and not session.leaving}
    # a version without matches is new, and may be tried in challenges
    off = Exclusion.objects.filter(ended_at=None).exclude(matches=[]).values("version")
    versions: dict[int, list[int]] = {}
    there = BotVersion.objects.filter(VERSION_MAY_PLAY, pk__in=ids).exclude(pk__in=off)
    for pk, bot in there.order_by("-pk").values_list("pk", "bot_id"):
        versions.setdefault(bot, []).append(pk)
    return versions


def _of_bots(
    sessions: Sequence[OnlineSession], versions: Mapping[int, Sequence[int]]
) -> dict[int, list[OnlineSession]]:
    """Return `_Step.sessions`."""
    bot_of = {version: bot for bot, of_bot in versions.items() for version in of_bot}
    by_bot: dict[int, list[OnlineSession]] = {}
    for session in sessions:
        if (bot := bot_of.get(session.bot_version)) is not None:
            by_bot.setdefault(bot, []).append(session)
    return by_bot


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
    # Lock the terms of the bots: two challenges between the same bots could otherwise both take the last place.
    list(ChallengeTerms.objects.select_for_update().filter(bot__in={seat.bot_id for seat in seats}).order_by("pk"))
    ruleset = row.ruleset
    bots = {seat.bot_id for seat in seats}
    sessions = [session for bot in bots for session in step.sessions[bot]]
    online = Online.of(sessions, ruleset.players, ruleset.expansions)
    versions = _versions(seats, step, online)
    has_person = _has_person(seats)
    if versions is None or (step.free <= 0 and not has_person) or _is_awaited(seats):
        return
    if _is_full(row, seats, versions, online):
        step.reserved.update(
            version for version, seat in zip(versions, seats, strict=True) if seat.bot.owner_id == row.owner_id
        )
    elif same.update(state=ChallengeState.MATCHED, ended_at=Now()):
        clock = row.clock or Clock()
        last = None if has_person else CHALLENGES
        claim_places(sessions, ruleset, versions, last=last, with_person=has_person)
        # The match has the id of its challenge, so that one id is in all logs, from the request to the last move.
        match = schedule_match(ruleset, versions, clock, Policy(), rated=False, match_id=row.pk)
        ChallengeMatch.objects.create(challenge=row, match_id=match)
        step.free -= not has_person


def _versions(seats: Sequence[ChallengeSeat], step: _Step, online: Online) -> list[int] | None:
    """Return the version for each seat: the chosen one, or the newest.

    Return None if a bot is offline or does not play this game.
    """
    taken = {seat.version_id for seat in seats}
    chosen = []
    for seat in seats:
        known = [version for version in step.versions[seat.bot_id] if version in online.room]
        wanted = seat.version_id or next((v for v in known if v in step.new and v not in taken), None)
        if wanted is None or wanted not in known:
            return None
        taken.add(wanted)
        chosen.append(wanted)
    return chosen


def _has_person(seats: Iterable[ChallengeSeat]) -> bool:
    """Return whether a person sits there, who waits before the screen and so takes no place behind others."""
    return any(seat.bot.is_person for seat in seats)


def _people_at(match: str) -> QuerySet[Participant]:
    """Return the people at the match that this field of the outer query names."""
    return Participant.objects.filter(match=OuterRef(match), version__bot__is_person=True)


def _is_awaited(seats: Sequence[ChallengeSeat]) -> bool:
    """Return whether an event waits for a free place of one of the bots."""
    return bool(awaited_bots({seat.bot_id for seat in seats}))


def _is_full(row: Challenge, seats: Sequence[ChallengeSeat], versions: Sequence[int], online: Online) -> bool:
    """Return whether a bot has no place for the challenge.

    It has none if all its places are taken, or if the last one is reserved for ladders. It also has none if it plays as
    many challenges of others as its owner allows. A bot of the house plays against any number of people, who think
    longer than it does.
    """
    if _has_person(seats):
        return _is_full_for_people(seats, versions, online)
    playing = Participant.objects.filter(match__challenge_match__isnull=False, match__state__in=IN_FLIGHT_STATES)
    of_version = Counter(playing.filter(version__in=versions).values_list("version", flat=True))
    if any(online.room[v] <= 0 or of_version[v] >= max(1, online.capacity[v] - 1) for v in versions):
        return True
    guests = [seat.bot_id for seat in seats if seat.bot.owner_id != row.owner_id]
    allowed = dict(ChallengeTerms.objects.filter(bot__in=guests).values_list("bot", "at_once"))
    by_others = playing.filter(~Exists(_people_at("match")), version__bot__in=guests).exclude(
        version__bot__owner=F("match__challenge_match__challenge__owner")
    )
    of_bot = Counter(by_others.values_list("version__bot", flat=True))
    return any(of_bot[bot] >= allowed.get(bot, HOUSE_AT_ONCE) for bot in guests)


def are_tables_full(sessions: Iterable[OnlineSession], wanted: int) -> bool:
    """Return whether runners have no room for `wanted` more seats at tables with people.

    `sessions`: the processes of bots that are online. Only those that runners play count.
    """
    places = sum({session.gateway: session.places for session in sessions}.values())
    at_tables = Participant.objects.filter(Exists(_people_at("match")), match__state__in=IN_FLIGHT_STATES)
    return wanted > 0 and at_tables.filter(version__is_hosted=True).count() + wanted > places / 2


def _is_full_for_people(seats: Sequence[ChallengeSeat], versions: Sequence[int], online: Online) -> bool:
    """Return whether a bot has no place at a table with a person. These have at most half of the runners' places."""
    if any(online.room[version] <= 0 for version in versions):
        return True
    if are_tables_full(online.sessions, sum(version in online.hosted for version in versions)):
        return True
    rivals = [seat.bot_id for seat in seats if not seat.bot.is_house and not seat.bot.is_person]
    allowed = dict(ChallengeTerms.objects.filter(bot__in=rivals).values_list("bot", "at_once"))
    playing = Participant.objects.filter(match__challenge_match__isnull=False, match__state__in=IN_FLIGHT_STATES)
    of_bot = Counter(playing.filter(version__bot__in=rivals).values_list("version__bot", flat=True))
    of_ladders = {seat.bot_id: max(1, online.capacity[v] - 1) for seat, v in zip(seats, versions, strict=True)}
    return any(of_bot[bot] >= min(allowed.get(bot, 0), of_ladders[bot]) for bot in rivals)
