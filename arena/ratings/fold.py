"""A ladder as a fold over its finishes: the same list gives the same ratings, at once or one by one."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from arena.ratings.model import INITIAL, Rating, rate, successor


class Finish(NamedTuple):
    """One rated match: its place in the ladder's order, from 1, and who placed where, seat 1 first."""

    number: int
    versions: tuple[int, ...]
    placements: tuple[int, ...]


class Held(NamedTuple):
    """What a version has on a ladder."""

    rating: Rating
    games: int


class Change(NamedTuple):
    """What one finish did to one version."""

    number: int
    seat: int
    version: int
    placement: int
    before: Rating
    after: Rating
    games: int
    """Played on this ladder, this one included."""


@dataclass
class Book:
    """The ratings of a ladder after `number` finishes."""

    number: int = 0
    held: dict[int, Held] = field(default_factory=dict)
    bot_of: Mapping[int, int] = field(default_factory=dict)
    """The bots of the versions; one that is not named is a bot of its own."""

    def apply(self, finish: Finish) -> list[Change]:
        """Take the next finish into account; what it changed, in the order of seats."""
        if finish.number != self.number + 1:
            raise ValueError(f"after finish {self.number} comes {self.number + 1}, not {finish.number}")
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
        self.held.update({change.version: Held(change.after, change.games) for change in changes})
        return changes

    def _first(self, version: int) -> Held:
        """What a version begins with: it follows the latest of the former versions of its bot that have played."""
        bot = self.bot_of.get(version)
        former = [one for one in self.held if bot is not None and one < version and self.bot_of.get(one) == bot]
        return Held(successor(self.held[max(former)].rating) if former else INITIAL, 0)


def rebuild(finishes: Iterable[Finish], bot_of: Mapping[int, int] | None = None) -> tuple[Book, Sequence[Change]]:
    """A ladder from its beginning: the last ratings, and every change on the way. `bot_of` as in `Book`."""
    book = Book(bot_of=bot_of or {})
    changes = [change for finish in finishes for change in book.apply(finish)]
    return book, changes
