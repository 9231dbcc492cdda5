"""Events played out in memory: a field, a rule for results, and incidents on the way."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import Any

from arena.events import Event, Fact, FactKind, Pairing, commitment_of
from arena.events.facts import FactData, RoundDrawn, parse_data
from arena.rules.chance import Stream

SEED = bytes(range(32))
Results = Callable[[Pairing], Sequence[int]]
"""Returns the placements of a game, by seat."""


def by_number(pairing: Pairing) -> list[int]:
    """Let the entrant with the lower number always win."""
    return [1 + sum(other < seat for other in pairing.seats) for seat in pairing.seats]


def by_chance(seed: int = 0) -> Results:
    """Return results in which every order is equally likely; the same games give the same results."""

    def results(pairing: Pairing) -> list[int]:
        stream = Stream(sha256(f"{seed} {pairing.key} {pairing.attempt}".encode()).digest())
        return [place + 1 for place in stream.shuffle(range(len(pairing.seats)))]

    return results


class Played:
    """An event and all its facts. Each fact is applied at once."""

    def __init__(self, format: Mapping[str, Any], players: int, entrants: int, **terms: Any) -> None:
        self.facts: list[Fact] = []
        self.event = Event()
        game = {"players": players, "expansions": ["whims"] if players == 5 else []}
        terms = {"name": "Test", "format": dict(format), "game": game, "entry": {"entrants": max(entrants, 2)}, **terms}
        self.say(FactKind.CREATED, terms=terms)
        self.say(FactKind.PUBLISHED, commitment=commitment_of(SEED))
        for number in range(1, entrants + 1):
            self.say(FactKind.ENTERED, name=f"bot {number}", owner=f"owner {number}")
        self.say(FactKind.FROZEN, field=[[n, "v1", 2000 - n] for n in range(1, entrants + 1)])
        self.say(FactKind.STARTED)

    def say(self, kind: FactKind, **data: Any) -> None:
        """Apply one more fact, with its data in JSON."""
        self.add(parse_data(kind, data))

    def add(self, data: FactData) -> None:
        """Apply one more fact."""
        fact = Fact(data)
        self.event.apply(fact)
        self.facts.append(fact)

    def draw(self, free: Sequence[int] | None = None) -> bool:
        """Draw the next round. Return false if the event is over."""
        draw = self.event.draw(SEED, free)
        if draw is not None:
            self.add(RoundDrawn(draw.tables, draw.byes, draw.label, None if free is None else tuple(free)))
        return draw is not None

    def play(self, results: Results = by_number) -> None:
        """Play every game that is open."""
        for pairing in self.event.pairings():
            number, table, game = pairing.key
            placements = list(results(pairing))
            self.say(FactKind.RESULT, round=number, table=table, game=game, placements=placements)

    def to_the_end(self, results: Results = by_number, most: int = 1000) -> Played:
        """Draw and play rounds until the format ends the event."""
        while self.draw():
            self.play(results)
            assert len(self.event.rounds) <= most, "the event does not end"
        self.say(FactKind.FINISHED, seed=SEED.hex())
        return self
