"""What visitors look for among matches, beside their states, ladders and bots."""

from dataclasses import dataclass

from django.db.models import Exists, OuterRef, Q

from webui.matches.models import Participant


@dataclass(frozen=True)
class Sought:
    """What the ratings that bots had when a match was made, and its excitement, must be at least. Without a rating of
    every seat, or a story, a match has none of it."""

    weakest: int | None = None
    """Points of the weakest seat."""
    strongest: int | None = None
    """Points of the strongest seat."""
    excitement: float | None = None
    """0 to 1, as its story says (`queries.stories`)."""

    @property
    def is_anything(self) -> bool:
        """Whether every match is found."""
        return self == ANYTHING

    def condition(self) -> Q:
        """The condition on a match."""
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
