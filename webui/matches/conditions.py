"""Conditions on matches: what visitors may not see yet, and what a search asks for."""

from dataclasses import dataclass

from django.db.models import Exists, F, OuterRef, Q

from webui.matches.models import MatchState, Participant, SpectatorRow


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


@dataclass(frozen=True)
class MatchFilters:
    """Ratings, excitement and hosting of the matches that a visitor searches for.

    The ratings are those that the bots had when the match was made. A match with an unrated seat never reaches the
    minimum rating of the weakest seat. A match without a story never reaches a minimum excitement.
    """

    weakest: int | None = None
    """Minimum points of the weakest seat."""
    strongest: int | None = None
    """Minimum points of the strongest seat."""
    excitement: float | None = None
    """Minimum excitement of its story, 0 to 1 (`stories.queries`)."""
    is_hosted: bool | None = None
    """True: at least one seat has a hosted version. False: no seat has one."""

    @property
    def is_anything(self) -> bool:
        """Return whether every match is found."""
        return self == ANYTHING

    def condition(self) -> Q:
        """Return the condition on a match."""
        seats = Participant.objects.filter(match=OuterRef("pk"))
        matching = Q()
        if self.weakest is not None:
            weaker = Q(rating__isnull=True) | Q(rating__lt=self.weakest)
            matching &= ~Q(Exists(seats.filter(weaker)))
        if self.strongest is not None:
            matching &= Q(Exists(seats.filter(rating__gte=self.strongest)))
        if self.excitement is not None:
            matching &= Q(story__excitement__gte=self.excitement)
        if self.is_hosted is not None:
            hosted = Q(Exists(seats.filter(version__is_hosted=True)))
            matching &= hosted if self.is_hosted else ~hosted
        return matching


ANYTHING = MatchFilters()
