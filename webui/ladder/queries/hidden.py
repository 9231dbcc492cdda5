"""What nobody but the organisers may see yet: the matches of an event's rounds that have not been revealed."""

from django.db.models import F, Q


def is_hidden(prefix: str = "") -> Q:
    """The condition on a match, which stands under `prefix` (`match__`). Every public query of matches excludes it.

    The end of an event reveals all its rounds.
    """
    event = f"{prefix}event_match__event__"
    return Q(**{f"{event}hidden": True, f"{prefix}event_match__round__gt": F(f"{event}revealed")})
