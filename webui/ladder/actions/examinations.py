"""Examinations: an unrated match in which a version that was taken off rated matches shows that it is repaired.

Its owner asks for it. It begins as soon as the version is online with a free place, in the shortest game that it plays,
with bots of the house in turns. Without a fault of the version it plays rated matches again; with one its owner has to
ask again. A match that nobody finished is tried again.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any, Final

from django.db import transaction
from django.db.models import Max, Q
from django.db.models.functions import Now

from arena.events import EventState
from arena.referee import Clock, Kind, Policy
from arena.rules import Ruleset
from webui.ladder.actions.event_matches import IN_FLIGHT_STATES, Online
from webui.ladder.actions.matches import schedule_match
from webui.ladder.actions.matchmaking import OnlineSession
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
from webui.ladder.queries.rests import rests

NOT_PLAYED: Final = (MatchState.ABORTED, MatchState.VOID)
AT_ONCE: Final = 4
"""Examinations that are played at the same time, at most."""
NEVER: Final = datetime.min.replace(tzinfo=UTC)


def begin_examinations(
    sessions: Iterable[OnlineSession],
    *,
    clock: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
) -> list[str]:
    """Schedule the examinations that were asked for and can be played now; the new matches."""
    asked = Exclusion.objects.filter(ended_at=None, asked_at__isnull=False)
    # One that a worker finished which knew nothing of examinations.
    for row in asked.filter(examination__state=MatchState.FINISHED).select_related("examination"):
        assert row.examination is not None  # as filtered
        end_examination(row.examination)
    waiting = asked.filter(
        Q(examination=None) | Q(examination__state__in=NOT_PLAYED),
        version__bot__state=BotState.ACTIVE,
        version__bot__owner__is_active=True,
    )
    rows = list(waiting.order_by("asked_at").select_related("version__bot"))
    if not rows:
        return []
    sessions = list(sessions)
    resting = rests({row.version.bot_id: row.version.bot.owner_id for row in rows})
    running = EventBot.objects.filter(is_awaited=True, is_in=True, event__state=str(EventState.RUNNING))
    awaited = set(running.values_list("bot", flat=True))
    free = AT_ONCE - asked.filter(examination__state__in=IN_FLIGHT_STATES).count()
    scheduled: list[str] = []
    for row in rows:
        if len(scheduled) >= free:
            break
        is_absent = row.version.bot_id in resting or row.version.bot_id in awaited
        table = None if is_absent else _table(row.version_id, sessions, awaited)
        if table is None:
            continue
        ruleset, versions = table
        with transaction.atomic():
            match = schedule_match(
                ruleset,
                versions,
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


def _table(version: int, sessions: Sequence[OnlineSession], awaited: set[int]) -> tuple[Ruleset, list[int]] | None:
    """The shortest game that the version plays and enough bots of the house with it, and who sits there: those whose
    last examination was longest ago."""
    sat = Participant.objects.filter(match__examination__isnull=False, version__bot__is_house=True)
    last = dict(sat.values_list("version").annotate(last=Max("match__created_at")))
    for ruleset in SHARES:
        online = Online.of(sessions, ruleset.players, ruleset.expansions)
        if online.room[version] < 1:
            continue
        free = [one for one in online.house if online.room[one] > 0 and one != version]
        playing = BotVersion.objects.filter(pk__in=free, bot__state=BotState.ACTIVE, bot__owner__is_active=True)
        able = set(playing.exclude(bot__in=awaited).values_list("pk", flat=True))
        beside = sorted((one for one in free if one in able), key=lambda one: last.get(one, NEVER))
        if len(beside) >= ruleset.players - 1:
            return ruleset, [version, *beside[: ruleset.players - 1]]
    return None


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
        same.update(asked_at=None)
    else:
        same.update(ended_at=Now(), asked_at=None)
