"""What an event draws from its seed, as formulas that anybody can compute."""

from __future__ import annotations

from hashlib import sha256

from arena.rules.chance import Stream

GameKey = tuple[int, int, int]
"""Round and table from 1, game from 0."""


def commitment_of(seed: bytes) -> str:
    """What is published of an event's seed before it begins: its SHA-256, in hex."""
    return sha256(seed).hexdigest()


def round_stream(seed: bytes, number: int) -> Stream:
    """The stream that round `number` is drawn with: stream(SHA-256(seed ‖ `round` ‖ number as 8 bytes))."""
    return Stream(sha256(seed + b"round" + number.to_bytes(8, "big")).digest())


def deal_of(seed: bytes, key: GameKey, attempt: int) -> bytes:
    """The deal of a deal block: SHA-256(seed ‖ `deal` ‖ round, table and attempt as 8 bytes each)."""
    parts = (key[0], key[1], attempt)
    return sha256(seed + b"deal" + b"".join(part.to_bytes(8, "big") for part in parts)).digest()
