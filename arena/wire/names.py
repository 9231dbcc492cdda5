"""Map the words of the notation to enums and counts of the protocol, and back."""

from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Generic, TypeVar

from arena.referee import VerdictKind
from arena.rules import Ending, Phase
from arena.rules.components import Colour, KindOfTile
from arena.wire.v1 import bot_pb2, game_pb2
from arena.wire.v1.game_pb2 import Hand, Meeples

Document = dict[str, Any]
T = TypeVar("T")
Word = TypeVar("Word", bound=str | None)


class CodecError(ValueError):
    """Raised for bytes, messages or documents that do not fit this protocol. `reason` is stable, for programs."""

    reason = "MALFORMED"


def guarded(name: str, work: Callable[[], T]) -> T:
    """Return `work()`. Turn any error that a value of the wrong shape causes into a `CodecError`."""
    try:
        return work()
    except CodecError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise CodecError(f"not {name}: {error!r}") from error


def known_keys(document: Document, known: Iterable[str], name: str) -> None:
    """Raise `CodecError` if the document has other keys than `known`, because they would be lost."""
    if unknown := document.keys() - set(known):
        raise CodecError(f"unknown keys in {name}: {sorted(unknown)}")


class Names(Generic[Word]):
    """The words of one enum. TILE_KIND_SMALL_MARKET is `small-market`; zero is None if `Word` allows it."""

    def __init__(self, enum: Any, prefix: str, zero: bool = False) -> None:
        self.noun = prefix.rstrip("_").lower().replace("_", " ")
        self._numbers: dict[Any, int] = {
            name.removeprefix(prefix).lower().replace("_", "-"): number for name, number in enum.items() if number
        }
        if zero:
            self._numbers[None] = 0
        self._names: dict[int, Word] = {number: name for name, number in self._numbers.items()}

    def number(self, name: Word) -> Any:
        """Return the enum value of a word. Raise `CodecError` if there is none."""
        if name not in self._numbers:
            raise CodecError(f"{name!r} is not a valid {self.noun}")
        return self._numbers[name]

    def name(self, number: int) -> Word:
        """Return the word of an enum value. Raise `CodecError` if there is none."""
        if number not in self._names:
            raise CodecError(f"{number} is not a valid {self.noun}")
        return self._names[number]


PHASES: Final = Names[Phase](game_pb2.Phase, "PHASE_")
KINDS: Final = Names[KindOfTile](game_pb2.TileKind, "TILE_KIND_")
COLOURS: Final = Names[Colour | None](game_pb2.TileColour, "TILE_COLOUR_", zero=True)
ENDINGS: Final = Names[Ending | None](game_pb2.EndTrigger, "END_TRIGGER_", zero=True)
RESOURCES: Final = Names[str](game_pb2.Resource, "RESOURCE_")
VERDICTS: Final = Names[VerdictKind](bot_pb2.VerdictKind, "VERDICT_KIND_")

# Letters in the notation's order, each with its field.
TRIBES = {
    "y": "viziers", "w": "elders", "g": "merchants", "b": "builders", "r": "assassins", "p": "artisans",
}  # fmt: skip
GOODS = [field.name for field in Hand.DESCRIPTOR.fields]
# More than any box holds. A larger count would make us build a very long string.
MOST = 255


@lru_cache(4096)  # a board has thirty tiles and few different groups, and every decision needs a view
def _counts(group: str) -> dict[str, int]:
    counts = {field: group.count(letter) for letter, field in TRIBES.items()}
    if "".join(letter * counts[field] for letter, field in TRIBES.items()) != group:
        raise CodecError(f"{group!r} is not a group of meeples")
    return counts


@lru_cache(4096)
def _letters(*counts: int) -> str:
    if max(counts) > MOST:
        raise CodecError(f"a group has more than {MOST} meeples of one tribe")
    return "".join(letter * count for letter, count in zip(TRIBES, counts, strict=True))


def encode_group(group: str) -> Meeples:
    """Encode a group such as `wwr` as counts."""
    return Meeples(**_counts(group))


def decode_group(message: Meeples) -> str:
    """Return the letters of a group, such as `wwr`."""
    return _letters(
        message.viziers, message.elders, message.merchants, message.builders, message.assassins, message.artisans
    )


def encode_hand(hand: Mapping[str, int]) -> Hand:
    """Encode a hand of resource cards as counts."""
    if unknown := hand.keys() - set(GOODS):
        raise CodecError(f"{sorted(unknown)} are not resources")
    if min(hand.values(), default=1) < 1:
        raise CodecError("a hand must not name resources that it has none of")
    return Hand(**hand)


def decode_hand(message: Hand) -> dict[str, int]:
    """Return the number of cards of each resource in the hand. Resources without cards are left out."""
    return {name: count for name in GOODS if (count := int(getattr(message, name)))}
