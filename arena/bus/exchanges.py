"""Several commands to Redis in one round trip, over a connection that is kept open; blocking, and for asyncio.

For a short command, redis-py takes longer than Redis and the network do: it goes through a pool, a retry and hooks for
observers. The arena's most frequent commands, a thousand a second, bypass that and use the connection directly. The
connection still connects, logs in and parses.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

from redis.exceptions import ResponseError

Command = Sequence[Any]
"""A command and its arguments."""


class Exchange:
    """Commands over the connections of a client, safe for many threads. One connection is kept for the next call."""

    def __init__(self, client: Any) -> None:
        self._pool = client.connection_pool
        self._kept: list[Any] = []

    def __call__(self, *commands: Command) -> list[Any]:
        """Return the replies in order. A `ResponseError` is returned as a reply; any other failure is raised."""
        try:
            connection = self._kept.pop()
        except IndexError:
            connection = self._pool.get_connection()
        try:
            connection.send_packed_command(connection.pack_commands(commands))
            replies = []
            for _ in commands:
                try:
                    replies.append(connection.read_response())
                except ResponseError as error:
                    replies.append(error)
        except BaseException:
            connection.disconnect()
            self._pool.release(connection)
            raise
        if self._kept or connection.should_reconnect():
            self._pool.release(connection)  # this closes a connection that must be made anew
        else:
            self._kept.append(connection)
        return replies


class AsyncExchange:
    """The same for asyncio."""

    def __init__(self, client: Any) -> None:
        self._pool = client.connection_pool
        self._kept: list[Any] = []

    async def __call__(self, *commands: Command) -> list[Any]:
        """Return the replies in order. A `ResponseError` is returned as a reply; any other failure is raised."""
        connection = self._kept.pop() if self._kept else await self._pool.get_connection()
        limit_s, connection.socket_timeout = connection.socket_timeout, None  # one timeout for all, instead of many
        try:
            async with asyncio.timeout(limit_s):
                await connection.send_packed_command(connection.pack_commands(commands))
                replies = []
                for _ in commands:
                    try:
                        replies.append(await connection.read_response())
                    except ResponseError as error:
                        replies.append(error)
        except BaseException:
            await connection.disconnect(nowait=True)
            connection.socket_timeout = limit_s
            await self._pool.release(connection)
            raise
        connection.socket_timeout = limit_s
        if self._kept or connection.should_reconnect():
            await self._pool.release(connection)
        else:
            self._kept.append(connection)
        return replies
