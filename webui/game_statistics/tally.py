"""Add up the facts of a few matches. Pure: the rows of the database are read before, and written after."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple, TypeVar

from arena.rules.components import DJINNS
from webui.game_statistics.facts import EndFacts, MatchFacts, SeatFacts
from webui.game_statistics.models import LOWER_IS_BETTER, FigureKind, RecordKind
from webui.ladders.games import game_key

Key = TypeVar("Key")

ANY = 0
"""Number of players of a record over all games."""
BAND = 10
"""Width of a range of winning scores."""


@dataclass
class Sums:
    """Sums over seats, as `GameFigure` stores them: x is what a seat has, y its score."""

    seats: int = 0
    won: float = 0.0
    held: int = 0
    held_squares: int = 0
    total: int = 0
    squares: int = 0
    product: int = 0

    def add(self, score: int, *, held: int = 0, won: float = 0.0) -> None:
        """Add a seat."""
        self.seats += 1
        self.won += won
        self.held += held
        self.held_squares += held * held
        self.total += score
        self.squares += score * score
        self.product += held * score


@dataclass
class MeetingCounts:
    """Counts of the games of two bots."""

    games: int = 0
    above: int = 0
    level: int = 0
    first_won: int = 0
    second_won: int = 0

    def add(self, first: SeatFacts, second: SeatFacts) -> None:
        """Add a game."""
        self.games += 1
        self.above += first.placement < second.placement
        self.level += first.placement == second.placement
        self.first_won += first.placement == 1
        self.second_won += second.placement == 1


class Best(NamedTuple):
    """A value that may be a record."""

    value: int
    match: str
    bot: int | None = None


PairKey = tuple[int, int]
"""Ids of two bots, the lower one first."""
MeetingKey = tuple[str, int, int]
"""Name of the game, and the places of both in the first bidding."""


@dataclass
class Tally:
    """What some matches add."""

    figures: dict[tuple[str, FigureKind, str], Sums] = field(default_factory=lambda: defaultdict(Sums))
    meetings: dict[PairKey, dict[MeetingKey, MeetingCounts]] = field(default_factory=dict)
    closest: dict[PairKey, Best] = field(default_factory=dict)
    highest: dict[PairKey, Best] = field(default_factory=dict)
    comeback: dict[PairKey, Best] = field(default_factory=dict)
    records: dict[tuple[RecordKind, int], Best] = field(default_factory=dict)
    streaks: dict[int, int] = field(default_factory=dict)
    """Games that each bot has won in a row. It begins with what was counted before."""

    def add(self, facts: MatchFacts) -> None:
        """Add a match. Add matches in the order in which they are counted."""
        game = game_key(facts.ruleset)
        for one, other in combinations(facts.seats, 2):
            if one.bot != other.bot:
                self._add_pair(facts, game, *sorted((one, other), key=lambda seat: seat.bot))
        for seat in facts.seats:
            self._add_streak(facts, seat)
        if facts.is_complete:
            self._add_scores(facts, game)
            self._add_records(facts)
            if facts.end is not None:
                self._add_end(facts, facts.end, game)

    def _add_pair(self, facts: MatchFacts, game: str, first: SeatFacts, second: SeatFacts) -> None:
        pair = first.bot, second.bot
        counts = self.meetings.setdefault(pair, {})
        counts.setdefault((game, first.first_bid, second.first_bid), MeetingCounts()).add(first, second)
        if not facts.is_complete:
            return
        assert first.score is not None and second.score is not None  # the match is complete
        _keep(self.closest, pair, Best(abs(first.score - second.score), facts.match), is_lower=True)
        _keep(self.highest, pair, Best(max(first.score, second.score), facts.match), is_lower=False)
        winner = _winner(facts)
        if facts.story is not None and winner in (first, second):
            _keep(self.comeback, pair, Best(facts.story.lowest[winner.seat], facts.match), is_lower=True)

    def _add_streak(self, facts: MatchFacts, seat: SeatFacts) -> None:
        length = self.streaks.get(seat.bot, 0) + 1 if seat.placement == 1 else 0
        self.streaks[seat.bot] = length
        if length > 1:
            self._offer(RecordKind.STREAK, ANY, Best(length, facts.match, seat.bot))

    def _add_scores(self, facts: MatchFacts, game: str) -> None:
        winners = [seat for seat in facts.seats if seat.placement == 1]
        for seat in facts.seats:
            assert seat.score is not None  # the match is complete
            won = 1 / len(winners) if seat in winners else 0.0
            self.figures[game, FigureKind.PLACE, str(seat.first_bid)].add(seat.score, won=won)
        best = winners[0].score
        assert best is not None
        self.figures[game, FigureKind.WINNING, str(best // BAND * BAND)].add(best)

    def _add_end(self, facts: MatchFacts, end: EndFacts, game: str) -> None:
        for seat, djinns, tiles in zip(facts.seats, end.djinns, end.tiles, strict=True):
            assert seat.score is not None  # the match is complete
            for number in facts.ruleset.djinns:
                djinn = DJINNS[number].id
                self.figures[game, FigureKind.DJINN, djinn].add(seat.score, held=djinn in djinns)
            for kind, owned in tiles.items():
                self.figures[game, FigureKind.TILE, kind].add(seat.score, held=owned)

    def _add_records(self, facts: MatchFacts) -> None:
        players = len(facts.seats)
        ranked = sorted(facts.seats, key=lambda seat: -(seat.score or 0))
        scores = [seat.score or 0 for seat in ranked]

        def offer(kind: RecordKind, value: int, bot: int | None = None) -> None:
            self._offer(kind, players, Best(value, facts.match, bot))

        offer(RecordKind.HIGHEST, scores[0], ranked[0].bot)
        offer(RecordKind.LOWEST_WIN, scores[0], ranked[0].bot)
        offer(RecordKind.CLOSEST, scores[0] - scores[-1])
        offer(RecordKind.LARGEST, scores[0] - scores[1], ranked[0].bot)
        winner = _winner(facts)
        if facts.story is not None:
            offer(RecordKind.LEADS, facts.story.lead_changes)
            if winner is not None:
                offer(RecordKind.COMEBACK, facts.story.lowest[winner.seat], winner.bot)
        if facts.end is not None:
            offer(RecordKind.LONGEST, facts.end.decisions)
            for seat, djinns in zip(facts.seats, facts.end.djinns, strict=True):
                if djinns:
                    offer(RecordKind.DJINNS, len(djinns), seat.bot)

    def _offer(self, kind: RecordKind, players: int, best: Best) -> None:
        _keep(self.records, (kind, players), best, is_lower=kind in LOWER_IS_BETTER)


def _winner(facts: MatchFacts) -> SeatFacts | None:
    """Return the seat that won alone. Return None if several share the win."""
    winners = [seat for seat in facts.seats if seat.placement == 1]
    return winners[0] if len(winners) == 1 else None


def _keep(bests: dict[Key, Best], key: Key, best: Best, *, is_lower: bool) -> None:
    """Keep a value if it is better than the one before. The first of two equal values stays."""
    former = bests.get(key)
    if former is None or is_better(best.value, former.value, is_lower=is_lower):
        bests[key] = best


def is_better(value: int, former: int | None, *, is_lower: bool) -> bool:
    """Return whether a value is a new record."""
    return former is None or (value < former if is_lower else value > former)
