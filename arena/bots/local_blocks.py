"""Deal blocks of two bots on this machine, with house players at the other seats."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Any, Final, NamedTuple

from arena.bots.bot import Bot
from arena.bots.local_bot import BotNotLoaded, LocalBot
from arena.bots.local_match import LocalMatch, MatchAborted
from arena.ratings.sequential import halves_of_game
from arena.referee import Clock, Terms
from arena.rules import Ruleset
from arena.scheduling.blocks import seats_of_block

MOST_TRIES: Final = 5
"""Matches for one game that may end without a result."""


class Side(NamedTuple):
    """A bot that plays; its processes load it with `load`."""

    name: str
    load: Callable[[], type[Bot]]


class NoResult(Exception):
    """No match of these bots comes to a result; the message says why."""


class Block(NamedTuple):
    """A block that was played."""

    halves: int
    """Half points of the first side."""
    faults: tuple[int, int]
    """Of the first side and the second."""
    forfeits: tuple[int, int]
    replays: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class LocalBlocks:
    """Blocks of the sides 0 and 1, with the others at the seats that are left: a side for each seat."""

    ruleset: Ruleset
    sides: Sequence[Side]
    seed: bytes
    """Deals and the server's seeds follow from it; bots draw nonces of their own."""
    clock: Clock = field(default_factory=Clock)

    def play(self, jobs: int) -> Generator[Block, None, None]:
        """Blocks without end, `jobs` at a time, in their order: a quick one does not count before a slow one.

        `BotNotLoaded`, `NoResult`. Close the iterator to end the bots' processes.
        """
        first = Table(self)  # before the others, so that a bot that cannot be loaded is told of once
        free, tables, lock = [first], [first], Lock()

        def play_one(number: int) -> Block:
            with lock:
                table = free.pop() if free else None
            if table is None:
                table = Table(self)
                tables.append(table)
            try:
                return table.play_block(number)
            finally:
                free.append(table)

        pool = ThreadPoolExecutor(jobs)
        waiting: deque[Future[Block]] = deque()
        number = 0
        try:
            while True:
                while len(waiting) < 2 * jobs:
                    waiting.append(pool.submit(play_one, number))
                    number += 1
                yield waiting.popleft().result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
            for table in tables:
                table.close()  # ends what they play
            pool.shutdown()
            for table in tables:
                table.close()  # also one that was just being set up


class Table:
    """The processes of a table, which plays one game at a time."""

    def __init__(self, blocks: LocalBlocks) -> None:
        self._blocks = blocks
        self._bots: list[LocalBot] = []
        try:
            for side in blocks.sides:
                self._bots.append(self._start(side))
        except BotNotLoaded:
            self.close()
            raise

    def _start(self, side: Side) -> LocalBot:
        ruleset = self._blocks.ruleset
        try:
            bot = LocalBot(side.load)
        except BotNotLoaded as error:
            raise BotNotLoaded(f"{side.name}: {error}") from None
        if not bot.plays(ruleset.players, ruleset.expansions):
            bot.close()
            game = " and ".join([f"{ruleset.players} players", *ruleset.expansions])
            raise BotNotLoaded(f"{side.name} does not play {game}: see its player_counts and expansions")
        return bot

    def close(self) -> None:
        """End the processes, for good."""
        for bot in self._bots:
            bot.close()

    def play_block(self, number: int) -> Block:
        """One block."""
        seed = self._blocks.seed
        deal = sha256(seed + b"deal" + number.to_bytes(8, "big")).digest()
        halves, faults, forfeits, replays = 0, [0, 0], [0, 0], []
        for game, sides in enumerate(seats_of_block(self._blocks.ruleset.players, number)):
            replay = self._play_game(f"local-{seed[:4].hex()}-{number}-{game}", sides, deal)
            replays.append(replay)
            seats = sides.index(0) + 1, sides.index(1) + 1
            halves += halves_of_game(replay["verdict"]["placements"], *seats)
            for side, seat in enumerate(seats):
                incidents = replay.get("incidents", [])
                faults[side] += sum(one["seat"] == seat and one["kind"] == "fault" for one in incidents)
                forfeits[side] += any(one["seat"] == seat for one in replay["verdict"]["forfeits"])
        return Block(halves, (faults[0], faults[1]), (forfeits[0], forfeits[1]), tuple(replays))

    def _play_game(self, name: str, sides: tuple[int, ...], deal: bytes) -> dict[str, Any]:
        """Again where a match has no result: on the same deal, from another seed."""
        why = "every seat forfeits"
        names = [self._blocks.sides[side].name for side in sides]
        for attempt in range(MOST_TRIES):
            match = f"{name}-{attempt}"
            seed = sha256(self._blocks.seed + match.encode()).digest()
            terms = Terms(match, self._blocks.ruleset, seed, self._blocks.clock, deal=deal)
            try:
                replay = LocalMatch(terms, [self._bots[side] for side in sides], names).play()
            except MatchAborted as aborted:
                why = str(aborted)
                continue
            if replay["verdict"]["kind"] != "void":
                return replay
        raise NoResult(f"no match of these bots comes to a result: {why}")
