"""One match on the bot's side: the bot object and the thread that runs its code. Slow code therefore delays no ping.

An `async def` method is awaited in that thread, on an event loop of the match, so it delays no other match either. The
loop is created for the first such method, runs while one is awaited, and is closed with the match.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from inspect import isawaitable
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from traceback import extract_tb, format_exception_only
from typing import Any, TypeVar

import structlog

from arena.bots.bot import Ask, Bot, MatchInfo
from arena.bots.view import View
from arena.wire import codec
from arena.wire.v1.bot_pb2 import Answer, DecisionRequest

T = TypeVar("T")
MAX_FRAMES = 3
"""Number of stack frames shown for an exception: where it was raised, and the callers."""

Job = tuple[asyncio.AbstractEventLoop, asyncio.Future[Any], Callable[[], Any]]


class MatchRunner:
    """A match that this process plays."""

    def __init__(self, make: Callable[[], Bot], match: MatchInfo) -> None:
        self.match = match
        self._make = make
        self._bot: Bot | None = None
        self.wanted: int | None = None
        """The index that the server waits for."""
        self.answer: Answer | None = None
        """The last answer, to be sent again if it was lost."""
        self.unknown_since: float | None = None
        """Time since which the server seems not to know this match; `None` once it has named it."""
        self.over_since: float | None = None
        """Time since which the server has said that the match is over, while its end has not arrived."""
        self.log = structlog.get_logger("arena.bots").bind(match=match.id, seat=match.seat)
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._awaiting = asyncio.Runner()
        self._deciding: asyncio.Task[Any] | None = None
        """The `choose` that is being awaited and was not cancelled; set only in the thread of this match."""
        # A daemon thread: bot code that never returns must not keep the process alive.
        Thread(target=self._work, name=f"match {match.id}", daemon=True).start()

    def call(self, work: Callable[[], T]) -> asyncio.Future[T]:
        """Run bot code in the thread of this match, after all earlier calls."""
        loop = asyncio.get_running_loop()
        future: asyncio.Future[T] = loop.create_future()
        self._jobs.put((loop, future, work))
        return future

    def set_wanted(self, index: int | None) -> None:
        """Set the decision that the server waits for, or none. A `choose` that is awaited for another one is
        cancelled."""
        self.wanted = index
        if (task := self._deciding) is not None:
            with suppress(RuntimeError):  # the loop is closed: the match is over
                task.get_loop().call_soon_threadsafe(self._cancel, task)

    def close(self) -> None:
        """Accept no more calls."""
        self._jobs.put(None)

    def _work(self) -> None:
        try:
            self._run_jobs()
        finally:
            self._awaiting.close()  # cancels tasks that the bot's code left running

    def _run_jobs(self) -> None:
        while (job := self._jobs.get()) is not None:
            loop, future, work = job
            try:
                outcome = _Outcome(work(), None)
            except BaseException as error:  # noqa: BLE001 - passed on to the caller that waits
                outcome = _Outcome(None, error)
            try:
                loop.call_soon_threadsafe(outcome.settle, future)
            except RuntimeError:  # the loop is closed: nobody waits any more
                return

    def set_terms(self, match: MatchInfo) -> None:
        """Set the terms of the match, which were unknown before."""
        self.match = match
        if self._bot is not None:
            self._bot.match = match

    def _get_bot(self) -> Bot:
        """Return the bot. It is created in this thread, so that what it loads delays nothing else."""
        if self._bot is None:
            bot = self._make()
            bot.match = self.match
            self._bot = bot
        return self._bot

    def hook(self, call: Callable[[Bot], Awaitable[None] | None]) -> None:
        """Run one of the bot's optional methods. An exception is logged and costs nothing."""
        try:
            pending = call(self._get_bot())
            if pending is not None:
                self._awaiting.run(as_coroutine(pending))
        except (Exception, asyncio.CancelledError):
            self.log.exception("bot_hook_failed")

    def decide(self, request: DecisionRequest, max_note_bytes: int) -> Answer | None:
        """Let the bot decide. Return `None` if the server has meanwhile continued without this decision."""
        if self.wanted != request.index:
            return None
        answer = Answer(match_id=self.match.id, index=request.index)
        try:
            bot = self._get_bot()
            view = View.of(codec.decode_view(request.view))
            bot.ask = Ask(
                index=request.index,
                events=tuple(codec.decode_events(request.events)),
                bank_ms=request.bank_ms,
                increment_ms=request.increment_ms,
                cap_ms=request.cap_ms,
                last_round_trip=codec.decode_round_trip(request.last_round_trip)
                if request.HasField("last_round_trip")
                else None,
                grace_ms=request.grace_ms,
            )
            bot.note = ""
            choice = bot.choose(view, tuple(request.legal))
            if isawaitable(choice):
                choice = self._awaiting.run(self._await(choice, request.index))
            answer.actions.extend(actions_of(choice))
            answer.note = truncate(bot.note, max_note_bytes)
        except (Exception, asyncio.CancelledError) as error:
            if self.wanted != request.index:
                return None
            # An answer without an action costs a strike as a late one does, but without the wait.
            self.log.exception("bot_failed", index=request.index)
            del answer.actions[:]
            # Keep the bot's own note and add the failure; the owner sees both beside the board.
            failure = truncate(describe_failure(error), max_note_bytes)
            note = truncate(str(self._bot.note), max_note_bytes - len(failure.encode()) - 1) if self._bot else ""
            answer.note = f"{note}\n{failure}".lstrip("\n")
        return answer

    async def _await(self, choice: Awaitable[T], index: int) -> T:
        """Return the decision. If it is no longer wanted, CancelledError is raised at its next await."""
        task = asyncio.current_task()
        assert task is not None
        self._deciding = task
        try:
            if self.wanted != index:  # meanwhile, before `set_wanted` could see the task
                self._cancel(task)
            return await choice
        finally:
            self._deciding = None

    def _cancel(self, task: asyncio.Task[Any]) -> None:
        """Cancel once only: cancelled code may still await the end of what it opened."""
        if self._deciding is task:
            self._deciding = None
            task.cancel()


async def as_coroutine(pending: Awaitable[T]) -> T:
    """Wrap an awaitable as a coroutine."""
    return await pending


def describe_failure(error: BaseException) -> str:
    """Describe an exception in a bot's code: the error, then its places, innermost first.

    Frames of this client are left out.
    """
    own = str(Path(__file__).parent)
    frames = [frame for frame in extract_tb(error.__traceback__) if not frame.filename.startswith(own)]
    lines = [
        f"  in {frame.name} ({Path(frame.filename).name}:{frame.lineno})" for frame in reversed(frames[-MAX_FRAMES:])
    ]
    return "\n".join([format_exception_only(error)[-1].strip(), *lines])


def truncate(text: str, most: int) -> str:
    """Return the beginning of a text, at most `most` bytes long."""
    return text.encode(errors="replace")[: max(0, most)].decode(errors="ignore")


def actions_of(choice: Any) -> list[str]:
    """Return the result of the bot's `choose` as a list.

    Raises TypeError if it is neither a text nor a list of texts.
    """
    actions = list(choice) if isinstance(choice, Iterable) and not isinstance(choice, str) else [choice]
    if not all(isinstance(action, str) for action in actions):
        raise TypeError(f"choose returned {choice!r}: return one of the legal actions, or a list of them")
    return actions


class _Outcome:
    """Result of a job: a value or an error."""

    def __init__(self, value: Any, error: BaseException | None) -> None:
        self.value, self.error = value, error

    def settle(self, future: asyncio.Future[Any]) -> None:
        if future.done():  # cancelled
            return
        if self.error is not None:
            future.set_exception(self.error)
        else:
            future.set_result(self.value)
