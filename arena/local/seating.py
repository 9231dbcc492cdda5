"""The seats and the deal of each game in a series."""

from __future__ import annotations

from hashlib import sha256

from arena.scheduling.blocks import seats_of_block


def seats_of_game(players: int, number: int, *, is_mirrored: bool) -> tuple[int, ...]:
    """Return the side at each seat in game `number`, from 0. Within a block the seats rotate."""
    if not is_mirrored:
        return tuple(range(players))
    block, turn = divmod(number, players)
    return seats_of_block(players, block)[turn]


def deal_of_game(seed: bytes, players: int, number: int, *, is_mirrored: bool) -> bytes | None:
    """Return the deal seed that the games of a block share; `None` without blocks."""
    return sha256(seed + b"deal" + (number // players).to_bytes(8, "big")).digest() if is_mirrored else None
