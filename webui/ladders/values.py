"""Values of ladders: references, and the terms of their games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.rules import Ruleset


@dataclass(frozen=True)
class LadderRef:
    """A ladder: its ruleset and clock, and its title for people."""

    id: int
    slug: str
    title: str
    players: int
    expansions: tuple[str, ...]
    clock: Mapping[str, Any]
    delay: int
    """Number of decisions that spectators of a running match are behind."""


@dataclass(frozen=True)
class GameTerms:
    """The terms under which the matchmaker plays a game."""

    game: str
    ruleset: Ruleset
    is_open: bool
    share: int
    clock: Mapping[str, Any]
    revision: int
    """Number of changes so far. 0 if the game has its default terms."""
