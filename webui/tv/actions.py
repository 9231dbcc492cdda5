"""What is shown on TV is chosen: one match after the other, shortly before the one that is on is over.

The rows are the schedule. A row is made once, under the next number, and its end is written once; so any number of
workers do nothing twice, and a killed one is made up for by the next. While no worker is there, nothing new comes on.
"""

from datetime import datetime, timedelta

from webui.matches.models import ENDED, Match, MatchState
from webui.tv import queries
from webui.tv.models import FeaturedMatch
from webui.tv.values import EPILOGUE

LEAD = timedelta(seconds=20)
"""The next match is chosen so long before it begins."""
ENTRY = timedelta(seconds=0.65)
"""A match is shown for so long for each entry of its log: a turn takes 3 to 5 seconds then."""
MOST_BEHIND = timedelta(minutes=8)
"""The show ends so long after its match at the latest, or after its own beginning."""
KEPT = 500
"""So many rows are kept of what was shown."""


def feature_next(at: datetime | None = None) -> bool:
    """Write when the match that is on ends, if that is known now, and choose the next one, if it is time. Whether
    anything was written. `at`: the time, by the database's clock if it is not given."""
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
    """When the show of a match that has ended is over: at the pace of a person who looks on, but not too long after."""
    assert match.finished_at is not None
    ended = max(match.finished_at, begins_at)
    if match.state != MatchState.FINISHED:
        return ended + EPILOGUE  # it has no end to be shown
    return max(ended, begins_at + min(match.length * ENTRY, MOST_BEHIND)) + EPILOGUE


def _choose(number: int, begins_at: datetime) -> bool:
    """A running match, else one that was worth seeing; whether there is any."""
    live = queries.live_pairings()
    shown = set(
        FeaturedMatch.objects.filter(number__gte=number - queries.SHOWN_AGAIN_AFTER).values_list("match", flat=True)
    )
    fresh = [line for line in live if line.id not in shown]
    line = next(iter([*fresh, *queries.classics()]), None)
    if line is None:
        return False
    match = Match.objects.get(pk=line.id)  # it may have ended since
    end = end_of(match, begins_at) if match.state in ENDED else None
    row = FeaturedMatch(number=number, match=match, begins_at=begins_at, ends_at=end, was_live=bool(fresh))
    FeaturedMatch.objects.bulk_create([row], ignore_conflicts=True)
    FeaturedMatch.objects.filter(number__lte=number - KEPT).delete()
    return True
