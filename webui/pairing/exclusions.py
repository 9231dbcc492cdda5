"""Exclusions: versions that may not play rated matches.

A version is excluded when it forfeits several matches in a row by its own fault, because that spoils the games of
others. The owner is notified, and requests an examination once the version is repaired (`examinations`). A new version
is excluded until its first examination.
"""

from collections.abc import Collection
from typing import Final

from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Now

from arena.referee import Kind, Reason, Verdict
from webui.accounts.actions import record_act
from webui.accounts.models import AuditEntry
from webui.accounts.values import Act, Actor
from webui.bots.models import Bot, BotState
from webui.bots.values import ExclusionLine
from webui.core.dbtime import before_now
from webui.core.errors import NotFound, TooMany
from webui.matches.models import LogRow, Match, MatchState, Participant
from webui.pairing.hooks import examination_failed, version_taken_off
from webui.pairing.models import Exclusion

IN_A_ROW: Final = 3
"""Number of consecutive forfeits in rated matches after which a version is excluded, in the order of their ends."""
OF_THE_NETWORK: Final = Q(forfeit_reason__in=[str(Reason.GONE), str(Reason.NO_REVEAL)], version__is_hosted=False)
"""Seats that a lost network can have forfeited. Such matches are ignored: they say nothing about the program. A hosted
bot has no network to lose."""
LOOKED_AT: Final = 100
"""Maximum number of recent matches that are searched for forfeits."""
ASKED_A_DAY: Final = 5
"""Maximum number of examinations that an owner may request for one version in a day."""


def hold_new(version_id: int) -> None:
    """Exclude a new version from rated matches until its examination, if the arena has house bots.

    Call this in the transaction that creates the version.
    """
    house = Bot.objects.filter(is_house=True)
    if house.filter(state=BotState.ACTIVE).exists() and not house.filter(versions=version_id).exists():
        Exclusion.objects.bulk_create(
            [Exclusion(version_id=version_id, matches=[], asked_at=Now())], ignore_conflicts=True
        )


def take_off(match: Match) -> None:
    """Exclude each version for which this match, which has just finished, is one forfeit too many.

    Call this in the transaction that finishes the match.
    """
    seats = Participant.objects.filter(match=match, version__bot__is_house=False)
    seats = seats.exclude(forfeit_reason="").exclude(OF_THE_NETWORK)
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
            # Two matches that finish at the same time may both get here.
            Exclusion.objects.bulk_create([row], ignore_conflicts=True)
            if (made := Exclusion.objects.filter(version=version, ended_at=None).first()) is not None:
                version_taken_off(made)


def _in_a_row(played: QuerySet[Participant]) -> list[str]:
    """Return the ids of the latest matches that the version forfeited in a row, latest first, up to `IN_A_ROW`.

    Matches that ran at the same time count once, because one stall can end many of them.
    """
    match_ids: list[str] = []
    began = None
    latest = played.exclude(OF_THE_NETWORK).values_list(
        "match_id", "forfeit_reason", "match__started_at", "match__finished_at"
    )
    for match_id, reason, started, finished in latest[:LOOKED_AT]:
        if not reason or len(match_ids) == IN_A_ROW:
            break
        assert started is not None and finished is not None  # set, because the match has finished
        if began is None or finished <= began:
            match_ids.append(match_id)
            began = started
    return match_ids


@transaction.atomic
def put_back(exclusion_id: int, owner_id: int, *, by: Actor) -> None:
    """Request the examination after which this owner's version plays rated matches again.

    Raise `NotFound` if the owner has no such exclusion, and `TooMany` above the daily limit.
    """
    row = Exclusion.objects.filter(pk=exclusion_id, version__bot__owner=owner_id).select_related("version__bot").first()
    if row is None:
        raise NotFound(f"there is no exclusion {exclusion_id} of a bot of this owner")
    waiting = Exclusion.objects.filter(pk=row.pk, ended_at=None, asked_at=None)
    if waiting.update(asked_at=Now(), examination=None):
        requests = AuditEntry.objects.filter(account=owner_id, act=Act.BOT_RESUMED, subject=str(row.version))
        if requests.filter(at__gt=before_now(86400)).count() >= ASKED_A_DAY:
            raise TooMany(f"{ASKED_A_DAY} examinations of this version were asked for within a day: wait a while")
        record_act(Act.BOT_RESUMED, owner_id, by=by, subject=str(row.version))


def forfeits_of(versions: Collection[int]) -> dict[int, tuple[str, list[str]]]:
    """Return the versions that were taken off rated matches: the name, and the forfeited matches, latest first.

    Leave out versions whose examination was requested.
    """
    rows = Exclusion.objects.filter(version__in=versions, ended_at=None, asked_at=None).exclude(matches=[])
    found = rows.values_list("version", "version__name", "matches")
    return {version: (name, matches) for version, name, matches in found}


def open_exclusions(owner_id: int) -> dict[int, list[ExclusionLine]]:
    """Return the open exclusions of an owner's bots, by bot id."""
    exclusions: dict[int, list[ExclusionLine]] = {}
    for row in Exclusion.objects.filter(version__bot__owner=owner_id, ended_at=None).select_related("version"):
        line = ExclusionLine(
            id=row.pk,
            version_id=row.version_id,
            version=row.version.name,
            at=row.at,
            matches=tuple(row.matches),
            is_asked=row.asked_at is not None,
            examination=row.examination_id,
        )
        exclusions.setdefault(row.version.bot_id, []).append(line)
    return exclusions


def passed_examination() -> Subquery:
    """Return the expression, on a version, for the match in which it last passed its examination."""
    passed = Exclusion.objects.filter(version=OuterRef("pk"), ended_at__isnull=False, examination__isnull=False)
    return Subquery(passed.order_by("-pk").values("examination")[:1])


def exclude_after(match: Match, verdict: Verdict, number: int | None) -> None:
    """Start or end exclusions because of a match that has just ended. Call this in the transaction that ends it."""
    if number is not None:
        if verdict.forfeits:
            take_off(match)
    elif verdict.kind != "void":
        end_examination(match)


def examine_again(match: Match, another: str) -> None:
    """Make `another` the examination that `match` was."""
    Exclusion.objects.filter(examination=match).update(examination=another)


def is_examination(match: Match) -> bool:
    """Return whether a version is examined in this match."""
    return Exclusion.objects.filter(examination=match).exists()


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
            examination_failed(row, match)
    else:
        same.update(ended_at=Now(), asked_at=None)
