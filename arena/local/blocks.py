"""Deal blocks of house players: games on one deal, in which every player sits once at every seat.

The games of a block share everything that is open at the start (rules section 9). Each game has its own seed for what
is hidden.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import combinations
from typing import NamedTuple

from arena.fairness.figures import ShareInterval, wilson
from arena.local.house_series import game_seed, local_game
from arena.referee import first_bids
from arena.rules import Ruleset, Stream
from arena.scheduling.blocks import seats_of_block


class BlockGame(NamedTuple):
    """A game of a block, seat 1 first."""

    names: tuple[str, ...]
    ranks: tuple[int, ...]
    """Rank of each seat; 1 is best, and ties share a rank."""
    bidding: tuple[int, ...]
    """Position of each seat in the first bidding, from 1."""


def play_block(ruleset: Ruleset, seed: bytes, names: Sequence[str], block: int = 0) -> list[BlockGame]:
    """Play a game for each seat, seated as in block `block` of a series (`seats_of_block`)."""
    deal = sha256(seed + b"deal").digest()
    games = []
    for turn, seats in enumerate(seats_of_block(len(names), block)):
        seated = tuple([names[number] for number in seats])
        game = local_game(ruleset, game_seed(seed, turn), seated, deal)
        outcome = game.state.outcome
        assert outcome is not None
        games.append(BlockGame(seated, outcome.ranks, tuple(first_bids(game.setup.bid_order))))
    return games


def block_points(games: Sequence[BlockGame], first: str, second: str) -> float:
    """Return 1 if `first` was placed before `second` more often than behind it in a block, 1/2 if as often, else 0."""
    ahead = 0
    for game in games:
        for name, rank in zip(game.names, game.ranks, strict=True):
            if name == first:
                rivals = [rank_ for name_, rank_ in zip(game.names, game.ranks, strict=True) if name_ == second]
                ahead += sum((rank < rival) - (rank > rival) for rival in rivals)
    return 0.5 * (1 + (ahead > 0) - (ahead < 0))


def tables(names: Sequence[str], players: int, seed: bytes) -> list[tuple[str, ...]]:
    """Return every choice of `players` different names, in a random order in which no pair is far ahead of the
    others."""
    return [tuple(table) for table in Stream(seed).shuffle(list(combinations(names, players)))]


def play_cross(ruleset: Ruleset, seed: bytes, names: Sequence[str], rounds: int) -> Iterator[list[BlockGame]]:
    """Play blocks of all tables of different players, `rounds` times, one block after the other."""
    order = tables(names, ruleset.players, game_seed(seed, 0))
    for number in range(rounds * len(order)):
        yield play_block(ruleset, game_seed(seed, 1 + number), order[number % len(order)], number // len(order))


def block_share(blocks: Sequence[Sequence[BlockGame]], first: str, second: str) -> ShareInterval | None:
    """Return the share of common blocks that `first` won against `second`, with its interval. A tie counts half."""
    met = [games for games in blocks if first in games[0].names and second in games[0].names]
    if not met:
        return None
    return wilson(sum(block_points(games, first, second) for games in met), len(met))
