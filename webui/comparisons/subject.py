"""The declaration of the subject of comparisons."""

from typing import Final

from webui.accounts.personal_data import time_text
from webui.comparisons.actions import compared_versions, runner_places_wanted
from webui.comparisons.models import Comparison, ComparisonMatch
from webui.core.subjects import ADD, READ, Document, Subject
from webui.hosting.values import versions_kept
from webui.matches.ending import replaced_in
from webui.matches.hooks import match_replaced, plays_again_by_itself
from webui.matches.models import Match
from webui.pairing.hooks import places_wanted


def _personal_data(user_id: int) -> Document:
    rows = Comparison.objects.filter(owner_id=user_id).order_by("created_at")
    lines = [
        {"new": new, "old": old, "ordered": time_text(at), "state": state, "blocks": scores}
        for new, old, at, state, scores in rows.values_list("new__name", "old__name", "created_at", "state", "scores")
    ]
    return {"challenges": {"comparisons": lines}}


def _plays_again(match: Match) -> bool:
    return ComparisonMatch.objects.filter(match=match).exists()


SUBJECT: Final = Subject(
    site_rights={ComparisonMatch: READ, Comparison: {**ADD, "UPDATE": ("state", "ended_at", "moved_at")}},
    personal_data=_personal_data,
    receives=(
        places_wanted.received_by(runner_places_wanted),
        versions_kept.received_by(compared_versions),
        match_replaced.received_by(replaced_in(ComparisonMatch)),
        plays_again_by_itself.received_by(_plays_again),
    ),
)
