"""Histories without an event: a field, random results, and entrants who leave and enter between rounds."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from hashlib import sha256
from random import Random

from arena.events.formats.swiss import Swiss
from arena.events.values import Draw, Entrant, History, Round, TableGame, Unit, seats_of_game
from arena.rules.chance import Stream


def field(entrants: int, players: int, unit: Unit = "match") -> History:
    """Return a history in which nobody has played; entrant 1 is the strongest."""
    everybody = tuple(Entrant(number, f"bot {number}", strength=3000 - number) for number in range(1, entrants + 1))
    return History(players, unit, everybody, frozenset(range(1, entrants + 1)))


def stream(*names: object) -> Stream:
    """Return a stream for these names only."""
    return Stream(sha256(repr(names).encode()).digest())


def played(history: History, draw: Draw, random: Random | None = None, draws: bool = False) -> History:
    """Return the history with this round and a result of every game: random, or the lower number wins."""

    def game(seats: tuple[int, ...]) -> TableGame:
        if random is None:
            return TableGame(seats, tuple(1 + sum(other < seat for other in seats) for seat in seats))
        if draws and random.random() < 0.3:
            return TableGame(seats, (1,) * len(seats))
        return TableGame(seats, tuple(random.sample(range(1, len(seats) + 1), len(seats))))

    numbers = range(history.games_a_table)
    tables = tuple(
        replace(table, games=tuple(game(seats_of_game(table.seats, n, history.unit)) for n in numbers))
        for table in draw.tables
    )
    return replace(
        history, rounds=(*history.rounds, Round(len(history.rounds) + 1, tables, history.present, draw.byes))
    )


def changed(history: History, leave: Iterable[int] = (), enter: int = 0) -> History:
    """Return the history after some entrants have left and `enter` new ones have entered."""
    first = len(history.entrants) + 1
    late = tuple(Entrant(number, f"bot {number}", strength=3000 - number) for number in range(first, first + enter))
    present = (history.present - set(leave)) | {entrant.number for entrant in late}
    return replace(history, entrants=history.entrants + late, present=present)


def fingerprint(players: int) -> str:
    """Return the SHA-256 of the rounds of a Swiss event in which the better always win, some leave and some enter."""
    history = field(23, players)
    for number in range(4):
        draw = Swiss(5).draw(history, stream(players, number))
        assert draw is not None
        history = changed(played(history, draw), leave=[number + 1], enter=number % 2)
    drawn = [(round.byes, [table.seats for table in round.tables]) for round in history.rounds]
    return sha256(repr(drawn).encode()).hexdigest()
