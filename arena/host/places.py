"""Where an arena writes. Every file that one of its processes makes is named here, and nowhere else.

Django-free: `arena up` asks before there are settings.
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
"""The kernel takes 107 bytes, and Redis makes no good error of a longer one."""


def state_directory() -> Path:
    """ARENA_VAR, else `var` in the checkout; of an installed package, `var` where it is started."""
    if chosen := os.environ.get("ARENA_VAR"):
        return Path(chosen).resolve()
    return (ROOT if (ROOT / "pyproject.toml").exists() else Path.cwd()) / "var"


@dataclass(frozen=True)
class Places:
    """The files of one arena on this machine, all of them in its directory of state.

    | place | written by | without it |
    |---|---|---|
    | `database` | every process, where the database is SQLite | the process does not start |
    | `secret_key` | the first process, where ARENA_SECRET_KEY is not set | sessions end with the process |
    | `signing_key` | the first worker, where ARENA_SIGNING_KEY is not set | no match ends |
    | `frames` | the site: frames of replays, a cache | each page computes them |
    | `data` | the upkeep's worker; the site sends it | none is published, and what is published is not found |
    | `emails` | the site, where ARENA_EMAIL_URL is not set | emails are dropped |
    | `beat_schedule` | beat: when it sent what | beat does not start |
    | `heartbeat()` | workers, beat and house bots, where `arena up` runs them | nobody sees that they hang |
    | `logs`, `accounts`, `lock`, `redis_socket()` | `arena up` | it does not start |
    """

    root: Path

    @property
    def database(self) -> Path:
        """SQLite's file; beside it there are those of its write-ahead log."""
        return self.root / "arena.sqlite3"

    @property
    def secret_key(self) -> Path:
        """Django's key."""
        return self.root / "secret-key"

    @property
    def signing_key(self) -> Path:
        """The private key that records are signed with."""
        return self.root / "signing-key"

    @property
    def frames(self) -> Path:
        """Directory of the cache of frames."""
        return self.root / "frames"

    @property
    def data(self) -> Path:
        """Directory of the files of open data: they can be made again from the database."""
        return self.root / "data"

    @property
    def emails(self) -> Path:
        """Directory of the emails that no server takes: they hold links that let somebody in."""
        return self.root / "emails"

    @property
    def beat_schedule(self) -> Path:
        """Celery's schedule; its database library adds an ending."""
        return self.root / "celerybeat-schedule"

    @property
    def logs(self) -> Path:
        """Directory of the logs of the processes that `arena up` runs."""
        return self.root / "log"

    def heartbeat(self, process: str) -> Path:
        """Heartbeat of a process that `arena up` runs."""
        return self.root / "heartbeat" / process

    @property
    def accounts(self) -> Path:
        """Passwords and tokens that `arena up` made."""
        return self.root / "up.json"

    @property
    def lock(self) -> Path:
        """Held by the `arena up` that runs here."""
        return self.root / "up.lock"

    def redis_socket(self) -> Path:
        """Socket of the Redis of `arena up`: in the directory of state, or in one of ours with a short name.

        Raises OSError if that one cannot be made, or is not ours alone.
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

    def existing(self) -> Iterator[Path]:
        """What is there of all this; directories before what is in them."""
        yield from (path for path in (self.root, self.logs, self.frames, self.data) if path.is_dir())
        for pattern in ("arena.sqlite3*", "secret-key*", "signing-key*", "celerybeat-schedule*", "up.*", "log/*.log"):
            yield from sorted(self.root.glob(pattern))


def _fits(path: Path) -> bool:
    return len(os.fsencode(path)) <= LONGEST_SOCKET_NAME
