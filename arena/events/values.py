"""Values that a format draws from: entrants, and rounds of tables with their games. Formulas for an event's seed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha256
from typing import Literal, Protocol

from arena.rules.chance import Stream

GameKey = tuple[int, int, int]
"""Key of a game: round and table from 1, game from 0."""
Unit = Literal["match", "block", "williams"]
"""Games of a table: one match (`match`) or a deal block (rules 9).

A block is several matches of one deal, in which every entrant sits at every seat equally often. The seats rotate
(`block`) or follow a Williams design (`williams`); see `seat_orders`.
"""
TieBreak = Literal["head_to_head", "buchholz", "sonneborn_berger", "score_share", "wins", "best_game", "lot"]
"""Values that separate entrants with equal points (`tiebreaks`)."""


class ChanceStream(Protocol):
    """A stream of random numbers: `arena.rules.chance.Stream`."""

    def below(self, n: int, /) -> int:
        """Return a number from 0 to n - 1, each equally likely."""
        ...


@dataclass(frozen=True, slots=True)
class Entrant:
    """A bot in an event. It keeps its number for ever, even after it has left.

    >>> Entrant(1, "ant", version="v3", strength=1500).owner
    ''
    """

    number: int
    """Number from 1, in the order of entry."""
    name: str
    """Name of the bot."""
    version: str = ""
    """Version that plays, once versions are frozen."""
    owner: str = ""
    strength: int = 0
    """Rating when the field was frozen, for seeding; 0 for a bot without a rating."""


@dataclass(frozen=True, slots=True)
class TableGame:
    """A match of a table that has been played or decided otherwise.

    >>> TableGame(seats=(4, 2, 7), placements=(2, 1, 3), scores=(91, 120, 64)).out
    frozenset()
    """

    seats: tuple[int, ...]
    """Entrants, seat 1 first."""
    placements: tuple[int, ...]
    """Places by seat: 1 is best, tied seats share the better place. Absent or forfeiting entrants are below all
    others."""
    scores: tuple[int, ...] | None = None
    """Scores by seat; None if the game was not played."""
    out: frozenset[int] = frozenset()
    """Entrants that were absent or disqualified: below all others and without points, even among themselves."""


@dataclass(frozen=True, slots=True)
class EventTable:
    """Entrants that meet, and the games they have finished.

    >>> sorted(EventTable(number=1, seats=(4, 2, 7)).pairs)
    [(2, 4), (2, 7), (4, 7)]
    """

    number: int
    """Number from 1 within the round."""
    seats: tuple[int, ...]
    """Entrants in the order to which `seat_orders` refers. Except in a Williams design, it is also that of the first
    game."""
    group: str = ""
    """Part of the round to which the table belongs, if the format has several: a division, the final, a consolation."""
    games: tuple[TableGame, ...] = ()
    """Finished games, in order."""

    @property
    def pairs(self) -> frozenset[tuple[int, int]]:
        """Pairs that meet here, the lower number first."""
        return frozenset((a, b) for a in self.seats for b in self.seats if a < b)


@dataclass(frozen=True, slots=True)
class Draw:
    """The tables of a round before it is played, as a format draws them.

    >>> draw = Draw((EventTable(1, (1, 2)), EventTable(2, (3, 4))), byes=(5,))
    >>> [table.seats for table in draw.tables]
    [(1, 2), (3, 4)]
    """

    tables: tuple[EventTable, ...]
    """Tables numbered from 1, without games."""
    byes: tuple[int, ...] = ()
    """Entrants that do not play this round and get the points of a bye, in ascending order."""
    label: str = ""
    """Name of the round, if its number says too little: `final`."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round that was drawn.

    >>> Round(1, (EventTable(1, (1, 2)),), present=frozenset({1, 2, 3}), byes=(3,)).label
    ''
    """

    number: int
    """Number from 1 within the event."""
    tables: tuple[EventTable, ...]
    present: frozenset[int]
    """Entrants in the event when the round was drawn."""
    byes: tuple[int, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """Everything a format draws from: entrants and rounds, without times and names of matches.

    >>> field = (Entrant(1, "ant", strength=1400), Entrant(2, "bee", strength=1500))
    >>> History(players=2, unit="match", entrants=field, present=frozenset({1, 2})).seeded
    [2, 1]
    """

    players: int
    """Seats of a table, 2 to 5."""
    unit: Unit
    entrants: tuple[Entrant, ...]
    """All bots that ever entered, by number."""
    present: frozenset[int]
    """Entrants that can be drawn for the next round: they have neither left nor been disqualified."""
    rounds: tuple[Round, ...] = ()
    """Rounds in order. All their tables have all their games, except in a continuous format."""
    disqualified: frozenset[int] = frozenset()
    """Disqualified entrants: below all others in each of their games, and in the standings."""

    @property
    def games_a_table(self) -> int:
        """Number of games of a table."""
        return games_a_table(self.players, self.unit)

    def games_at(
        self, number: int | None = None, table: int | None = None, entrant: int | None = None
    ) -> list[GameKey]:
        """Return the games of a round, of one of its tables, or of all tables of an entrant, whether played or not."""
        return [
            (drawn.number, at.number, game)
            for drawn in self.rounds
            for at in drawn.tables
            if number in (None, drawn.number)
            and table in (None, at.number)
            and (entrant is None or entrant in at.seats)
            for game in range(self.games_a_table)
        ]

    def entrant(self, number: int) -> Entrant:
        """Return the entrant with this number."""
        return self.entrants[number - 1]

    @property
    def seeded(self) -> list[int]:
        """Entrants present, the strongest first; equal ones in the order of entry."""
        return sorted(self.present, key=lambda number: (-self.entrant(number).strength, number))


@cache
def seat_orders(players: int, unit: Unit) -> tuple[tuple[int, ...], ...]:
    """Return the order of seats of each game of a table: indices into the table's seats, from 0.

    `block` rotates the table's order by one seat from game to game. `williams` begins with 0, 1, n - 1, 2, n - 2, …
    for n
    seats and adds 1 modulo n from game to game. For odd n, each of these orders is also used in reverse. Everybody then
    sits directly after everybody else equally often: once for even n, twice for odd n (E. J. Williams,
    Experimental designs balanced for the estimation of residual effects of treatments, 1949).
    """
    if unit == "match":
        return (tuple(range(players)),)
    if unit == "block":
        first = list(range(players))
    else:
        first = [(seat + 1) // 2 if seat % 2 else -seat // 2 for seat in range(players)]
    orders = tuple(tuple((seat + game) % players for seat in first) for game in range(players))
    if unit == "williams" and players % 2:
        orders += tuple(order[::-1] for order in orders)
    return orders


def games_a_table(players: int, unit: Unit) -> int:
    """Return the number of games of a table."""
    return len(seat_orders(players, unit))


def seats_of_game(seats: Sequence[int], game: int, unit: Unit) -> tuple[int, ...]:
    """Return the entrants by seat in game 0, 1, … of a table."""
    return tuple(seats[seat] for seat in seat_orders(len(seats), unit)[game])


def halves(placements: Sequence[int]) -> tuple[int, ...]:
    """Return the points of a game in halves, by seat: 2 for each opponent placed below, 1 for each one tied with.

    With two seats these are chess's 1, ½, 0.
    """
    return tuple(
        sum(2 * (own < other) + (own == other) for k, other in enumerate(placements) if k != seat)
        for seat, own in enumerate(placements)
    )


def halves_of_bye(players: int, unit: Unit) -> int:
    """Return the points of a bye in halves: those for winning every game of a table."""
    return 2 * (players - 1) * games_a_table(players, unit)


def without(game: TableGame, disqualified: Iterable[int]) -> TableGame:
    """Return a game in which these entrants are out as well: placed below all others, and without points."""
    out = game.out | (frozenset(disqualified) & frozenset(game.seats))
    if not out:
        return game
    ins = sorted(place for seat, place in zip(game.seats, game.placements, strict=True) if seat not in out)
    places = tuple(
        len(ins) + 1 if seat in out else ins.index(place) + 1
        for seat, place in zip(game.seats, game.placements, strict=True)
    )
    return replace(game, placements=places, out=out)


def commitment_of(seed: bytes) -> str:
    """Return the commitment that is published before an event begins: SHA-256 of its seed, in hex.

    >>> commitment_of(bytes(32))[:16]
    '66687aadf862bd77'
    """
    return sha256(seed).hexdigest()


def round_stream(seed: bytes, number: int) -> Stream:
    """Return the stream from which round `number` is drawn: stream(SHA-256(seed ‖ `round` ‖ number as 8 bytes))."""
    return Stream(sha256(seed + b"round" + number.to_bytes(8, "big")).digest())


def deal_of(seed: bytes, key: GameKey, attempt: int) -> bytes:
    """Return the deal of a deal block: SHA-256(seed ‖ `deal` ‖ round, table and attempt as 8 bytes each).

    All games of a table have the same deal, so the game's number in `key` has no effect.

    >>> deal_of(bytes(32), (1, 2, 3), attempt=0).hex()[:16]
    '9b4aec3835560ba5'
    """
    parts = (key[0], key[1], attempt)
    return sha256(seed + b"deal" + b"".join(part.to_bytes(8, "big") for part in parts)).digest()
