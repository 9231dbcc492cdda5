"""One trial, in a process of its own: a game of one Python file, in a sandbox, against a house player.

`python -m arena.runner.trial FOLDER CORE` reads a `TrialInfo` as JSON from its standard input. It writes one JSON
object a line to its standard output: the number of decisions as it grows, and at last the outcome. FOLDER is an empty
folder that users of sandboxes may enter.

A further line of its standard input is `null` to take the core away, or the number of a core to give one back. The
process answers `null` when the bot is frozen. The process ends when its standard input ends, and its sandbox with it:
the runner that has started it is gone then.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import re
import resource
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import wait
from contextlib import ExitStack, closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from threading import Condition, Event, Lock, Thread
from typing import Final

import msgspec
from msgspec.structs import replace

# A sandbox is started by a fork, which needs nothing of gRPC.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")

from arena.bots.house_bots import house_bot
from arena.hosting.archives import BundleError
from arena.hosting.faults import fault_of
from arena.hosting.limits import trial_limits
from arena.hosting.messages import CheckResult, TrialFault, TrialInfo, TrialOutcome, TrialOutput
from arena.lessons import LESSONS
from arena.local.competitor import CompetitorEvent, MessageReceived, NotStarted
from arena.local.gateway import LocalGateway
from arena.local.match import LocalMatch, MatchAborted, PlayedMatch
from arena.local.python_bot import PythonBot
from arena.local.sandboxed import HostedImage, SandboxedBot, SandboxProcess, prepare_image
from arena.referee import Clock, Terms
from arena.rules import Ruleset
from arena.runner.examination import ESSENTIAL, BotExamination, ExaminationFailure
from arena.sandbox.cgroups import GroupFailure
from arena.sandbox.cores import CorePool, CoreTurn
from arena.sandbox.limits import SandboxEnd, SandboxVerdict
from arena.sandbox.running import RunningSandbox, SandboxStartFailure
from arena.wire.codec import CodecError
from arena.wire.matches import Answered, decode_reply
from arena.wire.v1.bot_pb2 import ServerMessage

FILE: Final = "bot.py"
NAME: Final = "your bot"
SEAT: Final = 1
"""Seat of the bot. The house player has the other one."""
RULESET: Final = Ruleset(2)
CLOCK: Final = Clock(bank_ms=20_000, increment_ms=0, cap_ms=3_000)
"""Shorter than that of a ladder, because a person waits for the game."""
START_IDLE_S: Final = 10.0
"""Seconds in which a bot may do nothing before its hello."""
LOOK_S: Final = 0.2
"""Seconds between two looks at a bot that has not said hello."""
ABORT_S: Final = 2.0
"""Seconds for a program that is aborted to write where it was."""
EXAMINATION_PATIENCE: Final = 2.0
"""Factor on the doctor's times, because a person waits."""
PROGRESS_S: Final = 0.4
"""Seconds between two reports on the number of decisions."""
MOST_TEXT: Final = 16 * 1024
"""Maximum number of characters of one output."""
MOST_TEXTS: Final = 256 * 1024
"""Maximum number of characters of all outputs together."""
MOST_ANSWER: Final = 300
"""Maximum number of characters of a wrong answer."""
LOG_LINE: Final = re.compile(r"timestamp=\d\d:\d\d:\d\d level=\w+ event=")
LOGGED_EXCEPTION: Final = re.compile(r' exception="((?:[^"\\]|\\.)*)"')
ABORTED: Final = "Fatal Python error: Aborted"
"""Beginning of the stacks that Python writes when it is aborted."""
STACK_FRAME: Final = re.compile(r'File "/bot/[^\n]*')
CLIENT_FRAME: Final = re.compile(r'  File "/opt/arena/python/arena/[^\n]*\n(?:    [^\n]*\n)*')
MOST_DATA_BYTES: Final = 2 * 1024**3
"""Bytes of data of this process. A bot that makes it grow ends its own trial, and not the runner."""
NO_SANDBOX: Final = 69
"""Exit code if the machine is to blame."""


class TrialCore:
    """The core of a trial, which its runner takes away and gives back. No time of the bot passes in between."""

    def __init__(self, core: int) -> None:
        self._core: int | None = core
        self._changed = Condition()
        self._sandbox: RunningSandbox | None = None
        self._time: tuple[int | None, int] = None, 0
        """When it was taken (monotonic), or `None`, and for how long it was away before, in nanoseconds."""

    def clock(self) -> int:
        """Return the nanoseconds that count for the bot. Only differences mean something."""
        taken_at, away = self._time
        return (time.monotonic_ns() if taken_at is None else taken_at) - away

    @contextmanager
    def held(self) -> Iterator[int]:
        """Wait for the core, and keep it while the context lasts."""
        with self._changed:
            while self._core is None:
                self._changed.wait()
            yield self._core

    def run(self, sandbox: RunningSandbox) -> CoreTurn:
        """Let a sandbox run on this core, and return its turn. Call it while the core is held."""
        assert self._core is not None
        self._sandbox = sandbox
        sandbox.freeze()
        turn = CoreTurn(sandbox, self._core)
        turn.begin()
        return turn

    def take(self) -> None:
        """Freeze the bot, so that others can have the core."""
        with self._changed:
            self._time = time.monotonic_ns(), self._time[1]
            self._core = None
            if self._sandbox is not None:
                with suppress(GroupFailure):  # it shares the core, then
                    self._sandbox.freeze()

    def give(self, core: int) -> None:
        """Let the bot run on, on this core."""
        with self._changed:
            taken_at, away = self._time
            assert taken_at is not None
            self._core = core
            if self._sandbox is not None:
                self._sandbox.pin(core)
                self._sandbox.thaw()
            self._time = None, away + time.monotonic_ns() - taken_at
            self._changed.notify_all()


class TrialProcess(SandboxProcess):
    """The bot in its sandbox, on the core of the trial."""

    def __init__(
        self, core: TrialCore, image: HostedImage, socket: Path, token: str, ended: Callable[[], None]
    ) -> None:
        super().__init__(
            image, socket, token, Path(os.devnull), ended,
            limits=trial_limits(image.memory_bytes), environment={"PYTHONUNBUFFERED": "1", "PYTHONFAULTHANDLER": "1"},
        )  # fmt: skip
        core.run(self.sandbox)
        self.was_aborted = False

    def abort(self) -> None:
        """End the program where it is, and let it write where that was."""
        self.was_aborted = True
        self.sandbox.abort()
        with suppress(TimeoutError):
            self.sandbox.wait(ABORT_S)


class TrialBot(SandboxedBot):
    """The bot of a trial. It notes how much the bot has written whenever the bot answers."""

    def __init__(self, image: HostedImage, gateway: LocalGateway, socket: Path, core: TrialCore) -> None:
        self._core = core
        self._begun_at = core.clock()
        self.process: TrialProcess | None = None
        self.marks: list[tuple[int, tuple[int, int], str]] = []
        """For each answer: index of its decision, lengths of both outputs then, and its note."""
        self.asked: int | None = None
        """Index of the request that it has not answered yet."""
        self.began_at: tuple[int, int] = (0, 0)
        """Lengths of both outputs at the first request of the latest match."""
        self.entered_at: tuple[int, int] = (0, 0)
        """Lengths of both outputs at the beginning of the latest match, and 0 for the first one."""
        self._has_entered = False
        self.faults: list[TrialFault] = []
        self._answer = ""
        """Answer to the latest request. Empty until the bot has answered."""
        super().__init__(NAME, image, gateway, socket, START_IDLE_S, None)

    def _launch(self, token: str, ended: Callable[[], None]) -> SandboxProcess:
        with self._core.held():
            self._begun_at = self._core.clock()
            self.process = TrialProcess(self._core, self._image, self._socket, token, ended)
        return self.process

    def ready(self) -> None:
        """Wait until it has said hello, or has done nothing for too long. Raises `NotStarted`."""
        assert self._seat is not None
        while not wait([self._seat], LOOK_S).done and self._idle_s() < START_IDLE_S:
            pass
        self._wait_s = 0.0
        super().ready()

    def _idle_s(self) -> float:
        """Return for how many seconds it has neither used its core nor waited for it."""
        assert self.process is not None
        sandbox = self.process.sandbox
        return (self._core.clock() - self._begun_at) / 1e9 - sandbox.processor_s() - sandbox.queued_s()

    def _absence(self) -> str:
        return (
            f"it has not said hello, and it did nothing for {START_IDLE_S:g} seconds: begin without waiting"
            f"{self._refused()}"
        )

    def enter(self, match: str, on_event: Callable[[CompetitorEvent], None]) -> None:
        """Begin a match, and forget the notes on an earlier one."""
        if self._has_entered and self.process is not None:
            self.entered_at = self.process.sandbox.output_lengths()
        self._has_entered = True
        self.marks, self.faults, self.asked = [], [], None

        def note_and_pass_on(event: CompetitorEvent) -> None:
            if isinstance(event, MessageReceived):
                self._note(event)
            on_event(event)

        super().enter(match, note_and_pass_on)

    def send(self, match: str, message: bytes, ask: int | None = None) -> None:
        """Send a message."""
        if ask is None:
            self._note_fault(message)
        elif ask >= 0:
            self._answer = ""
            if self.asked is None and not self.marks and self.process is not None:
                self.began_at = self.process.sandbox.output_lengths()
            self.asked = ask
        super().send(match, message, ask)

    def _note(self, event: MessageReceived) -> None:
        try:
            reply = decode_reply(event.payload)
        except CodecError:
            return
        if isinstance(reply, Answered) and reply.index == self.asked and self.process is not None:
            self.marks.append((reply.index, self.process.sandbox.output_lengths(), reply.note))
            self.asked = None
            self._answer = "\n".join(reply.actions)[:MOST_ANSWER]

    def _note_fault(self, message: bytes) -> None:
        notice = ServerMessage.FromString(message)
        if notice.HasField("fault"):
            fault = notice.fault
            self.faults.append(TrialFault(index=fault.index, answer=self._answer, message=fault.message))


def play_trial(trial: TrialInfo, folder: Path, core: TrialCore, on_decision: Callable[[int], None]) -> TrialOutcome:
    """Play the game, or the games of a lesson's check, and return the outcome. The last game is shown.

    `on_decision` is called now and then with the index of a request to the bot. Raises `MachineFault`.
    """
    source = folder / FILE
    source.write_text(trial.source, encoding="utf-8")
    (folder / "bot").mkdir()
    (folder / "bot").chmod(0o711)  # the sandbox may have a user of its own
    try:
        image = prepare_image(source, folder / "bot", lambda text: None)
    except BundleError as error:
        return TrialOutcome(fault="START_FAILED", fault_text=str(error))
    if trial.is_examination:
        return examine_trial(image, core)
    socket = folder / "arena.sock"
    begun_at = core.clock()
    played: list[PlayedMatch] = []
    why = ""
    lesson = LESSONS[trial.lesson - 1] if trial.lesson else None
    with ExitStack() as stack:
        gateway = stack.enter_context(LocalGateway((f"unix:{socket}",), is_for_stranger=True, clock=core.clock))
        socket.chmod(0o666)
        bot = stack.enter_context(closing(TrialBot(image, gateway, socket, core)))
        house = stack.enter_context(closing(PythonBot(trial.opponent, partial(house_bot, trial.opponent))))
        stop = Event()
        stack.callback(stop.set)
        Thread(target=_report, args=(bot, stop, on_decision), daemon=True).start()
        try:
            bot.ready()
            house.ready()
            if not bot.hello.plays(RULESET):
                raise NotStarted("it does not play with 2 players: add 2 to its player_counts")
            for number, deal in enumerate(lesson.deals if lesson else [None]):
                terms = Terms(f"trial-{trial.id}-{number}", RULESET, bytes.fromhex(trial.seed), CLOCK, deal=deal)
                played.append(LocalMatch(terms, [bot, house], [NAME, trial.opponent]).play())
                if bot.asked is not None or (lesson and lesson.is_decided([game.replay for game in played])):
                    break
            if bot.asked is not None and bot.process is not None:  # it still computes, perhaps in an endless loop
                with core.held():
                    bot.process.abort()
        except (NotStarted, MatchAborted) as error:
            why = str(error).removeprefix(f"{NAME}: ")
        wall_s = (core.clock() - begun_at) / 1e9
    assert bot.process is not None
    verdict = bot.process.sandbox.wait()
    if verdict.end is SandboxEnd.START_FAILED:
        raise MachineFault(verdict.reason)
    outcome = _outcome(bot, bot.process, verdict, played, why, wall_s)
    if lesson is None or not played:
        return outcome
    return replace(outcome, lesson=lesson.judge([game.replay for game in played]))


class TrialExamination(BotExamination):
    """The examination of a submission, on the core of the trial and within its limits."""

    def __init__(self, image: HostedImage, core: TrialCore) -> None:
        super().__init__(
            image.files, image.source.manifest, CorePool([0]), lambda text: None,
            limits=trial_limits(image.memory_bytes), patience=EXAMINATION_PATIENCE, attempts=1,
        )  # fmt: skip
        self._trial_core = core

    def _clock(self) -> float:
        return self._trial_core.clock() / 1e9

    def _launch(self, launch: Callable[[], RunningSandbox], core: int) -> tuple[RunningSandbox, CoreTurn]:
        with self._trial_core.held():  # the pool of the examination stands for this core
            sandbox = launch()
            return sandbox, self._trial_core.run(sandbox)


def examine_trial(image: HostedImage, core: TrialCore) -> TrialOutcome:
    """Examine a bot as a submission, and return the outcome. Raises `MachineFault`."""
    examination = TrialExamination(image, core)
    begun_at = core.clock()
    announced, fault, why = None, "", ""
    try:
        announced = asyncio.run(examination.facts())
    except ExaminationFailure as failure:
        fault, why = str(failure.fault), str(failure).encode("utf-8", "replace").decode()[:MOST_TEXT]
    except SandboxStartFailure as failure:
        raise MachineFault(str(failure)) from None
    return TrialOutcome(
        fault=fault,
        fault_text=why,
        checks=tuple(_check_results(examination.passed, has_failed=bool(fault))),
        announced=announced,
        wall_ms=round((core.clock() - begun_at) / 1e6),
    )


def _check_results(passed: list[str], *, has_failed: bool) -> Iterator[CheckResult]:
    for check in ESSENTIAL:
        if check.name in passed:
            yield CheckResult(name=check.name, outcome="passed")
        else:
            yield CheckResult(name=check.name, outcome="failed" if has_failed else "skipped")
            has_failed = False  # the checks after it were not made


writing: Final = Lock()
"""Held while a line is written."""


class MachineFault(Exception):
    """Raised when the machine makes no sandbox."""


def _report(bot: TrialBot, stop: Event, on_decision: Callable[[int], None]) -> None:
    told = -1
    while not stop.wait(PROGRESS_S):
        if bot.asked is not None and bot.asked != told:
            told = bot.asked
            on_decision(told)


def _outcome(
    bot: TrialBot, process: TrialProcess, verdict: SandboxVerdict, played: list[PlayedMatch], why: str, wall_s: float
) -> TrialOutcome:
    found = None if process.was_aborted else fault_of(verdict, process.limits, bot.asked)
    thinks = [ns for game in played for ns in game.thinks[SEAT - 1]]
    return TrialOutcome(
        replay=json.dumps(played[-1].replay, separators=(",", ":")) if played else "",
        fault=str(found[0]) if found else "",
        fault_text=found[1] if found else why,
        outputs=outputs_of(bot, verdict),
        faults=tuple(bot.faults),
        answers=len(thinks),
        slowest_ms=round(max(thinks, default=0) / 1e6),
        processor_ms=round(1e3 * verdict.usage.processor_s),
        peak_memory_bytes=verdict.usage.peak_memory_bytes,
        wall_ms=round(1e3 * wall_s),
    )


def outputs_of(bot: TrialBot, verdict: SandboxVerdict) -> tuple[TrialOutput, ...]:
    """Return what the bot has written, divided at its answers."""
    left = MOST_TEXTS
    found: list[TrialOutput] = []
    before = bot.entered_at
    ends = (verdict.stdout.length, verdict.stderr.length)
    parts: list[tuple[int | None, tuple[int, int], str]] = [(None, bot.began_at, ""), *bot.marks]
    parts.append((bot.asked, ends, ""))
    for index, lengths, note in parts:
        texts = [
            kept.between(start, end).text()[:MOST_TEXT]
            for kept, start, end in zip((verdict.stdout, verdict.stderr), before, lengths, strict=True)
        ]
        texts[1] = without_log(texts[1])
        before = lengths
        error = texts[1].strip().rpartition("\n")[2]
        texts.append(note.partition(error)[0].strip() if error else note)  # the note of a failure repeats its exception
        if any(texts) and left > 0:
            left -= sum(map(len, texts))
            found.append(TrialOutput(index=index, stdout=texts[0], stderr=texts[1], note=texts[2]))
    return tuple(found)


def without_log(text: str) -> str:
    """Return standard error without the log of the client for Python. It keeps the exceptions and stacks of the bot."""
    kept = []
    text, aborted, stacks = text.partition(ABORTED)
    for line in text.splitlines(keepends=True):
        if not LOG_LINE.match(line):
            kept.append(line)
        elif found := LOGGED_EXCEPTION.search(line):
            kept.append(_own_frames(found[1].replace("\\n", "\n").replace('\\"', '"').replace("\\\\", "\\")) + "\n")
    if aborted:
        frames = STACK_FRAME.findall(stacks)
        kept += ["Stopped here (most recent call last):\n", *(f"  {frame}\n" for frame in reversed(frames))]
    return "".join(kept)


def _own_frames(trace: str) -> str:
    """Return a traceback without the frames of the client."""
    return CLIENT_FRAME.sub("", trace)


def _lines_of_runner() -> Iterator[bytes]:
    """Yield the lines of standard input, until it ends."""
    rest = b""
    while piece := os.read(0, 1 << 16):
        *lines, rest = (rest + piece).split(b"\n")
        yield from lines


def _obey(lines: Iterator[bytes], core: TrialCore) -> None:
    """Take and give the core as the runner says, and end this process when the runner has gone."""
    for line in lines:
        given: int | None = json.loads(line)
        if given is None:
            core.take()
            _write(b"null")
        else:
            core.give(given)
    os._exit(1)


def _write(line: bytes) -> None:
    data = line + b"\n"
    with writing:
        while data:
            data = data[os.write(1, data) :]


def main() -> int:
    """Play the trial of the standard input. Return the exit code."""
    resource.setrlimit(resource.RLIMIT_DATA, (MOST_DATA_BYTES, MOST_DATA_BYTES))
    folder, core = Path(sys.argv[1]), TrialCore(int(sys.argv[2]))
    lines = _lines_of_runner()
    trial = msgspec.json.decode(next(lines), type=TrialInfo)
    Thread(target=_obey, args=(lines, core), daemon=True).start()
    gc.freeze()
    try:
        outcome = play_trial(trial, folder, core, lambda index: _write(msgspec.json.encode({"decisions": index})))
    except MachineFault as error:
        print(error, file=sys.stderr)
        return NO_SANDBOX
    _write(msgspec.json.encode({"outcome": outcome}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
