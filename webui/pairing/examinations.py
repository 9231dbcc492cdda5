"""Examinations: unrated matches in which a version proves that it plays without a fault.

A version must pass its examination before it plays rated matches. A new version is examined automatically. After a
failure it is examined again when another of its processes connects. It skips the examination if the arena has no house
bots to play with. For a version that was taken off rated matches, the owner must request the examination.

An examination starts as soon as the version is online and has a free place. It uses the shortest game that the version
plays, and the house bots take turns. If several versions wait, the owner with the fewest examinations in the last hour
comes first, and every fourth time the version that has waited longest. A match that was aborted or voided is retried.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Final, NamedTuple

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Now

from arena.referee import Clock, Policy
from arena.rules import Ruleset
from webui.bots.models import BotVersion
from webui.bots.queries import PLAYS_NEW
from webui.core.dbtime import before_now
from webui.ladders.games import SHARES
from webui.matches.models import Match, MatchState, Participant
from webui.matches.ownership import schedule_match
from webui.pairing.exclusions import end_examination
from webui.pairing.hooks import awaited_bots
from webui.pairing.models import Exclusion
from webui.pairing.rests import rests
from webui.pairing.sessions import IN_FLIGHT_STATES, Online, OnlineSession, PlaceTaken, RunnersFull, claim_places
from webui.pairing.shares import is_turn_of_earliest, shared_owners

NOT_PLAYED: Final = (MatchState.ABORTED, MatchState.VOID)
AT_ONCE: Final = 4
"""Maximum number of examinations in progress at the same time."""
WITHOUT_HOUSE_S: Final = 60
"""Seconds that a new version waits for house bots before it skips the examination."""
AGAIN_S: Final = 60
"""Minimum number of seconds between a failed examination of a new version and the next one."""
NEVER: Final = datetime.min.replace(tzinfo=UTC)


class BegunExaminations(NamedTuple):
    """The examinations that were begun."""

    matches: list[str]
    """Ids of the new matches."""
    waiting_table: list[int]
    """Versions at the table of an examination that waits only for places of runners. Empty if none does."""


def begin_examinations(
    sessions: Iterable[OnlineSession],
    *,
    clock: Clock | None = None,
    policy: Policy | None = None,
    at_once: int = AT_ONCE,
) -> BegunExaminations:
    """Schedule the requested examinations that can be played now, until `at_once` are in progress."""
    sessions = list(sessions)
    online = {session.bot_version for session in sessions if session.connected and not session.leaving}
    open_rows = Exclusion.objects.filter(ended_at=None)
    _ask_again(open_rows.filter(matches=[], asked_at=None, version__in=online), sessions)
    requested = open_rows.filter(asked_at__isnull=False)
    # End the examinations whose matches were finished by a worker that does not know examinations.
    for row in requested.filter(examination__state=MatchState.FINISHED).select_related("examination"):
        assert row.examination is not None  # as filtered
        end_examination(row.examination)
    waiting = requested.filter(
        Q(examination=None) | Q(examination__state__in=NOT_PLAYED),
        version__in=BotVersion.objects.filter(PLAYS_NEW, pk__in=online),
    ).annotate(has_waited=Q(asked_at__lt=before_now(WITHOUT_HOUSE_S)))
    rows = list(waiting.order_by("asked_at", "pk").select_related("version__bot"))
    if not rows:
        return BegunExaminations([], [])
    resting = rests({row.version.bot_id: row.version.bot.owner_id for row in rows})
    seen = BotVersion.objects.filter(pk__in=[session.bot_version for session in sessions])
    awaited = awaited_bots(set(seen.values_list("bot_id", flat=True)))
    free = at_once - requested.filter(examination__state__in=IN_FLIGHT_STATES).count()
    rows = [row for row in rows if row.version.bot_id not in resting and row.version.bot_id not in awaited]
    if not rows or free <= 0:
        return BegunExaminations([], [])
    had, shared = Counter[int](), dict[int, int]()
    if len(rows) > free:
        shared = shared_owners({row.version.bot.owner_id for row in rows})
        had = _had_lately(rows, shared)

    def share_of(row: Exclusion) -> int:
        owner: int = row.version.bot.owner_id
        return shared.get(owner, owner)

    games = _games(sessions, awaited)
    scheduled: list[str] = []
    waiting_table: list[int] = []
    while rows and len(scheduled) < free:
        # Some places go to the earliest request. The others go to the share that has had the fewest; on a tie, to its
        # earliest request. Then neither many requests of one owner nor many owners delay anybody for ever.
        row = rows[0] if is_turn_of_earliest() else min(rows, key=lambda open_row: had[share_of(open_row)])
        rows.remove(row)
        tables = _tables(row.version_id, games)
        table = next((candidate for candidate in tables if candidate.is_free), None)
        if table is None:
            if not tables and not row.matches and vars(row)["has_waited"]:
                # Clear the link to an aborted or void match: an ended exclusion with a match counts as passed.
                alone = open_rows.filter(pk=row.pk, examination=row.examination_id)
                alone.update(ended_at=Now(), asked_at=None, examination=None)
            continue
        with transaction.atomic():
            try:
                claim_places(sessions, table.ruleset, table.versions)
            except RunnersFull:
                waiting_table = table.versions
                continue
            except PlaceTaken:
                continue
            match = schedule_match(
                table.ruleset,
                table.versions,
                clock or Clock(),
                policy or Policy(),
                rated=False,
            )
            same = Exclusion.objects.filter(pk=row.pk, ended_at=None, examination=row.examination_id)
            if not same.update(examination=match):
                transaction.set_rollback(True)  # another process has scheduled it
                continue
        scheduled.append(match)
        had[share_of(row)] += 1
        games = _games(sessions, awaited)
    return BegunExaminations(scheduled, waiting_table)


def _had_lately(rows: Iterable[Exclusion], shared: Mapping[int, int]) -> Counter[int]:
    """Count the examinations in the last hour of each share of these owners.

    Examinations in progress count, too. The count keeps the queue fair: an owner with many versions, or with one that
    fails repeatedly, delays nobody else.
    """
    matches = Match.objects.filter(rated=False, event_match=None, challenge_match=None, comparison_match=None)
    recent = matches.filter(created_at__gt=before_now(3600))
    seats = Participant.objects.filter(
        match__in=recent,
        version__bot__is_house=False,
        version__bot__owner__in={row.version.bot.owner_id for row in rows},
    )
    owners = seats.values_list("version__bot__owner", flat=True)
    return Counter(shared.get(owner, owner) for owner in owners)


def _ask_again(failed: QuerySet[Exclusion], sessions: Sequence[OnlineSession]) -> None:
    """Request another examination for each new version with a process that connected after the last one ended."""
    since: dict[int, int] = {}
    for session in sessions:
        since[session.bot_version] = max(since.get(session.bot_version, 0), session.connected_at_ns)
    ended = failed.filter(examination__finished_at__lt=before_now(AGAIN_S))
    for row in ended.select_related("examination"):
        assert row.examination is not None and row.examination.finished_at is not None  # as filtered
        if since[row.version_id] > row.examination.finished_at.timestamp() * 1e9:
            failed.filter(pk=row.pk, examination=row.examination_id).update(asked_at=Now(), examination=None)


class _Table(NamedTuple):
    ruleset: Ruleset
    versions: list[int]
    is_free: bool
    """Whether every version at the table has a free place."""


class _Game(NamedTuple):
    """A game in which versions can be examined."""

    ruleset: Ruleset
    online: Online
    house: list[int]
    """House versions that play it. Those with a free place come first, then those not used for the longest time."""


def _games(sessions: Sequence[OnlineSession], awaited: set[int]) -> list[_Game]:
    """Return the games that can be played with house bots, shortest first. All waiting versions share the result."""
    sat = Participant.objects.filter(match__examination__isnull=False, version__bot__is_house=True)
    last = dict(sat.values_list("version").annotate(last=Max("match__created_at")))
    games = []
    for ruleset in SHARES:
        online = Online.of(sessions, ruleset.players, ruleset.expansions)
        playing = BotVersion.objects.filter(PLAYS_NEW, pk__in=online.house).exclude(bot__in=awaited)
        able = sorted(
            playing.values_list("pk", flat=True),
            key=lambda house_bot: (online.room[house_bot] <= 0, last.get(house_bot, NEVER)),
        )
        games.append(_Game(ruleset, online, able))
    return games


def _tables(version: int, games: Iterable[_Game]) -> list[_Table]:
    """Return one table for each game that the version and enough house bots can play."""
    tables = []
    for ruleset, online, house in games:
        if version not in online.room:
            continue
        beside = [bot for bot in house if bot != version][: ruleset.players - 1]
        if len(beside) == ruleset.players - 1:
            table = [version, *beside]
            tables.append(_Table(ruleset, table, all(online.room[bot] > 0 for bot in table)))
    return tables
