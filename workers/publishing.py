"""The views of spectators, and of people at the table. The worker that plays the match makes them, because no other
process has the hidden half.

They are stored together with the entries from which they follow. The site reads nothing else of a running match.
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
    """Makes the steps of one match that are not stored yet, for spectators and for the seats that people play."""

    def __init__(self, stored: int = 0, people: Sequence[int] = ()) -> None:
        self._people = people
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
            of_seats = tuple((seat, "", view(game.setup, seat)) for seat in self._people)
            steps.append(SeenDecision(0, 0, 0, "", (), view(game.setup, SPECTATOR), of_seats))
        ends = [*(index for index, _ in positions[1:]), len(game.events)]
        for ply, ((index, state), end) in enumerate(zip(positions, ends, strict=False), self._ply + len(steps)):
            made, *chance = (view_event(event, SPECTATOR) for event in game.events[index:end])
            texts = tuple(event.text for event in chance)
            decision = game.events[index]
            of_seats = tuple((seat, view_event(decision, seat).text, view(state, seat)) for seat in self._people)
            steps.append(SeenDecision(ply, index, made.seat, made.text, texts, view(state, SPECTATOR), of_seats))
        self._ply += len(steps)
        return steps
