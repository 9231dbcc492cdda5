"""Versions that are taken off rated matches: who forfeits one after the other by faults of its own spoils the games of
others. The owner is told, and puts the version back when it is repaired; another version plays at once."""

from typing import Final

from django.db import transaction
from django.db.models.functions import Now

from arena.referee import Reason
from webui.ladder.actions.audit import record_act
from webui.ladder.models import Exclusion, Match, MatchState, Participant
from webui.ladder.notices import note_taken_off
from webui.ladder.values import Act, Actor, NotFound

IN_A_ROW: Final = 3
"""Rated matches that a version forfeits one after the other, by the order of their ends."""
NOT_ITS_OWN: Final = frozenset({"", str(Reason.GONE)})
"""Reasons of a forfeit that say nothing of the program: its machine may have lost the network."""


def take_off(match: Match) -> None:
    """Take versions off rated matches if this one, which has just finished, is one forfeit too many; in its
    transaction."""
    seats = Participant.objects.filter(match=match, version__bot__is_house=False).exclude(
        forfeit_reason__in=NOT_ITS_OWN
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
        latest = list(played.values_list("match_id", "forfeit_reason")[:IN_A_ROW])
        if len(latest) == IN_A_ROW and not NOT_ITS_OWN.intersection(reason for _, reason in latest):
            row = Exclusion(version_id=version, matches=[match_id for match_id, _ in latest])
            # Of two matches that finish at once both may see it.
            Exclusion.objects.bulk_create([row], ignore_conflicts=True)
            if (made := Exclusion.objects.filter(version=version, ended_at=None).first()) is not None:
                note_taken_off(made)


@transaction.atomic
def put_back(exclusion_id: int, owner_id: int, *, by: Actor) -> None:
    """Let a version of this owner's play rated matches again. `NotFound`."""
    row = Exclusion.objects.filter(pk=exclusion_id, version__bot__owner=owner_id).select_related("version__bot").first()
    if row is None:
        raise NotFound(f"there is no exclusion {exclusion_id} of a bot of this owner")
    if Exclusion.objects.filter(pk=row.pk, ended_at=None).update(ended_at=Now()):
        record_act(Act.BOT_RESUMED, owner_id, by=by, subject=str(row.version))
