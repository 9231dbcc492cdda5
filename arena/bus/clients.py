"""The Redis clients of a bus, blocking and for asyncio: all that differs between `sync` and `aio`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.retry import Retry

from arena.bus import codec

T = TypeVar("T")

Work: TypeAlias = Callable[[], T]
AsyncWork: TypeAlias = Callable[[], Awaitable[T]]
"""Commands for Redis that a bus tries again."""

# redis-py never tries again by itself: the bus does.
_COMMANDS = {
    "timeout": codec.SEND_TIMEOUT_S,
    "socket_timeout": codec.SEND_TIMEOUT_S,
    "socket_connect_timeout": codec.SEND_TIMEOUT_S,
}
_READS = {"socket_timeout": codec.READ_TIMEOUT_S}


def clients(url: str, max_connections: int) -> tuple[Any, Any]:
    """A client for commands, and one for blocking reads, which never delay a send."""
    retry = Retry(NoBackoff(), 0)
    pool = redis.BlockingConnectionPool
    commands = pool.from_url(url, max_connections=max_connections, retry=retry, **_COMMANDS)
    reads = pool.from_url(url, max_connections=max_connections, retry=retry, timeout=5, **_READS)
    return redis.Redis(connection_pool=commands), redis.Redis(connection_pool=reads)


def async_clients(url: str, max_connections: int) -> tuple[Any, Any]:
    """The same for asyncio. The connections for reads are not bounded: each watched match takes one."""
    retry = AsyncRetry(NoBackoff(), 0)
    commands = redis.asyncio.BlockingConnectionPool.from_url(
        url, max_connections=max_connections, retry=retry, **_COMMANDS
    )
    reads = redis.asyncio.ConnectionPool.from_url(url, retry=retry, **_READS)
    return redis.asyncio.Redis(connection_pool=commands), redis.asyncio.Redis(connection_pool=reads)
