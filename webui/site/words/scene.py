"""What surrounds a decision: the names of the seats and the two positions around it."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from arena.rules import Ruleset, TurnView, View


@dataclass(frozen=True)
class Scene:
    """A decision's surroundings. Each document may be missing; what cannot be seen in it is None."""

    seats: Sequence[str]
    ruleset: Ruleset
    before: View | None
    after: View | None

    @cached_property
    def turn(self) -> TurnView:
        """The turn before the decision; empty where it is not known."""
        return self.before.turn if self.before else TurnView()

    @cached_property
    def held(self) -> int | None:
        """The gold that the deciding seat had."""
        if self.before is None or not (seat := self.before.to_act):
            return None
        return self.before.seats[seat - 1].gold

    def earned(self) -> int | None:
        """Gold that the deciding seat gained."""
        if self.held is None or self.before is None or self.after is None or not self.before.to_act:
            return None
        has = self.after.seats[self.before.to_act - 1].gold
        return None if has is None else has - self.held

    def kind(self, tile: str | None) -> str:
        """The kind of a tile, or nothing."""
        return self.before.tiles[tile].kind if self.before and tile else ""

    def is_captured(self, tile: str) -> bool:
        """Whether the tile got its owner by this decision."""
        if self.before is None or self.after is None:
            return False
        had, has = (position.tiles[tile].owner for position in (self.before, self.after))
        return bool(has) and has != had
