"""Points that each decision of a seat brings at once."""

from __future__ import annotations

from arena.rules import State, score


def gains(state: State) -> dict[str, int]:
    """Return the points that the seat to act gains by each legal action, by the action's text.

    `state` fits the seat's view. Actions after which something is drawn are left out: their points are not known yet.
    """
    seat = state.to_act
    had = score(state, seat)["total"]
    after = {action.text: state.play(action) for action in state.legal}
    return {
        text: score(then, seat)["total"] - had
        for text, then in after.items()
        if then.due is None and _piles(then) == _piles(state)
    }


def _piles(state: State) -> tuple[int, ...]:
    return tuple(map(len, (state.deck, state.djinn_deck, state.item_pile, state.whim_deck)))
