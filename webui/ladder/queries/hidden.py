"""What nobody but the organisers may see yet: the matches of an event's rounds that have not been revealed."""

from django.db.models import F, Q

from arena.events import EventState


def is_hidden(prefix: str = "") -> Q:
    """The condition on a match, which stands under `prefix` (`match__`). Every public query of matches excludes it."""
    event = f"{prefix}event_match__event__"
    has_ended = Q(**{f"{event}state__in": [str(EventState.FINISHED), str(EventState.ARCHIVED)]})
    is_later = Q(**{f"{prefix}event_match__round__gt": F(f"{event}revealed")})
    return Q(**{f"{event}hidden": True}) & is_later & ~has_ended
