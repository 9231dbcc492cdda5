"""What a format sees of an event: entrants, and rounds of tables with their games."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import Field, dataclass, replace
from functools import cache
from typing import Any, ClassVar, Literal, Protocol, runtime_checkable

from arena.events.formulas import GameKey

Unit = Literal["match", "block", "williams"]
"""What a table plays: one match, or a deal block (rules 9): matches of one deal in which every entrant sits at every
seat equally often, with the seats turned (`block`) or as in a Williams design (`williams`): see `seat_orders`."""
TieBreak = Literal["head_to_head", "buchholz", "sonneborn_berger", "score_share", "wins", "best_game", "lot"]
"""What separates entrants with equal points (`tiebreaks`)."""


class Chance(Protocol):
    """A stream of chance: `arena.rules.chance.Stream`."""

    def below(self, n: int, /) -> int:
        """A number of 0 … n - 1, all equally likely."""
        ...


@dataclass(frozen=True, slots=True)
class Entrant:
    """Who plays in an event. It keeps its number for good, also when it has left."""

    number: int
    """From 1, in the order of entry."""
    name: str
    """The bot's."""
    version: str = ""
    """The version that plays, once versions are frozen."""
    owner: str = ""
    strength: int = 0
    """Its rating when the field was frozen, for seeding; 0 for a bot without rating."""


@dataclass(frozen=True, slots=True)
class Game:
    """A match of a table that has been played, or decided otherwise."""

    seats: tuple[int, ...]
    """The entrants, seat 1 first."""
    placements: tuple[int, ...]
    """By seat: 1 is best; equal ones share the better place. Who did not come, or forfeited, is below all others."""
    scores: tuple[int, ...] | None = None
    """By seat, of the game; None where it was not played."""
    out: frozenset[int] = frozenset()
    """Entrants that did not come or were disqualified: below all others, and without points even among themselves."""


@dataclass(frozen=True, slots=True)
class Table:
    """Entrants that meet, and what they have played of it."""

    number: int
    """From 1 within the round."""
    seats: tuple[int, ...]
    """The entrants, in the order of `seat_orders`: also that of the first game, but in a Williams design."""
    group: str = ""
    """Which part of the round it belongs to, where the format has several: a division, the final, a consolation."""
    games: tuple[Game, ...] = ()
    """Those that are finished, in their order."""

    @property
    def pairs(self) -> frozenset[tuple[int, int]]:
        """Who meets whom here, the lower number first."""
        return frozenset((a, b) for a in self.seats for b in self.seats if a < b)


@dataclass(frozen=True, slots=True)
class Draw:
    """The tables of a round before it is played, as a format draws them."""

    tables: tuple[Table, ...]
    """Numbered from 1, without games."""
    byes: tuple[int, ...] = ()
    """Who does not play this round and is given the points of a bye, in ascending order."""
    label: str = ""
    """A name for the round where its number says too little: `final`."""


@dataclass(frozen=True, slots=True)
class Round:
    """A round that was drawn."""

    number: int
    """From 1 within the event."""
    tables: tuple[Table, ...]
    present: frozenset[int]
    """Who was in the event when it was drawn."""
    byes: tuple[int, ...] = ()
    label: str = ""


@dataclass(frozen=True, slots=True)
class History:
    """What a format decides from: everything that has happened, without times and names of matches."""

    players: int
    """Seats of a table, 2 to 5."""
    unit: Unit
    entrants: tuple[Entrant, ...]
    """All that ever entered, by number."""
    present: frozenset[int]
    """Who can be drawn for the next round: has entered, has neither left nor been disqualified."""
    rounds: tuple[Round, ...] = ()
    """In order. All tables of them have all their games, except where the format draws continuously."""
    disqualified: frozenset[int] = frozenset()
    """Who is out for good: below all others in each of its games, and in the standings."""

    @property
    def games_a_table(self) -> int:
        """How many games a table plays."""
        return games_a_table(self.players, self.unit)

    def games_at(
        self, number: int | None = None, table: int | None = None, entrant: int | None = None
    ) -> list[GameKey]:
        """The games, played or not, of a round, of one of its tables, or of all tables at which an entrant sits."""
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
        """The entrant with this number."""
        return self.entrants[number - 1]

    @property
    def seeded(self) -> list[int]:
        """Those who are present, the strongest first; equal ones in the order of entry."""
        return sorted(self.present, key=lambda number: (-self.entrant(number).strength, number))


class Format(Protocol):
    """How an event is played. A value: what it says follows from its fields, the history and the stream alone."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    LIMITS: ClassVar[Mapping[str, tuple[int, int]]]
    """The least and the most of each of its fields that is a number; its other fields are flags."""
    TIE_BREAKS: ClassVar[tuple[TieBreak, ...]]
    """By which the format itself decides; empty: those of the terms count."""

    @property
    def is_continuous(self) -> bool:
        """Whether tables are drawn whenever entrants are free, instead of in rounds."""
        ...

    def check(self, players: int, entrants: int) -> None:
        """Refuse what cannot be played with so many seats and entrants (`TermsError`)."""
        ...

    def number_of_rounds(self, players: int, entrants: int) -> int | None:
        """How many rounds it takes if nobody leaves; None where that is open."""
        ...

    def admits(self, history: History) -> bool:
        """Whether somebody who enters now can still be drawn."""
        ...

    def draw(self, history: History, chance: Chance) -> Draw | None:
        """The next round; None if the event is over. Equal histories and streams give equal draws.

        With a continuous format: the tables that can begin now, or None if there are none.
        """
        ...

    def order(self, history: History) -> list[list[int]] | None:
        """Who stands before whom by the format itself (a knockout's stages), groups of equals; None: by points."""
        ...


@runtime_checkable
class InSeasons(Protocol):
    """What a format has, too, whose standings do not show all rounds."""

    def counted(self, history: History) -> History:
        """The same with the rounds alone whose points count: those of the current season."""
        ...


@cache
def seat_orders(players: int, unit: Unit) -> tuple[tuple[int, ...], ...]:
    """The games of a table: for each, which of the table's seats, from 0, comes first, second, ….

    `block`: the table's order, turned by one seat from game to game. `williams`: 0, 1, n - 1, 2, n - 2, … for n seats,
    with 1 more modulo n from game to game, and for odd n also each of these orders reversed. So everybody also sits
    directly after everybody else equally often: in one game for even n, in two for odd n (E. J. Williams, Experimental
    designs balanced for the estimation of residual effects of treatments, 1949).
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
    """How many games a table plays."""
    return len(seat_orders(players, unit))


def seats_of_game(seats: Sequence[int], game: int, unit: Unit) -> tuple[int, ...]:
    """Who sits where in game 0, 1, … of a table."""
    return tuple(seats[seat] for seat in seat_orders(len(seats), unit)[game])


def halves(placements: Sequence[int]) -> tuple[int, ...]:
    """The points of a game in halves, by seat: 2 for each opponent that is placed below, 1 for each beside.

    With two seats that is chess's 1, ½, 0.
    """
    return tuple(
        sum(2 * (own < other) + (own == other) for k, other in enumerate(placements) if k != seat)
        for seat, own in enumerate(placements)
    )


def halves_of_bye(players: int, unit: Unit) -> int:
    """The points of a bye in halves: those of who wins every game of a table."""
    return 2 * (players - 1) * games_a_table(players, unit)


def without(game: Game, disqualified: Iterable[int]) -> Game:
    """A game in which these are out, too: places below all others, and no points."""
    out = game.out | (frozenset(disqualified) & frozenset(game.seats))
    if not out:
        return game
    ins = sorted(place for seat, place in zip(game.seats, game.placements, strict=True) if seat not in out)
    places = tuple(
        len(ins) + 1 if seat in out else ins.index(place) + 1
        for seat, place in zip(game.seats, game.placements, strict=True)
    )
    return replace(game, placements=places, out=out)
