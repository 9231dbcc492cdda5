"""The game of the beginner's page: a fixed seed, two turns that show each thing once, then house players to the end.

    python -m tests.kit.lesson > webui/site/learn/game.json

Run it again after a change of the rules, with another seed if the two turns are no longer legal.
"""

from __future__ import annotations

import hashlib
import json

from arena.players import make_player
from arena.rules import Game, Ruleset, view

SEED = hashlib.sha256(b"sixty seconds 1301").digest()
OPENING = (
    "bid 4", "bid 3", "bid 7",
    "take C1", "drop C2 g", "drop C3 w", "drop C4 b", "build 0", "buy 1", "end",
    "take B5", "drop B4 y", "drop C4 y", "drop C5 w", "summon jafaar ww", "end",
)  # fmt: skip
PLAYER = "greedy"


def play() -> Game:
    """Return the whole game."""
    game = Game(Ruleset(3), SEED)
    for action in OPENING:
        game.play(action)
    players = [make_player(PLAYER, hashlib.sha256(SEED + bytes([seat])).digest()) for seat in (1, 2, 3)]
    while not game.state.is_over:
        seat = game.state.to_act
        chosen = players[seat - 1].choose(view(game.state, seat), [action.text for action in game.state.legal])
        for action in [chosen] if isinstance(chosen, str) else chosen:
            game.play(action)
    return game


if __name__ == "__main__":
    played = play()
    decisions = [event.text for event in played.events if event.seat]
    document = {"players": 3, "seed": played.seed.hex(), "actions": decisions}
    print(json.dumps(document, indent=1))
