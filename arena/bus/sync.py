# Generated from aio.py by `make bus`; do not edit.
"""The bus: mailboxes, presence, wake-ups.

`arena.bus.aio` is for asyncio (gateways, live pages). `arena.bus.sync` is the same with blocking calls, and safe for
many threads (workers, tasks, commands). `make bus` generates it from this module.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Mapping, Sequence
from typing import Self, TypeVar

import structlog
from redis.exceptions import NoScriptError, RedisError

from arena.bus import codec, keys
from arena.bus.clients import Work, clients
from arena.bus.envelopes import (
    Evict,
    FromBot,
    Presence,
    ToBot,
    decode_from_bot,
    decode_to_gateway,
    encode_from_bot,
    encode_presence,
    encode_to_gateway,
)
from arena.bus.errors import BusError, BusUnavailable, MailboxFull
from arena.bus.exchanges import Exchange

log = structlog.get_logger(__name__)

T = TypeVar("T")


class Bus:
    """The bus over one Redis; one for a process (or an event loop) is enough.

    A send raises `MailboxFull`, or `BusUnavailable` if Redis stays unavailable. The first sends of an outage are
    retried for `codec.PATIENCE_S`; later ones fail at once. A receive waits until an outage is over, counts it in
    `outages`, and returns as soon as Redis is back.

    Around an outage envelopes may be lost or arrive twice. This does no harm: asks and answers are identified by their
    index, and messages from gateways to workers by their number.
    """

    def __init__(self, url: str, *, mailbox_limit: int = keys.MAILBOX_LIMIT, max_connections: int = 16) -> None:
        self.outages = 0
        """Number of times a receive lost Redis. Envelopes may have been lost as well: send pending ones again."""
        self._mailbox_limit = mailbox_limit
        self._outage = codec.Outage()
        self._redis, self.reading = clients(url, max_connections)
        """Clients for commands, and for blocking reads (`arena.bus.watch` has its subscriptions there)."""
        self._exchange, self._read = Exchange(self._redis), Exchange(self.reading)
        """Fast paths for the sends and reads of every decision."""

    # Mailboxes

    def send_to_gateway(self, gateway: str, *envelopes: ToBot | Evict) -> None:
        """Put envelopes into the mailbox of a gateway, in one round trip."""
        self._send(keys.gateway_key(gateway), [encode_to_gateway(envelope) for envelope in envelopes])

    def send_to_worker(self, worker: str, *envelopes: FromBot) -> None:
        """Put envelopes into the mailbox of a worker, in one round trip."""
        self._send(keys.worker_key(worker), [encode_from_bot(envelope) for envelope in envelopes])

    def post(self, mail: Mapping[str, Sequence[ToBot]], wakes: Collection[str]) -> dict[str, BusError]:
        """Put envelopes into the mailboxes of gateways and wake the readers of matches (`wake`), in one round trip.

        Return the error of each gateway that did not get its envelopes. Never raise.
        """
        pushes = {
            keys.gateway_key(to): [encode_to_gateway(envelope) for envelope in envelopes]
            for to, envelopes in mail.items()
        }
        try:
            taken = self._patiently(lambda: self._push(pushes, [keys.wake_channel(name) for name in wakes]))
        except BusUnavailable as error:
            return dict.fromkeys(mail, error)
        return {
            to: MailboxFull(mailbox, self._mailbox_limit)
            for to, mailbox, is_taken in zip(mail, pushes, taken, strict=True)
            if not is_taken
        }

    def receive_for_gateway(self, gateway: str, timeout: float) -> list[ToBot | Evict]:
        """Return all envelopes that wait for a gateway, or the next one.

        Return none after `timeout` seconds or an outage.
        """
        return codec.decode_all(self._pop(keys.gateway_key(gateway), timeout), decode_to_gateway)

    def receive_for_worker(self, worker: str, timeout: float) -> list[FromBot]:
        """Return all envelopes that wait for a worker, or the next one.

        Return none after `timeout` seconds or an outage.
        """
        return codec.decode_all(self._pop(keys.worker_key(worker), timeout), decode_from_bot)

    # Presence

    def announce(self, *presences: Presence) -> None:
        """Publish these presences; each lasts 15 s."""

        def announce() -> None:
            with self._redis.pipeline(transaction=False) as pipe:
                for presence in presences:
                    pipe.set(keys.session_key(presence.id), encode_presence(presence), ex=keys.PRESENCE_TTL_S)
                    pipe.sadd(keys.SESSIONS, presence.id)
                pipe.expire(keys.SESSIONS, keys.PRESENCE_TTL_S)
                pipe.execute()

        self._patiently(announce)

    def withdraw(self, presence: Presence) -> None:
        """Remove a presence, unless another gateway has announced the same session since."""
        present = self.presence(presence.id)
        if present is None or present.gateway != presence.gateway:
            return

        def withdraw() -> None:
            with self._redis.pipeline(transaction=False) as pipe:
                pipe.delete(keys.session_key(presence.id))
                pipe.srem(keys.SESSIONS, presence.id)
                pipe.execute()

        self._patiently(withdraw)

    def presence(self, session: str) -> Presence | None:
        """Return the presence with this id, if a gateway holds that bot process; None otherwise."""
        value = self._patiently(lambda: self._redis.get(keys.session_key(session)), writes=False)
        presences = codec.decode_presences([value])
        return presences[0] if presences else None

    def presences(self) -> list[Presence]:
        """Return all bot processes that gateways hold, in the order of their ids."""

        def values() -> list[bytes | None]:
            ids = self._redis.smembers(keys.SESSIONS)
            return self._redis.mget([keys.session_key(id_.decode()) for id_ in ids]) if ids else []

        return codec.decode_presences(self._patiently(values, writes=False))

    def check_writes(self) -> None:
        """Raise `BusUnavailable` if Redis refuses writes. Nobody can announce a presence then, so a missing one does
        not mean absence.
        """
        self._patiently(lambda: self._redis.set(keys.WRITTEN, b"", ex=keys.PRESENCE_TTL_S))

    def expire_presences(self) -> None:
        """Remove expired presences from their index. Shorten those that last longer than a presence can, because the
        clock of Redis was set back since they were announced. Somebody has to call this every few seconds.
        """
        limits = (keys.SESSIONS, keys.session_key(""), keys.PRESENCE_TTL_S * 1000)
        self._patiently(lambda: self._redis.eval(codec.EXPIRE, 1, *limits))

    # Wake-ups

    def wake(self, name: str) -> None:
        """Notify the live readers of a match (its id) or of an event (`event:` and its slug) that there is something
        new.

        Never raise: readers also poll.
        """
        try:
            self._outage.check()
            self._redis.publish(keys.wake_channel(name), b"")
        except (BusUnavailable, RedisError, OSError) as error:
            log.debug("wake_lost", name=name, error=str(error))

    # Life

    def ping(self) -> None:
        """Raise `BusUnavailable` unless Redis answers."""
        self._patiently(self._redis.ping, writes=False)

    def close(self) -> None:
        """Close all connections."""
        for client in (self._redis, self.reading):
            client.connection_pool.disconnect()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _send(self, mailbox: str, values: Sequence[bytes]) -> None:
        if values and not all(self._patiently(lambda: self._push({mailbox: values}))):
            raise MailboxFull(mailbox, self._mailbox_limit)

    def _push(self, mail: Mapping[str, Sequence[bytes]], channels: Sequence[str] = ()) -> list[bool]:
        """Push values to mailboxes and publish to channels. Return which mailboxes have accepted their values."""
        pushes = [(1, mailbox, keys.MAILBOX_TTL_S, self._mailbox_limit, *values) for mailbox, values in mail.items()]
        commands = [("EVALSHA", codec.PUSH_SHA, *arguments) for arguments in pushes]
        wakes = [("PUBLISH", channel, b"") for channel in channels]
        replies = (self._exchange(*commands, *wakes))[: len(pushes)]
        if any(isinstance(reply, NoScriptError) for reply in replies):
            # If some have their values already, the script was loaded in between: those values arrive twice.
            replies = self._exchange(*(("EVAL", codec.PUSH, *arguments) for arguments in pushes))
        return [bool(reply) for reply in codec.checked(replies)]

    def _patiently(self, work: Work[T], *, writes: bool = True) -> T:
        """Run a command, and retry it during an outage for as long as `Outage` allows; then raise `BusUnavailable`."""
        while True:
            self._outage.check(writes=writes)
            try:
                done = work()
            except codec.OUTAGES as error:
                time.sleep(self._outage.failed(error))
            else:
                self._outage.is_over(writes=writes)
                return done

    def _pop(self, mailbox: str, timeout: float) -> list[bytes]:
        deadline = time.monotonic() + timeout
        failures = 0
        rest = ("LPOP", mailbox, codec.BATCH - 1)
        while True:
            try:
                left = deadline - time.monotonic()
                if is_short := left <= 0 or failures > 0:
                    replies = self._read(rest)
                else:
                    # Both in one round trip: Redis runs the second one when the first one, which blocks, has its
                    # value.
                    first = ("BLPOP", mailbox, max(0.01, min(left, codec.LONGEST_BLOCK_S)))
                    replies = self._read(first, rest)
                *popped, more = codec.checked(replies)
                self._outage.is_over(writes=False)
                items = [*(reply[1] for reply in popped if reply is not None), *(more or ())]
                if items or is_short:
                    return items
            except codec.OUTAGES as error:
                self.outages += 1
                failures += 1
                left = deadline - time.monotonic()
                self._outage.noticed(error)
                if left <= 0:
                    return []
                time.sleep(min(left, codec.pause_after(failures)))
