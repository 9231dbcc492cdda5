"""Choice of the matches on TV, one after the other, each shortly before the current one ends.

The rows are the schedule. A row is made once, under the next number, and its end is written once. Several workers
therefore never do anything twice, and the next worker continues after a killed one. Without a worker, no new match is
chosen.
"""

from datetime import datetime, timedelta

from webui.core.upkeep import UpkeepWorker
from webui.matches.models import ENDED, Match, MatchState
from webui.tv import queries
from webui.tv.models import FeaturedMatch
from webui.tv.values import EPILOGUE

LEAD = timedelta(seconds=20)
"""Time from the choice of the next match to its start."""
ENTRY = timedelta(seconds=0.65)
"""Time on screen for each entry of a match's log. A turn then takes 3 to 5 seconds."""
MOST_BEHIND = timedelta(minutes=8)
"""Maximum time from the start of a show to its end, unless the match itself runs longer."""
KEPT = 500
"""Number of past rows that are kept."""


def feature_now(worker: UpkeepWorker) -> None:
    """Choose the next match on TV when it is time."""
    feature_next()


def feature_next(at: datetime | None = None) -> bool:
    """Write the end of the current show once it is known, and choose the next match when it is time.

    Return whether anything was written. `at` is the current time; by default it is the database's.
    """
    at = at or queries.clock()
    if at is None:
        return False
    last = FeaturedMatch.objects.select_related("match").order_by("-number").first()
    if last is None:
        return _choose(1, at)
    if last.ends_at is None:
        if last.match.state not in ENDED:
            return False
        end = end_of(last.match, last.begins_at)
        return bool(FeaturedMatch.objects.filter(pk=last.pk, ends_at=None).update(ends_at=end))
    return last.ends_at <= at + LEAD and _choose(last.number + 1, max(last.ends_at, at))


def end_of(match: Match, begins_at: datetime) -> datetime:
    """Return the end of the show of a match that has ended. The pace suits a spectator, but the show must not lag too
    far behind."""
    assert match.finished_at is not None
    ended = max(match.finished_at, begins_at)
    if match.state != MatchState.FINISHED:
        return ended + EPILOGUE  # its end cannot be shown
    return max(ended, begins_at + min(match.length * ENTRY, MOST_BEHIND)) + EPILOGUE


def _choose(number: int, begins_at: datetime) -> bool:
    """Choose a running match, or else an earlier one worth seeing. Return whether there is one."""
    live = queries.live_pairings()
    shown = set(
        FeaturedMatch.objects.filter(number__gte=number - queries.SHOWN_AGAIN_AFTER).values_list("match", flat=True)
    )
    new = [line for line in live if line.id not in shown]
    line = next(iter([*new, *queries.classics()]), None)
    if line is None:
        return False
    match = Match.objects.get(pk=line.id)  # it may have ended in the meantime
    end = end_of(match, begins_at) if match.state in ENDED else None
    row = FeaturedMatch(number=number, match=match, begins_at=begins_at, ends_at=end, was_live=bool(new))
    FeaturedMatch.objects.bulk_create([row], ignore_conflicts=True)
    FeaturedMatch.objects.filter(number__lte=number - KEPT).delete()
    return True
