"""Sources of chance events: the seed's stream, or a list of recorded events."""

from tests.kit.slow.stream import Stream
from tests.kit.slow.tables import LETTERS


class ChanceMismatch(Exception):
    """Raised if a given chance event does not fit the chance that is due."""


def written(bag: str) -> str:
    """Return the bag in notation order."""
    return "".join(sorted(bag, key=LETTERS.index))


class StreamChance:
    def __init__(self, stream: Stream) -> None:
        self.stream = stream

    def bag(self, bag: str, count: int) -> str:
        drawn = ""
        for _ in range(count):
            bag = written(bag)
            i = self.stream.below(len(bag))
            drawn += bag[i]
            bag = bag[:i] + bag[i + 1 :]
        return drawn

    def shuffle(self, pile: str, cards: list[str]) -> list[str]:
        cards = list(cards)
        self.stream.shuffle(cards)
        return cards


class GivenChance:
    def __init__(self, events: list[str]) -> None:
        self.events = list(events)

    def _next(self, verb: str) -> list[str]:
        if not self.events:
            raise ChanceMismatch(f"{verb} is due and no event is left")
        words = self.events.pop(0).split(" ")
        if words[0] != verb:
            raise ChanceMismatch(f"{verb} is due, not {' '.join(words)}")
        return words[1:]

    def bag(self, bag: str, count: int) -> str:
        (drawn,) = self._next("!bag")
        if len(drawn) != count or any(drawn.count(letter) > bag.count(letter) for letter in drawn):
            raise ChanceMismatch(f"{drawn} is not a draw of {count} from {bag}")
        return drawn

    def shuffle(self, pile: str, cards: list[str]) -> list[str]:
        name, *order = self._next("!shuffle")
        if name != pile or sorted(order) != sorted(cards):
            raise ChanceMismatch(f"{name} {order} is not an order of the {pile} {cards}")
        return order

    def finish(self) -> None:
        if self.events:
            raise ChanceMismatch(f"not due: {self.events}")
