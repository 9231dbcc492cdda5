"""Examinations: an unrated match in which a version shows that it plays without a fault, before it plays rated ones.

A new version is examined by itself, again when another process of it says hello after one that it did not pass, and
goes without where nobody of the house is there to play with. For one that was taken off its owner asks. The examination
begins as soon as the version is online with a free place, in the shortest game that it plays, with bots of the house in
turns; of those that wait first that of the owner who has had the fewest within an hour. A match that nobody finished is
tried again.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Now

from arena.referee import Clock, Policy
from arena.rules import Ruleset
from webui.bots.models import BotState, BotVersion
from webui.core.dbtime import before_now
from webui.ladders.games import SHARES
from webui.matches.models import Match, MatchState, Participant
from webui.matches.ownership import schedule_match
from webui.pairing.exclusions import end_examination
from webui.pairing.hooks import awaited_bots
from webui.pairing.models import Exclusion
from webui.pairing.rests import rests
from webui.pairing.sessions import IN_FLIGHT_STATES, Online, OnlineSession

NOT_PLAYED: Final = (MatchState.ABORTED, MatchState.VOID)
AT_ONCE: Final = 4
"""Examinations that are played at the same time, at most."""
WITHOUT_HOUSE_S: Final = 60
"""So long a new version waits for bots of the house that could examine it."""
AGAIN_S: Final = 60
"""A new version is not examined again sooner, however often it says hello."""
NEVER: Final = datetime.min.replace(tzinfo=UTC)


def begin_examinations(
    sessions: Iterable[OnlineSession],
    *,
    clock: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
) -> list[str]:
    """Schedule the examinations that were asked for and can be played now; the new matches."""
    sessions = list(sessions)
    online = {session.bot_version for session in sessions if session.connected and not session.leaving}
    open_rows = Exclusion.objects.filter(ended_at=None)
    _ask_again(open_rows.filter(matches=[], asked_at=None, version__in=online), sessions)
    asked = open_rows.filter(asked_at__isnull=False)
    # One that a worker finished which knew nothing of examinations.
    for row in asked.filter(examination__state=MatchState.FINISHED).select_related("examination"):
        assert row.examination is not None  # as filtered
        end_examination(row.examination)
    waiting = asked.filter(
        Q(examination=None) | Q(examination__state__in=NOT_PLAYED),
        version__in=online,
        version__retired_at=None,
        version__bot__state=BotState.ACTIVE,
        version__bot__owner__is_active=True,
    ).annotate(has_waited=Q(asked_at__lt=before_now(WITHOUT_HOUSE_S)))
    rows = list(waiting.order_by("asked_at", "pk").select_related("version__bot"))
    if not rows:
        return []
    resting = rests({row.version.bot_id: row.version.bot.owner_id for row in rows})
    seen = BotVersion.objects.filter(pk__in=[session.bot_version for session in sessions])
    awaited = awaited_bots(set(seen.values_list("bot_id", flat=True)))
    free = AT_ONCE - asked.filter(examination__state__in=IN_FLIGHT_STATES).count()
    rows = [row for row in rows if row.version.bot_id not in resting and row.version.bot_id not in awaited]
    if not rows or free <= 0:
        return []
    had = _had_lately(rows) if len(rows) > free else Counter[int]()
    games = _games(sessions, awaited)
    scheduled: list[str] = []
    while rows and len(scheduled) < free:
        row = min(rows, key=lambda one: had[one.version.bot.owner_id])  # of several the one that asked first
        rows.remove(row)
        tables = _tables(row.version_id, games)
        table = next((one for one in tables if one.is_free), None)
        if table is None:
            if not tables and not row.matches and vars(row)["has_waited"]:
                # Without a match that was not played, or it would count as passed.
                alone = open_rows.filter(pk=row.pk, examination=row.examination_id)
                alone.update(ended_at=Now(), asked_at=None, examination=None)
            continue
        with transaction.atomic():
            match = schedule_match(
                table.ruleset,
                table.versions,
                Clock().document() if clock is None else clock,
                Policy().document() if policy is None else policy,
                rated=False,
            )
            same = Exclusion.objects.filter(pk=row.pk, ended_at=None, examination=row.examination_id)
            if not same.update(examination=match):
                transaction.set_rollback(True)  # another process has scheduled it
                continue
        scheduled.append(match)
        had[row.version.bot.owner_id] += 1
        games = _games(sessions, awaited)
    return scheduled


def _had_lately(rows: Iterable[Exclusion]) -> Counter[int]:
    """How many examinations the versions of these owners have had within an hour, those in flight included: who has
    many versions, or a version that fails again and again, keeps nobody else waiting."""
    matches = Match.objects.filter(rated=False, event_match=None, challenge_match=None, comparison_match=None)
    seats = Participant.objects.filter(
        match__in=matches.filter(created_at__gt=before_now(3600)),
        version__bot__is_house=False,
        version__bot__owner__in={row.version.bot.owner_id for row in rows},
    )
    return Counter(seats.values_list("version__bot__owner", flat=True))


def _ask_again(failed: QuerySet[Exclusion], sessions: Sequence[OnlineSession]) -> None:
    """Ask for another examination of new versions of which a process has said hello since the last one."""
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
    """Whether all of them have a place."""


class _Game(NamedTuple):
    """A game in which versions can be examined."""

    ruleset: Ruleset
    online: Online
    house: list[int]
    """Versions of the house that play it: those first that have a place and were longest at no examination."""


def _games(sessions: Sequence[OnlineSession], awaited: set[int]) -> list[_Game]:
    """What can be played with the house, the shortest first; looked up once for all that wait."""
    sat = Participant.objects.filter(match__examination__isnull=False, version__bot__is_house=True)
    last = dict(sat.values_list("version").annotate(last=Max("match__created_at")))
    games = []
    for ruleset in SHARES:
        online = Online.of(sessions, ruleset.players, ruleset.expansions)
        playing = BotVersion.objects.filter(
            pk__in=online.house, retired_at=None, bot__state=BotState.ACTIVE, bot__owner__is_active=True
        ).exclude(bot__in=awaited)
        able = sorted(
            playing.values_list("pk", flat=True), key=lambda one: (online.room[one] <= 0, last.get(one, NEVER))
        )
        games.append(_Game(ruleset, online, able))
    return games


def _tables(version: int, games: Iterable[_Game]) -> list[_Table]:
    """Where it can be examined: games that the version plays and enough bots of the house with it."""
    tables = []
    for ruleset, online, house in games:
        if version not in online.room:
            continue
        beside = [one for one in house if one != version][: ruleset.players - 1]
        if len(beside) == ruleset.players - 1:
            table = [version, *beside]
            tables.append(_Table(ruleset, table, all(online.room[one] > 0 for one in table)))
    return tables
