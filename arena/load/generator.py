"""The load test itself: bots that connect, and tables, each of which plays one match after the other."""

from __future__ import annotations

import asyncio
import random
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import ceil
from typing import Final, TypeVar

from arena.load.bots import CONNECTING, LoadBot, LoadGateway, RegisteredBot
from arena.load.hub import Hub, MatchWait
from arena.load.site import Site, SiteBusy, SiteRefused, new_key
from arena.load.tally import LoadTally

T = TypeVar("T")

OPEN_OF_OWNER: Final = 2
"""Maximum number of waiting or running challenges of one account, as the site allows."""
NEW_AN_HOUR: Final = 20
"""Maximum number of challenges of one account within an hour."""
OF_OTHERS: Final = 4
"""Maximum number of other accounts' challenges that a bot plays at once (`arena admin load-bots`)."""
REQUESTS: Final = 8
"""Maximum number of requests to the site at a time; the site makes sixteen pages at once."""
LOOK_S: Final = 60.0
"""Seconds between two queries for the state of a challenge without a match."""
SILENT_S: Final = 240.0
"""Seconds of silence after which a match is given up. Bank, cap and grace of the clock are shorter together."""
TICK_S: Final = 0.1


@dataclass(frozen=True)
class LoadPlan:
    """Parameters of a load test."""

    matches: int
    """Number of matches at once."""
    players: int
    seconds: float
    """Seconds after which no match is started; running ones are played to their end."""
    total: int | None = None
    """Maximum number of matches; `None` for as many as fit into the time."""
    think_s: float = 2.0
    is_exponential: bool = False
    """Whether thinking times are exponentially distributed with that mean, instead of constant."""

    def places(self, bots: int) -> int:
        """Return how many matches each bot plays at once. Raises ValueError if there are too few bots."""
        if bots < self.players:
            raise ValueError(f"{self.players} players need at least {self.players} bots, not {bots}")
        most = OF_OTHERS * bots // self.players
        if self.matches > most:
            raise ValueError(
                f"{bots} bots play at most {most} matches of {self.players} at once: use fewer matches or more bots"
            )
        return ceil(self.matches * self.players / bots)

    def think(self) -> float:
        """Draw a thinking time, in seconds."""
        return random.expovariate(1 / self.think_s) if self.is_exponential and self.think_s else self.think_s


class Generator:
    """A load test. `run` it once."""

    def __init__(self, site: Site, gateway: LoadGateway, seats: Sequence[RegisteredBot], plan: LoadPlan) -> None:
        self.tally = LoadTally(bots=len(seats))
        self.plan = plan
        self.began = time.monotonic()
        """Time of the first challenge; before that, time of the start."""
        self.is_playing = False
        """Whether the bots have connected."""
        self._site, self._seats = site, seats
        self._hub = Hub(self.tally)
        self._requests = ThreadPoolExecutor(REQUESTS, thread_name_prefix="challenges")
        self._stopping, self._quitting = asyncio.Event(), asyncio.Event()
        self._open: Counter[str] = Counter()
        self._made: dict[str, deque[float]] = {seat.name: deque() for seat in seats}
        places, door = plan.places(len(seats)), asyncio.Semaphore(CONNECTING)
        # A bot with several places keeps one for rated matches, which it never gets.
        capacity = places + 1 if places > 1 else 1
        self._bots = [
            LoadBot(
                seat, gateway, self._hub, self.tally,
                players=plan.players, capacity=capacity, think=plan.think, door=door,
            )
            for seat in seats
        ]  # fmt: skip

    def stop(self) -> None:
        """Start no more matches. A second call stops waiting for the end of running ones."""
        if self._stopping.is_set():
            self._quitting.set()
        self._stopping.set()

    async def run(self) -> None:
        """Run the test until all matches have ended."""
        playing = [asyncio.create_task(bot.run()) for bot in self._bots]
        lag = asyncio.create_task(self._measure_lag())
        try:
            for bot in self._bots:
                await first(None, bot.is_here, self._stopping)
            self.is_playing = True
            self.began = time.monotonic()
            if not self._stopping.is_set():
                timer = asyncio.get_running_loop().call_later(self.plan.seconds, self._stopping.set)
                await asyncio.gather(*(self._table(number) for number in range(self.plan.matches)))
                timer.cancel()
        finally:
            lag.cancel()
            await asyncio.gather(*(bot.leave() for bot in self._bots), return_exceptions=True)
            await asyncio.wait(playing, timeout=5.0)
            for task in playing:
                task.cancel()
            await asyncio.gather(lag, *playing, return_exceptions=True)
            self._requests.shutdown(wait=False, cancel_futures=True)

    # --- tables ---

    async def _table(self, number: int) -> None:
        """Play one match after the other between the same bots, with rotating seats."""
        count, players = len(self._seats), self.plan.players
        seats = [self._seats[(number * players + place) % count] for place in range(players)]
        while not self._stopping.is_set():
            challenger = await self._challenger(seats)
            if challenger is None:
                return
            if self.plan.total is not None and self.tally.challenges >= self.plan.total:
                return
            self.tally.challenges += 1
            self._open[challenger.name] += 1
            try:
                await self._play(challenger, [seat.name for seat in seats])
            finally:
                self._open[challenger.name] -= 1
            seats = seats[1:] + seats[:1]

    async def _challenger(self, seats: Sequence[RegisteredBot]) -> RegisteredBot | None:
        """Return the bot that makes the next challenge; `None` at the end of the test.

        It is the bot with the fewest open challenges, once the site allows it one more.
        """
        is_resting = False
        try:
            while not self._stopping.is_set():
                now = time.monotonic()
                for seat in seats:
                    made = self._made[seat.name]
                    while made and now - made[0] > 3600 + LOOK_S:
                        made.popleft()
                may = [
                    seat
                    for seat in seats
                    if self._open[seat.name] < OPEN_OF_OWNER and len(self._made[seat.name]) < NEW_AN_HOUR
                ]
                if may:
                    chosen = min(may, key=lambda seat: (self._open[seat.name], len(self._made[seat.name])))
                    self._made[chosen.name].append(now)
                    return chosen
                if not is_resting:
                    self.tally.resting += 1
                    is_resting = True
                await first(1.0, self._stopping)
            return None
        finally:
            self.tally.resting -= is_resting

    async def _play(self, challenger: RegisteredBot, names: Sequence[str]) -> None:
        """Play one match, from its challenge to its end."""
        table = self._hub.expect(names)
        try:
            made = await self._call(partial(self._site.challenge, challenger.token, names, new_key()))
            if made is None:
                return
            await self._await_match(table, challenger, made)
            await self._await_end(table)
        except SiteRefused as refused:
            self.tally.refused[refused.code] += 1
            await first(LOOK_S / 10, self._stopping)
        finally:
            self._hub.forget(table)

    async def _await_match(self, table: MatchWait, challenger: RegisteredBot, challenge: str) -> None:
        """Wait until the match is known or the challenge has ended without one. Withdraw it at the end of the test."""
        while not await first(LOOK_S, table.matched, self._stopping):
            state = await self._call(partial(self._site.state, challenger.token, challenge))
            if state not in (None, "waiting", "matched"):
                raise SiteRefused(str(state).upper(), "the challenge has ended without a match")
        if not table.matched.is_set():
            state = await self._call(partial(self._site.withdraw, challenger.token, challenge), is_last=True)
            if state == "matched":
                await first(LOOK_S, table.matched, self._quitting)

    async def _await_end(self, table: MatchWait) -> None:
        while table.match is not None and not table.over.is_set():
            await first(LOOK_S, table.over, self._quitting)
            if table.over.is_set():
                return
            if self._quitting.is_set() or time.monotonic() - table.heard > SILENT_S:
                self._hub.given_up(table, on_wish=self._quitting.is_set())
                return

    async def _call(self, request: Callable[[], T], *, is_last: bool = False) -> T | None:
        """Send a request to the site, and repeat it if the site is busy. Return `None` if the test ends before the
        answer."""
        end = self._quitting if is_last else self._stopping
        while not self._quitting.is_set():
            pending = asyncio.get_running_loop().run_in_executor(self._requests, request)
            quits = asyncio.ensure_future(self._quitting.wait())
            try:
                await asyncio.wait((pending, quits), return_when=asyncio.FIRST_COMPLETED)
                if not pending.done():
                    pending.cancel()  # the site may be slow, and its answer no longer matters
                    return None
                return pending.result()
            except SiteBusy as busy:
                self.tally.busy += 1
                if await first(busy.wait_s, end):
                    return None
            finally:
                quits.cancel()
        return None

    async def _measure_lag(self) -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(TICK_S)
            self.tally.lag.add(max(0.0, time.monotonic() - before - TICK_S))


async def first(timeout_s: float | None, *events: asyncio.Event) -> bool:
    """Wait until one of these is set. Return false on a timeout."""
    waits = [asyncio.ensure_future(event.wait()) for event in events]
    try:
        finished, _ = await asyncio.wait(waits, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)
        return bool(finished)
    finally:
        for wait in waits:
            wait.cancel()
