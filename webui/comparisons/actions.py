"""Actions on comparisons of versions. Owners order them, and the upkeep advances them.

Comparisons use the matches that ladders and events leave of the ladders' capacity. They always get at least one;
otherwise a busy arena would never complete one. A bot with several places keeps one free for other matches. A bot with
a single place misses other matches while it plays for a comparison.

Any number of advancers may run at any time, and each may be killed at any point, as with events. A step is one
transaction. A constraint ensures that a game's match is scheduled once, and the row is updated by compare-and-set.
"""

import secrets
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import structlog
from django.db import IntegrityError, transaction
from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from arena.ratings.sequential import MARGIN, Answer, halves_of_game
from arena.referee import Clock, Policy
from arena.rules import RulesError, Ruleset
from arena.rules.setup import check_ruleset
from arena.scheduling.blocks import seats_of_block
from webui.accounts.models import User
from webui.bots.models import BotVersion
from webui.bots.queries import MAY_PLAY
from webui.comparisons.models import Comparison, ComparisonMatch, ComparisonState
from webui.comparisons.values import comparison_ended, trial_of
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.core.upkeep import UpkeepWorker
from webui.matches.hooks import is_overloaded, match_capacity
from webui.matches.models import Match, MatchSecret, MatchState, Participant
from webui.matches.ownership import new_match_id, schedule_match
from webui.pairing.hooks import PLACES_OF_RUNNERS, awaited_bots
from webui.pairing.quotas import COMPARISONS, is_turn_of
from webui.pairing.rests import rests
from webui.pairing.sessions import IN_FLIGHT_STATES, Online, OnlineSession, PlaceTaken, claim_places

RUNNING_OF_OWNER: Final = 2
NEW_A_DAY: Final = 10
MOST_GAMES: Final = 4000
MARGINS: Final = (5.0, 400.0)
"""Smallest and greatest margin, in points."""
MOST_OPEN: Final = 4
"""Maximum number of blocks that are begun and not complete."""
MOST_TRIES: Final = 5
"""Maximum number of matches of one game that may end without a result."""
IDLE_S: Final = 3 * 86400.0
"""Seconds without progress after which a comparison ends, because a version is offline."""
STATE_OF: Final = {
    Answer.YES: ComparisonState.YES,
    Answer.NO: ComparisonState.NO,
    Answer.OPEN: ComparisonState.OPEN,
}

log = structlog.get_logger(__name__)


@transaction.atomic
def compare_versions(
    owner_id: int, new: int, old: int, ruleset: Ruleset, *, margin: float = MARGIN, games: int = MOST_GAMES
) -> str:
    """Order a comparison of two versions, given by their ids, and return its id.

    The new version must be one of this owner's bots. The old version must be one of this owner's bots or of the house.
    Raise `BadRequest`, `NotFound` or `TooMany`.
    """
    try:
        check_ruleset(ruleset)
    except RulesError as error:
        raise BadRequest(error.message) from None
    if not MARGINS[0] <= margin <= MARGINS[1]:
        raise BadRequest(f"the margin is {MARGINS[0]:g} to {MARGINS[1]:g} points, not {margin:g}")
    if not ruleset.players <= games <= MOST_GAMES:
        raise BadRequest(f"a comparison has {ruleset.players} to {MOST_GAMES} games, not {games}")
    if new == old:
        raise BadRequest("a version is not compared with itself")
    if not User.objects.select_for_update().filter(pk=owner_id, is_active=True).exists():
        raise NotFound(f"there is no user {owner_id}")  # the lock also serialises the orders of an owner
    own, begun = Q(bot__owner=owner_id), BotVersion.objects.filter(is_ready=False, retired_at=None)
    if not begun.filter(own, pk=new).exists():
        raise NotFound("the new version is not of a bot of yours, has never been online, or has retired")
    if not begun.filter(own | Q(bot__is_house=True), pk=old).exists():
        raise NotFound(
            "the old version is neither of a bot of yours nor of the house, has never been online, or has retired"
        )
    ordered = Comparison.objects.filter(owner=owner_id)
    if ordered.filter(state=ComparisonState.RUNNING).count() >= RUNNING_OF_OWNER:
        raise TooMany(f"{RUNNING_OF_OWNER} comparisons are running: wait for one, or stop it")
    if ordered.filter(created_at__gt=before_now(86400)).count() >= NEW_A_DAY:
        raise TooMany(f"{NEW_A_DAY} comparisons were ordered within a day: wait a while")
    row = Comparison.objects.create(
        id=new_match_id(),
        owner_id=owner_id,
        new_id=new,
        old_id=old,
        ruleset=ruleset,
        margin=margin,
        most=games // ruleset.players,
    )
    return row.pk


def stop_comparison(comparison_id: str, by: int | None = None) -> bool:
    """End a comparison without an answer. Its running matches continue. Return False if it has ended already.

    Its owner is notified, unless the owner stopped it (`by`).
    """
    return _end(Comparison.objects.filter(pk=comparison_id), ComparisonState.STOPPED, by)


@transaction.atomic
def _end(rows: QuerySet[Comparison], state: ComparisonState, by: int | None = None, **values: Any) -> bool:
    """End the only comparison among the rows, if it is running."""
    running = rows.filter(state=ComparisonState.RUNNING)
    row = running.select_related("new__bot", "old__bot").first()
    if row is None or not running.update(state=state, ended_at=Now(), moved_at=Now(), **values):
        return False
    if row.owner_id != by:
        row.state = state
        comparison_ended(row)
    return True


def advance_now(worker: UpkeepWorker) -> None:
    """Advance the comparisons with the bots that are online."""
    advance_comparisons(worker.presences(), match_capacity(overloaded=is_overloaded()))


def advance_comparisons(sessions: Iterable[OnlineSession], capacity: int) -> list[str]:
    """Advance every running comparison by one step, and return the ids of those that changed.

    Together they have as many matches in flight as all others leave of `capacity`, but at least one. Comparisons with
    the fewest matches in flight come first, so that none starves another. Only comparisons with a match, or with both
    versions online, are processed. Others that have waited too long end immediately.
    """
    sessions = list(sessions)
    online = {session.bot_version for session in sessions}
    begun = Exists(ComparisonMatch.objects.filter(comparison=OuterRef("pk"), block__gte=OuterRef("length")))
    running = Comparison.objects.filter(state=ComparisonState.RUNNING)
    idle = running.filter(~begun, moved_at__lt=before_now(IDLE_S))
    moved = [pk for pk in idle.values_list("pk", flat=True) if _end(idle.filter(pk=pk), ComparisonState.IDLE)]
    rows = running.filter(begun | Q(new__in=online, old__in=online)).order_by("moved_at")
    flying = _in_flight()
    free = _free(capacity, flying)
    for row in sorted(rows, key=lambda row: flying[row.pk]):
        try:
            scheduled, has_moved = advance_comparison(row, sessions, free)
        except IntegrityError:
            continue  # another advancer has scheduled the same game
        except Exception:
            log.exception("comparison_not_advanced", comparison=row.pk)  # continue with the other comparisons
            continue
        free -= scheduled
        if scheduled or has_moved:
            moved.append(row.pk)
    return moved


def compared_versions() -> list[int]:
    """Return the versions of all running comparisons."""
    running = Comparison.objects.filter(state=ComparisonState.RUNNING)
    return [version for pair in running.values_list("new_id", "old_id") for version in pair]


def _in_flight() -> Counter[str]:
    """Count the matches in flight of each comparison."""
    rows = ComparisonMatch.objects.filter(match__state__in=IN_FLIGHT_STATES)
    return Counter(dict(rows.values_list("comparison_id").annotate(matches=Count("pk"))))


def _free(capacity: int, flying: Counter[str]) -> int:
    """Return how many more matches comparisons may have in flight."""
    others = Match.objects.filter(state__in=IN_FLIGHT_STATES, comparison_match=None).count()
    return max(1, capacity - others) - flying.total()


def runner_places_wanted(sessions: Sequence[OnlineSession], capacity: int) -> Counter[int]:
    """Return the places of runners for the next match of the comparison that has waited longest (`places_wanted`).

    Comparisons whose bots lack anything else than these places do not count.
    """
    hosted = {session.bot_version for session in sessions if session.places}
    running = Comparison.objects.filter(state=ComparisonState.RUNNING)
    rows = list(running.filter(Q(new__in=hosted) | Q(old__in=hosted)).order_by("moved_at")) if hosted else []
    if not rows or not is_turn_of(COMPARISONS) or _free(capacity, flying := _in_flight()) <= 0:
        return Counter()
    for row in rows:
        online = Online.of(sessions, row.ruleset.players, row.ruleset.expansions)
        sides = (row.new_id, row.old_id, *online.house[: row.ruleset.players - 2])
        if not flying[row.pk] and all(_has_place(online, side) for side in sides) and _may_play(row):
            return Counter({PLACES_OF_RUNNERS: sum(side in online.hosted for side in sides)})
    return Counter()


@dataclass(frozen=True)
class _LastMatch:
    """The last match of a game."""

    match: str
    state: str
    tries: int
    halves: int | None
    """Half points of the new version, once the match has finished."""

    @property
    def is_to_be_played(self) -> bool:
        return self.state in (MatchState.ABORTED, MatchState.VOID)


_Games = Mapping[tuple[int, int], _LastMatch]


@transaction.atomic
def advance_comparison(row: Comparison, sessions: Sequence[OnlineSession], free: int) -> tuple[int, bool]:
    """Count complete blocks, then end the comparison or schedule matches.

    Return the number of matches scheduled, and whether anything else changed.
    """
    ruleset, games = row.ruleset, _games(row)
    new = _complete(games, row.length, ruleset.players)
    scores, answer = list(row.scores), None
    if new:
        trial = trial_of(row)
        while new and answer is None:
            scores.append(new.pop(0))
            answer = trial.add(scores[-1])
    same = Comparison.objects.filter(pk=row.pk, length=row.length)
    counted: dict[str, Any] = {"scores": scores, "length": len(scores)}
    if answer is not None:
        return 0, _end(same, STATE_OF[answer], **counted)
    if any(game.is_to_be_played and game.tries >= MOST_TRIES for game in games.values()):
        return 0, _end(same, ComparisonState.FAILED, **counted)
    has_counted = len(scores) > row.length
    if has_counted and not same.filter(state=ComparisonState.RUNNING).update(**counted, moved_at=Now()):
        return 0, False  # stopped, or advanced by another process
    scheduled = _schedule(row, ruleset, games, len(scores), sessions, free)
    if scheduled:
        running = Comparison.objects.filter(pk=row.pk, state=ComparisonState.RUNNING)
        if not running.update(moved_at=Now()):
            transaction.set_rollback(True)  # stopped in the meantime
            return 0, False
    elif not any(game.state in IN_FLIGHT_STATES for game in games.values()):
        idle = same.filter(moved_at__lt=before_now(IDLE_S))
        has_counted = _end(idle, ComparisonState.IDLE) or has_counted
    return scheduled, has_counted


def _complete(games: _Games, first: int, players: int) -> list[int]:
    """Return the half points of the complete blocks from number `first` on, up to the first incomplete one."""
    points: list[int] = []
    while True:
        block = [games.get((first + len(points), game)) for game in range(players)]
        halves = [game.halves for game in block if game is not None and game.halves is not None]
        if len(halves) < players:
            return points
        points.append(sum(halves))


def _games(row: Comparison) -> _Games:
    """Return the games of blocks that are not counted yet."""
    lines = ComparisonMatch.objects.filter(comparison=row, block__gte=row.length).select_related("match")
    lines = lines.order_by("tries")
    seats = Participant.objects.filter(match__comparison_match__in=lines, version_id__in=(row.new_id, row.old_id))
    places = {(seat.match_id, seat.version_id): seat.placement for seat in seats}
    games = {}
    for line in lines:
        new, old = places[line.match_id, row.new_id], places[line.match_id, row.old_id]
        has_result = line.match.state == MatchState.FINISHED and new is not None and old is not None
        halves = halves_of_game((new or 0, old or 0), 1, 2) if has_result else None
        games[line.block, line.game] = _LastMatch(line.match_id, line.match.state, line.tries, halves)
    return games


def _schedule(
    row: Comparison, ruleset: Ruleset, games: _Games, first: int, sessions: Sequence[OnlineSession], free: int
) -> int:
    """Schedule games of the open blocks, then of new ones, while both versions have free places. Return how many."""
    if not _may_play(row):
        return 0
    online = Online.of(sessions, ruleset.players, ruleset.expansions)
    scheduled = 0
    for block in range(first, min(first + MOST_OPEN, row.most)):
        begun = [game for (number, _), game in games.items() if number == block]
        house = _house(row, block, [game.match for game in begun], ruleset.players - 2, online)
        if house is None:
            return scheduled
        sides = (row.new_id, row.old_id, *house)
        deal = _deal(begun)
        for number, seats in enumerate(seats_of_block(ruleset.players, block)):
            last = games.get((block, number))
            if last is not None and not last.is_to_be_played:
                continue
            if scheduled >= free or not all(_has_place(online, version) for version in sides):
                return scheduled
            try:
                claim_places(online.sessions, ruleset, sides, last=COMPARISONS)
            except PlaceTaken:
                return scheduled
            match = schedule_match(
                ruleset,
                [sides[side] for side in seats],
                Clock(),
                Policy(),
                rated=False,
                deal=deal,
            )
            ComparisonMatch.objects.create(
                comparison=row, block=block, game=number, tries=1 if last is None else last.tries + 1, match_id=match
            )
            online.room.subtract(sides)
            scheduled += 1
    return scheduled


def _may_play(row: Comparison) -> bool:
    """Return whether both versions may play.

    Their bots must be active and must not rest, as for the ladder. The versions must not have retired, and no event may
    wait for a free place of one of the bots.
    """
    versions = BotVersion.objects.filter(pk__in=(row.new_id, row.old_id))
    active = versions.filter(MAY_PLAY)
    owners = dict(active.values_list("bot_id", "bot__owner_id"))
    awaited = awaited_bots(owners)
    return active.count() == versions.count() and not awaited and not rests(owners)


def _has_place(online: Online, version: int) -> bool:
    """Return whether a bot has a free place for a comparison. A bot with several places keeps one for ladders and
    events."""
    return online.room[version] > (1 if online.capacity[version] > 1 else 0)


def _deal(begun: Sequence[_LastMatch]) -> bytes:
    """Return the deal of a block. It is that of its matches, or a new one if it has none."""
    if begun:
        return bytes.fromhex(MatchSecret.objects.get(match=begun[0].match).deal)
    return secrets.token_bytes(32)


def _house(row: Comparison, block: int, begun: Sequence[str], seats: int, online: Online) -> list[int] | None:
    """Return the house versions for the other seats of a block. Those that began the block continue while they are
    online."""
    pair = (row.new_id, row.old_id)
    known = Participant.objects.filter(match__in=begun).exclude(version_id__in=pair).order_by("version_id")
    begun_it = dict.fromkeys(known.values_list("version_id", flat=True))
    wanted = [version for version in begun_it if version in online.room]
    others = [v for v in online.house if v not in (*pair, *wanted) and _has_place(online, v)]
    turn = block % len(others) if others else 0
    opponents = sorted([*wanted, *others[turn:], *others[:turn]][:seats])
    return opponents if len(opponents) == seats else None
