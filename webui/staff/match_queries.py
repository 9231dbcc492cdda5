"""Read matches for staff: search them by their problems, and show who works on each.

Hidden parts of a running match are hidden from staff too, because they may own bots. Only what spectators may see is
read. The names of the players are not read before a match has begun. Results of hidden rounds are shown, as on the
pages of events.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any, Final

from django.db.models import Count, DurationField, ExpressionWrapper, F, Q, QuerySet
from django.db.models.functions import Now
from django.utils.text import slugify

from webui.bots.models import BotVersion
from webui.bots.queries import VERSIONS
from webui.challenges.models import ChallengeMatch
from webui.comparisons.models import ComparisonMatch
from webui.core.dbtime import before_now
from webui.events.models import EventMatch
from webui.ladders.models import Ladder
from webui.matches.conditions import is_waiting
from webui.matches.live import decided_ago
from webui.matches.models import Match, MatchRecord, MatchState, Participant, SpectatorRow
from webui.matches.queries import LOOKED_AT, match_page, matches_by_id, newest_seats
from webui.pairing.models import Exclusion
from webui.staff.models import MatchOrder
from webui.staff.values import Belonging, MatchSearch, OrderLine, Ownership, StaffMatch, StaffMatchLine

IN_FLIGHT: Final = (str(MatchState.SCHEDULED), str(MatchState.RUNNING))
LATE_S: Final = 60.0
"""Seconds after which an expired lease, or a wait, indicates that no worker is available."""
OLD_S: Final = 3600.0
AGES_S: Final = {"hour": 3600.0, "day": 86400.0, "week": 7 * 86400.0}


def search_matches(wanted: MatchSearch, *, limit: int, offset: int = 0) -> list[StaffMatchLine]:
    """Return matches, newest first.

    For a bot or an owner, only matches that have begun are searched, among the newest `LOOKED_AT` seats. Forfeited
    matches are searched among the newest `LOOKED_AT` forfeited seats.
    """
    if wanted.match:
        return _lines(list(Match.objects.filter(pk=wanted.match).values_list("pk", flat=True)))
    conditions = _conditions(wanted)
    if conditions is None:
        return []
    matches = Match.objects.filter(conditions)
    if not (wanted.bot or wanted.owner):
        newest = matches.order_by("-created_at", "-pk").values_list("pk", flat=True)
        return _lines(list(newest[offset : offset + limit]))
    versions = BotVersion.objects.order_by("-pk").values_list("pk", flat=True)
    if wanted.bot:
        versions = versions.filter(bot__slug=slugify(wanted.bot))
    if wanted.owner:
        versions = versions.filter(bot__owner__username__iexact=wanted.owner)
    seats = newest_seats(list(versions[:VERSIONS]), LOOKED_AT).filter(match__in=matches).exclude(is_waiting("match__"))
    match_ids = dict.fromkeys(seats.order_by("-pk").values_list("match_id", flat=True))
    return _lines(list(match_ids)[offset : offset + limit])


def _conditions(wanted: MatchSearch) -> Q | None:
    """Return the conditions of a search. None: nothing can match."""
    conditions = Q()
    if wanted.state:
        conditions &= Q(state=wanted.state)
    if wanted.ladder:
        ladder_id = Ladder.objects.filter(slug=wanted.ladder).values_list("pk", flat=True).first()
        if ladder_id is None:
            return None
        conditions &= Q(ladder_id=ladder_id)
    match wanted.trouble:
        case "forfeit":
            given_up = Participant.objects.exclude(forfeit_reason="").order_by("-pk")
            conditions &= Q(pk__in=given_up.values("match")[:LOOKED_AT])
        case "taken-over":
            conditions &= Q(state__in=IN_FLIGHT) & Q(epoch__gt=1)
        case "late":
            conditions &= Q(state=MatchState.RUNNING, lease_expires_at__lt=before_now(LATE_S)) | Q(
                state=MatchState.SCHEDULED, waits_since__lt=before_now(LATE_S)
            )
    if wanted.age == "old":
        conditions &= Q(state__in=IN_FLIGHT, created_at__lt=before_now(OLD_S))
    elif wanted.age in AGES_S:
        conditions &= Q(created_at__gt=before_now(AGES_S[wanted.age]))
    return conditions


def _lines(match_ids: Sequence[str]) -> list[StaffMatchLine]:
    """Return these matches in this order, in three queries."""
    rows = {row.pk: row for row in _with_times(Match.objects.filter(pk__in=match_ids))}
    return [
        StaffMatchLine(
            line=replace(line, seats=[]) if vars(rows[line.id])["waits"] else line,
            ownership=_ownership(rows[line.id]),
        )
        for line in matches_by_id(match_ids)
        if line.id in rows
    ]


def _with_times(rows: QuerySet[Match]) -> QuerySet[Match]:
    """Add the remaining time of leases and the duration of waits, by the database's clock, and whether a match
    waits.
    """
    duration: DurationField[timedelta, timedelta] = DurationField()
    return rows.annotate(
        left=ExpressionWrapper(F("lease_expires_at") - Now(), output_field=duration),
        waited=ExpressionWrapper(Now() - F("waits_since"), output_field=duration),
        waits=is_waiting(),
        failure_count=Count("failures"),
    )


def _ownership(row: Match) -> Ownership:
    times: dict[str, Any] = vars(row)
    left: timedelta | None = times["left"]
    return Ownership(
        owner=row.owner,
        epoch=row.epoch,
        failures=times["failure_count"],
        lease_s=left.total_seconds() if left is not None else None,
        waits_s=times["waited"].total_seconds() if row.state == MatchState.SCHEDULED else None,
    )


def staff_match(match_id: str) -> StaffMatch:
    """Return one match. Raise `NotFound`."""
    page = match_page(match_id, hidden_too=True)
    row = _with_times(Match.objects.filter(pk=match_id)).get()
    if vars(row)["waits"]:
        page = replace(page, line=replace(page.line, seats=[]))
    # Count only the decisions that spectators can see. On a ladder with a delay they see fewer.
    delay = page.line.ladder.delay if page.line.ladder else 0
    last = SpectatorRow.objects.filter(match=match_id).order_by("-ply").values_list("ply", flat=True).first()
    return StaffMatch(
        page=page,
        ownership=_ownership(row),
        rung_at=row.rung_at,
        log_form=row.log_form,
        has_record=MatchRecord.objects.filter(pk=match_id).exists(),
        shown=None if last is None else max(0, last - delay),
        decided_s=decided_ago(match_id),
        belonging=_belonging(match_id),
        orders=[
            OrderLine(order.kind, order.reason, order.by.username, order.at, order.state, order.ended_at)
            for order in MatchOrder.objects.filter(match=match_id).select_related("by")
        ],
    )


def _belonging(match_id: str) -> Belonging:
    if (game := EventMatch.objects.filter(match=match_id).select_related("event").first()) is not None:
        return Belonging(game.event.slug, game.event.name, game.round, game.table, game.game)
    if (compared := ComparisonMatch.objects.filter(match=match_id).first()) is not None:
        return Belonging(comparison=compared.comparison_id)
    if (challenged := ChallengeMatch.objects.filter(match=match_id).first()) is not None:
        return Belonging(challenge=challenged.challenge_id)
    return Belonging(is_examination=Exclusion.objects.filter(examination=match_id, ended_at=None).exists())
