"""What visitors may not see yet: the matches of an event's rounds that have not been revealed, and who plays in a match
that has not begun."""

from django.db.models import Exists, F, OuterRef, Q

from webui.matches.models import MatchState, SpectatorRow


def is_hidden(prefix: str = "") -> Q:
    """The condition on a match, which stands under `prefix` (`match__`). Every public query of matches excludes it.

    The end of an event reveals all its rounds.
    """
    event = f"{prefix}event_match__event__"
    return Q(**{f"{event}hidden": True, f"{prefix}event_match__round__gt": F(f"{event}revealed")})


def is_waiting(prefix: str = "") -> Q:
    """The condition on a match under `prefix` that it has not begun: its bots may not know yet who plays. The tables of
    events and of challenges are known before.

    By what spectators see of it, for the site reads no log of a running match.
    """
    known = {f"{prefix}event_match": None, f"{prefix}challenge_match": None}
    in_flight = Q(**{f"{prefix}state__in": [MatchState.SCHEDULED, MatchState.RUNNING]}, **known)
    return in_flight & ~Q(Exists(SpectatorRow.objects.filter(match=OuterRef(f"{prefix}pk"))))
