"""The state of a game as a value: what may be played in it, and the state that follows."""

from __future__ import annotations

from arena.rules.board import Board
from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.legal import LegalActions
from arena.rules.notation import Action
from arena.rules.position import format_position
from arena.rules.scoring import Outcome, outcome
from arena.rules.stages import run_stages
from arena.rules.syntax import parse_action
from arena.rules.verbs import PLAYS


class State(Draft):
    """A position between two decisions, or before a chance event that is `due`. It never changes.

    Three levels of trust: `parse` takes any text, `check` any action, `play` only a legal one.
    """

    __slots__ = ("_legal",)

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self._legal: LegalActions | None = None

    def copy(self) -> State:
        """A copy to write on."""
        twin = State.__new__(State)
        self.copy_to(twin)
        twin._legal = None
        return twin

    @property
    def legal(self) -> LegalActions:
        """The legal actions, as a lazy sequence in the order of the notation."""
        if self._legal is None:
            self._legal = LegalActions(self)
        return self._legal

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended; None while it runs."""
        return outcome(self) if self.is_over else None

    def parse(self, text: str) -> Action:
        """The action that a text names, legal here: `ActionSyntaxError` or `IllegalAction` otherwise."""
        action = parse_action(text)
        self.check(action)
        return action

    def check(self, action: Action) -> None:
        """Raise `IllegalAction`, naming the rule, unless the action (or chance event) may be played here."""
        try:
            self.legal.check(action)
        except IllegalAction as error:
            if self.due is None:
                error.position = format_position(self)
            raise

    def play(self, action: Action) -> State:
        """The state after a legal action or chance event. It trusts: `check` first what others say."""
        draft = self.copy()
        PLAYS[action.verb](draft, action)
        run_stages(draft)
        return draft
