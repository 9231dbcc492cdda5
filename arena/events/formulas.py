"""Formulas for what an event draws from its seed. Anybody can compute them."""

from __future__ import annotations

from hashlib import sha256

from arena.rules.chance import Stream

GameKey = tuple[int, int, int]
"""Key of a game: round and table from 1, game from 0."""


def commitment_of(seed: bytes) -> str:
    """Return the commitment that is published before an event begins: SHA-256 of its seed, in hex.

    >>> commitment_of(bytes(32))[:16]
    '66687aadf862bd77'
    """
    return sha256(seed).hexdigest()


def round_stream(seed: bytes, number: int) -> Stream:
    """Return the stream from which round `number` is drawn: stream(SHA-256(seed ‖ `round` ‖ number as 8 bytes))."""
    return Stream(sha256(seed + b"round" + number.to_bytes(8, "big")).digest())


def deal_of(seed: bytes, key: GameKey, attempt: int) -> bytes:
    """Return the deal of a deal block: SHA-256(seed ‖ `deal` ‖ round, table and attempt as 8 bytes each).

    All games of a table have the same deal, so the game's number in `key` has no effect.

    >>> deal_of(bytes(32), (1, 2, 3), attempt=0).hex()[:16]
    '9b4aec3835560ba5'
    """
    parts = (key[0], key[1], attempt)
    return sha256(seed + b"deal" + b"".join(part.to_bytes(8, "big") for part in parts)).digest()
