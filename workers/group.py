"""All matches of a worker process, refereed by one thread.

Bots think, so nearly all matches wait, and the work for one of them takes less than a millisecond. One thread for each
match would spend more time on switching. Therefore one thread serves all. In each round it does this:

1. It delivers the messages that have arrived to their matches.
2. It lets each match go on until it needs something (`workers.needs`).
3. It writes the entries of all matches in one transaction.
4. It sends the messages of all matches in one round trip.

A few other threads (`workers.slow_work`) do slow work, such as the house's decisions and the end of a match. The thread
of the match's own task only waits for the end of the match.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush
from itertools import count
from queue import Empty, SimpleQueue
from threading import Event, Lock, Thread
from typing import Any, Final

import structlog
from django.db import InterfaceError, OperationalError

from arena.bus import Bus, FromBot, ToBot
from arena.host.steps import IDLE, encode_step
from arena.host.steps import steps as step_file
from arena.referee import SECOND
from webui.matches import ownership
from webui.matches.values import LogAppend
from workers import metrics
from workers.database import NO_CHECKPOINTS, Pool
from workers.heartbeat import heartbeat
from workers.needs import Need, Send, SlowWork, Steps, Wait, Write
from workers.slow_work import SlowThreads

log = structlog.get_logger(__name__)

TOGETHER: Final = 64
"""Maximum number of matches that write in one transaction."""
FIRST_PAUSE_S: Final = 0.05
LONGEST_PAUSE_S: Final = 2.0
"""Pauses between retries while the database is unavailable."""


@dataclass(eq=False, slots=True)
class GroupMatch:
    """A match of the group."""

    id: str
    steps: Steps[None]
    name: bytes
    """Name of its steps in the step file."""
    context: Context = field(default_factory=copy_context)
    """Context of its task, for logging."""
    is_begun: bool = False
    is_played: Lock = field(default_factory=Lock)
    """Held while the match is played here. Its task waits for it; a lock is the cheapest thing to wait for."""
    inbox: list[FromBot] = field(default_factory=list)
    """Messages that have arrived and were not taken yet."""
    waits_until: int | None = None
    """Time until which it waits; None if it does not wait."""
    value: Any = None
    """Result of what it needed …"""
    error: BaseException | None = None
    """… or the error."""

    def next_need(self) -> Need:
        """Run one step."""
        value, error = self.value, self.error
        self.value = self.error = None
        if error is not None:
            return self.context.run(self.steps.throw, error)
        return self.context.run(self.steps.send, value)


class MatchGroup:
    """The matches of one worker process. Any thread may call its methods."""

    def __init__(self, bus: Bus, stopping: Event, slow_threads: SlowThreads) -> None:
        self._bus = bus
        self._slow_threads = slow_threads
        # A pool of its own: leases are renewed even if the threads of the matches use all other connections and wait
        # for a lock.
        self._database = Pool(1, sqlite=NO_CHECKPOINTS)
        self._stopping = stopping
        self._news: SimpleQueue[GroupMatch | list[FromBot] | None] = SimpleQueue()
        """A match that may go on, messages, or None to make the thread check everything."""
        self._matches: dict[str, GroupMatch] = {}
        self._ready: list[GroupMatch] = []
        self._writes: list[tuple[GroupMatch, LogAppend]] = []
        self._sends: list[tuple[GroupMatch, Send]] = []
        self._timers: list[tuple[int, int, GroupMatch]] = []
        self._numbers = count()
        self._pause_s = 0.0
        self._try_at = 0.0
        """When the database is tried again after an outage."""
        self._is_closed = False
        self._thread = Thread(target=self._run, name="matches", daemon=True)

    def __bool__(self) -> bool:
        return bool(self._matches)

    def start(self) -> None:
        """Start the thread."""
        self._thread.start()

    def play(self, match_id: str, steps: Steps[None], epoch: int = 0) -> None:
        """Play a match to its end. Raise what its loop raises. Called in the thread of its task.

        `epoch` is that of the match's owner, for the step file.
        """
        match = GroupMatch(match_id, steps, encode_step(match_id, epoch))
        match.is_played.acquire()
        self._news.put(match)
        with match.is_played:
            pass
        if match.error is not None:
            raise match.error

    def deliver(self, messages: list[FromBot]) -> None:
        """Deliver messages that have arrived for matches."""
        self._news.put(messages)

    def wake_all(self) -> None:
        """Make every match check whether this process is stopping. Safe in a signal handler."""
        self._news.put(None)

    def close(self) -> None:
        """Stop, once no match is played."""
        self._is_closed = True
        self._news.put(None)
        if self._thread.is_alive():
            self._thread.join(5)
        self._database.close()

    # The matches' thread

    def _run(self) -> None:
        while not self._is_closed:
            try:
                self._take_news()
                if self._matches:
                    heartbeat.beat()
                self._run_round()
            except Exception:
                # Whatever the error is, the other matches go on.
                log.exception("matches_not_played")

    def _take_news(self) -> None:
        """Wait for news, or for the time of a match. Put matches that may go on into `_ready`."""
        try:
            self._take(self._news.get(timeout=self._rest_s()))
            while True:
                self._take(self._news.get_nowait())
        except Empty:
            pass
        now = time.monotonic_ns()
        while self._timers and self._timers[0][0] <= now:
            at, _, match = heappop(self._timers)
            if match.waits_until == at:
                self._wake(match)

    def _rest_s(self) -> float | None:
        rests = [(self._timers[0][0] - time.monotonic_ns()) / SECOND] if self._timers else []
        if self._writes:
            rests.append(self._try_at - time.monotonic())
        return max(0.0, min(rests)) if rests else None

    def _take(self, news: GroupMatch | list[FromBot] | None) -> None:
        if news is None:
            for match in self._matches.values():
                self._wake(match)
        elif isinstance(news, GroupMatch):
            if not news.is_begun:
                news.is_begun = True
                self._matches[news.id] = news
                metrics.MATCHES.set(len(self._matches))
            self._ready.append(news)
        else:
            for message in news:
                if (receiver := self._matches.get(message.match)) is not None:
                    receiver.inbox.append(message)
                    self._wake(receiver)

    def _wake(self, match: GroupMatch) -> None:
        if match.waits_until is not None:
            match.waits_until = None
            match.value = match.inbox
            match.inbox = []
            self._ready.append(match)

    def _run_round(self) -> None:
        while self._ready or self._sends or self._may_write():
            self._run_ready()
            if self._may_write():
                self._write()
                self._run_ready()
            if self._sends:
                self._send()

    def _run_ready(self) -> None:
        """Let every ready match go on until it needs something."""
        while self._ready:
            ready, self._ready = self._ready, []
            for match in ready:
                step_file.write(match.name)
                try:
                    need = match.next_need()
                except BaseException as error:  # noqa: BLE001 - raised in the thread of its task
                    self._leave(match, None if isinstance(error, StopIteration) else error)
                else:
                    self._serve(match, need)
        step_file.write(IDLE)

    def _serve(self, match: GroupMatch, need: Need) -> None:
        match need:
            case Write(append):
                self._writes.append((match, append))
            case Send():
                self._sends.append((match, need))
            case SlowWork(work):
                self._slow_threads.put(partial(self._do_slow_work, match, work))
            case Wait(until):
                match.waits_until = until
                if match.inbox or self._stopping.is_set():
                    self._wake(match)
                else:
                    heappush(self._timers, (until, next(self._numbers), match))

    def _leave(self, match: GroupMatch, error: BaseException | None) -> None:
        if self._matches.get(match.id) is match:  # not if the same match has been claimed here again since
            del self._matches[match.id]
            metrics.MATCHES.set(len(self._matches))
        match.error = error
        match.is_played.release()

    def _do_slow_work(self, match: GroupMatch, work: Callable[[], Any]) -> None:
        try:
            match.value = match.context.run(work)
        except BaseException as error:  # noqa: BLE001 - raised where the loop waits
            match.error = error
        self._news.put(match)

    def _may_write(self) -> bool:
        return bool(self._writes) and (self._stopping.is_set() or time.monotonic() >= self._try_at)

    def _write(self) -> None:
        batch = self._writes[:TOGETHER]
        outcomes: Sequence[BaseException | None]
        try:
            outcomes = self._database(ownership.append_all, [append for _, append in batch])
        except (OperationalError, InterfaceError) as error:
            heartbeat.beat_while_blocked()
            log.warning("database_away", matches=len(self._writes), error=str(error))
            self._pause_s = min(2 * self._pause_s or FIRST_PAUSE_S, LONGEST_PAUSE_S)
            self._try_at = time.monotonic() + self._pause_s
            if not self._stopping.is_set():
                return
            outcomes = [error] * len(batch)
        except Exception as error:
            log.exception("matches_not_written", matches=len(batch))
            outcomes = [error] * len(batch)
        else:
            self._pause_s = self._try_at = 0.0
        del self._writes[: len(batch)]
        for (match, _), outcome in zip(batch, outcomes, strict=True):
            match.error = outcome
            self._ready.append(match)

    def _send(self) -> None:
        sends, self._sends = self._sends, []
        try:
            self._post(sends)
        except Exception:
            # The messages of one match are at fault; the following finds out which.
            log.exception("matches_not_sent", matches=len(sends))
            for failed in sends:
                try:
                    self._post([failed])
                except Exception as error:  # noqa: BLE001 - raised where that match is played
                    failed[0].error = error
        self._ready += [match for match, _ in sends]

    def _post(self, sends: Sequence[tuple[GroupMatch, Send]]) -> None:
        mail: dict[str, list[ToBot]] = {}
        for _, send in sends:
            for gateway, envelopes in send.mail.items():
                mail.setdefault(gateway, []).extend(envelopes)
        failed = self._bus.post(mail, [match.id for match, send in sends if send.wakes])
        for match, send in sends:
            match.value = {gateway: error for gateway, error in failed.items() if gateway in send.mail}
