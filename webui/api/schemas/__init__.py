"""The parts that all schemas share."""

from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from arena.rules import Ruleset


class Input(Schema):
    """The base of what callers send. An unknown field is refused, because it would have no effect."""

    model_config = ConfigDict(extra="forbid")


Name = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""Name of a bot or of a version."""
Expansion = Literal["artisans", "whims"]


class GameDocument(Input):
    """The game: number of players, and expansions."""

    players: int = Field(ge=2, le=5)
    expansions: list[Expansion] = Field([], max_length=2, description="At least one at a table of five.")

    @classmethod
    def of(cls, ruleset: Any) -> "GameDocument":
        """Return the game of a stored ruleset."""
        return cls(players=ruleset["players"], expansions=ruleset["expansions"])

    @property
    def ruleset(self) -> Ruleset:
        """Return the ruleset. It is not checked whether there is such a game."""
        return Ruleset(self.players, tuple(sorted(set(self.expansions))))
