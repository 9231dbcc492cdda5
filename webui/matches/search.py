"""Search conditions for matches, in addition to state, ladder and bot."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from webui.matches.models import Participant


@dataclass(frozen=True)
class Sought:
    """Minimum ratings and excitement of the matches that a visitor searches for.

    The ratings are those that the bots had when the match was made. A match with an unrated seat never reaches the
    minimum rating of the weakest seat. A match without a story never reaches a minimum excitement.
    """

    weakest: int | None = None
    """Minimum points of the weakest seat."""
    strongest: int | None = None
    """Minimum points of the strongest seat."""
    excitement: float | None = None
    """Minimum excitement of its story, 0 to 1 (`stories.queries`)."""

    @property
    def is_anything(self) -> bool:
        """Return whether every match is found."""
        return self == ANYTHING

    def condition(self) -> Q:
        """Return the condition on a match."""
        seats = Participant.objects.filter(match=OuterRef("pk"))
        found = Q()
        if self.weakest is not None:
            weaker = Q(rating__isnull=True) | Q(rating__lt=self.weakest)
            found &= ~Q(Exists(seats.filter(weaker)))
        if self.strongest is not None:
            found &= Q(Exists(seats.filter(rating__gte=self.strongest)))
        if self.excitement is not None:
            found &= Q(story__excitement__gte=self.excitement)
        return found


ANYTHING = Sought()
