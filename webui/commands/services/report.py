"""The output of `arena up`: a live table on a terminal, lines elsewhere, one JSON object a line with --json."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Protocol

from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from webui.commands.services.process import Process, ProcessState

STYLES = {
    ProcessState.WAITING: "dim",
    ProcessState.STARTING: "yellow",
    ProcessState.READY: "green",
    ProcessState.SILENT: "yellow",
    ProcessState.PAUSING: "red",
    ProcessState.STOPPED: "dim",
}


@dataclass(frozen=True)
class MatchStatus:
    """Numbers of matches, and the address of the last finished one."""

    scheduled: int
    running: int
    finished: int
    aborted: int
    latest: str | None


@dataclass(frozen=True)
class Welcome:
    """Addresses and secrets, printed once when all processes are ready."""

    site: str
    gateway: str
    admin: str
    password: str | None
    bot: str
    token: str
    command: str
    """Command that starts the user's own bot, with `token` as ARENA_TOKEN."""
    hosted: str
    """Bots that the runner plays, in words."""
    logs: str
    seconds: float
    """Duration of the start in seconds."""


class Report(Protocol):
    """The output of `arena up`."""

    def note(self, text: str) -> None:
        """Print one sentence."""

    def welcome(self, welcome: Welcome) -> None:
        """Print the addresses: all processes are ready."""

    def show(self, processes: Sequence[Process], matches: MatchStatus | None) -> None:
        """Print the present state of processes and matches. This is called often."""

    def close(self) -> None:
        """End the output."""


class JsonReport:
    """Prints one JSON object a line for each change. The field `event` names the kind of change."""

    def __init__(self) -> None:
        self._said: dict[str, object] = {}

    def note(self, text: str) -> None:
        """Print `note` with its text."""
        _print({"event": "note", "text": text})

    def welcome(self, welcome: Welcome) -> None:
        """Print `ready` with the fields of `Welcome`."""
        _print({"event": "ready", **asdict(welcome)})

    def show(self, processes: Sequence[Process], matches: MatchStatus | None) -> None:
        """Print `process` with name, state, pid, address and restarts, and `matches` with the fields of
        `MatchStatus`.
        """
        for process in processes:
            self._say(f"process {process.service.name}", {"event": "process", **_facts(process)})
        if matches is not None:
            self._say("matches", {"event": "matches", **asdict(matches)})

    def close(self) -> None:
        """Print `stopped`."""
        _print({"event": "stopped"})

    def _say(self, topic: str, document: dict[str, Any]) -> None:
        if self._said.get(topic) != document:
            self._said[topic] = document
            _print(document)


class LineReport:
    """Prints a line when a process changes or a match has finished, for people who read a file or a pipe."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._states: dict[str, ProcessState] = {}
        self._finished = 0

    def note(self, text: str) -> None:
        """Print one sentence."""
        self._print(text)

    def welcome(self, welcome: Welcome) -> None:
        """Print the addresses: all processes are ready."""
        self._print(welcome_text(welcome))

    def show(self, processes: Sequence[Process], matches: MatchStatus | None) -> None:
        """Print the changes."""
        for process in processes:
            name = process.service.name
            if self._states.get(name, ProcessState.WAITING) is not process.state:
                self._states[name] = process.state
                self._print(f"{name:10}{process.state:10}{process.service.address}")
        if matches is not None and matches.finished != self._finished:
            self._finished = matches.finished
            self._print(f"{_sentence(matches)}; the last: {matches.latest}")

    def close(self) -> None:
        """Print that everything has stopped."""
        self._print("Everything is stopped.")

    def _print(self, text: str | Text) -> None:
        self._console.print(text, highlight=False, markup=False, soft_wrap=True)


class TableReport(LineReport):
    """Draws a table and updates it in place, below the earlier output."""

    def __init__(self, console: Console) -> None:
        super().__init__(console)
        self._live = Live(console=console, auto_refresh=False)
        self._live.start()

    def show(self, processes: Sequence[Process], matches: MatchStatus | None) -> None:
        """Draw the table again."""
        table = Table(box=None, pad_edge=False, header_style="dim")
        for heading in ("process", "state", "pid", "restarts", "address"):
            table.add_column(heading, justify="right" if heading in ("pid", "restarts") else "left", no_wrap=True)
        for process in processes:
            facts = _facts(process)
            state = Text(facts["state"], STYLES[process.state])
            pid = str(facts["pid"] or "")
            table.add_row(
                facts["name"], state, pid, str(facts["restarts"]), Text(facts["address"], overflow="ellipsis")
            )
        lines: list[Any] = [table]
        if matches is not None:
            lines += ["", Text(_sentence(matches))]
            if matches.latest:
                lines.append(Text(f"the last finished: {matches.latest}", no_wrap=True))
        self._live.update(Group("", *lines), refresh=True)

    def close(self) -> None:
        """Stop drawing. The table remains."""
        self._live.stop()
        super().close()


def welcome_text(welcome: Welcome) -> Text:
    """Return the addresses, the admin's login, and the commands that start the user's own bot."""
    password = welcome.password or "(the password that you chose)"
    text = Text()
    text.append(f"\nThe arena runs ({welcome.seconds:.0f} s). Ctrl-C stops it.\n\n", "bold")
    for name, value in (
        ("site", welcome.site),
        ("bots dial in at", welcome.gateway),
        ("bots hosted here", welcome.hosted),
        ("staff pages", f"{welcome.site}/staff/   {welcome.admin} / {password}"),
        ("logs", welcome.logs),
    ):
        text.append(f"  {name:17}", "dim").append(f"{value}\n")
    text.append("\nA bot of your own, ready to play (edit the file, it is short):\n\n")
    # The token is not an option, because every user of the machine can see the command lines of all processes.
    return text.append(f"  export ARENA_TOKEN={welcome.token}\n  {welcome.command}\n", "bold")


def _sentence(matches: MatchStatus) -> str:
    aborted = f", {matches.aborted} aborted" if matches.aborted else ""
    return f"matches: {matches.scheduled} scheduled, {matches.running} running, {matches.finished} finished{aborted}"


def _facts(process: Process) -> dict[str, Any]:
    return {
        "name": process.service.name,
        "state": str(process.state),
        "pid": process.pid,
        "address": process.service.address,
        "restarts": process.restarts,
    }


def _print(document: dict[str, Any]) -> None:
    # One write: with PYTHONUNBUFFERED, another line may come between the text and the end of a line.
    print(json.dumps(document, ensure_ascii=False) + "\n", end="", flush=True)
