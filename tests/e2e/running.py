"""An arena as its user starts it: the command, as a process, and its output."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import threading
import urllib.error
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Self

from arena.host.places import Places
from tests.e2e.processes import descendants, living
from tests.kit.arena.database import empty_sqlite, using
from tests.kit.until import until

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [str(Path(sys.executable).with_name("arena"))]
START_S = 500.0
FEW_MATCHES = {"ARENA_MATCHES": "1"}
"""House bots use all the processor time, and with few matches at a time the first one ends sooner."""
LOOK_S = 1.0
"""Seconds between two requests for pages, which the site has to make each time."""


def environment(var: Path, **more: str) -> dict[str, str]:
    """Return the environment for processes of an arena with its state in `var`, whatever pytest's own environment is.

    Stories are off unless a test asks for them, because they take a third of a processor.
    """
    inherited = {name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "REDIS_URL")}
    return {**inherited, "ARENA_VAR": str(var), "ARENA_STORY_SECONDS": "0", **more}


class RunningArena:
    """`arena up --json`; use it as a context manager. If one of its processes outlives it, the test fails.

    Its database has its tables already, unless it begins with nothing.
    """

    def __init__(
        self, var: Path, *options: str, with_nothing: bool = False, before: Sequence[str] = (), **more: str
    ) -> None:
        self.var = var
        self.with_nothing = with_nothing
        self.environment = environment(var, **more)
        self.events: list[dict[str, Any]] = []
        self._command = [*before, *COMMAND, "up", "--json", *options]

    def __enter__(self) -> Self:
        places = Places(self.var)
        if not (self.with_nothing or "DATABASE_URL" in self.environment or places.database.exists()):
            self.var.mkdir(mode=0o700, exist_ok=True)
            empty_sqlite(places.database)
        self.process = subprocess.Popen(
            self._command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            left = descendants(self.process.pid)
            self.stop()
            assert not living(left)

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                event = {"event": "complaint", "text": line.rstrip()}
            self.events.append(event)

    def wait_for(self, event: str, timeout: float = START_S, **facts: Any) -> dict[str, Any]:
        """Return the first event with these facts; a fact may be a function of the value."""

        def look() -> dict[str, Any] | None:
            for one in list(self.events):
                if one["event"] == event and all(_fits(one.get(name), fact) for name, fact in facts.items()):
                    return one
            assert self.process.poll() is None, f"it has ended: {self.events[-5:]}"
            return None

        try:
            return until(look, f"{event} {sorted(facts)}", timeout, every=0.1)
        except AssertionError as error:
            raise AssertionError(f"{error}; the last: {self.events[-3:]}\n{self.log_tails()}") from None

    def wait_ready(self) -> dict[str, Any]:
        """Return the event with addresses and secrets."""
        return self.wait_for("ready")

    def state(self, name: str) -> dict[str, Any]:
        """Return the last report about a process."""
        return [event for event in self.events if event["event"] == "process" and event["name"] == name][-1]

    def stop(self, number: int = signal.SIGTERM, timeout: float = 120) -> int:
        """Stop it as its user does, and return its exit code. It is killed on a timeout."""
        self.process.send_signal(number)
        try:
            self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(10)
            raise AssertionError(f"it does not stop: {self.events[-5:]}\n{self.log_tails()}") from None
        finally:
            self._reader.join(10)
        return self.process.returncode

    def run(self, *arguments: str, timeout: float = 180, **more: str) -> str:
        """Return the output of another `arena` command on this arena's database."""
        done = subprocess.run(
            [*COMMAND, *arguments], cwd=ROOT, env={**self.environment, **more},
            capture_output=True, text=True, timeout=timeout, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout.strip()

    @contextmanager
    def database(self) -> Iterator[None]:
        """Use its database in this process's Django (which tests allow with `django_db_blocker`), instead of a
        command."""
        with using(self.environment.get("DATABASE_URL") or f"sqlite:///{Places(self.var).database}"):
            yield

    def log_tails(self) -> str:
        """Return the ends of all logs, for the message of a failed test."""
        return "\n".join(
            f"--- {log.name}\n" + "\n".join(log.read_text(errors="replace").splitlines()[-12:])
            for log in sorted((self.var / "log").glob("*.log"))
        )


class Site:
    """The pages of an arena, as text."""

    def __init__(self, address: str) -> None:
        self.address = address

    def page(self, path: str) -> str:
        with urllib.request.urlopen(self.address + path, timeout=120) as answer:
            return str(answer.read().decode())

    def matches(self, path: str = "/matches/") -> list[str]:
        """Return the linked matches of a page, in its order; on this one the newest come first."""
        return list(dict.fromkeys(re.findall(r'href="/matches/(\w+)/"', self.page(path))))

    def replay(self, match_id: str) -> dict[str, Any] | None:
        """Return the replay of a match; `None` before its end."""
        return self._document(f"/matches/{match_id}/replay.json")

    def has_begun(self, match_id: str) -> bool:
        """Return whether something was decided in a match."""
        return self._document(f"/matches/{match_id}/position.json") is not None

    def _document(self, path: str) -> dict[str, Any] | None:
        """Return a JSON document; `None` if there is none yet."""
        try:
            document: dict[str, Any] = json.loads(self.page(path))
        except urllib.error.HTTPError as error:
            if error.code != 404:
                raise
            return None
        return document


@contextmanager
def bot_process(command: list[str], environment: dict[str, str], log: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Run a bot. It is killed at the end if it does not end by itself."""
    with log.open("wb") as out:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=out)
    try:
        yield process
    finally:
        process.kill()
        process.wait(10)


def _fits(value: Any, fact: Any) -> bool:
    return bool(fact(value)) if callable(fact) else bool(value == fact)
