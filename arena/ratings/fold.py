"""A ladder as a fold over its finishes. The same list gives the same ratings, whether applied at once or one by one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.ratings.model import INITIAL, Rating, rate, successor


class Finish(NamedTuple):
    """A rated match: its number in the ladder's order, from 1, and its versions and placements by seat.

    >>> Finish(number=1, versions=(31, 12), placements=(2, 1)).versions
    (31, 12)
    """

    number: int
    versions: tuple[int, ...]
    placements: tuple[int, ...]


class HeldRating(NamedTuple):
    """Rating of a version on a ladder, and its number of games there.

    >>> HeldRating(INITIAL, games=0).rating.mu
    25.0
    """

    rating: Rating
    games: int


class Change(NamedTuple):
    """Effect of one finish on one version.

    >>> [change.seat for change in Book().apply(Finish(1, (31, 12), (2, 1)))]
    [1, 2]
    """

    number: int
    seat: int
    version: int
    placement: int
    before: Rating
    after: Rating
    games: int
    """Games on this ladder, including this one."""


@dataclass
class Book:
    """The ratings of a ladder after `number` finishes.

    >>> book = Book()
    >>> book.apply(Finish(1, versions=(31, 12), placements=(2, 1)))[0].after.mu < INITIAL.mu
    True
    >>> book.held[12].games
    1
    """

    number: int = 0
    held: dict[int, HeldRating] = field(default_factory=dict)
    bot_of: Mapping[int, int] = field(default_factory=dict)
    """Bot of each version. A version that is not listed counts as a bot of its own."""

    def apply(self, finish: Finish) -> list[Change]:
        """Apply the next finish. Return the changes in the order of seats.

        Raise `ValueError` if the finish is not the next one, or has a version at two seats.
        """
        if finish.number != self.number + 1:
            raise ValueError(f"the finish after {self.number} must be {self.number + 1}, not {finish.number}")
        if len(set(finish.versions)) != len(finish.versions):
            raise ValueError(f"finish {finish.number} has a version at two seats")
        before = [self.held.get(version) or self._first(version) for version in finish.versions]
        after = rate([held.rating for held in before], finish.placements)
        changes = [
            Change(finish.number, seat, version, place, old.rating, new, old.games + 1)
            for seat, (version, place, old, new) in enumerate(
                zip(finish.versions, finish.placements, before, after, strict=True), start=1
            )
        ]
        self.number = finish.number
        self.held.update({change.version: HeldRating(change.after, change.games) for change in changes})
        return changes

    def _first(self, version: int) -> HeldRating:
        """Return the initial rating of a version. It follows the latest earlier version of its bot that has played."""
        bot = self.bot_of.get(version)
        former = [
            earlier
            for earlier in self.held
            if bot is not None and earlier < version and self.bot_of.get(earlier) == bot
        ]
        return HeldRating(successor(self.held[max(former)].rating) if former else INITIAL, 0)


def rebuild(finishes: Iterable[Finish], bot_of: Mapping[int, int] | None = None) -> tuple[Book, Sequence[Change]]:
    """Rebuild a ladder from its first finish.

    Return the final `Book`, and every change on the way. `bot_of` maps versions to bots, as in `Book`.

    >>> book, changes = rebuild([Finish(1, (31, 12), (2, 1)), Finish(2, (12, 31), (1, 2))])
    >>> book.number, len(changes), book.held[12].rating.mu > book.held[31].rating.mu
    (2, 4, True)
    """
    book = Book(bot_of=bot_of or {})
    changes = [change for finish in finishes for change in book.apply(finish)]
    return book, changes
