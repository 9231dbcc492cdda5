"""The state of a game as a value: the actions that are legal in it, and the state after each."""

from __future__ import annotations

from arena.rules.board import Board
from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.legal import LegalActions
from arena.rules.notation import Action
from arena.rules.position import format_position
from arena.rules.scoring import Outcome
from arena.rules.scoring import outcome as outcome_of  # Cython allows no property of the same name
from arena.rules.stages import run_stages
from arena.rules.syntax import parse_action
from arena.rules.verbs import PLAYS


class State(Draft):
    """A position between two decisions, or before a chance event that is `due`. It never changes.

    There are three levels of trust: `parse` takes any text, `check` any action, `play` only a legal action (8).

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
        """Return a copy. Use it to keep the state of a `Line`."""
        twin: State = State.__new__(State)
        self.copy_to(twin)
        twin._legal = None
        return twin

    @property
    def legal(self) -> LegalActions:
        """Legal actions, as a lazy sequence in the order of the notation; empty while chance is due."""
        if self._legal is None:
            self._legal = LegalActions(self)
        return self._legal

    @property
    def outcome(self) -> Outcome | None:
        """Outcome of the game (3.6); None while it runs."""
        return outcome_of(self) if self.is_over else None

    def parse(self, text: str) -> Action:
        """Return the action that a text names. It is legal here.

        Raise `ActionSyntaxError` if the text is not an action, and `IllegalAction` if the action is not legal.

        >>> start(Ruleset(2), bytes(32)).parse("bid 8")
        Traceback (most recent call last):
        arena.rules.errors.IllegalAction: spot 8 cannot be entered; the entry spots are 1 2 3 4 5 6 7 (rule 8.1)
        """
        action = parse_action(text)
        self.check(action)
        return action

    def check(self, action: Action) -> None:
        """Raise `IllegalAction`, which names the rule, unless the action or chance event may be played here."""
        try:
            self.legal.check(action)
        except IllegalAction as error:
            if self.due is None:
                error.position = format_position(self)
            raise

    def play(self, action: Action) -> State:
        """Return the state after a legal action or chance event. It is not checked: `check` actions of others first."""
        after: State = State.__new__(State)
        self.play_into(after, action)
        return after

    def play_into(self, after: State, action: Action) -> None:
        """Write the state after an action over the state `after`, which nobody else may use. A `Line` does this."""
        self.copy_to(after)
        after.advance(action)

    def advance(self, action: Action) -> None:
        """Play an action in place, in a state that nobody else uses. A playout does this."""
        self._legal = None
        PLAYS[action.verb](self, action)
        run_stages(self)
