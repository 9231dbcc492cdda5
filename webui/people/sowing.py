"""Sowings that a person tries out on the page, drop by drop, before the last drop decides. Nothing of them is stored.

Until its last drop, a sowing draws nothing and shows nothing that was hidden. Its states follow from the seat's view.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

from arena.rules import Ruleset, View
from arena.rules.open_score import open_score
from webui.matches.values import MatchLine
from webui.people.queries import after_drop
from webui.people.values import AskedSeat
from webui.replays.motions import motions
from webui.replays.parts import TablePart, board_parts, caption
from webui.replays.replay import Replay, Step
from webui.words.titles import seat_names

MOST_TRIED: Final = 60
"""Maximum number of decisions of a sowing."""


class TriedSowing(Replay):
    """The replay of a sowing that a seat tries out: ply 0 is what the seat sees now."""

    def __init__(self, asked: AskedSeat, actions: Sequence[str]) -> None:
        """Play the actions. Raise `AnswerRefused` unless each is legal and leaves meeples in hand."""
        self.asked = asked
        self._positions = [asked.view]
        steps = []
        for number, text in enumerate(actions):
            self.asked = after_drop(self.asked, text)
            steps.append(Step(asked.index + number, asked.state.to_act, text, {}, ()))
            self._positions.append(self.asked.view)
        super().__init__(Ruleset(asked.view.players, asked.view.expansions), steps, is_over=False)

    def position(self, ply: int) -> View:
        """Return what the seat sees at a ply."""
        return self._positions[ply]

    def scores(self, ply: int) -> None:
        """Return None: other hands are hidden."""

    def points(self, ply: int) -> list[dict[str, int]]:
        """Return the open points at a ply."""
        seen = self._positions[ply]
        return [open_score(seen, seat) for seat in range(1, seen.players + 1)]


def tried_table(line: MatchLine, tried: TriedSowing) -> dict[str, Any]:
    """Return the parts of the table that the last decision changes, and the motions that lead there."""
    ply, names = len(tried.steps), seat_names(line)
    told = TablePart("caption", caption(tried, line.seats, ply))
    return {
        "parts": {**board_parts(tried, names, ply), "caption": told.render("caption")},
        "motions": motions(tried.steps[-1], tried.position(ply - 1), tried.position(ply)),
    }
