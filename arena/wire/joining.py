"""Messages joined from parts that are bytes already.

A part of a message is its field's number and length, and then its bytes; the parts of a message stand in any order. So
what was encoded before, such as a tile, is not made a message and copied into another one again for every decision.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from google.protobuf.message import Message

_LENGTH_DELIMITED: Final = 2


def joiner(message: type[Message], field: str) -> Callable[[bytes], bytes]:
    """The function that makes the bytes of a message a part of another one: its field of this name."""
    tag = _varint(message.DESCRIPTOR.fields_by_name[field].number << 3 | _LENGTH_DELIMITED)
    return lambda payload: tag + _varint(len(payload)) + payload


@lru_cache(1 << 12)
def _varint(number: int) -> bytes:
    """Seven bits a byte, the lowest first; all but the last have the eighth bit."""
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
