"""What all schemas share."""

from typing import Annotated, Any, Literal

from ninja import Schema
from pydantic import ConfigDict, Field

from arena.rules import Ruleset


class Input(Schema):
    """What a caller sends: a field that is not known is refused, since it would do nothing."""

    model_config = ConfigDict(extra="forbid")


Name = Annotated[str, Field(min_length=1, max_length=40, pattern=r"^[^\x00-\x1f\x7f]+$")]
"""Of a bot, or of a version."""
Expansion = Literal["artisans", "whims"]


class Game(Input):
    """What is played."""

    players: int = Field(ge=2, le=5)
    expansions: list[Expansion] = Field([], max_length=2, description="At a table of five at least one.")

    @classmethod
    def of(cls, ruleset: Any) -> "Game":
        """The game as rows have it."""
        return cls(players=ruleset["players"], expansions=ruleset["expansions"])

    @property
    def ruleset(self) -> Ruleset:
        """The rules of it; whether there is such a game is not checked."""
        return Ruleset(self.players, tuple(sorted(set(self.expansions))))
