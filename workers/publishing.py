"""The spectators' view of a match, made by the worker that plays it, because no other process has the hidden half.

It is stored together with the entries from which it follows. The site reads nothing else of a running match.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.rules import Game, State, view, view_event
from webui.matches.values import SeenDecision

SPECTATOR = 0
"""Seat number of spectators, who see what is public."""

Position = tuple[int, State]
"""Index of a decision, and the state after it and its chance events."""


class Publisher:
    """Makes the spectators' steps of one match that are not stored yet."""

    def __init__(self, stored: int = 0) -> None:
        self._ply = stored
        """Number of steps made: the set-up, and one for each decision."""

    def steps(self, game: Game | None, positions: Sequence[Position]) -> list[SeenDecision]:
        """Return the steps after these decisions, which are the last ones of the game.

        The set-up comes first if it is missing.
        """
        if game is None:
            return []
        steps = []
        if self._ply == 0:
            steps.append(SeenDecision(0, 0, 0, "", (), view(game.setup, SPECTATOR)))
        ends = [*(index for index, _ in positions[1:]), len(game.events)]
        for ply, ((index, state), end) in enumerate(zip(positions, ends, strict=False), self._ply + len(steps)):
            made, *chance = (view_event(event, SPECTATOR) for event in game.events[index:end])
            texts = tuple(event.text for event in chance)
            steps.append(SeenDecision(ply, index, made.seat, made.text, texts, view(state, SPECTATOR)))
        self._ply += len(steps)
        return steps
