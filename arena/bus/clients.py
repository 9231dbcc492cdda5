"""The Redis clients of a bus, blocking and for asyncio: the only difference between `sync` and `aio`.

If the address is of Sentinels, every new connection asks them for the master. A connection on which Redis has refused
a command because it is not the master is not used again: there is probably a new master.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar

import redis
import redis.asyncio
from redis.asyncio.retry import Retry as AsyncRetry
from redis.asyncio.sentinel import Sentinel as AsyncSentinel
from redis.backoff import NoBackoff
from redis.exceptions import ReadOnlyError, ResponseError
from redis.retry import Retry
from redis.sentinel import Sentinel

from arena.bus import codec
from arena.host.redis_address import SENTINEL, SentinelAddress
from arena.host.sockets import keepalive_options

T = TypeVar("T")

Work: TypeAlias = Callable[[], T]
AsyncWork: TypeAlias = Callable[[], Awaitable[T]]
"""Commands for Redis that a bus retries."""

# redis-py never retries by itself: the bus does.
_COMMANDS = {
    "timeout": codec.SEND_TIMEOUT_S,
    "socket_timeout": codec.SEND_TIMEOUT_S,
    "socket_connect_timeout": codec.SEND_TIMEOUT_S,
}
_READS = {"socket_timeout": codec.READ_TIMEOUT_S, "socket_connect_timeout": codec.SEND_TIMEOUT_S}


def clients(url: str, max_connections: int) -> tuple[Any, Any]:
    """A client for commands, and one for blocking reads, which never delay a send."""
    where = _connection_parameters(url, Sentinel, _MasterConnection, Retry(NoBackoff(), 0))
    pool = redis.BlockingConnectionPool
    commands = _pool(pool, url, where, max_connections=max_connections, **_COMMANDS)
    reads = _pool(pool, url, where, max_connections=max_connections, **{"timeout": 5, **_READS})
    return redis.Redis(connection_pool=commands), redis.Redis(connection_pool=reads)


def async_clients(url: str, max_connections: int) -> tuple[Any, Any]:
    """Return the same clients for asyncio.

    Connections for reads are not bounded, because each watched match takes one.
    """
    where = _connection_parameters(url, AsyncSentinel, _AsyncMasterConnection, AsyncRetry(NoBackoff(), 0))
    commands = _pool(redis.asyncio.BlockingConnectionPool, url, where, max_connections=max_connections, **_COMMANDS)
    reads = _pool(redis.asyncio.ConnectionPool, url, where, **_READS)
    return redis.asyncio.Redis(connection_pool=commands), redis.asyncio.Redis(connection_pool=reads)


def _pool(kind: Any, url: str, where: dict[str, Any], **more: Any) -> Any:
    return kind(**where, **more) if url.startswith(SENTINEL) else kind.from_url(url, **where, **more)


def _connection_parameters(url: str, sentinel: Any, connection: Any, retry: Any) -> dict[str, Any]:
    """Return the parameters of connections to a Redis, apart from their timeouts."""
    if url.startswith("unix://"):
        return {"retry": retry}
    parameters = {"retry": retry, "socket_keepalive": True, "socket_keepalive_options": keepalive_options()}
    if not url.startswith(SENTINEL):
        return parameters
    address = SentinelAddress.parse(url)
    times = {"socket_timeout": codec.SEND_TIMEOUT_S, "socket_connect_timeout": codec.SEND_TIMEOUT_S}
    own = {**times, "retry": retry, "password": address.sentinel_password or None}
    sentinels = sentinel(address.hosts, sentinel_kwargs=own)
    return parameters | {
        "connection_class": connection,
        "sentinels": sentinels,
        "master": address.master,
        "db": address.db,
        "username": address.username or None,
        "password": address.password or None,
    }


def _is_of_a_replica(error: ResponseError) -> bool:
    """Return whether Redis refused a command because it is no longer the master, or has lost its replicas.

    The latter is `min-replicas-to-write`. In the error of a script the code stands within the message.
    """
    return isinstance(error, ReadOnlyError) or any(word in str(error) for word in ("NOREPLICAS", "READONLY"))


class _MasterConnection(redis.Connection):
    """A connection to the Redis that is the master when the connection is made."""

    def __init__(self, *, sentinels: Any, master: str, **more: Any) -> None:
        super().__init__(**more)  # type: ignore[no-untyped-call]
        self._sentinels = sentinels
        self._master = master

    def _connect(self) -> Any:
        try:
            self.host, self.port = self._sentinels.discover_master(self._master)
        finally:
            for each in self._sentinels.sentinels:
                each.connection_pool.disconnect()
        return super()._connect()  # type: ignore[no-untyped-call]

    def read_response(self, *arguments: Any, **more: Any) -> Any:
        try:
            return super().read_response(*arguments, **more)
        except ResponseError as error:
            if _is_of_a_replica(error):
                self.mark_for_reconnect()  # type: ignore[no-untyped-call]
            raise


class _AsyncMasterConnection(redis.asyncio.Connection):
    """The same for asyncio."""

    def __init__(self, *, sentinels: Any, master: str, **more: Any) -> None:
        super().__init__(**more)
        self._sentinels = sentinels
        self._master = master

    async def _connect(self) -> Any:
        try:
            self.host, self.port = await self._sentinels.discover_master(self._master)
        finally:
            for each in self._sentinels.sentinels:
                await each.connection_pool.disconnect()
        return await super()._connect()  # type: ignore[no-untyped-call]

    async def read_response(self, *arguments: Any, **more: Any) -> Any:
        try:
            return await super().read_response(*arguments, **more)
        except ResponseError as error:
            if _is_of_a_replica(error):
                self.mark_for_reconnect()  # type: ignore[no-untyped-call]
            raise
