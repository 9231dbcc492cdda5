"""A line of play behaves like states: the same legal actions, the same positions, and every undo leads back."""

from __future__ import annotations

from random import Random

import pytest

from arena.rules import Action, Line, Ruleset, State, draw_chance, format_position, start
from arena.rules.draft import Draft
from tests.kit.games import RULESETS, random_states, seed_of


def parts(state: State) -> list[object]:
    """Return everything that a state consists of."""
    seats = [[getattr(seat, name) for name in type(seat).__slots__] for seat in state.seats]
    due = state.due and (state.due.count, state.due.pile)
    return [seats, due, *(getattr(state, name) for name in Draft.__slots__ if name not in ("seats", "due"))]


@pytest.mark.parametrize("ruleset", RULESETS, ids=str)
def test_a_line_plays_as_states_do_and_comes_back(ruleset: Ruleset) -> None:
    """Play down a whole game, with side steps now and then, and undo all the way up."""
    rng, state = Random(3), start(ruleset, seed_of("line", *ruleset))
    line, states = Line(state), [state]
    while not state.is_over:
        if state.due is None and line.depth % 5 == 0:
            line.apply(rng.choice(state.legal))
            line.undo()
        event = draw_chance(state, rng) if state.due is not None else rng.choice(line.legal)
        line.apply(event)
        state = state.play(event)
        states.append(state)
        assert parts(line.state) == parts(state) and list(line.legal) == list(state.legal)
    assert line.state.outcome == state.outcome is not None
    for state in reversed(states):
        assert parts(line.state) == parts(state) and line.depth == states.index(state)
        line.undo(min(1, line.depth))


def walked(line: Line, depth: int) -> list[str]:
    """Return every sequence of actions of a depth, by applying and undoing."""
    if not depth or line.state.due is not None:
        return [""]
    found = []
    for action in line.legal:
        line.apply(action)
        found += [f"{action} {rest}" for rest in walked(line, depth - 1)]
        line.undo()
    return found


def played(state: State, depth: int) -> list[str]:
    """Return every sequence of actions of a depth, by playing states."""
    if not depth or state.due is not None:
        return [""]
    return [f"{action} {rest}" for action in state.legal for rest in played(state.play(action), depth - 1)]


@pytest.mark.parametrize("ruleset", [Ruleset(2), Ruleset(4, ("artisans", "whims"))], ids=str)
def test_a_search_in_depth_finds_what_states_find(ruleset: Ruleset) -> None:
    for number, state in enumerate(random_states(ruleset, seed_of("depth"))):
        if number % 40 == 0 and not state.is_over:
            position = format_position(state)
            line = Line(state)
            assert walked(line, 2) == played(state, 2)
            assert line.depth == 0 and line.state is state and format_position(state) == position


def test_a_playout_ends_the_game_and_can_be_undone() -> None:
    state = start(Ruleset(3, ("whims",)), bytes(32))
    line, position = Line(state), format_position(state)
    count = line.playout(Random(1))
    ended = line.state.copy()
    assert ended.is_over and count == line.depth
    line.undo(count)
    assert format_position(line.state) == position
    line.playout(Random(1))
    assert format_position(line.state) == format_position(ended)


def test_a_policy_chooses_for_every_seat() -> None:
    asked: list[int] = []

    def last(state: State, rng: object) -> Action:
        asked.append(state.to_act)
        return state.legal[-1]

    line = Line(start(Ruleset(4), bytes(32)))
    events = line.playout(Random(1), last)
    assert set(asked) == {1, 2, 3, 4} and len(asked) <= events


def test_what_was_not_applied_cannot_be_undone() -> None:
    line = Line(start(Ruleset(2), bytes(32)))
    line.apply(line.legal[0])
    with pytest.raises(IndexError, match="2 actions cannot be undone: 1 have been applied"):
        line.undo(2)
    with pytest.raises(IndexError, match=f"{2**70} actions cannot be undone"):
        line.undo(2**70)
    with pytest.raises(TypeError):
        line.undo(0.5)  # type: ignore[arg-type]
    assert line.depth == 1


def test_a_copy_outlives_the_line() -> None:
    line = Line(start(Ruleset(2), bytes(32)))
    line.apply(line.legal[0])
    kept, position = line.state.copy(), format_position(line.state)
    line.undo()
    line.apply(line.legal[-1])
    assert format_position(kept) == position != format_position(line.state)
