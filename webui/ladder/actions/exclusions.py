"""Versions that play no rated matches: who forfeits one after the other by faults of its own spoils the games of
others. The owner is told, and has the version examined when it is repaired (`examinations`). A new version is examined
before its first one."""

from typing import Final

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.functions import Now

from arena.referee import Reason
from webui.ladder.actions.audit import record_act
from webui.ladder.dbtime import before_now
from webui.ladder.models import AuditEntry, Bot, BotState, Exclusion, Match, MatchState, Participant
from webui.ladder.notices import note_taken_off
from webui.ladder.values import Act, Actor, NotFound, TooMany

IN_A_ROW: Final = 3
"""Rated matches that a version forfeits one after the other, by the order of their ends."""
OF_THE_NETWORK: Final = frozenset({str(Reason.GONE), str(Reason.NO_REVEAL)})
"""Forfeits that say nothing of the program, for its machine may have lost the network: they count neither way."""
LOOKED_AT: Final = 100
"""At most so many of the latest matches."""
ASKED_A_DAY: Final = 5
"""Examinations of one version."""


def hold_new(version_id: int) -> None:
    """Keep a version that says hello for the first time from rated matches until its examination, if the arena has bots
    for one; in the transaction that makes it."""
    house = Bot.objects.filter(is_house=True)
    if house.filter(state=BotState.ACTIVE).exists() and not house.filter(versions=version_id).exists():
        Exclusion.objects.bulk_create(
            [Exclusion(version_id=version_id, matches=[], asked_at=Now())], ignore_conflicts=True
        )


def take_off(match: Match) -> None:
    """Take versions off rated matches if this one, which has just finished, is one forfeit too many; in its
    transaction."""
    seats = Participant.objects.filter(match=match, version__bot__is_house=False).exclude(
        forfeit_reason__in=("", *OF_THE_NETWORK)
    )
    for version in seats.values_list("version_id", flat=True):
        played = Participant.objects.filter(
            version=version, match__rated=True, match__state=MatchState.FINISHED
        ).order_by("-match__finished_at", "-match_id")
        last = Exclusion.objects.filter(version=version).order_by("-pk").first()
        if last is not None:
            if last.ended_at is None:
                continue
            played = played.filter(match__created_at__gt=last.ended_at)
        if len(forfeited := _in_a_row(played)) == IN_A_ROW:
            row = Exclusion(version_id=version, matches=forfeited)
            # Of two matches that finish at once both may see it.
            Exclusion.objects.bulk_create([row], ignore_conflicts=True)
            if (made := Exclusion.objects.filter(version=version, ended_at=None).first()) is not None:
                note_taken_off(made)


def _in_a_row(played: QuerySet[Participant]) -> list[str]:
    """The latest matches that a version forfeited one after the other, the latest first, up to `IN_A_ROW`. Of matches
    that ran at the same time the latest counts alone: one stall ends many."""
    found: list[str] = []
    began = None
    latest = played.exclude(forfeit_reason__in=OF_THE_NETWORK).values_list(
        "match_id", "forfeit_reason", "match__started_at", "match__finished_at"
    )
    for match_id, reason, started, finished in latest[:LOOKED_AT]:
        if not reason or len(found) == IN_A_ROW:
            break
        assert started is not None and finished is not None  # of a match that has finished
        if began is None or finished <= began:
            found.append(match_id)
            began = started
    return found


@transaction.atomic
def put_back(exclusion_id: int, owner_id: int, *, by: Actor) -> None:
    """Have a version of this owner's examined, which then plays rated matches again. `NotFound`, `TooMany`."""
    row = Exclusion.objects.filter(pk=exclusion_id, version__bot__owner=owner_id).select_related("version__bot").first()
    if row is None:
        raise NotFound(f"there is no exclusion {exclusion_id} of a bot of this owner")
    waiting = Exclusion.objects.filter(pk=row.pk, ended_at=None, asked_at=None)
    if waiting.update(asked_at=Now(), examination=None):
        asked = AuditEntry.objects.filter(account=owner_id, act=Act.BOT_RESUMED, subject=str(row.version))
        if asked.filter(at__gt=before_now(86400)).count() >= ASKED_A_DAY:
            raise TooMany(f"{ASKED_A_DAY} examinations of this version were asked for within a day: wait a while")
        record_act(Act.BOT_RESUMED, owner_id, by=by, subject=str(row.version))
