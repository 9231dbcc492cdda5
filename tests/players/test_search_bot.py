"""The bot of the page "Your first search bot" beats `greedy` from both seats: a few deals, or many in `make soak`."""

from collections.abc import Sequence
from pathlib import Path

import pytest

import arena
from arena.bots.loading import load_bot
from arena.bots.view import View
from arena.players import make_player
from arena.rules import Game, Ruleset, view
from tests.kit.games import seed_of

FILE = Path(arena.__file__).parent / "starters" / "python" / "search_bot.py"
DEALS, MANY = 4, 100


def play(deal: int, seat: int) -> Sequence[int]:
    """Return the ranks of a game in which the bot has this seat."""
    seed = seed_of("search bot", deal)
    game, greedy, bot = Game(Ruleset(2), seed), make_player("greedy", seed), load_bot(str(FILE))()
    bot.match_started()
    while not game.state.is_over:
        to_act, legal = game.state.to_act, tuple(action.text for action in game.state.legal)
        decide = bot.choose if to_act == seat else greedy.choose
        choice = legal[0] if len(legal) == 1 else decide(View.of(view(game.state, to_act)), legal)
        for action in [choice] if isinstance(choice, str) else choice:
            game.play(action)
    outcome = game.state.outcome
    assert outcome is not None
    return outcome.ranks


def test_it_has_forty_lines() -> None:
    """Count lines of code only: no blank lines, comments or docstrings."""
    lines = [line.strip() for line in FILE.read_text().splitlines()]
    assert sum(not line.startswith(("#", '"""')) for line in lines if line) <= 40


def won(deals: int) -> int:
    """Return how many games the bot wins alone, with each deal played from both seats."""
    return sum(play(deal, seat)[2 - seat] == 2 for deal in range(deals) for seat in (1, 2))


@pytest.mark.slow
def test_it_beats_greedy() -> None:
    assert won(DEALS) > DEALS


@pytest.mark.soak
@pytest.mark.timeout(3600)
def test_it_beats_greedy_in_two_of_three_games() -> None:
    assert won(MANY) > 2 * MANY * 0.65
