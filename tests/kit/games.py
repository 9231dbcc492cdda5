"""Random games through the public API, for property tests."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256
from random import Random

from arena.rules import Game, Ruleset, State


def seed_of(*words: object) -> bytes:
    """Return a 32-byte seed derived from words."""
    return sha256(" ".join(map(str, words)).encode()).digest()


RULESETS = tuple(
    Ruleset(players, expansions)
    for expansions in ((), ("whims",), ("artisans",), ("artisans", "whims"))
    for players in ((2, 3, 4, 5) if expansions else (2, 3, 4))
)
"""All rulesets."""
RARE = ("use", "summon", "kill", "buy", "item", "craft", "fly", "tent")


def random_game(ruleset: Ruleset | int, seed: bytes, deal: bytes | None = None) -> Game:
    """Return a game of uniformly random decisions, played to its end. A number of players stands for the base game."""
    rng, game = Random(seed), Game(_ruleset(ruleset), seed, deal)
    while not game.state.is_over:
        game.play(rng.choice(game.state.legal))
    return game


def random_states(ruleset: Ruleset | int, seed: bytes, eager: bool = True) -> Iterator[State]:
    """Yield the states of a random game, decision by decision, including the end; `eager` prefers rare verbs."""
    rng, game = Random(seed), Game(_ruleset(ruleset), seed)
    while not game.state.is_over:
        yield game.state
        legal = game.state.legal
        rare = [action for action in legal if action.verb in RARE and rng.random() < 0.7] if eager else []
        game.play(rng.choice(rare or legal))
    yield game.state


def _ruleset(ruleset: Ruleset | int) -> Ruleset:
    return Ruleset(ruleset) if isinstance(ruleset, int) else ruleset
