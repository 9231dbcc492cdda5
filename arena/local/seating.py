"""Who sits where in a series of games, and on which deal."""

from __future__ import annotations

from hashlib import sha256

from arena.scheduling.blocks import seats_of_block


def seats_of_game(players: int, number: int, *, is_mirrored: bool) -> tuple[int, ...]:
    """Who sits where in game `number` of a series, by number from 0: turned within each block, else as they come."""
    if not is_mirrored:
        return tuple(range(players))
    block, turn = divmod(number, players)
    return seats_of_block(players, block)[turn]


def deal_of_game(seed: bytes, players: int, number: int, *, is_mirrored: bool) -> bytes | None:
    """What the games of a block have in common; None without blocks."""
    return sha256(seed + b"deal" + (number // players).to_bytes(8, "big")).digest() if is_mirrored else None
