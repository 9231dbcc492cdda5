"""A small pool of database connections that the threads of a worker process share.

Django gives each thread a connection of its own and keeps it. The threads of a worker mostly do other things.
Therefore a thread borrows a connection for one action and returns it.
"""

from __future__ import annotations

from collections.abc import Callable
from queue import LifoQueue
from typing import ParamSpec, TypeVar

from django.db import Error, connections
from django.db.backends.base.base import BaseDatabaseWrapper

P = ParamSpec("P")
T = TypeVar("T")

ALIAS = "default"


NO_CHECKPOINTS = "PRAGMA wal_autocheckpoint=0;"
"""For SQLite: commits of the connection never wait for the disk. Somebody else has to call `checkpoint`."""


class Pool:
    """A pool of at most `size` connections, opened when first needed. Call it with an action and its arguments.

    `sqlite` is executed first on each SQLite connection, in addition to the settings' own commands.
    """

    def __init__(self, size: int = 8, *, sqlite: str = "") -> None:
        self._sqlite = sqlite
        # Last in, first out: a quiet worker reuses one connection.
        self._free: LifoQueue[BaseDatabaseWrapper | None] = LifoQueue()
        for _ in range(size):
            self._free.put(None)

    def __call__(self, action: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run the action on one of the connections.

        A connection that fails is closed; the next action opens it again.
        """
        connection = self._free.get()
        try:
            if connection is None:
                connection = self._new()
            # A thread may already have a connection: its own (in a test), or that of an enclosing action.
            previous = next((own for own in connections.all(initialized_only=True) if own.alias == ALIAS), None)
            connections[ALIAS] = connection
            try:
                return action(*args, **kwargs)
            except Error:
                connection.close()
                raise
            finally:
                if previous is None:
                    del connections[ALIAS]
                else:
                    connections[ALIAS] = previous
        finally:
            self._free.put(connection)

    def _new(self) -> BaseDatabaseWrapper:
        made = connections.create_connection(ALIAS)
        made.inc_thread_sharing()
        if self._sqlite and made.vendor == "sqlite":
            options = made.settings_dict["OPTIONS"]
            first = options.get("init_command", "") + self._sqlite
            made.settings_dict = {**made.settings_dict, "OPTIONS": {**options, "init_command": first}}
        return made

    def close(self) -> None:
        """Close the connections that are not in use."""
        for connection in [self._free.get_nowait() for _ in range(self._free.qsize())]:
            if connection is not None:
                connection.close()
            self._free.put(connection)


def checkpoint() -> None:
    """Make SQLite move its log into its file, and wait for the disk.

    Nobody else waits meanwhile (a passive checkpoint).
    """
    own = connections[ALIAS]
    if own.vendor == "sqlite":
        with own.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
