"""Conditions for matches whose results or bots visitors may not see yet.

The results are hidden in rounds of an event that are not revealed. The bots are hidden until the match begins.
"""

from django.db.models import Exists, F, OuterRef, Q

from webui.matches.models import MatchState, SpectatorRow


def is_hidden(prefix: str = "") -> Q:
    """Return the condition that a match is hidden. Every public query of matches excludes hidden ones.

    `prefix` is the path to the match from the queried table, such as `match__`. When an event ends, all its rounds are
    revealed.
    """
    event = f"{prefix}event_match__event__"
    return Q(**{f"{event}hidden": True, f"{prefix}event_match__round__gt": F(f"{event}revealed")})


def is_waiting(prefix: str = "") -> Q:
    """Return the condition that a match has not begun, so that its bots may not know yet who plays.

    `prefix` is the path to the match from the queried table. Matches of events and challenges are not included, as
    their pairings are public beforehand.

    The condition uses the spectators' rows, because the site cannot read the log of a running match.
    """
    known = {f"{prefix}event_match": None, f"{prefix}challenge_match": None}
    in_flight = Q(**{f"{prefix}state__in": [MatchState.SCHEDULED, MatchState.RUNNING]}, **known)
    return in_flight & ~Q(Exists(SpectatorRow.objects.filter(match=OuterRef(f"{prefix}pk"))))
