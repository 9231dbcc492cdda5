"""Values of statistics: means, shares and differences with their 95 % intervals, records, and two bots head to head."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from math import sqrt

from arena.fairness.figures import ShareInterval, Z, wilson
from webui.bots.values import BotRef
from webui.matches.values import MatchLine


@dataclass(frozen=True)
class Mean:
    """A mean of scores."""

    points: float
    half: float | None
    """Half the width of its 95 % interval. None for fewer than two scores."""

    @classmethod
    def of(cls, number: int, total: int, squares: int) -> Mean:
        """Return the mean of some scores by their number, their sum and the sum of their squares.

        >>> Mean.of(2, 30, 500)
        Mean(points=15.0, half=9.8)
        """
        mean = total / number
        if number < 2:
            return cls(mean, None)
        variance = max(0.0, (squares - total * total / number) / (number - 1))
        return cls(mean, Z * sqrt(variance / number))


@dataclass(frozen=True)
class Moments:
    """Sums over the seats of one game: x is the number of a thing that a seat has, y its score."""

    seats: int
    held: int
    held_squares: int
    total: int
    squares: int
    product: int


@dataclass(frozen=True)
class Effect:
    """A difference in score that goes with a thing: points for each one more of it."""

    key: str
    """Id of the Djinn, or name of the kind of tile."""
    held: int
    """Number of these things that seats had at the end."""
    points: float
    half: float | None
    """Half the width of its 95 % interval. None if there are too few seats."""

    @classmethod
    def of(cls, key: str, games: Sequence[Moments]) -> Effect | None:
        """Return the slope of the score over the number of things, within each game, pooled over the games.

        For something that a seat has or has not, this is the mean score of seats with it, less that of seats without.
        Return None if all seats had equally many.
        """
        spread = sum(one.held_squares - one.held**2 / one.seats for one in games)
        if spread <= 0:
            return None
        slope = sum(one.product - one.held * one.total / one.seats for one in games) / spread
        rest = sum(one.squares - one.total**2 / one.seats for one in games) - slope**2 * spread
        free = sum(one.seats - 1 for one in games) - 1
        half = Z * sqrt(max(0.0, rest) / free / spread) if free > 0 else None
        return cls(key, sum(one.held for one in games), slope, half)


@dataclass(frozen=True)
class PlaceLine:
    """A place in the first bidding."""

    place: int
    games: int
    share: ShareInterval
    """Share of the games that were won from it. A shared win counts in parts."""
    score: Mean


@dataclass(frozen=True)
class ScoreBand:
    """A range of winning scores."""

    lowest: int
    games: int


@dataclass(frozen=True)
class GameStatistics:
    """Statistics of all counted games with one number of players that were played to their end."""

    players: int
    counts: tuple[int, ...]
    """Numbers of players with at least one game."""
    games: int
    places: tuple[PlaceLine, ...]
    winning: Mean
    """Mean of the winning scores."""
    bands: tuple[ScoreBand, ...]
    """Ranges of winning scores, lowest first, without a gap."""
    djinns: tuple[Effect, ...]
    """Difference that goes with each Djinn, largest first."""
    tiles: tuple[Effect, ...]
    """Difference that goes with one more tile of each kind, largest first."""
    counted_to: datetime | None
    """Time of the end of the last match that was looked at."""


@dataclass(frozen=True)
class ArenaFacts:
    """Figures of the games of this arena, for pages of other subjects."""

    winning: tuple[tuple[int, int, Mean], ...]
    """Numbers of players with enough games: each with the number of games, and the mean of the winning scores."""
    players: int
    """Number of players with the most games."""
    first: ShareInterval | None
    """Share of those games that was won by the seat that was the first to bid in the first round."""
    highest: tuple[int, int, str] | None
    """Highest score of a seat, with the number of players and the match."""

    @property
    def first_percent(self) -> tuple[int, int, int, int] | None:
        """Return that share, the ends of its interval, and the equal share, in percent."""
        if self.first is None:
            return None
        share, low, high = (round(100 * value) for value in self.first)
        return share, low, high, round(100 / self.players)


@dataclass(frozen=True)
class RecordLine:
    """A record of the arena, with its match."""

    kind: str
    players: int
    """Number of players. 0 for a record over games with any number of players."""
    value: int
    bot: BotRef | None
    """Bot that holds it. None for a record of the whole match."""
    match: MatchLine


@dataclass(frozen=True)
class PairResult:
    """Games of a bot against another."""

    games: int
    above: int
    """Number of games in which it placed above the other."""
    level: int
    below: int

    @property
    def share(self) -> ShareInterval:
        """Return its share of the points. A game in which both have the same place counts half."""
        return wilson(self.above + self.level / 2, self.games)


@dataclass(frozen=True)
class MeetingLine:
    """Games against the other bot of one kind."""

    result: PairResult
    won: int
    """Number of games that it won, alone or shared."""
    lost: int
    """Number of games that the other bot won, alone or shared."""
    place: int = 0
    """Place of the bot in the first bidding. 0 for a line over all places."""
    players: int = 0
    expansions: tuple[str, ...] = ()
    """Ruleset, for a line of one ruleset."""


@dataclass(frozen=True)
class PairBest:
    """The best game of a pair in one respect."""

    kind: str
    """`closest`, `highest` or `comeback`."""
    value: int
    """Difference in score, score, or chance in thousandths."""
    match: MatchLine


@dataclass(frozen=True)
class HeadToHead:
    """All counted games of two bots."""

    bot: BotRef
    other: BotRef
    total: MeetingLine | None
    """None if no game is counted."""
    by_game: tuple[MeetingLine, ...]
    by_place: tuple[tuple[int, tuple[MeetingLine, ...]], ...]
    """Lines of each number of players: one for each place of the bot in the first bidding."""
    best: tuple[PairBest, ...]
    latest: list[MatchLine]
    """Their latest games, newest first, whether counted yet or not."""
    counted_to: datetime | None


@dataclass(frozen=True)
class RivalLine:
    """A bot that another one has met."""

    bot: BotRef
    result: PairResult


def filled(bands: Iterable[ScoreBand], width: int) -> tuple[ScoreBand, ...]:
    """Return the bands from the lowest to the highest, with those between them that no game is in."""
    known = {band.lowest: band for band in bands}
    if not known:
        return ()
    return tuple(known.get(low, ScoreBand(low, 0)) for low in range(min(known), max(known) + 1, width))
