"""How much less a deal block's result varies than that of as many games on deals of their own.

    python -m tests.bench.deal_blocks --players 2 --blocks 120

Two house players at one table, greedy players at the other seats. The named reference is the variance that the mean of
a block's games would have if they were independent: that of each game over all blocks, added up. A quotient below 1 is
what the deal takes away; the interval is the middle 95 % of a bootstrap over blocks. Five players play with the whims.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from hashlib import sha256

import numpy as np

from arena.players import make_player
from arena.ratings.sequential import halves_of_game
from arena.rules import Game, Ruleset, view
from arena.scheduling.blocks import seats_of_block

SAMPLES = 4000


def play(ruleset: Ruleset, names: Sequence[str], seed: bytes, deal: bytes) -> tuple[int, ...]:
    """The placements of one game."""
    game = Game(ruleset, seed, deal)
    players = [make_player(name, sha256(seed + bytes([seat])).digest()) for seat, name in enumerate(names, start=1)]
    while not game.state.is_over:
        state = game.state
        choice = players[state.to_act - 1].choose(view(state, state.to_act), [action.text for action in state.legal])
        for action in [choice] if isinstance(choice, str) else choice:
            game.play(action)
    assert game.state.outcome is not None
    return tuple(game.state.outcome.ranks)


def quotient(scores: np.ndarray) -> float:
    """Variance of the mean of a block against that of independent games; `scores`: blocks × games."""
    return float(scores.mean(axis=1).var(ddof=1) / (scores.var(axis=0, ddof=1).sum() / scores.shape[1] ** 2))


def main() -> None:
    """Play and print one line."""
    parser = argparse.ArgumentParser(description="Variance of deal blocks.")
    parser.add_argument("--players", type=int, default=2, choices=(2, 3, 4, 5))
    parser.add_argument("--blocks", type=int, default=60)
    parser.add_argument("--pair", nargs=2, default=("greedy", "greedy-builder"))
    arguments = parser.parse_args()
    players = arguments.players
    ruleset = Ruleset(players, ("whims",) if players == 5 else ())
    sides = [*arguments.pair, *["greedy"] * (players - 2)]
    scores = np.zeros((arguments.blocks, players))
    for block in range(arguments.blocks):
        deal = sha256(b"deal" + block.to_bytes(8, "big")).digest()
        for game, seats in enumerate(seats_of_block(players, block)):
            seed = sha256(deal + bytes([game])).digest()
            places = play(ruleset, [sides[side] for side in seats], seed, deal)
            scores[block, game] = halves_of_game(places, seats.index(0) + 1, seats.index(1) + 1) / 2
    chance = np.random.default_rng(1)
    drawn = chance.integers(len(scores), size=(SAMPLES, len(scores)))
    low, high = np.nanquantile([quotient(scores[rows]) for rows in drawn], [0.025, 0.975])
    print(
        f"{players} players, {' against '.join(arguments.pair)}: {quotient(scores):.2f} [{low:.2f}, {high:.2f}]"
        f" of the variance of independent games; {arguments.blocks} blocks, score {scores.mean():.2f}"
    )


if __name__ == "__main__":
    main()
