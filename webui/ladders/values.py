"""Values of ladders: references, and the terms of their games."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.rules import Ruleset


@dataclass(frozen=True)
class LadderRef:
    """A ladder: ruleset and clock, with its title for people."""

    id: int
    slug: str
    title: str
    players: int
    expansions: tuple[str, ...]
    clock: Mapping[str, Any]
    delay: int
    """Decisions that spectators of a running match see late."""


@dataclass(frozen=True)
class GameTerms:
    """How the matchmaker plays a game."""

    game: str
    ruleset: Ruleset
    is_open: bool
    share: int
    clock: Mapping[str, Any]
    revision: int
    """How often it was changed; 0: it is as it comes."""
