"""Tie-breaks: values that separate entrants with equal points. More is better.

All tie-breaks count finished games only. A bye gives points, but is neither a game nor an opponent. An opponent counts
once for each game in which it was met. Points are kept in halves and tie-breaks as fractions, so nothing is rounded.

Buchholz and Sonneborn-Berger are those of the FIDE Handbook (C.07), generalised from boards to tables: each game of n
seats counts as its n - 1 duels.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Final, get_args

from arena.events.values import EventTable, History, TableGame, TieBreak, halves, halves_of_bye

TIE_BREAKS: Final[tuple[TieBreak, ...]] = get_args(TieBreak)


@dataclass(frozen=True, slots=True)
class Score:
    """Results of an entrant so far."""

    halves: int
    """Points, in halves."""
    games: int
    byes: int
    wins: int


def games_of(tables: Iterable[EventTable]) -> Iterable[TableGame]:
    """Yield all games of these tables."""
    for table in tables:
        yield from table.games


def all_games(history: History) -> list[TableGame]:
    """Return all games of an event."""
    return [game for round in history.rounds for game in games_of(round.tables)]


def scores(history: History) -> dict[int, Score]:
    """Return the results of each entrant, by number."""
    points = {entrant.number: 0 for entrant in history.entrants}
    games, byes, wins = dict(points), dict(points), dict(points)
    for game in all_games(history):
        for seat, won in zip(game.seats, halves(game.placements), strict=True):
            points[seat] += 0 if seat in game.out else won
            games[seat] += 1
        first = [seat for seat, place in zip(game.seats, game.placements, strict=True) if place == 1]
        if len(first) == 1 and first[0] not in game.out:
            wins[first[0]] += 1
    for round in history.rounds:
        for number in round.byes:
            points[number] += halves_of_bye(history.players, history.unit)
            byes[number] += 1
    return {number: Score(points[number], games[number], byes[number], wins[number]) for number in points}


def duels(history: History) -> dict[tuple[int, int], tuple[int, int]]:
    """Return (halves, games) for each ordered pair of entrants: halves that the first won from the second, games they
    shared."""
    totals: dict[tuple[int, int], tuple[int, int]] = {}
    for game in all_games(history):
        for one, own in zip(game.seats, game.placements, strict=True):
            for other, theirs in zip(game.seats, game.placements, strict=True):
                if one != other:
                    won, met = totals.get((one, other), (0, 0))
                    gained = 0 if one in game.out else 2 * (own < theirs) + (own == theirs)
                    totals[one, other] = (won + gained, met + 1)
    return totals


class TieBreakValues:
    """Values of all tie-breaks of an event, each computed only when needed."""

    def __init__(self, history: History, lots: Mapping[int, int]) -> None:
        self.history = history
        self.scores = scores(history)
        self._lots = lots
        self._duels = duels(history)
        self._opponents: dict[int, list[tuple[int, int, int]]] = {entrant.number: [] for entrant in history.entrants}
        for (one, other), (won, met) in self._duels.items():
            self._opponents[one].append((other, won, met))

    def among_equals(self, number: int, equals: Iterable[int]) -> Fraction:
        """Return the tie-break `head_to_head` of an entrant."""
        return Fraction(sum(self._duels.get((number, other), (0, 0))[0] for other in equals), 2)

    def value(self, name: TieBreak, number: int) -> Fraction:
        """Return any other tie-break of an entrant."""
        if name == "wins":
            return Fraction(self.scores[number].wins)
        if name == "lot":
            return Fraction(self._lots.get(number, 0))
        if name == "buchholz":
            total = sum(met * self.scores[other].halves for other, _, met in self._opponents[number])
            return Fraction(total, 2)
        if name == "sonneborn_berger":
            return Fraction(sum(won * self.scores[other].halves for other, won, _ in self._opponents[number]), 4)
        # Where an entrant was absent, a house bot has scored for nobody.
        games = [game for game in all_games(self.history) if game.scores is not None]
        scored = [
            {seat: own for seat, own in zip(game.seats, game.scores or (), strict=True) if seat not in game.out}
            for game in games
        ]
        played = [(own[number], sum(own.values())) for own in scored if number in own]
        if name == "best_game":
            return Fraction(max((own for own, _ in played), default=0))
        shares = [Fraction(own, total) if total > 0 else Fraction(0) for own, total in played]
        return sum(shares, Fraction(0)) / len(shares) if shares else Fraction(0)


def lots(seed: bytes, entrants: Iterable[int]) -> dict[int, int]:
    """Return a lot for each entrant: the first 8 bytes of SHA-256(seed ‖ `lot` ‖ number as 8 bytes), as a number."""
    return {
        number: int.from_bytes(sha256(seed + b"lot" + number.to_bytes(8, "big")).digest()[:8], "big")
        for number in entrants
    }
