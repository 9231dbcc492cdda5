"""The stream of words, made from a seed, that all chance is drawn from (rules 9)."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

from arena.rules.components import TRIBES
from arena.rules.errors import RulesError
from arena.rules.groups import count
from arena.rules.notation import Action, bag_event, shuffle_event
from arena.rules.state import State

SEED_BYTES = 32
MAX_NONCE_BYTES = 32
_WORDS_PER_BLOCK = 8
_WORDS = 1 << 32

T = TypeVar("T")


class Stream:
    """Words of 32 bits from SHA-256(seed ‖ 0), SHA-256(seed ‖ 1), …; `at` is the number of words read so far."""

    __slots__ = ("_block", "at", "seed")

    def __init__(self, seed: bytes, at: int = 0) -> None:
        if len(seed) != SEED_BYTES:
            raise RulesError(
                "BAD_SEED", f"a seed has {SEED_BYTES} bytes ({2 * SEED_BYTES} hex digits), not {len(seed)}", "9"
            )
        self.seed = seed
        self.at = at
        self._block = b""

    def copy(self) -> Stream:
        """A copy that goes on from the same place, independently of this stream."""
        return Stream(self.seed, self.at)

    def word(self) -> int:
        """The next 32 bits of the stream as a number (9)."""
        place = self.at % _WORDS_PER_BLOCK
        if not place or not self._block:
            self._block = sha256(self.seed + (self.at // _WORDS_PER_BLOCK).to_bytes(8, "big")).digest()
        self.at += 1
        return int.from_bytes(self._block[4 * place : 4 * place + 4], "big")

    def below(self, n: int) -> int:
        """A number from 0 to n - 1; reads a word even for n = 1 (8.26)."""
        limit = _WORDS // n * n
        while (word := self.word()) >= limit:
            pass
        return word % n

    def shuffle(self, cards: Sequence[T]) -> list[T]:
        """A new list in the shuffled order; item 0 is the top."""
        shuffled = list(cards)
        for i in range(len(shuffled) - 1, 0, -1):
            j = self.below(i + 1)
            shuffled[i], shuffled[j] = shuffled[j], shuffled[i]
        return shuffled


def draw_chance(state: State, stream: Stream) -> Action:
    """The chance event that is due in a state, drawn from the stream."""
    due = state.due
    if due is None:
        raise RulesError("NO_CHANCE_DUE", "no chance is due", "9")
    if due.pile is not None:
        return shuffle_event(due.pile, stream.shuffle(state.discard_of(due.pile)))
    bag = [tribe for tribe in range(len(TRIBES)) for _ in range(count(state.bag, tribe))]
    return bag_event([bag.pop(stream.below(len(bag))) for _ in range(due.count)])


def settle(state: State, stream: Stream) -> State:
    """The state once all chance that is due has been drawn from the stream."""
    while state.due is not None:
        state = state.play(draw_chance(state, stream))
    return state


def match_seed(server_seed: bytes, nonces: Sequence[bytes]) -> bytes:
    """The seed of a match: SHA-256(server seed ‖ length and bytes of each seat's nonce)."""
    for nonce in nonces:
        if len(nonce) > MAX_NONCE_BYTES:
            raise RulesError("BAD_NONCE", f"a nonce has at most {MAX_NONCE_BYTES} bytes, not {len(nonce)}", "9")
    return sha256(server_seed + b"".join(bytes([len(nonce)]) + nonce for nonce in nonces)).digest()


def commitment(secret: bytes, deal: bytes | None = None) -> bytes:
    """What is published before the game: SHA-256(server seed, or the seed where there is none, ‖ deal if any)."""
    return sha256(secret + (deal or b"")).digest()


def default_action(state: State, seed: bytes, index: int) -> Action:
    """The decision played for a seat that fails to give one, at this index of the events."""
    stream = Stream(sha256(seed + b"default" + index.to_bytes(8, "big")).digest())
    return state.legal[stream.below(len(state.legal))]
