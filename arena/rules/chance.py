"""The stream of words from which all chance is drawn; it is made from a seed (rules 9)."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import Protocol, TypeVar

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


class RandomSource(Protocol):
    """Source of chance: a `Stream` of a seed, a `random.Random`, or anything else with this method.

    >>> from random import Random
    >>> sources: list[RandomSource] = [Stream(bytes(32)), Random(1)]
    """

    def randrange(self, n: int, /) -> int:
        """Return a number from 0 to n - 1; all are equally likely."""
        ...


class Stream:
    """A stream of 32-bit words from SHA-256(seed ‖ 0), SHA-256(seed ‖ 1), … (9).

    `seed` has 32 bytes; raise `RulesError` otherwise. `at` is the number of words read so far.

    >>> stream = Stream(bytes(32))
    >>> stream.below(6), stream.shuffle("abcdef"), stream.at
    (1, ['e', 'f', 'b', 'd', 'a', 'c'], 6)
    """

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
        """Return a copy that continues from the same place, independently of this stream."""
        return Stream(self.seed, self.at)

    def word(self) -> int:
        """Return the next 32 bits of the stream as a number (9)."""
        place = self.at % _WORDS_PER_BLOCK
        if not place or not self._block:
            self._block = sha256(self.seed + (self.at // _WORDS_PER_BLOCK).to_bytes(8, "big")).digest()
        self.at += 1
        return int.from_bytes(self._block[4 * place : 4 * place + 4], "big")

    def below(self, n: int) -> int:
        """Return a number from 0 to n - 1. This reads a word even for n = 1 (8.26)."""
        limit = _WORDS // n * n
        while (word := self.word()) >= limit:
            pass
        return word % n

    def randrange(self, n: int) -> int:
        """Return a number from 0 to n - 1: `below`, under the name that `random.Random` uses."""
        return self.below(n)

    def shuffle(self, cards: Sequence[T]) -> list[T]:
        """Return a new list in the shuffled order; item 0 is the top."""
        return shuffled(cards, self)


def shuffled(cards: Sequence[T], rng: RandomSource) -> list[T]:
    """Return a new list in the shuffled order of rules 9; item 0 is the top."""
    order = list(cards)
    for i in range(len(order) - 1, 0, -1):
        j = rng.randrange(i + 1)
        order[i], order[j] = order[j], order[i]
    return order


def draw_chance(state: State, rng: RandomSource) -> Action:
    """Return the chance event that is due in a state, drawn from `rng` (9). Raise `RulesError` if none is due.

    >>> draw_chance(start(Ruleset(2), bytes(32)), Stream(bytes(32)))
    Traceback (most recent call last):
    arena.rules.errors.RulesError: no chance is due (rule 9)
    """
    due = state.due
    if due is None:
        raise RulesError("NO_CHANCE_DUE", "no chance is due", "9")
    if due.pile is not None:
        return shuffle_event(due.pile, shuffled(state.discard_of(due.pile), rng))
    bag = [tribe for tribe in range(len(TRIBES)) for _ in range(count(state.bag, tribe))]
    return bag_event([bag.pop(rng.randrange(len(bag))) for _ in range(due.count)])


def settle(state: State, rng: RandomSource) -> State:
    """Return the state after all chance that is due, drawn from `rng`. If none is due, return the state itself.

    >>> from random import Random
    >>> state, rng = start(Ruleset(2), bytes(32)), Random(1)
    >>> while not state.is_over:
    ...     state = settle(state.play(rng.choice(state.legal)), rng)
    >>> state.ending
    'no-moves'
    """
    while state.due is not None:
        state = state.play(draw_chance(state, rng))
    return state


def match_seed(server_seed: bytes, nonces: Sequence[bytes]) -> bytes:
    """Return the seed of a match: SHA-256(server seed ‖ length and bytes of each seat's nonce) (9).

    `nonces` has one nonce per seat, seat 1 first. Raise `RulesError` if one has more than 32 bytes.

    >>> match_seed(bytes(32), [b"", b"x"]).hex()[:16]
    '60b5a9664ba6a58c'
    """
    for nonce in nonces:
        if len(nonce) > MAX_NONCE_BYTES:
            raise RulesError("BAD_NONCE", f"a nonce has at most {MAX_NONCE_BYTES} bytes, not {len(nonce)}", "9")
    return sha256(server_seed + b"".join(bytes([len(nonce)]) + nonce for nonce in nonces)).digest()


def commitment(secret: bytes, deal: bytes | None = None) -> bytes:
    """Return the commitment that is published before a game: SHA-256(secret ‖ deal, if any) (9).

    `secret` is the server seed, or the game's seed if there is no server seed.

    >>> commitment(bytes(32)).hex()[:16]
    '66687aadf862bd77'
    """
    return sha256(secret + (deal or b"")).digest()


def default_action(state: State, seed: bytes, index: int) -> Action:
    """Return the action played for a seat that does not decide: a random legal one.

    `seed` is the game's seed, `index` the index of the event. The same arguments give the same action.

    >>> default_action(start(Ruleset(2), bytes(32)), bytes(32), index=0)
    parse_action('bid 6')
    """
    stream = Stream(sha256(seed + b"default" + index.to_bytes(8, "big")).digest())
    return state.legal[stream.below(len(state.legal))]
