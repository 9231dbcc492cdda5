"""What surrounds a decision: the names of the seats and the two documents around it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from arena.rules import Ruleset

Document = Mapping[str, Any]


@dataclass(frozen=True)
class Scene:
    """A decision's surroundings. Each document may be missing; what cannot be seen in it is None."""

    seats: Sequence[str]
    ruleset: Ruleset
    before: Document | None
    after: Document | None

    @cached_property
    def turn(self) -> Document:
        """The turn before the decision; empty where it is not known."""
        return (self.before or {}).get("turn") or {}

    @cached_property
    def held(self) -> int | None:
        """The gold that the deciding seat had."""
        if self.before is None or not (seat := self.before["to_act"]):
            return None
        gold: int | None = self.before["seats"][seat - 1]["gold"]
        return gold

    def earned(self) -> int | None:
        """Gold that the deciding seat gained."""
        if self.held is None or self.before is None or self.after is None:
            return None
        has: int | None = self.after["seats"][self.before["to_act"] - 1]["gold"]
        return None if has is None else has - self.held

    def kind(self, tile: str) -> str:
        """The kind of a tile, or nothing."""
        return str(self.before["board"]["tiles"][tile]["kind"]) if self.before and tile else ""

    def is_captured(self, tile: str) -> bool:
        """Whether the tile got its owner by this decision."""
        if self.before is None or self.after is None:
            return False
        had, has = (document["board"]["tiles"][tile]["owner"] for document in (self.before, self.after))
        return bool(has) and has != had
