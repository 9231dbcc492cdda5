"""The house players: legal on views alone, repeatable, and greedy far better than random."""

from __future__ import annotations

from typing import Any

import pytest

from arena.local import local_game
from arena.players import PLAYERS, make_player
from arena.players.imagine import imagine
from arena.rules import RulesError, Ruleset, Stream, view
from tests.kit.games import random_states, seed_of


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("players", [2, 3, 4])
def test_every_house_player_plays_whole_games_and_repeats_them(name: str, players: int) -> None:
    names = [name, *["random"] * (players - 1)]
    one, two = (local_game(Ruleset(players), seed_of(name, players), names) for _ in range(2))
    assert one.state.is_over and one.events == two.events


@pytest.mark.parametrize("name", ["random", "greedy"])
def test_players_choose_by_the_view_alone(name: str) -> None:
    """Two positions that one seat cannot tell apart get the same choice: the view is all that a player is given."""
    for state in random_states(3, seed_of("alone")):
        if not state.is_over:
            shown = view(state, state.to_act)
            legal = [action.text for action in state.legal]
            choices = [make_player(name, bytes(32)).choose(shown, legal) for _ in range(2)]
            assert choices[0] == choices[1]
            first = choices[0] if isinstance(choices[0], str) else choices[0][0]
            assert first in legal


def test_an_imagined_state_fits_its_view() -> None:
    def open_part(document: dict[str, Any]) -> dict[str, Any]:
        return {key: value for key, value in document.items() if key != "view"}

    for number in range(3):
        for state in random_states(2 + number, seed_of("imagine", number)):
            for seat in range(1, 3):
                shown = view(state, seat)
                imagined = imagine(shown, Stream(bytes(32)))
                assert open_part(view(imagined, seat)) == open_part(shown)


def test_unknown_players_are_refused() -> None:
    with pytest.raises(RulesError, match="no house player 'clever'"):
        make_player("clever", bytes(32))


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_greedy_beats_random_in_99_of_100_four_player_games() -> None:
    won = 0
    for number in range(100):
        names = ["random"] * 4
        names[number % 4] = "greedy"
        outcome = local_game(Ruleset(4), seed_of("contest", number), names).state.outcome
        assert outcome is not None
        won += outcome.ranks[number % 4] == 1 and outcome.ranks.count(1) == 1
    assert won >= 99
