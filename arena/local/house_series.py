"""A series of games of house players only: no clocks and no messages, so that thousands take a minute."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Generator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from itertools import islice
from multiprocessing import get_context

from arena.local.play import LocalGame, game_seed, local_game
from arena.local.results import GameResult
from arena.local.seating import deal_of_game, seats_of_game
from arena.rules import Ruleset


@dataclass(frozen=True)
class HouseSeries:
    """Games of these house players, one for each seat."""

    ruleset: Ruleset
    names: Sequence[str]
    seed: bytes
    """Seed of everything in the series."""
    is_mirrored: bool = False
    has_replays: bool = False

    def play(self, games: int, jobs: int) -> Generator[GameResult, None, None]:
        """Yield the results of `games` games in order. With several jobs they run in other processes."""
        if jobs == 1:
            yield from map(self.play_game, range(games))
            return
        waiting: deque[Future[GameResult]] = deque()
        numbers = iter(range(games))
        with ProcessPoolExecutor(jobs, get_context("spawn"), ignore_interrupts) as pool:
            try:
                for _ in range(games):
                    for number in islice(numbers, 4 * jobs - len(waiting)):
                        waiting.append(pool.submit(self.play_game, number))
                    yield waiting.popleft().result()
            finally:
                pool.shutdown(wait=False, cancel_futures=True)

    def play_game(self, number: int) -> GameResult:
        """Play one game."""
        players, seed = self.ruleset.players, game_seed(self.seed, number)
        sides = seats_of_game(players, number, is_mirrored=self.is_mirrored)
        deal = deal_of_game(self.seed, players, number, is_mirrored=self.is_mirrored)
        seated = tuple([self.names[side] for side in sides])
        game = local_game(self.ruleset, seed, seated, deal)
        outcome = game.state.outcome
        assert outcome is not None
        nothing: tuple[tuple[()], ...] = ((),) * players
        replay = LocalGame(number, game, seated).document() if self.has_replays else None
        return GameResult(sides, outcome.ranks, tuple(outcome.scores), nothing, frozenset(), nothing, replay)


def ignore_interrupts() -> None:
    """Ignore SIGINT: Ctrl-C is handled by the parent process, which stops this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
