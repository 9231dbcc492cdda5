"""Whole games, and counts of action sequences."""

from collections.abc import Sequence

from tests.kit.slow.board import Position
from tests.kit.slow.chance import StreamChance
from tests.kit.slow.legal import legal
from tests.kit.slow.play import apply
from tests.kit.slow.setup import new_position
from tests.kit.slow.stream import Stream


class SlowGame:
    """A game from its seed, with its events."""

    def __init__(self, players: int, seed: bytes, deal: bytes | None = None, expansions: Sequence[str] = ()) -> None:
        self.setup, stream = new_position(players, seed, deal, expansions)
        self.position: Position = self.setup
        self.chance = StreamChance(stream)
        self.events: list[tuple[int, str]] = []

    def play(self, text: str) -> list[tuple[int, str]]:
        """Play the action and return the new events: the decision, then chance."""
        seat = self.position["to_act"]
        self.position, chance = apply(self.position, text, self.chance)
        new = [(seat, text), *((0, event) for event in chance)]
        self.events += new
        return new


def perft(position: Position, stream: Stream, depth: int) -> int:
    """Return the number of sequences of that many decisions."""
    if depth == 0:
        return 1
    total = 0
    for text in legal(position):
        copy = stream.copy()
        after, _ = apply(position, text, StreamChance(copy))
        total += perft(after, copy, depth - 1)
    return total
