"""A running match as a spectator may see it now."""

from __future__ import annotations

from dataclasses import dataclass, field

from arena.rules import View
from webui.matches.live import LiveGame


@dataclass(frozen=True)
class SeenMatch:
    events: list[tuple[int, str]] = field(default_factory=list)
    views: list[View] = field(default_factory=list)
    """The view before the first decision, and after each one; none before every seat is ready."""

    @property
    def position(self) -> View | None:
        """Return the latest view."""
        return self.views[-1] if self.views else None


def seen_match(match_id: str) -> SeenMatch:
    game = LiveGame(match_id)
    decisions = game.read()
    if game.setup is None:
        return SeenMatch()
    events = [event for decision in decisions for event in decision.events]
    return SeenMatch(events, [game.setup, *(decision.view for decision in decisions)])
