"""Examinations: an unrated match in which a version shows that it plays without a fault, before it plays rated ones.

A new version is examined by itself, again when another process of it says hello after one that it did not pass, and
goes without where nobody of the house is there to play with. For one that was taken off its owner asks. The examination
begins as soon as the version is online with a free place, in the shortest game that it plays, with bots of the house in
turns. A match that nobody finished is tried again.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final, NamedTuple

from django.db import transaction
from django.db.models import Max, Q, QuerySet
from django.db.models.functions import Now

from arena.events import EventState
from arena.referee import Clock, Kind, Policy
from arena.rules import Ruleset
from webui.ladder.actions.event_matches import IN_FLIGHT_STATES, Online
from webui.ladder.actions.matches import schedule_match
from webui.ladder.actions.matchmaking import OnlineSession
from webui.ladder.dbtime import before_now
from webui.ladder.ladders import SHARES
from webui.ladder.models import (
    BotState,
    BotVersion,
    EventBot,
    Exclusion,
    LogRow,
    Match,
    MatchState,
    Participant,
)
from webui.ladder.notices import note_not_passed
from webui.ladder.queries.rests import rests

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
        version__bot__state=BotState.ACTIVE,
        version__bot__owner__is_active=True,
    ).annotate(has_waited=Q(asked_at__lt=before_now(WITHOUT_HOUSE_S)))
    rows = list(waiting.order_by("asked_at").select_related("version__bot"))
    if not rows:
        return []
    resting = rests({row.version.bot_id: row.version.bot.owner_id for row in rows})
    running = EventBot.objects.filter(is_awaited=True, is_in=True, event__state=str(EventState.RUNNING))
    awaited = set(running.values_list("bot", flat=True))
    free = AT_ONCE - asked.filter(examination__state__in=IN_FLIGHT_STATES).count()
    scheduled: list[str] = []
    for row in rows:
        if len(scheduled) >= free:
            break
        if row.version.bot_id in resting or row.version.bot_id in awaited:
            continue
        tables = _tables(row.version_id, sessions, awaited)
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
    return scheduled


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


def _tables(version: int, sessions: Sequence[OnlineSession], awaited: set[int]) -> list[_Table]:
    """Where it can be examined: games that the version plays and enough bots of the house with it, the shortest first;
    with those of the house that have a place, and whose last examination was longest ago."""
    sat = Participant.objects.filter(match__examination__isnull=False, version__bot__is_house=True)
    last = dict(sat.values_list("version").annotate(last=Max("match__created_at")))
    tables = []
    for ruleset in SHARES:
        online = Online.of(sessions, ruleset.players, ruleset.expansions)
        if version not in online.room:
            continue
        house = [one for one in online.house if one != version]
        playing = BotVersion.objects.filter(pk__in=house, bot__state=BotState.ACTIVE, bot__owner__is_active=True)
        able = playing.exclude(bot__in=awaited).values_list("pk", flat=True)
        beside = sorted(able, key=lambda one: (online.room[one] <= 0, last.get(one, NEVER)))[: ruleset.players - 1]
        if len(beside) == ruleset.players - 1:
            table = [version, *beside]
            tables.append(_Table(ruleset, table, all(online.room[one] > 0 for one in table)))
    return tables


def end_examination(match: Match) -> None:
    """Put a version back, if this match, which has just finished, is its examination and it made no fault; in its
    transaction."""
    row = Exclusion.objects.filter(examination=match, ended_at=None).first()
    if row is None:
        return
    seat = Participant.objects.values_list("seat", flat=True).get(match=match, version=row.version_id)
    wrong = LogRow.objects.filter(match=match, seat=seat, kind__in=(str(Kind.FAULT), str(Kind.FORFEIT)))
    same = Exclusion.objects.filter(pk=row.pk, examination=match, ended_at=None)
    if wrong.exists():
        if same.update(asked_at=None):
            note_not_passed(row, match)
    else:
        same.update(ended_at=Now(), asked_at=None)
