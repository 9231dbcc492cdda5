"""A running match as a spectator may see it now."""

from __future__ import annotations

from dataclasses import dataclass, field

from arena.rules import View
from webui.ladder.queries import LiveGame


@dataclass(frozen=True)
class SeenMatch:
    position: View | None = None
    """None before every seat is ready."""
    events: list[tuple[int, str]] = field(default_factory=list)


def seen_match(match_id: str) -> SeenMatch:
    game = LiveGame(match_id)
    decisions = game.read()
    if game.setup is None:
        return SeenMatch()
    events = [event for decision in decisions for event in decision.events]
    return SeenMatch(decisions[-1].view if decisions else game.setup, events)
