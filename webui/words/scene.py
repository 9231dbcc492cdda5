"""Hold the context of a decision: the names of the seats and the views before and after it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from arena.rules import Ruleset, TurnView, View


@dataclass(frozen=True)
class Scene:
    """Context of a decision. Either view may be missing; a value that no view shows is None."""

    seats: Sequence[str]
    ruleset: Ruleset
    before: View | None
    after: View | None

    @cached_property
    def turn(self) -> TurnView:
        """State of the turn before the decision. It is empty if the view before the decision is missing."""
        return self.before.turn if self.before else TurnView()

    @cached_property
    def held(self) -> int | None:
        """Gold that the acting seat had before the decision."""
        if self.before is None or not (seat := self.before.to_act):
            return None
        return self.before.seats[seat - 1].gold

    def earned(self) -> int | None:
        """Return the gold that the acting seat gained."""
        if self.held is None or self.before is None or self.after is None or not self.before.to_act:
            return None
        has = self.after.seats[self.before.to_act - 1].gold
        return None if has is None else has - self.held

    def kind(self, tile: str | None) -> str:
        """Return the kind of a tile, or "" if it is not known."""
        return self.before.tiles[tile].kind if self.before and tile else ""

    def is_captured(self, tile: str) -> bool:
        """Return whether this decision gave the tile a new owner."""
        if self.before is None or self.after is None:
            return False
        had, has = (position.tiles[tile].owner for position in (self.before, self.after))
        return bool(has) and has != had
