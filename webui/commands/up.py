"""`arena up`: a whole arena on this machine, until Ctrl-C."""

from __future__ import annotations

import fcntl
import os
import select
import signal
import socket
import sys
import time
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Annotated

import typer

from arena.cli.files import InputError
from arena.host.places import Places, state_directory
from arena.host.private import keep_private, restrict_umask
from arena.host.redaction import redact
from arena.hosting.runtime import hosting_support
from webui.commands.services.accounts import ADMIN, OWN_BOT, Accounts, ensure_accounts, read_secrets
from webui.commands.services.fleet import Fleet, StartFailed
from webui.commands.services.parts import Addresses, choose_addresses, services
from webui.commands.services.report import JsonReport, LineReport, MatchStatus, Report, TableReport, Welcome

LOOK_S = 0.2
COUNT_S = 1.0
DID_NOT_START = 1


def up(
    house: Annotated[bool, typer.Option("--house", help="Add house bots, so that matches are played at once.")] = False,
    sample: Annotated[
        bool, typer.Option("--sample", help="Submit the Python starter kit as a bot, as an author would.")
    ] = False,
    referees: Annotated[
        int, typer.Option(min=1, max=32, help="Number of referee processes; each plays up to 100 matches at once.")
    ] = 1,
    browser: Annotated[bool, typer.Option("--browser", help="Open the site in a browser when it is ready.")] = False,
    json: Annotated[bool, typer.Option("--json", help="One JSON object a line instead of the table.")] = False,
) -> None:
    """Run a whole arena on this machine, until Ctrl-C.

    It starts Redis (unless REDIS_URL is set), the site, the gateway that bots connect to, and the workers that referee.
    The database is SQLite unless DATABASE_URL is set. Logs are in var/log.
    """
    began = time.monotonic()
    var = state_directory()
    restrict_umask()
    var.mkdir(parents=True, exist_ok=True)
    read_secrets(Places(var).accounts)
    report = _report(json)
    for sentence in keep_private(Places(var).existing()):
        report.note(sentence)
    with _arena_lock(var), _Signals() as signals:
        try:
            _run(
                var, report, signals, began,
                with_house=house, with_sample=sample, with_browser=browser, referees=referees,
            )  # fmt: skip
        finally:
            report.close()


def _run(
    var: Path, report: Report, signals: _Signals, began: float,
    *, with_house: bool, with_sample: bool, with_browser: bool, referees: int,
) -> None:  # fmt: skip
    is_own_redis = not os.environ.get("REDIS_URL")
    if not is_own_redis:
        _check_redis(os.environ["REDIS_URL"])
    addresses = choose_addresses(var, report.note)
    os.environ["REDIS_URL"] = addresses.redis_url
    os.environ.setdefault("ARENA_SITE_URL", addresses.site)
    os.environ.setdefault("ARENA_GATEWAY_ADDRESS", addresses.for_bots)
    accounts = _prepare(var, with_house=with_house, with_sample=with_sample, with_runner=_allows_sandboxes(report))
    if accounts.house:
        report.note("The house bots dial in: they share the processor with the arena, and their clocks do not run.")
    parts = services(
        addresses,
        var,
        is_own_redis=is_own_redis,
        house=accounts.house,
        hosted=accounts.hosted,
        runner_token=accounts.runner_token,
        referees=referees,
    )
    fleet = Fleet(parts, Places(var).logs, signals.wait)
    try:
        _watch(fleet, addresses, accounts, report, signals, began, with_browser=with_browser)
    except StartFailed as failure:
        report.note(redact(str(failure)))
        raise typer.Exit(DID_NOT_START) from None
    finally:
        report.note("Stopping all processes; press Ctrl-C again to kill them at once.")
        try:
            fleet.stop(lambda: signals.count > 1)
        finally:
            fleet.kill()
        report.show(fleet.processes, None)


def _watch(
    fleet: Fleet, addresses: Addresses, accounts: Accounts, report: Report, signals: _Signals, began: float,
    *, with_browser: bool,
) -> None:  # fmt: skip
    is_greeted = False
    matches: MatchStatus | None = None
    counted = 0.0
    while not signals.count:
        fleet.update()
        report.show(fleet.processes, matches)
        if fleet.is_ready and not is_greeted:
            is_greeted = True
            report.welcome(_welcome(addresses, accounts, fleet, time.monotonic() - began))
            if with_browser:
                _open_browser(addresses.site)
        if is_greeted and time.monotonic() - counted >= COUNT_S:
            counted = time.monotonic()
            matches = _count(addresses.site, matches)
        signals.wait(LOOK_S)


def _check_redis(url: str) -> None:
    from arena.bus import Bus, BusUnavailable

    try:
        with Bus(url) as bus:
            bus.ping()
    except (BusUnavailable, ValueError) as error:
        raise InputError(f"the Redis of REDIS_URL does not answer: {error}") from None


def _allows_sandboxes(report: Report) -> bool:
    """Return whether this machine allows sandboxes. If not, print why."""
    support = hosting_support()
    if not support.is_possible:
        report.note(f"No bots can be submitted to this arena: {'; '.join(support.reasons)}.")
    return support.is_possible


def _prepare(var: Path, *, with_house: bool, with_sample: bool, with_runner: bool) -> Accounts:
    """Create the tables, the accounts and the bots."""
    from webui.commands.database import check_file, connect

    connect()
    from django.core.management import CommandError, call_command
    from django.db import DatabaseError, connection

    try:
        check_file()
        call_command("migrate", verbosity=0, interactive=False)
        return ensure_accounts(var, with_house=with_house, with_sample=with_sample, with_runner=with_runner)
    except CommandError as error:
        raise InputError(str(error)) from None
    except DatabaseError as error:
        raise InputError(f"the database cannot be used: {str(error).strip()}") from None
    finally:
        connection.close()


def _count(site: str, before: MatchStatus | None) -> MatchStatus | None:
    """Count the matches. Return `before` if the database does not answer."""
    from django.db import DatabaseError, InterfaceError, connection

    from webui.matches import queries as match_queries

    try:
        connection.close_if_unusable_or_obsolete()
        counts = match_queries.match_counts()
        latest = before.latest if before else None
        if before is None or counts.finished != before.finished:
            lines = match_queries.matches(states=["FINISHED"], limit=1)
            latest = f"{site}/matches/{lines[0].id}/" if lines else None
    except (DatabaseError, InterfaceError):
        connection.close()
        return before
    return MatchStatus(counts.scheduled, counts.running, counts.finished, counts.aborted, latest)


def _welcome(addresses: Addresses, accounts: Accounts, fleet: Fleet, seconds: float) -> Welcome:
    from arena import starters

    bot = Path(next(iter(starters.__path__)), "python", "mybot.py")
    command = [_short(Path(sys.argv[0])), "bot", "run", _short(bot)]
    gateway = os.environ["ARENA_GATEWAY_ADDRESS"]
    command += ["--server", gateway]
    hosted = "submitted bots" if accounts.runner_token else "none"
    return Welcome(
        site=addresses.site,
        gateway=gateway,
        admin=ADMIN,
        password=accounts.password,
        bot=OWN_BOT,
        token=accounts.token,
        command=" ".join(command),
        hosted=f"{len(accounts.hosted)} house bots, and {hosted}" if accounts.hosted else hosted,
        logs=_short(fleet.processes[0].log.parent),
        seconds=round(seconds, 1),
    )


def _short(path: Path) -> str:
    """Return the path as a user would type it here."""
    whole = path.absolute()
    return str(whole.relative_to(Path.cwd())) if whole.is_relative_to(Path.cwd()) else str(whole)


def _open_browser(address: str) -> None:
    """Open a browser if there is a display. Errors are ignored, because the address is printed."""
    if not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY") or sys.platform == "darwin"):
        return
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return
    if type(browser) is not webbrowser.GenericBrowser:  # a text browser would take over our terminal
        browser.open(address)


def _report(json: bool) -> Report:
    if json:
        return JsonReport()
    from rich.console import Console

    console = Console()
    return TableReport(console) if console.is_terminal else LineReport(console)


@contextmanager
def _arena_lock(var: Path) -> Iterator[None]:
    """Allow one arena for each directory of state. Two arenas would share sockets and secrets."""
    with Places(var).lock.open("a+") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            lock.seek(0)
            raise InputError(
                f"an arena runs in {var} already (process {lock.read().strip()}): stop it, or set ARENA_VAR"
            ) from None
        lock.truncate(0)
        lock.write(str(os.getpid()))
        lock.flush()
        yield


class _Signals:
    """Counts Ctrl-C, SIGTERM and a closed terminal. Each of them ends every wait."""

    def __init__(self) -> None:
        self.count = 0

    def wait(self, seconds: float) -> None:
        """Sleep until the time has passed or a signal arrives."""
        if select.select([self._heard], [], [], seconds)[0]:
            self._heard.recv(1024)

    def __enter__(self) -> _Signals:
        self._heard, wake = socket.socketpair()
        self._wake = wake
        for end in (self._heard, wake):
            end.setblocking(False)
        self._before = {number: signal.signal(number, self._hear) for number in _STOPPING}
        self._wakeup_before = signal.set_wakeup_fd(wake.fileno())
        return self

    def __exit__(self, *_: object) -> None:
        signal.set_wakeup_fd(self._wakeup_before)
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._heard.close()
        self._wake.close()

    def _hear(self, _number: int, _frame: FrameType | None) -> None:
        self.count += 1


_STOPPING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
