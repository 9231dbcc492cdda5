"""Sole legal actions, and what a game checks: an action that its state has found legal is not checked again."""

from __future__ import annotations

import pytest

from arena.rules import Action, Game, IllegalAction, LegalActions, Ruleset, State, parse_action
from arena.rules.draft import Draft
from arena.rules.verbs import LISTERS, LISTERS_WITHOUT_ITEMS, TABLE
from tests.kit.builder import position
from tests.kit.games import RULESETS, random_states, seed_of


def test_every_phase_has_sole_actions_as_listing_finds_them() -> None:
    """`control` and `horn` always offer two actions; a game that is over offers none."""
    seen: dict[str, set[bool]] = {}
    for number in range(3 * len(RULESETS)):
        for state in random_states(RULESETS[number % len(RULESETS)], seed_of("sole", number)):
            listed = list(LegalActions(state))
            sole = LegalActions(state).sole
            assert sole == (listed[0] if len(listed) == 1 else None)
            seen.setdefault(state.phase, set()).add(sole is not None)
    assert seen.keys() == LISTERS.keys()
    assert seen["control"] == {False} == seen["over"]
    assert all(True in seen[phase] for phase in ("sow", "tribe", "tile", "sell"))


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ({"phase": "bid", "seats": {1: {"gold": 0}}, "bid_order": [1, 2, 3, 4]}, "bid 7"),
        ({"phase": "move", "tiles": {"A1": "y"}}, "skip"),
        ({"phase": "move", "tiles": {"A1": "y", "A2": "y"}}, None),
        ({"phase": "tribe", "at": "D2", "lifted": "bb"}, "build 0"),
        ({"phase": "tribe", "at": "D2", "lifted": "rr"}, "spare"),
        ({"phase": "tile", "at": "A1", "seats": {1: {"gold": 2}}}, "pass"),
        ({"phase": "choose", "drawn": ["enki"], "back": "move"}, "keep enki"),
        ({"phase": "sell"}, "end"),
        ({"phase": "sell", "seats": {1: {"hand": {"fish": 1}}}}, None),
    ],
)
def test_by_hand(parts: dict[str, object], expected: str | None) -> None:
    sole = position(**parts).legal.sole
    assert (sole and sole.text) == expected


def test_no_more_is_listed_than_a_second_action(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def one(state: Draft) -> tuple[Action, ...]:
        asked.append(f"take A{len(asked) + 1}")
        return (parse_action(asked[-1]),)

    state = position(phase="move")
    monkeypatch.setitem(LISTERS_WITHOUT_ITEMS, "move", (one, one, one))
    assert LegalActions(state).sole is None
    assert asked == ["take A1", "take A2"]


@pytest.fixture
def checked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the actions that the rules really check, in order."""
    checked: list[str] = []
    for verb, row in TABLE.items():

        def check(state: Draft, action: Action, row=row) -> None:
            checked.append(action.text)
            row.check(state, action)

        monkeypatch.setitem(TABLE, verb, row._replace(check=check))
    return checked


def test_an_action_is_checked_once_on_its_way_into_a_game(checked: list[str]) -> None:
    game = Game(Ruleset(4), bytes(32))
    game.play(game.state.parse("bid 5"))
    game.play("bid 6")
    game.play(parse_action("bid 7"))
    game.play(game.state.legal[0])
    while (sole := game.state.legal.sole) is None:
        game.play(game.state.legal[-1])
    game.play(sole)
    assert checked == ["bid 5", "bid 6", "bid 7"]


def test_what_another_state_found_legal_is_checked(checked: list[str]) -> None:
    game = Game(Ruleset(4), bytes(32))
    action = game.state.parse("bid 1")
    game.play("bid 1")
    with pytest.raises(IllegalAction, match="no room"):
        game.play(action)
    assert checked == ["bid 1", "bid 1"]
    assert len(game.events) == 1


def test_an_illegal_action_is_never_remembered(checked: list[str]) -> None:
    state: State = position(phase="move", tiles={"A1": "y", "A2": "y"})
    for _ in range(2):
        with pytest.raises(IllegalAction):
            state.check(parse_action("skip"))
    assert checked == ["skip", "skip"]
    assert state.legal.known is None
