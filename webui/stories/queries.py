"""Queries of stories of finished matches. Hidden and running matches have none."""

from collections.abc import Collection
from datetime import UTC, datetime, timedelta

from django.db.models import QuerySet

from webui.matches.conditions import is_hidden
from webui.matches.models import MatchState
from webui.stories.models import Story, unpack_losses, unpack_story
from webui.stories.values import StoryPage, StorySummary

DAYS = 7


def stories(match_ids: Collection[str]) -> dict[str, StorySummary]:
    """Return the summary of each of these matches that has a story, in one query."""
    rows = _public_stories().filter(pk__in=match_ids).defer("packed")
    return {row.pk: _summary(row) for row in rows}


def story(match_id: str) -> StoryPage | None:
    """Return the whole story of a match. Return None if it has none (yet)."""
    row = _public_stories().filter(pk=match_id).first()
    if row is None:
        return None
    packed = bytes(row.packed)
    return StoryPage(_summary(row), *unpack_story(packed), unpack_losses(packed))


def best_matches(limit: int, *, days: int = DAYS, now: datetime | None = None) -> list[str]:
    """Return the ids of the most exciting matches of today and the `days` days before, most exciting first.

    Each day takes one query, which reads its best matches from an index, however many matches there are.
    """
    today = (now or datetime.now(UTC)).astimezone(UTC).date()
    scored: list[tuple[float, str]] = []
    for ago in range(days + 1):
        rows = _public_stories().filter(day=today - timedelta(days=ago)).order_by("-excitement")
        scored += rows.values_list("excitement", "pk")[:limit]
    return [match_id for _, match_id in sorted(scored, reverse=True)[:limit]]


def _public_stories() -> QuerySet[Story]:
    """Return the stories that everybody may see, of matches whose state is still FINISHED."""
    return Story.objects.filter(~is_hidden("match__"), match__state=MatchState.FINISHED)


def _summary(row: Story) -> StorySummary:
    return StorySummary(
        excitement=row.excitement,
        lead_changes=row.lead_changes,
        margin=row.margin,
        winners=tuple(row.winners),
        decided_by=row.decided_by,
        decided_what=row.decided_what,
    )
