"""The matchmaker. It schedules the matches that `arena.scheduling` proposes for the bots that are online."""

import secrets
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace

import structlog
from django.db import transaction
from django.db.models import BigIntegerField, Case, F, Max, OuterRef, Q, Subquery, When

from arena.referee import Clock, Policy
from arena.rules import Ruleset
from arena.scheduling import FAILURES_COUNT_S, NEWCOMER_GAMES, Candidate, Load, TableFormat, next_matches
from webui.bots.models import BotVersion
from webui.bots.queries import PLAYS_NEW
from webui.core.dbtime import before_now
from webui.core.upkeep import UpkeepWorker
from webui.ladders.games import ladder_key
from webui.ladders.models import Ladder
from webui.ladders.terms import game_terms
from webui.matches.hooks import is_overloaded, match_capacity
from webui.matches.models import Match, MatchState, Participant
from webui.matches.ownership import schedule_match
from webui.pairing.examinations import AT_ONCE, begin_examinations
from webui.pairing.hooks import PLACES_OF_RUNNERS, awaited_bots, places_wanted
from webui.pairing.models import Exclusion
from webui.pairing.quotas import LARGEST_TABLE, RUNNERS, SEAT_IN_FLIGHT, HostedQuotas
from webui.pairing.rests import rests
from webui.pairing.sessions import OnlineSession, PlaceTaken, claim_places, free_slots, quotas_of
from webui.pairing.shares import shared_owners, with_shares
from webui.ratings.models import Standing

IN_FLIGHT = Q(state__in=[str(MatchState.SCHEDULED), str(MatchState.RUNNING)])

SEAT_ON_LADDER = Q(match__event_match=None)
"""Condition for seats of matches outside events. Event matches count for pairing only after they have finished."""

PARTY = Case(
    When(version__bot__is_house=True, then=-F("version__bot_id")),
    default=F("version__bot__owner_id"),
    output_field=BigIntegerField(),
)
"""Expression for the party (`Candidate.party`) of a standing or a seat."""

log = structlog.get_logger(__name__)


class _Dice:
    """Source of randomness for pairings, which need not be reproducible. Match seeds are drawn elsewhere."""

    def below(self, n: int, /) -> int:
        return secrets.randbelow(n)


def matchmake_now(worker: UpkeepWorker) -> None:
    """Make matches for the bots that are online: examinations, those of later subjects, and then rated ones.

    An overloaded arena makes fewer. House bots think on its own processors: they play only while nobody else does, and
    one match at a time.
    """
    online, overloaded = worker.presences(), is_overloaded()
    capacity = match_capacity(overloaded=overloaded)
    examined = begin_examinations(online, at_once=1 if overloaded else AT_ONCE).waiting_table
    reserved = sum(places_wanted(online, capacity), Counter[int]())
    matchmake(online, capacity, reserved=reserved, examined=examined, with_house=not overloaded)
    if overloaded:
        matchmake(online, 1, reserved=reserved, examined=examined)


def matchmake(
    sessions: Iterable[OnlineSession],
    capacity: int,
    *,
    clock: Clock | None = None,
    policy: Policy | None = None,
    reserved: Mapping[int, int] | None = None,
    examined: Collection[int] = (),
    with_house: bool = True,
) -> list[str]:
    """Schedule rated matches for the bots that are online, until `capacity` matches are in flight. Return the new ids.

    `clock`: the clock of all new matches; None uses the clock of each game.
    `reserved`: the number of places reserved for matches that wait (`places_wanted`), by version id.
    `examined`: the versions at the table of an examination that lacks only places of runners.
    `with_house`: whether house bots play.

    Two matchmakers that run at the same time may together exceed `capacity`. The excess disappears as matches end.
    """
    policy = policy or Policy()
    online = [session for session in sessions if session.connected and not session.leaving]
    if not online or capacity <= Match.objects.filter(IN_FLIGHT, rated=True, event_match=None).count():
        return []
    terms = {TableFormat(*game.ruleset): game for game in game_terms().values() if game.is_open}
    shares = {format: game.share for format, game in terms.items()}
    clocks = {format: clock or game.clock for format, game in terms.items()}
    by_ladder = _formats_by_ladder(clocks)
    hosted = quotas_of(online)
    candidates, awaited = _candidates(online, by_ladder, reserved or {}, shares.keys(), hosted)
    left = _left_to_ladders(hosted, [*examined, *awaited], (reserved or {}).get(PLACES_OF_RUNNERS, 0))
    candidates = [candidate for candidate in candidates if with_house or not candidate.is_house]
    shared = shared_owners({candidate.owner for candidate in candidates if not candidate.is_house})
    load = replace(_load(candidates, by_ladder, shared), quotas=left)
    pairings = next_matches(with_shares(candidates, shared), load, shares, capacity, _Dice())
    scheduled = []
    with transaction.atomic():
        for pairing in pairings:
            ruleset = _ruleset(pairing.format)
            try:
                claim_places(online, ruleset, pairing.versions)
            except PlaceTaken:
                continue
            scheduled.append(schedule_match(ruleset, pairing.versions, clocks[pairing.format], policy, rated=True))
    if scheduled:
        log.info("matches scheduled", matches=len(scheduled), online=len(candidates))
    return scheduled


def _left_to_ladders(hosted: HostedQuotas, first: Iterable[int], behind: int) -> dict[str, int]:
    """Return what is left of the quotas of hosted bots for rated matches.

    `first`: the versions that an event or an examination waits for. `behind`: the number of places of runners for which
    challenges and comparisons wait in their turn. The next ones of them get enough for a table.
    """
    left = dict(hosted.left)
    if left:
        left[RUNNERS] -= sum(version in hosted.of for version in first) + min(behind, LARGEST_TABLE)
    return left


def _ruleset(format: TableFormat) -> Ruleset:
    return Ruleset(format.players, format.expansions)


def _formats_by_ladder(clocks: Mapping[TableFormat, Clock]) -> dict[int, TableFormat]:
    """Return the format of each ladder, by ladder id. A ladder that has had no match yet does not exist."""
    keys = {ladder_key(_ruleset(format), clock): format for format, clock in clocks.items()}
    rows = Ladder.objects.filter(key__in=keys).values_list("pk", "key")
    return {ladder_id: keys[key] for ladder_id, key in rows}


def _candidates(
    online: Sequence[OnlineSession],
    by_ladder: Mapping[int, TableFormat],
    reserved: Mapping[int, int],
    played: Collection[TableFormat],
    hosted: HostedQuotas,
) -> tuple[list[Candidate], list[int]]:
    """Return the online versions that may play, and those for which an event waits.

    A version may play if its bot is active, does not rest, and no event waits for it. The version itself must be
    neither excluded nor retired. Its capacity is the sum over its processes. The referee may choose any of them, so a
    version plays only the formats that all its processes play. The last place of a house bot that dials in is kept for
    people; for those that runners play, places of the runners are (`kept_for_people`).
    """
    free = free_slots(online)
    formats: dict[int, set[TableFormat]] = {}
    places: Counter[int] = Counter()
    for session in online:
        places[session.bot_version] += session.capacity
        formats.setdefault(session.bot_version, set(played)).intersection_update(
            format
            for format in played
            if format.players in session.player_counts and set(format.expansions) <= set(session.expansions)
        )
    free.subtract({version: places for version, places in reserved.items() if version in free})
    versions = (
        BotVersion.objects.filter(PLAYS_NEW, pk__in=free)
        .exclude(pk__in=Exclusion.objects.filter(ended_at=None).values("version"))
        .select_related("bot")
    )
    awaited = awaited_bots({v.bot_id for v in versions})
    strengths = _strengths(versions, by_ladder)
    resting = rests({version.bot_id: version.bot.owner_id for version in versions})
    candidates = [
        Candidate(
            version=version.pk,
            bot=version.bot_id,
            owner=version.bot.owner_id,
            is_house=version.bot.is_house,
            room=free[version.pk] - (version.bot.is_house and version.pk not in hosted.of and places[version.pk] > 1),
            formats=frozenset(formats[version.pk]),
            quotas=hosted.of.get(version.pk, ()),
            strength=strengths[version.pk],
        )
        for version in versions
        if version.bot_id not in resting and version.bot_id not in awaited
    ]
    return candidates, [version.pk for version in versions if version.bot_id in awaited]


def _strengths(
    versions: Iterable[BotVersion], by_ladder: Mapping[int, TableFormat]
) -> dict[int, dict[TableFormat, float]]:
    """Return the rating that pairing uses, by version id and format.

    A version without a standing on a ladder inherits the rating of the bot's latest version there, if that is older.
    """
    bot_of = {version.pk: version.bot_id for version in versions}
    of_bots = Standing.objects.filter(version__bot__in=set(bot_of.values()), ladder_id__in=by_ladder).order_by()
    latest = of_bots.values("ladder", "version__bot").annotate(latest=Max("version")).values("latest")
    former: dict[tuple[int, int], tuple[int, float]] = {}
    own: dict[tuple[int, int], float] = {}
    rows = Standing.objects.filter(Q(version__in=bot_of) | Q(version__in=latest), ladder_id__in=by_ladder)
    for ladder, version, bot, mu in rows.order_by("version").values_list("ladder", "version", "version__bot", "mu"):
        own[ladder, version] = mu
        former[ladder, bot] = version, mu
    strengths: dict[int, dict[TableFormat, float]] = {version: {} for version in bot_of}
    for version, bot in bot_of.items():
        for ladder, format in by_ladder.items():
            last, mu = former.get((ladder, bot), (version, 0.0))
            if (ladder, version) in own or last < version:
                strengths[version][format] = own.get((ladder, version), mu)
    return strengths


def _load(candidates: Sequence[Candidate], by_ladder: Mapping[int, TableFormat], shared: Mapping[int, int]) -> Load:
    """Return the matches so far. `shared`: the owners that use another one's share (`shared_owners`)."""
    bots = {candidate.bot for candidate in candidates}
    owned_by = {candidate.owner for candidate in candidates}
    made = {by_ladder[pk]: count for pk, count in Ladder.objects.filter(pk__in=by_ladder).values_list("pk", "finished")}
    seated: dict[tuple[TableFormat, int], int] = {}
    waits: dict[tuple[TableFormat, int, bool], int] = {}
    standings = Standing.objects.filter(ladder_id__in=by_ladder).order_by()
    of_bots = standings.filter(version__bot_id__in=bots).values_list("ladder_id", "version__bot_id")
    for ladder, bot, number in of_bots.annotate(last=Max("number")):
        seated[by_ladder[ladder], bot] = number
    of_owners = standings.filter(version__bot__owner_id__in=owned_by).annotate(
        party=PARTY, is_newcomer=Case(When(games__lt=NEWCOMER_GAMES, then=True), default=False)
    )
    for ladder, party, is_newcomer, number in of_owners.values_list("ladder_id", "party", "is_newcomer").annotate(
        last=Max("number")
    ):
        key = by_ladder[ladder], shared.get(party, party), bool(is_newcomer)
        waits[key] = max(waits.get(key, 0), number)
    for ladder, bot, party, number in _refused(owned_by, by_ladder):
        format = by_ladder[ladder]
        seated[format, bot] = max(seated.get((format, bot), 0), number or 0)
        party = shared.get(party, party)
        for key in ((format, party, True), (format, party, False)):
            waits[key] = max(waits.get(key, 0), number or 0)
    games: Counter[tuple[TableFormat, int]] = Counter()
    seats: Counter[tuple[TableFormat, int, int]] = Counter()
    own = Standing.objects.filter(version_id__in=[candidate.version for candidate in candidates])
    for ladder, version, played, sat in own.filter(ladder_id__in=by_ladder).values_list(
        "ladder_id", "version_id", "games", "seats"
    ):
        format = by_ladder[ladder]
        games[format, version] = played
        seats.update({(format, version, seat): often for seat, often in enumerate(sat, start=1)})
    in_flight: Counter[TableFormat] = Counter()
    owners: Counter[int] = Counter()
    seen: set[str] = set()
    running = Participant.objects.filter(SEAT_IN_FLIGHT, SEAT_ON_LADDER, match__ladder_id__in=by_ladder)
    for match, ladder, owner, bot, party, version, seat in (
        running.annotate(party=PARTY)
        .order_by("match__created_at", "match_id")
        .values_list(
            "match_id", "match__ladder_id", "version__bot__owner_id", "version__bot_id", "party", "version_id", "seat"
        )
    ):
        format, owner, party = by_ladder[ladder], shared.get(owner, owner), shared.get(party, party)
        if match not in seen:
            seen.add(match)
            in_flight[format] += 1
            made[format] += 1
        seated[format, bot] = made[format]
        if bot not in bots:  # not online, so it is not known whether it played as a newcomer
            waits[format, party, True] = waits[format, party, False] = made[format]
        games[format, version] += 1
        seats[format, version, seat] += 1
        owners[owner] += 1
    return Load(in_flight=in_flight, made=made, seated=seated, waits=waits, games=games, owners=owners, seats=seats)


def _refused(
    owners: Collection[int], by_ladder: Mapping[int, TableFormat]
) -> Iterable[tuple[int, int, int, int | None]]:
    """Yield ladder, bot, party and position for each offer that a bot declined or missed in the last day.

    The position is the number of the ladder's last finished match at that time.
    """
    before = Match.objects.filter(
        ladder_id=OuterRef("match__ladder_id"),
        ladder_number__isnull=False,
        finished_at__lte=OuterRef("match__finished_at"),
    )
    rows = Participant.objects.filter(
        SEAT_ON_LADDER,
        Q(has_declined=True) | Q(was_absent=True),
        version__bot__owner_id__in=owners,
        match__ladder_id__in=by_ladder,
        match__finished_at__gt=before_now(FAILURES_COUNT_S),
    )
    last = Subquery(before.order_by("-ladder_number").values("ladder_number")[:1])
    annotated = rows.order_by().annotate(last=last, party=PARTY)
    return annotated.values_list("match__ladder_id", "version__bot_id", "party", "last")
