"""The legal actions of a state as a lazy sequence, and the check of one action without listing them (rules 8)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import overload

from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.notation import Action
from arena.rules.verbs import LISTERS, LISTERS_WITHOUT_ITEMS, TABLE, Lister


class LegalActions(Sequence[Action]):
    """The legal actions in the order of the notation. They are listed when first needed, and tested without listing.

    The sequence is empty when the game is over, and while chance is due (8).

    >>> legal = start(Ruleset(2), bytes(32)).legal
    >>> len(legal), legal[0].text, parse_action("bid 8") in legal, legal.sole
    (7, 'bid 1', False, None)
    """

    __slots__ = ("_actions", "_state", "known")

    def __init__(self, state: Draft) -> None:
        self._state = state
        self._actions: Sequence[Action] | None = None
        self.known: Action | None = None
        """Action that was last found legal here: by `check`, as the sole one, or by its place in the list."""

    def _listed(self) -> Sequence[Action]:
        if self._actions is None:
            self._actions = list_actions(self._state)
        return self._actions

    @property
    def sole(self) -> Action | None:
        """The legal action if there is exactly one, otherwise None. The search stops at the second action."""
        found = None
        for action in each_action(self._state) if self._actions is None else self._actions:
            if found is not None:
                return None
            found = action
        if found is not None:
            self._actions = (found,)
            self.known = found
        return found

    def check(self, action: Action) -> None:
        """Raise `IllegalAction`, with the rule, unless the action or chance event may be played."""
        if action is not self.known:
            check(self._state, action)
            self.known = action

    def __bool__(self) -> bool:
        return self._state.due is None and self._state.phase != "over"

    def __len__(self) -> int:
        return len(self._listed())

    def __iter__(self) -> Iterator[Action]:
        return iter(self._listed())

    @overload
    def __getitem__(self, index: int) -> Action: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Action]: ...
    def __getitem__(self, index: int | slice) -> Action | Sequence[Action]:
        found = self._listed()[index]
        if isinstance(found, Action):
            self.known = found
        return found

    def __contains__(self, action: object) -> bool:
        return isinstance(action, Action) and not action.is_chance and is_legal(self._state, action)

    def __repr__(self) -> str:
        return f"<LegalActions {[action.text for action in self]}>"


def list_actions(state: Draft) -> list[Action]:
    """Return every legal action, in the order of the notation."""
    actions: list[Action] = []
    for part in list_parts(state):
        actions.extend(part)
    return actions


def list_parts(state: Draft) -> list[Sequence[Action]]:
    """Return the legal actions in parts, one for each verb. A playout chooses from the parts without one list."""
    return [lister(state) for lister in listers(state)] if state.due is None else []


def listers(state: Draft) -> tuple[Lister, ...]:
    """Return the functions that list the actions of the phase. Without Artisans, those for items are left out."""
    return (LISTERS if state.board.has_items else LISTERS_WITHOUT_ITEMS)[state.phase]


def each_action(state: Draft) -> Iterator[Action]:
    """Yield the legal actions one by one. Each is listed only when it is needed, as far as its verb can do that."""
    if state.due is None:
        for lister in listers(state):
            yield from lister(state)


def is_legal(state: Draft, action: Action) -> bool:
    """Return whether an action is legal, without listing the others."""
    try:
        check(state, action)
    except IllegalAction:
        return False
    return True


def check(state: Draft, action: Action) -> None:
    """Raise `IllegalAction`, with the rule, unless the action or chance event may be played."""
    row = TABLE[action.verb]
    if not action.is_chance:
        if state.due is not None:
            raise IllegalAction("CHANCE_DUE", f"chance is due first: {state.due}", "notation, Chance")
        if state.phase == "over":
            raise IllegalAction("GAME_OVER", "the game is over", "3.5")
        if state.phase not in row.phases:
            verbs = sorted({legal.verb for legal in list_actions(state)})
            raise IllegalAction(
                "WRONG_PHASE",
                f"{action.verb!r} is not legal in phase {state.phase!r}, "
                f"where seat {state.to_act} may {', '.join(verbs)}",
                "8",
            )
    row.check(state, action)
