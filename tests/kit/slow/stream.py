"""The stream of section 9: SHA-256 in counter mode, read as big-endian 32-bit words."""

import hashlib
from functools import lru_cache
from typing import Any


class Stream:
    def __init__(self, seed: bytes, words_read: int = 0) -> None:
        self.seed = seed
        self.words_read = words_read

    def word(self) -> int:
        block, offset = divmod(self.words_read, 8)
        self.words_read += 1
        return int.from_bytes(_digest(self.seed, block)[4 * offset : 4 * offset + 4], "big")

    def below(self, n: int) -> int:
        limit = 2**32 // n * n
        while True:
            word = self.word()
            if word < limit:
                return word % n

    def shuffle(self, items: list[Any]) -> None:
        for i in range(len(items) - 1, 0, -1):
            j = self.below(i + 1)
            items[i], items[j] = items[j], items[i]

    def copy(self) -> "Stream":
        return Stream(self.seed, self.words_read)


@lru_cache(8)  # eight words in a row come from the same block
def _digest(seed: bytes, block: int) -> bytes:
    return hashlib.sha256(seed + block.to_bytes(8, "big")).digest()
