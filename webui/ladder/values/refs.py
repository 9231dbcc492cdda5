"""Bots, versions and ladders, as far as a link needs them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class BotRef:
    """A bot, as far as a link needs it."""

    id: int
    name: str
    slug: str
    owner_id: int
    owner: str
    is_house: bool


@dataclass(frozen=True)
class VersionRef:
    """A bot version, as far as a link needs it."""

    id: int
    name: str
    bot: BotRef


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
