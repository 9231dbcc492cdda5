"""A series of games of house players only: no clocks and no messages, so that thousands take a minute."""

from __future__ import annotations

import signal
from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice
from multiprocessing import get_context
from typing import Any, NamedTuple

from arena.local.results import GameResult
from arena.local.series import deal_of_game, seats_of_game
from arena.players import VERSION, make_player
from arena.rules import Game, Ruleset, replay_document, view

# Games of house players in this process.


class LocalGame(NamedTuple):
    """A finished game and the names of its seats' players."""

    number: int
    game: Game
    names: tuple[str, ...]

    def document(self) -> dict[str, Any]:
        """Return its replay."""
        seats = [{"name": name, "version": VERSION} for name in self.names]
        return replay_document(self.game, match=f"local-{self.number}", seats=seats)


def game_seed(seed: bytes, number: int) -> bytes:
    """Return the seed of game `number` (from 0) of a series: SHA-256(seed ‖ number as 8 bytes)."""
    return sha256(seed + number.to_bytes(8, "big")).digest()


def player_seed(seed: bytes, seat: int) -> bytes:
    """Return the seed of the player at a seat. Each seat has its own, so that equal players choose differently."""
    return sha256(seed + b"player" + seat.to_bytes(8, "big")).digest()


def local_game(ruleset: Ruleset, seed: bytes, names: Sequence[str], deal: bytes | None = None) -> Game:
    """Play one game. Each seat's player sees only its own view and the legal actions."""
    game = Game(ruleset, seed, deal)
    players = [make_player(name, player_seed(seed, seat)) for seat, name in enumerate(names, 1)]
    while not game.state.is_over:
        state = game.state
        choice = players[state.to_act - 1].choose(view(state, state.to_act), [action.text for action in state.legal])
        for action in [choice] if isinstance(choice, str) else choice:
            game.play(action)
    return game


def play_local_games(ruleset: Ruleset, seed: bytes, names: Sequence[str], games: int) -> Iterator[LocalGame]:
    """Play a series of games with the same players at the same seats, one after the other."""
    for number in range(games):
        yield LocalGame(number, local_game(ruleset, game_seed(seed, number), names), tuple(names))


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
