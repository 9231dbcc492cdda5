"""Locations of an arena's files. Every file that one of its processes makes is named here, and nowhere else.

This module does not need Django: `arena up` uses it before there are settings.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from arena.host.private import make_private_directory

ROOT = Path(__file__).resolve().parents[2]
LONGEST_SOCKET_NAME = 100
"""The kernel allows 107 bytes, and Redis gives no good error for a longer name."""


def state_directory() -> Path:
    """Return ARENA_VAR, or `var` in the checkout; for an installed package `var` in the working directory."""
    if chosen := os.environ.get("ARENA_VAR"):
        return Path(chosen).resolve()
    return (ROOT if (ROOT / "pyproject.toml").exists() else Path.cwd()) / "var"


@dataclass(frozen=True)
class Places:
    """The files of one arena on this machine, all of them in its state directory.

    | place | written by | without it |
    |---|---|---|
    | `database` | every process, if the database is SQLite | the process does not start |
    | `secret_key` | the first process, if ARENA_SECRET_KEY is not set | sessions end with the process |
    | `signing_key` | the first worker, if ARENA_SIGNING_KEY is not set | no match ends |
    | `frames` | the site: frames of replays, a cache | each page computes them |
    | `data` | the upkeep process; the site serves it | no data is published, and published data is not found |
    | `uploads` | the site: bodies of requests, until they are answered | no bot is handed in |
    | `emails` | the site, if ARENA_EMAIL_URL is not set | emails are dropped |
    | `heartbeat()` | workers and house bots that `arena up` runs | a hanging process is not detected |
    | `steps` | referees: the matches that each of them is working on | a match that kills its referee is never voided |
    | `runner` | the runner | images are fetched again; reports on seats are lost |
    | `logs`, `accounts`, `lock`, `redis_socket()` | `arena up` | it does not start |
    """

    root: Path

    @property
    def database(self) -> Path:
        """File of SQLite; the files of its write-ahead log are beside it."""
        return self.root / "arena.sqlite3"

    @property
    def secret_key(self) -> Path:
        """Django's secret key."""
        return self.root / "secret-key"

    @property
    def signing_key(self) -> Path:
        """The private key that signs records."""
        return self.root / "signing-key"

    @property
    def frames(self) -> Path:
        """Directory of the cache of frames."""
        return self.root / "frames"

    @property
    def data(self) -> Path:
        """Directory of the files of open data. They can be made again from the database."""
        return self.root / "data"

    @property
    def uploads(self) -> Path:
        """Directory of the bodies of uploads, until they are answered."""
        return self.root / "uploads"

    @property
    def emails(self) -> Path:
        """Directory of emails that are not sent to a server. They hold links that log somebody in."""
        return self.root / "emails"

    @property
    def steps(self) -> Path:
        """Directory of the referees' step files."""
        return self.root / "steps"

    @property
    def logs(self) -> Path:
        """Directory of the logs of processes that `arena up` runs."""
        return self.root / "log"

    def heartbeat(self, process: str) -> Path:
        """Return the heartbeat file of a process that `arena up` runs."""
        return self.root / "heartbeat" / process

    @property
    def accounts(self) -> Path:
        """Passwords and tokens that `arena up` made."""
        return self.root / "up.json"

    @property
    def lock(self) -> Path:
        """Lock held by the `arena up` that runs here."""
        return self.root / "up.lock"

    def redis_socket(self) -> Path:
        """Return the socket of `arena up`'s Redis: in the state directory, or in a private directory with a short name.

        Raises OSError if that directory cannot be made, or is not ours alone.
        """
        path = self.root / "redis.sock"
        if _fits(path):
            return path
        name = f"naqala-arena-{os.geteuid()}-{hashlib.sha256(os.fsencode(self.root)).hexdigest()[:12]}"
        runtime = os.environ.get("XDG_RUNTIME_DIR", "")
        has_runtime = os.path.isabs(runtime) and _fits(Path(runtime, name, path.name))
        base = Path(runtime if has_runtime else "/tmp")  # noqa: S108 - a short name; the directory in it is ours alone
        make_private_directory(base / name)
        return base / name / path.name

    @property
    def runner(self) -> Path:
        """Directory of the runner: images of bots, and reports that wait for a gateway.

        It is not in the state directory, which is closed to others: the users of sandboxes read their images.
        """
        name = f"naqala-runner-{os.geteuid()}-{hashlib.sha256(os.fsencode(self.root)).hexdigest()[:12]}"
        return Path("/var/tmp", name)  # noqa: S108 - the runner checks that it is ours

    def existing(self) -> Iterator[Path]:
        """Yield the existing files and directories; a directory comes before its files."""
        yield from (path for path in (self.root, self.logs, self.frames, self.data, self.steps) if path.is_dir())
        for pattern in ("arena.sqlite3*", "secret-key*", "signing-key*", "up.*", "log/*.log"):
            yield from sorted(self.root.glob(pattern))


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= LONGEST_SOCKET_NAME
