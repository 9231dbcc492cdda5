"""The results of games of a series: each game's result, and the totals for each side."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from arena.fairness.figures import ShareInterval, wilson
from arena.ratings.sequential import halves_of_game
from arena.referee import Verdict


class GameResult(NamedTuple):
    """A played game. Everything is by seat, seat 1 first."""

    sides: tuple[int, ...]
    """Side at each seat, from 0."""
    placements: tuple[int, ...]
    """Placement of each seat; 1 is best, ties share a place, and forfeited seats come last."""
    scores: tuple[Mapping[str, int], ...] | None
    """Points by source, and `total`; `None` if the game was not played to its end."""
    faults: tuple[tuple[str, ...], ...]
    """Reasons of each seat's faults."""
    forfeits: frozenset[int]
    """Seats that forfeited."""
    thinks: tuple[tuple[int, ...], ...]
    """Times of each seat's answers, in nanoseconds."""
    replay: dict[str, Any] | None
    """`None` if no replay was requested."""


def result_of(sides: tuple[int, ...], replay: dict[str, Any], thinks: tuple[tuple[int, ...], ...]) -> GameResult:
    """Return the result of a refereed match that was not void."""
    verdict, incidents = Verdict.parse(replay["verdict"]), replay.get("incidents", [])
    return GameResult(
        sides,
        verdict.placements,
        tuple(replay["result"]["scores"]) if replay["result"] else None,
        tuple(
            tuple(fault["reason"] for fault in incidents if fault["seat"] == seat and fault["kind"] == "fault")
            for seat in range(1, len(sides) + 1)
        ),
        frozenset(forfeit.seat for forfeit in verdict.forfeits),
        thinks,
        replay,
    )


def halves_of_block(games: Sequence[GameResult], first: int, second: int) -> int:
    """Return the half points of `first` against `second` in a deal block (`arena.ratings.sequential`)."""
    return sum(
        halves_of_game(game.placements, game.sides.index(first) + 1, game.sides.index(second) + 1) for game in games
    )


class SideTally:
    """The totals of one side over games of `seats` seats."""

    def __init__(self, seats: int) -> None:
        self.games = 0
        self.wins = 0.0
        """Number of wins; a shared win counts in parts."""
        self.faults: Counter[str] = Counter()
        self.forfeits = 0
        self._scored = 0
        self._points: Counter[str] = Counter()
        self._at_seat = [0] * seats
        self._won_at_seat = [0.0] * seats
        self._thinks = array("q")

    def add(self, game: GameResult, place: int) -> None:
        """Add a game in which the side sat at the seat `place`, from 0."""
        won = 1 / game.placements.count(1) if game.placements[place] == 1 else 0.0
        self.games += 1
        self.wins += won
        self._at_seat[place] += 1
        self._won_at_seat[place] += won
        self.faults.update(game.faults[place])
        self.forfeits += place + 1 in game.forfeits
        if game.scores is not None:
            self._scored += 1
            self._points.update(game.scores[place])
        self._thinks.extend(game.thinks[place])

    @property
    def share(self) -> ShareInterval | None:
        """Share of the games that it won."""
        return wilson(self.wins, self.games) if self.games else None

    @property
    def share_by_seat(self) -> list[float | None]:
        """Share of the games won at each seat; `None` for a seat where it did not sit."""
        return [won / sat if sat else None for won, sat in zip(self._won_at_seat, self._at_seat, strict=True)]

    @property
    def means(self) -> dict[str, float]:
        """Mean points by source, and `total`, over games played to their end."""
        return {source: points / self._scored for source, points in self._points.items()}

    def think_ms(self, part: float) -> float | None:
        """Return the quantile `part` of the answers' times in milliseconds; `None` if none was measured."""
        if not self._thinks:
            return None
        ranked = sorted(self._thinks)
        return ranked[min(len(ranked) - 1, int(part * len(ranked)))] / 1e6
