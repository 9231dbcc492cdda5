"""The games of `arena play`: house players only in this process, all others at tables with clocks."""

from __future__ import annotations

import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Self

from arena.cli.competitors import Form, NamedCompetitor, command_of
from arena.cli.files import InputError
from arena.local.competitor import Competitor, NotStarted
from arena.local.results import GameResult
from arena.rules import Ruleset

if TYPE_CHECKING:
    from arena.local.sandboxed import HostedImage

OPEN_FOLDER: Final = 0o711
"""Mode of a folder whose content other users reach, if they know its name: the sandbox may have a user of its own."""


class SeriesSetting(NamedTuple):
    """Settings shared by all games."""

    ruleset: Ruleset
    seed: bytes
    games: int
    is_mirrored: bool
    has_replays: bool
    jobs: int
    wait_s: float
    shows_output: bool


@contextmanager
def open_series(entrants: Sequence[NamedCompetitor], setting: SeriesSetting) -> Iterator[Iterator[GameResult]]:
    """Yield the games. All started players are stopped at the end."""
    with ExitStack() as stack:
        if all(entrant.form is Form.HOUSE for entrant in entrants):
            from arena.local.house_series import HouseSeries

            names = [entrant.name for entrant in entrants]
            house = HouseSeries(setting.ruleset, names, setting.seed, setting.is_mirrored, setting.has_replays)
            yield stack.enter_context(closing(house.play(setting.games, setting.jobs)))
        else:
            yield _with_input_errors(stack.enter_context(closing(_at_tables(entrants, setting, stack))))


def _at_tables(
    entrants: Sequence[NamedCompetitor], setting: SeriesSetting, stack: ExitStack
) -> Generator[GameResult, None, None]:
    from arena.local.series import LocalSeries, Side

    starts = starts_of(entrants, setting.wait_s, stack, shows_output=setting.shows_output)
    sides = [Side(entrant.name, start) for entrant, start in zip(entrants, starts, strict=True)]
    return LocalSeries(setting.ruleset, sides, setting.seed, setting.is_mirrored).play(setting.games, setting.jobs)


def _with_input_errors(games: Iterator[GameResult]) -> Iterator[GameResult]:
    """Report an error of a competitor as unusable input."""
    from arena.local.series import NoResult

    try:
        yield from games
    except (NotStarted, NoResult) as error:
        raise InputError(str(error)) from None


def starts_of(
    entrants: Sequence[NamedCompetitor], wait_s: float, stack: ExitStack, *, shows_output: bool
) -> list[Callable[[], Competitor]]:
    """Return for each competitor a function that starts it for a table. A program has `wait_s` seconds to say hello."""
    from arena.cli.bot import load_bot
    from arena.local.python_bot import PythonBot

    dialling = [entrant for entrant in entrants if entrant.form in (Form.COMMAND, Form.SANDBOX, Form.WAITING)]
    gateway = _Gateway(dialling, wait_s, stack, shows_output=shows_output) if dialling else None
    starts: list[Callable[[], Competitor]] = []
    for number, entrant in enumerate(entrants, start=1):
        if entrant.form is Form.PYTHON:
            starts.append(partial(PythonBot, entrant.name, partial(load_bot, entrant.words)))
        elif entrant.form is Form.HOUSE:
            from arena.bots.house_bots import house_bot

            starts.append(partial(PythonBot, entrant.name, partial(house_bot, entrant.name)))
        else:
            assert gateway is not None
            starts.append(gateway.start(number, entrant))
    return starts


class _Gateway:
    """The gateway, and the competitors that connect to it."""

    def __init__(
        self, dialling: Sequence[NamedCompetitor], wait_s: float, stack: ExitStack, *, shows_output: bool
    ) -> None:
        from arena.local.gateway import CannotListen, LocalGateway

        addresses = dict.fromkeys(entrant.words for entrant in dialling if entrant.form is Form.WAITING)
        self._sandboxes: Path | None = None
        if any(entrant.form is Form.SANDBOX for entrant in dialling):
            self._sandboxes = sandbox_folder(stack)
            addresses[f"unix:{self._sandboxes / SOCKET}"] = None
        try:
            self._gateway = stack.enter_context(LocalGateway(tuple(addresses)))
        except CannotListen as error:
            raise InputError(str(error)) from None
        if self._sandboxes is not None:
            (self._sandboxes / SOCKET).chmod(0o666)  # the sandbox may have a user of its own
        self._wait_s = wait_s
        self._folder: Path | None = None
        if not shows_output:
            self._folder = Path(tempfile.mkdtemp(prefix="arena-play-"))
            stack.push(self._tidy_up)

    def _tidy_up(self, kind: type[BaseException] | None, *_: object) -> None:
        """Remove the output of bots, unless an error names the file."""
        assert self._folder is not None
        is_named = kind is not None and issubclass(kind, InputError)
        if not (is_named and any(file.stat().st_size for file in self._folder.iterdir())):
            shutil.rmtree(self._folder, ignore_errors=True)

    def start(self, number: int, entrant: NamedCompetitor) -> Callable[[], Competitor]:
        """Return a function that starts this competitor for a table."""
        from arena.local.dialled import CommandBot, DialledBot, new_token

        output = self._folder / f"{number}.log" if self._folder is not None else None
        if entrant.form is Form.SANDBOX:
            from arena.local.sandboxed import SandboxedBot

            assert self._sandboxes is not None
            image = image_of(Path(entrant.words), self._sandboxes / str(number))
            socket = self._sandboxes / SOCKET
            return partial(SandboxedBot, entrant.name, image, self._gateway, socket, self._wait_s, output)
        if entrant.form is Form.COMMAND:
            words = command_of(entrant.words)
            return partial(CommandBot, entrant.name, words, self._gateway, self._wait_s, output)
        token = new_token()
        self._gateway.expect(token, entrant.name)
        print(
            f"Waiting {self._wait_s:g} seconds for seat {number}: start your bot with"
            f" ARENA_SERVER={entrant.words} ARENA_TOKEN={token}",
            file=sys.stderr,
            flush=True,
        )
        return partial(DialledBot, entrant.name, self._gateway, token, self._wait_s)


SOCKET: Final = "arena.sock"


def sandbox_folder(stack: ExitStack) -> Path:
    """Return a new folder for sandboxes, which exists as long as the stack. Raises `InputError` if none can be made."""
    from arena.hosting.runtime import hosting_support

    support = hosting_support()
    if not support.is_possible:
        raise InputError(f"this machine allows no sandbox, so nothing runs: {'; '.join(support.reasons)}")
    folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="arena-sandbox-")))
    folder.chmod(OPEN_FOLDER)
    return folder


def image_of(source: Path, folder: Path) -> HostedImage:
    """Pack, check and build what an author would hand in, in a new folder. Raises `InputError` for its faults."""
    from arena.hosting.archives import BundleError
    from arena.hosting.building import BuildFailure
    from arena.hosting.manifest import ManifestError
    from arena.local.sandboxed import prepare_image
    from arena.sandbox.running import SandboxStartFailure

    folder.mkdir()
    folder.chmod(OPEN_FOLDER)
    try:
        return prepare_image(source, folder, lambda text: print(text, end="", file=sys.stderr, flush=True))
    except (BundleError, BuildFailure, ManifestError, SandboxStartFailure) as error:
        raise InputError(f"{source}: {error}") from None


class Interruptions:
    """Context manager that handles SIGTERM like Ctrl-C: started programs are stopped, and results are printed.

    It also handles SIGINT, which a shell may have set to be ignored.
    """

    def __init__(self) -> None:
        self._is_held = self._is_due = False
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        self._before = {number: signal.signal(number, self._interrupt) for number in (signal.SIGINT, signal.SIGTERM)}
        return self

    def __exit__(self, *_: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _interrupt(self, _number: int, _frame: FrameType | None) -> None:
        self._is_due = True
        if not self._is_held:
            raise KeyboardInterrupt

    @contextmanager
    def held(self) -> Iterator[None]:
        """Delay an interruption to the end of the context, so that its work is complete."""
        self._is_held = True
        try:
            yield
        finally:
            self._is_held = False
        if self._is_due:
            raise KeyboardInterrupt
