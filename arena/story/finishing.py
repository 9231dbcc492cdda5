"""Games from a known position to the end, between copies of one house player."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

from arena.players import make_player
from arena.players.quick import Quick
from arena.rules import Outcome, State, Stream, draw_chance, view

MOST_DECISIONS = 2000
"""Maximum number of decisions of a game. Games of house players have a few hundred."""


def finish_game(state: State, name: str, seed: bytes, is_late: Callable[[], bool] = lambda: False) -> Outcome | None:
    """Play a state to the end of the game, and return the outcome.

    Every seat is played by a house player of this name, which sees only its own view. What lies in the draw piles is
    not known, so they are shuffled first. What the seats hold stays. The same state, name and 32-byte seed give the
    same game. The state does not change.

    `is_late` is asked before each decision. Return None if it returns True, or if the game does not end.
    """
    players = [make_player(name, sha256(seed + b"player%d" % seat).digest()) for seat in range(1, len(state.seats) + 1)]
    stream, game = Stream(sha256(seed + b"chance").digest()), Quick(seed).shuffled(state)
    decisions = 0
    while True:
        while game.due is not None:
            game = game.play(draw_chance(game, stream))
        if game.outcome is not None:
            return game.outcome
        if decisions > MOST_DECISIONS or is_late():
            return None
        seat = game.to_act
        choice = players[seat - 1].choose(view(game, seat), [action.text for action in game.legal])
        for text in [choice] if isinstance(choice, str) else choice:
            game = game.play(game.parse(text))
            decisions += 1
            while game.due is not None:
                game = game.play(draw_chance(game, stream))
