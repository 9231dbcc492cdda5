"""Join messages from parts that are already serialized.

A part of a message is its field's tag and length, followed by its bytes; parts may come in any order. A part that was
encoded before, such as a tile, is therefore not parsed and copied into another message for every decision.
"""

from collections.abc import Callable
from functools import lru_cache
from typing import Final

from google.protobuf.message import Message

_LENGTH_DELIMITED: Final = 2


def joiner(message: type[Message], field: str) -> Callable[[bytes], bytes]:
    """Return a function that turns a serialized message into the field `field` of a `message`."""
    tag = _varint(message.DESCRIPTOR.fields_by_name[field].number << 3 | _LENGTH_DELIMITED)
    return lambda payload: tag + _varint(len(payload)) + payload


@lru_cache(1 << 12)
def _varint(number: int) -> bytes:
    """Encode a number as a varint: seven bits a byte, lowest first; the eighth bit is set in all bytes but the last."""
    low, rest = number & 0x7F, number >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
