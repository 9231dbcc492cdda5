"""A series of games at local tables: seats, deals, and several tables at a time."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import islice
from threading import Lock
from typing import Final, NamedTuple

from arena.local.competitor import Competitor, NotStarted
from arena.local.match import LocalMatch, MatchAborted, Stopped
from arena.local.results import GameResult, result_of
from arena.referee import Clock, Terms
from arena.rules import Ruleset
from arena.scheduling.blocks import seats_of_block

# The seats and the deal of each game in a series.


def seats_of_game(players: int, number: int, *, is_mirrored: bool) -> tuple[int, ...]:
    """Return the side at each seat in game `number`, from 0. Within a block the seats rotate."""
    if not is_mirrored:
        return tuple(range(players))
    block, turn = divmod(number, players)
    return seats_of_block(players, block)[turn]


def deal_of_game(seed: bytes, players: int, number: int, *, is_mirrored: bool) -> bytes | None:
    """Return the deal seed that the games of a block share; `None` without blocks."""
    return sha256(seed + b"deal" + (number // players).to_bytes(8, "big")).digest() if is_mirrored else None


MOST_TRIES: Final = 5
"""Maximum number of matches for one game that end without a result."""


class Side(NamedTuple):
    """A side of the series. `start` creates a competitor of it for each table."""

    name: str
    start: Callable[[], Competitor]


class NoResult(Exception):
    """Raised when no match of these bots has a result; the message says why."""


@dataclass(frozen=True)
class LocalSeries:
    """Games of these sides, one for each seat."""

    ruleset: Ruleset
    sides: Sequence[Side]
    seed: bytes
    """Seed of the deals and of the server's share; bots draw their own nonces."""
    is_mirrored: bool = True
    """Whether games are played in deal blocks: as many games as seats on one deal, each side once at each seat."""
    clock: Clock = field(default_factory=Clock)

    def play(self, games: int, jobs: int) -> Generator[GameResult, None, None]:
        """Yield the results of `games` games in order, `jobs` at a time. A fast game therefore never counts before a
        slow one.

        Close the iterator to stop the competitors. Raises `NotStarted` or `NoResult`.
        """
        first = SeriesTable(self)
        free, tables, lock = [first], [first], Lock()

        def play_one(number: int) -> GameResult:
            with lock:
                table = free.pop() if free else None
                if table is None:
                    table = SeriesTable(self)
                    tables.append(table)
            table.open()
            try:
                return table.play_game(number)
            finally:
                free.append(table)

        pool = ThreadPoolExecutor(jobs)
        waiting: deque[Future[GameResult]] = deque()
        numbers = iter(range(games))
        try:
            first.open()  # before the others, so that a bot that cannot play is reported once
            for _ in range(games):
                for number in islice(numbers, 2 * jobs - len(waiting)):
                    waiting.append(pool.submit(play_one, number))
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            with lock:
                _all_at_once([table.close for table in tables])  # ends their games
            pool.shutdown()


class SeriesTable:
    """One competitor of each side; they play one game at a time."""

    def __init__(self, series: LocalSeries) -> None:
        self._series = series
        self._lock = Lock()
        self._competitors: list[Competitor] = []
        self._match: LocalMatch | None = None
        self._unfit: list[Competitor] = []
        """Competitors to restart before the next match; after the last match none is."""
        self._is_open = self._is_closed = False

    def open(self) -> None:
        """Start all competitors at once and wait for them. Raises `NotStarted`."""
        if self._is_open:
            return
        for side in self._series.sides:
            with self._lock:
                if self._is_closed:
                    raise Stopped
                self._competitors.append(side.start())
        ruleset = self._series.ruleset
        for side, competitor in zip(self._series.sides, self._competitors, strict=True):
            competitor.ready()
            if not competitor.hello.plays(ruleset):
                game = " and ".join([f"{ruleset.players} players", *ruleset.expansions])
                raise NotStarted(f"{side.name} does not play {game}: see its player_counts and expansions")
        self._is_open = True

    def close(self) -> None:
        """Stop the competitors and their current game for good."""
        with self._lock:
            self._is_closed = True
            _all_at_once([competitor.close for competitor in self._competitors])
            if self._match is not None:
                self._match.stop()

    def play_game(self, number: int) -> GameResult:
        """Play one game. A match without a result is repeated on the same deal with another seed. Raises `NoResult`."""
        series, why = self._series, "every seat forfeits"
        players = series.ruleset.players
        sides = seats_of_game(players, number, is_mirrored=series.is_mirrored)
        deal = deal_of_game(series.seed, players, number, is_mirrored=series.is_mirrored)
        for attempt in range(MOST_TRIES):
            name = f"local-{series.seed[:4].hex()}-{number}-{attempt}"
            seed = sha256(series.seed + name.encode()).digest()
            terms = Terms(name, series.ruleset, seed, series.clock, deal=deal)
            self._renew()
            seated = [self._competitors[side] for side in sides]
            match = LocalMatch(terms, seated, [series.sides[side].name for side in sides])
            with self._lock:
                if self._is_closed:
                    raise Stopped
                self._match = match
            try:
                played = match.play()
            except MatchAborted as aborted:
                why = str(aborted)
                continue
            finally:
                self._unfit = [seated[seat - 1] for seat in sorted(match.unfit)]
            if played.replay["verdict"]["kind"] != "void":
                return result_of(sides, *played)
        raise NoResult(f"no match of these bots has a result: {why}")

    def _renew(self) -> None:
        while self._unfit:
            if self._is_closed:
                raise Stopped
            self._unfit.pop().renew()


def _all_at_once(works: Sequence[Callable[[], None]]) -> None:
    """Call each function in its own thread, because processes may take a while to end."""
    with ThreadPoolExecutor(max(1, len(works))) as pool:
        for future in [pool.submit(work) for work in works]:
            future.result()
