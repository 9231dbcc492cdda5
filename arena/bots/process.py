"""Run a bot in this process until it is stopped. A bot's file calls only `run`."""

import asyncio
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from inspect import getsourcefile
from pathlib import Path
from types import FrameType

import structlog

from arena.bots.bot import Bot, check_bot
from arena.bots.channel import Settings
from arena.bots.client import Client
from arena.host.redaction import redact_event

DEFAULT_MATCHES = 4


def run(
    bot: type[Bot],
    *,
    server: str | None = None,
    token: str | None = None,
    name: str | None = None,
    matches: int = DEFAULT_MATCHES,
    receipts: Path | None = None,
) -> int:
    """Play matches with a class of bots until the process is stopped.

    - `server`: address of the arena, `https://host:port`, or `host:port` on this machine; by default from the
      environment variable ARENA_SERVER.
    - `token`: token from the bot's page; by default from the environment variable ARENA_TOKEN.
    - `name`: name of this process; by default from the environment variable ARENA_PROCESS, or else host and file. After
      a lost connection or a crash the same name gets its running matches back. Two processes of one bot need two names.
    - `matches`: maximum number of matches played at once.
    - `receipts`: folder for a receipt of each accepted match, which `arena replay verify --receipt` checks. It is
      created if it does not exist.

    Returns the number of finished matches. The first Ctrl-C (or SIGTERM) finishes running matches and accepts no new
    ones; the second stops at once.

    Raises `Refused` if the server refuses this bot, and ValueError if the class cannot play or a setting is missing.

    >>> class First(Bot):
    ...     def choose(self, view, legal):
    ...         return legal[0]
    >>> run(First, server="localhost:50051", token="…")  # doctest: +SKIP
    """
    check_bot(bot)
    settings = Settings(
        server=server or _environment("ARENA_SERVER", "the address of the arena, https://host:port"),
        token=token or _environment("ARENA_TOKEN", "the token from the bot's page"),
        process=name or os.environ.get("ARENA_PROCESS") or f"{socket.gethostname()}-{_stem(bot)}",
        max_matches=matches,
        receipts=receipts,
    )
    if receipts is not None:
        receipts.mkdir(parents=True, exist_ok=True)
    if not structlog.is_configured():
        configure_logs()
    return asyncio.run(_run(bot, settings))


async def _run(bot: type[Bot], settings: Settings) -> int:
    client = Client(bot, settings)
    loop = asyncio.get_running_loop()
    with _signals(lambda: loop.call_soon_threadsafe(_interrupted, client)):
        await client.run()
    return client.matches.finished


def _interrupted(client: Client) -> None:
    if client.is_leaving:
        client.quit()
        return
    if client.matches:
        running = "1 running match" if len(client.matches) == 1 else f"{len(client.matches)} running matches"
        print(f"Finishing {running}; press Ctrl-C again to stop at once.", file=sys.stderr)
    client.leave()


@contextmanager
def _signals(on_signal: Callable[[], object]) -> Iterator[None]:
    """Call back on SIGINT and SIGTERM. Only the main thread can handle signals: in other threads this does nothing."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handler(_number: int, _frame: FrameType | None) -> None:
        on_signal()

    before = {number: signal.signal(number, handler) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def configure_logs(*, is_quiet: bool = False) -> None:
    """Log readable lines on a terminal, key=value elsewhere. Logs go to stderr, so that a bot may print what it likes.

    `is_quiet`: log only warnings and errors.
    """
    renderer: structlog.typing.Processor = (
        structlog.dev.ConsoleRenderer()
        if sys.stderr.isatty()
        else structlog.processors.LogfmtRenderer(key_order=["timestamp", "level", "event"])
    )
    structlog.configure(
        processors=[
            structlog.processors.add_log_level,
            structlog.processors.TimeStamper(fmt="%H:%M:%S", utc=False),
            structlog.processors.format_exc_info,
            redact_event,
            renderer,
        ],
        wrapper_class=structlog.make_filtering_bound_logger(logging.WARNING if is_quiet else logging.INFO),
        logger_factory=structlog.PrintLoggerFactory(sys.stderr),
    )


def _environment(variable: str, meaning: str) -> str:
    value = os.environ.get(variable)
    if not value:
        raise ValueError(f"{variable} is not set: set it to {meaning}")
    return value


def _stem(bot: type[Bot]) -> str:
    source = getsourcefile(bot)
    return Path(source).stem if source else bot.__name__
