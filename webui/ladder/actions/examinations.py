"""Examinations: an unrated match in which a version that was taken off rated matches shows that it is repaired.

Its owner asks for it. It begins as soon as the version is online with a free place, in the shortest game that it plays,
with bots of the house, or, where none is free, of others. Without a fault of the version it plays rated matches again;
with one its owner has to ask again. A match that nobody finished is tried again.
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from arena.referee import Clock, Kind, Policy
from arena.rules import Ruleset
from webui.ladder.actions.event_matches import Online
from webui.ladder.actions.matches import schedule_match
from webui.ladder.actions.matchmaking import OnlineSession
from webui.ladder.ladders import SHARES
from webui.ladder.models import BotState, BotVersion, Exclusion, LogRow, Match, MatchState, Participant
from webui.ladder.queries.rests import rests

NOT_PLAYED = (MatchState.ABORTED, MatchState.VOID)


def begin_examinations(
    sessions: Iterable[OnlineSession],
    *,
    clock: Mapping[str, Any] | None = None,
    policy: Mapping[str, Any] | None = None,
) -> list[str]:
    """Schedule the examinations that were asked for and can be played now; the new matches."""
    waiting = Exclusion.objects.filter(
        Q(examination=None) | Q(examination__state__in=NOT_PLAYED),
        ended_at=None,
        asked_at__isnull=False,
        version__bot__state=BotState.ACTIVE,
        version__bot__owner__is_active=True,
    )
    rows = list(waiting.select_related("version__bot"))
    if not rows:
        return []
    sessions = list(sessions)
    resting = rests({row.version.bot_id: row.version.bot.owner_id for row in rows})
    scheduled = []
    for row in rows:
        table = None if row.version.bot_id in resting else _table(row, sessions)
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


def _table(row: Exclusion, sessions: Sequence[OnlineSession]) -> tuple[Ruleset, list[int]] | None:
    """The shortest game that the version plays and others with it, and who sits there."""
    for ruleset in SHARES:
        online = Online.of(sessions, ruleset.players, ruleset.expansions)
        if online.room[row.version_id] < 1:
            continue
        free = [version for version in online.room if online.room[version] > 0]
        others = BotVersion.objects.filter(pk__in=free, bot__state=BotState.ACTIVE, bot__owner__is_active=True)
        others = others.exclude(bot__owner=row.version.bot.owner_id)
        others = others.exclude(pk__in=Exclusion.objects.filter(ended_at=None).values("version"))
        beside = list(others.order_by("-bot__is_house", "bot__name", "-pk").values_list("pk", flat=True))
        if len(beside) >= ruleset.players - 1:
            return ruleset, [row.version_id, *beside[: ruleset.players - 1]]
    return None


def end_examination(match: Match) -> None:
    """Put a version back, if this match, which has just finished, is its examination and it made no fault; in its
    transaction."""
    row = Exclusion.objects.filter(examination=match, ended_at=None).first()
    if row is None:
        return
    seat = Participant.objects.values_list("seat", flat=True).get(match=match, version=row.version_id)
    wrong = LogRow.objects.filter(match=match, seat=seat, kind__in=(str(Kind.FAULT), str(Kind.FORFEIT)))
    same = Exclusion.objects.filter(pk=row.pk)
    if wrong.exists():
        same.update(asked_at=None)
    else:
        same.update(ended_at=Now(), asked_at=None)
