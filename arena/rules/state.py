"""The state of a game as a value: what may be played in it, and the state that follows."""

from __future__ import annotations

from arena.rules.board import Board
from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.legal import LegalActions
from arena.rules.notation import Action
from arena.rules.position import format_position
from arena.rules.scoring import Outcome
from arena.rules.scoring import outcome as outcome_of  # C knows no property of the same name
from arena.rules.stages import run_stages
from arena.rules.syntax import parse_action
from arena.rules.verbs import PLAYS


class State(Draft):
    """A position between two decisions, or before a chance event that is `due`. It never changes.

    Three levels of trust: `parse` takes any text, `check` any action, `play` only a legal one (8).

    >>> state = start(Ruleset(2), bytes(32))
    >>> state.phase, state.to_act, [action.text for action in state.legal]
    ('bid', 1, ['bid 1', 'bid 2', 'bid 3', 'bid 4', 'bid 5', 'bid 6', 'bid 7'])
    >>> after = state.play(state.parse("bid 3"))
    >>> after.to_act, after.seats[0].gold, state.seats[0].gold
    (2, 42, 50)
    """

    __slots__ = ("_legal",)

    def __init__(self, board: Board) -> None:
        super().__init__(board)
        self._legal: LegalActions | None = None

    def copy(self) -> State:
        """A copy: of the state of a `Line`, to keep it."""
        twin: State = State.__new__(State)
        self.copy_to(twin)
        twin._legal = None
        return twin

    @property
    def legal(self) -> LegalActions:
        """The legal actions, as a lazy sequence in the order of the notation; none while chance is due."""
        if self._legal is None:
            self._legal = LegalActions(self)
        return self._legal

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended (3.6); None while it runs."""
        return outcome_of(self) if self.is_over else None

    def parse(self, text: str) -> Action:
        """The action that a text names, legal here: `ActionSyntaxError` or `IllegalAction` otherwise.

        >>> start(Ruleset(2), bytes(32)).parse("bid 8")
        Traceback (most recent call last):
        arena.rules.errors.IllegalAction: spot 8 cannot be entered; the entry spots are 1 2 3 4 5 6 7 (rule 8.1)
        """
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
        after: State = State.__new__(State)
        self.play_into(after, action)
        return after

    def play_into(self, after: State, action: Action) -> None:
        """The same, written over another state that nobody looks at any more: what a `Line` does."""
        self.copy_to(after)
        after.advance(action)

    def advance(self, action: Action) -> None:
        """The same in place, for a state that nobody else looks at: what a playout does."""
        self._legal = None
        PLAYS[action.verb](self, action)
        run_stages(self)
