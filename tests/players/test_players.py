"""The house players play legally by views alone, repeat their games, and greedy is far better than random."""

from __future__ import annotations

import os
from typing import Any

import pytest

from arena.local import local_game
from arena.players import make_player
from arena.players.base import imagine
from arena.rules import RulesError, Ruleset, Stream, view
from tests.kit.builder import legal, position
from tests.kit.games import random_states, seed_of

RULESETS = [
    *(Ruleset(players) for players in (2, 3, 4)),
    Ruleset(5, ("whims",)),
    Ruleset(3, ("artisans",)),
    Ruleset(4, ("artisans", "whims")),
]


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_house_players_play_whole_games_of_every_ruleset_and_repeat_them(name: str, ruleset: Ruleset) -> None:
    """Games of all other players are recorded in tests/players/test_search.py."""
    names = [name, *["random"] * (ruleset.players - 1)]
    one, two = (local_game(ruleset, seed_of(name, *ruleset), names) for _ in range(2))
    assert one.state.is_over and one.events == two.events


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", [Ruleset(3), Ruleset(5, ("artisans", "whims"))])
@pytest.mark.parametrize("name", ["random", "greedy"])
def test_players_choose_by_the_view_alone(name: str, ruleset: Ruleset) -> None:
    """Two positions that one seat cannot tell apart get the same choice, because a player sees only the view."""
    for number, state in enumerate(random_states(ruleset, seed_of("alone"))):
        if not state.is_over and (state.phase not in ("bid", "move", "sow") or number % 5 == 0):
            shown = view(state, state.to_act)
            legal = [action.text for action in state.legal]
            choices = [make_player(name, bytes(32)).choose(shown, legal) for _ in range(2)]
            assert choices[0] == choices[1]
            first = choices[0] if isinstance(choices[0], str) else choices[0][0]
            assert first in legal


@pytest.mark.slow
def test_an_imagined_state_fits_its_view() -> None:
    for number, ruleset in enumerate(RULESETS):
        for state in random_states(ruleset, seed_of("imagine", number)):
            for seat in range(1, 3):
                shown = view(state, seat)
                imagined = imagine(shown, Stream(bytes(32)))
                assert view(imagined, seat) == shown


def test_unknown_players_are_refused() -> None:
    with pytest.raises(RulesError, match="no house player 'clever'"):
        make_player("clever", bytes(32))


PHASES_OF_ARTISANS = {"control", "item", "flute", "horn", "scimitar"}


def test_greedy_has_an_answer_in_every_phase_of_artisans() -> None:
    seen = set()
    for number in range(30):
        for state in random_states(Ruleset(3, ("artisans",)), seed_of("phases", number)):
            inside = state.phase == "control" and state.back != ""
            if state.phase in PHASES_OF_ARTISANS and (inside or (state.phase, inside) not in seen):
                seen.add((state.phase, inside))
                legal = [action.text for action in state.legal]
                assert make_player("greedy", bytes(32)).choose(view(state, state.to_act), legal) in legal
    assert seen == {*((phase, False) for phase in PHASES_OF_ARTISANS), ("control", True)}


def choice(**parts: Any) -> str:
    """Return what greedy chooses as seat 1 of three with both expansions; for a sowing, its last action."""
    state = position(expansions=("artisans", "whims"), players=3, **parts)
    chosen = make_player("greedy", bytes(32)).choose(view(state, 1), legal(state))
    return chosen if isinstance(chosen, str) else chosen[-1]


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        pytest.param(
            {"phase": "control", "target": "B4", "back": "sell", "tiles": {"A1": "y"}},
            "camel",
            id="a tent that sees four red tiles waits",
        ),
        pytest.param(
            {"phase": "control", "target": "D2", "back": "sell", "tiles": {"A1": "y"}},
            "tent",
            id="a tent that sees eight is placed",
        ),
        pytest.param(
            {"phase": "control", "target": "B4", "back": "sell", "tiles": {"A1": "y"}, "ending": "camels"},
            "tent",
            id="in the last round it is placed anyhow",
        ),
        pytest.param(
            {"phase": "sell", "djinn_row": ["hagis"], "seats": {1: {"items": ["lamp"]}}},
            "item lamp hagis",
            id="a Djinn of ten is worth the lamp",
        ),
        pytest.param(
            {"phase": "sell", "djinn_row": ["utug"], "seats": {1: {"items": ["lamp"]}}},
            "end",
            id="one of four is not",
        ),
        pytest.param(
            {"phase": "sell", "items_discard": ["jewelry", "crown"], "seats": {1: {"items": ["ring"]}}},
            "item ring crown",
            id="a ring fetches the crown",
        ),
        pytest.param(
            {"phase": "sell", "tiles": {"G1": "y", "F6": "g"}, "seats": {1: {"items": ["scimitar"]}}},
            "item scimitar",
            id="a scimitar clears two tiles to be had",
        ),
        pytest.param(
            {"phase": "sell", "tiles": {"G1": "yyw"}, "seats": {1: {"items": ["scimitar"]}}},
            "end",
            id="it stays in its sheath where it brings nothing",
        ),
        pytest.param(
            {"phase": "item", "at": "A1", "drawn": ["jewelry", "flute", "treasure"]},
            "keep treasure",
            id="of the items drawn the one worth most",
        ),
        pytest.param(
            {"phase": "move", "tiles": {"E5": "y", "E6": "y", "F5": "y"}, "owners": {"B6": 1, "C6": 1}},
            "drop E6 y",
            id="a third city before a village",
        ),
        pytest.param(
            {
                "phase": "move",
                "tiles": {"A1": "y", "A2": "y", "B1": "w", "C1": "w"},
                "seats": {1: {"elders": 3, "open": ["h03"]}, 2: {"viziers": 5}, 3: {"viziers": 5}},
            },
            "drop B1 w",
            id="two Elders meet a whim",
        ),
        pytest.param(
            {"phase": "move", "tiles": {"A1": "y", "A2": "y", "G4": "y"}, "seats": {1: {"items": ["carpet"]}}},
            "fly G4 y",
            id="a carpet flies to the sacred place",
        ),
    ],
)
def test_greedy_understands_the_expansions(parts: dict[str, Any], expected: str) -> None:
    assert choice(**parts) == expected


CONTESTS = int(os.environ.get("ARENA_CONTESTS", "10"))
"""Number of games of each contest; `make soak` plays 100."""


def contest(ruleset: Ruleset, games: int) -> int:
    """Return how many games greedy wins alone against as many random players as fit. Each game has its own seeds."""
    won, players = 0, ruleset.players
    for number in range(games):
        names = ["random"] * players
        names[number % players] = "greedy"
        outcome = local_game(ruleset, seed_of("contest", *ruleset.expansions, number), names).state.outcome
        assert outcome is not None
        won += outcome.ranks[number % players] == 1 and outcome.ranks.count(1) == 1
    return won


@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize(
    "ruleset",
    [Ruleset(4)]
    + [Ruleset(players, names) for names in (("whims",), ("artisans",), ("artisans", "whims")) for players in (4, 5)],
)
def test_greedy_beats_random_in_99_of_100_games(ruleset: Ruleset) -> None:
    games = CONTESTS if ruleset.players == 4 else CONTESTS // 2
    assert contest(ruleset, games) >= 0.99 * games
