"""The tasks that wait for Redis: envelopes to workers, envelopes to this gateway, and presence."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Iterable, Sequence
from itertools import count
from typing import Final, Protocol

import structlog
from msgspec.structs import replace

from arena.bus import AsyncBus, BusUnavailable, Evict, FromBot, MailboxFull, Presence, ToBot
from arena.bus.keys import ANNOUNCE_EVERY_S
from arena.gateway import metrics
from arena.gateway.limits import GatewayLimits

log = structlog.get_logger(__name__)

ANNOUNCED_TOGETHER: Final = 50
"""Number of sessions announced at once. A batch of a thousand takes so long that it delays their messages."""


class Sessions(Protocol):
    """The methods of `SessionRegistry` that a bus link uses."""

    def receive(self, envelope: ToBot | Evict, /) -> None:
        """Handle an envelope for this gateway."""

    def sweep(self) -> None:
        """Forget what was idle for too long."""

    def ids(self) -> Sequence[str]:
        """Return the ids of all sessions."""

    def presence(self, session_id: str, /) -> Presence | None:
        """Return the presence to announce for one session; `None` if the gateway does not hold it."""


class SessionLink(Protocol):
    """The methods of `BusLink` that a registry of sessions uses. None of them waits."""

    def send(self, worker: str, message: FromBot, /) -> None:
        """Queue an envelope for a worker."""

    def arrived(self, session_id: str, /) -> None:
        """Announce a session with a new stream soon."""

    def changed(self, session_id: str, /) -> None:
        """Announce a session soon."""

    def gone(self, presence: Presence, /) -> None:
        """Withdraw the presence of a session soon."""


class BusLink:
    """The connection of one gateway to the bus."""

    def __init__(self, bus: AsyncBus, gateway: str, limits: GatewayLimits) -> None:
        self._bus = bus
        self._gateway = gateway
        self._limits = limits
        self._outgoing: deque[tuple[str, FromBot]] = deque()
        self._numbers = count(1)
        self._has_outgoing = asyncio.Event()
        self._is_empty = asyncio.Event()
        self._is_empty.set()
        self._arrived: set[str] = set()
        self._changed: set[str] = set()
        self._gone: dict[str, Presence] = {}
        self._has_news = asyncio.Event()
        self._publishing = asyncio.Lock()
        self._next_full = 0.0

    def send(self, worker: str, message: FromBot) -> None:
        """Number an envelope and queue it for a worker.

        If a long outage of Redis fills the queue, the oldest envelope is dropped. The worker asks again.
        """
        if len(self._outgoing) >= self._limits.bus_backlog:
            self._outgoing.popleft()
            metrics.BUS_DROPPED.labels("backlog").inc()
        self._outgoing.append((worker, replace(message, number=next(self._numbers))))
        self._has_outgoing.set()
        self._is_empty.clear()

    def arrived(self, session_id: str) -> None:
        """Announce a session with a new stream soon, and evict it from any other gateway that still holds it."""
        self._arrived.add(session_id)
        self.changed(session_id)

    def changed(self, session_id: str) -> None:
        """Announce a session soon."""
        self._changed.add(session_id)
        self._has_news.set()

    def gone(self, presence: Presence) -> None:
        """Withdraw the presence of a session soon."""
        self._gone[presence.id] = presence
        self._has_news.set()

    async def flush(self) -> None:
        """Wait until all queued envelopes are on the bus."""
        await self._is_empty.wait()

    async def forward(self) -> None:
        """Send queued envelopes to the workers, forever. All envelopes for one worker go in one round trip."""
        while True:
            await self._has_outgoing.wait()
            batch = list(self._outgoing)
            by_worker: dict[str, list[FromBot]] = {}
            for worker, message in batch:
                by_worker.setdefault(worker, []).append(message)
            self._outgoing.clear()
            self._has_outgoing.clear()
            sends = [self._deliver(worker, messages) for worker, messages in by_worker.items()]
            if len(sends) == 1:
                await sends[0]
            else:
                await asyncio.gather(*sends)
            if not self._outgoing:
                self._is_empty.set()

    async def fetch(self, sessions: Sessions) -> None:
        """Receive the envelopes for this gateway, forever."""
        outages = 0
        while True:
            envelopes = await self._bus.receive_for_gateway(self._gateway, timeout=5.0)
            if self._bus.outages > outages:
                outages = self._bus.outages
                # Redis may be empty after an outage, so announce all sessions at once.
                self._next_full = 0.0
                self._has_news.set()
            for envelope in envelopes:
                try:
                    sessions.receive(envelope)
                except Exception:
                    # A bug in handling one envelope must not stop the delivery to all other bots.
                    log.exception(
                        "envelope_not_handled", presence=envelope.session, match=getattr(envelope, "match", "")
                    )

    async def announce(self, sessions: Sessions) -> None:
        """Keep the presence of all sessions fresh, forever. Announce changes at once, and everything every five
        seconds."""
        while True:
            try:
                sessions.sweep()
                now = time.monotonic()
                if now >= self._next_full:
                    self._next_full = now + ANNOUNCE_EVERY_S
                    await self._announce_all(sessions)
                await self.publish_news(sessions)
            except BusUnavailable as error:
                self._next_full = time.monotonic() + 0.2
                log.debug("presence_not_announced", error=str(error))
            except Exception:
                log.exception("announcing_failed")
                await asyncio.sleep(1.0)
            try:
                async with asyncio.timeout(max(0.0, self._next_full - time.monotonic())):
                    await self._has_news.wait()
            except TimeoutError:
                pass

    async def _announce_all(self, sessions: Sessions) -> None:
        """Announce all sessions in batches. Each batch reads its presences when its turn comes."""
        ids = sessions.ids()
        for first in range(0, max(1, len(ids)), ANNOUNCED_TOGETHER):
            await self._bus.announce(*self._presences(sessions, ids[first : first + ANNOUNCED_TOGETHER]))

    @staticmethod
    def _presences(sessions: Sessions, ids: Iterable[str]) -> list[Presence]:
        return [presence for id_ in ids if (presence := sessions.presence(id_)) is not None]

    async def publish_news(self, sessions: Sessions) -> None:
        """Announce changed sessions and withdraw those that are gone. Both are on the bus when this returns."""
        async with self._publishing:
            self._has_news.clear()
            gone, self._gone = self._gone, {}
            arrived, self._arrived = self._arrived, set()
            changed, self._changed = self._changed, set()
            try:
                await self._publish(sessions, gone, arrived, changed)
            except BaseException:
                # A lost withdrawal would leave a presence that no gateway holds.
                self._gone = gone | self._gone
                self._arrived |= arrived
                self._changed |= changed
                raise

    async def _publish(
        self, sessions: Sessions, gone: dict[str, Presence], arrived: set[str], changed: set[str]
    ) -> None:
        for presence in gone.values():
            if sessions.presence(presence.id) is None:
                await self._bus.withdraw(presence)
        elsewhere = {id_: await self._other_gateway(id_) for id_ in arrived}
        if news := self._presences(sessions, changed):
            await self._bus.announce(*news)
        for presence in news:
            # Evict after announcing: a worker that receives `moved` from the other gateway finds the session here.
            if gateway := elsewhere.get(presence.id):
                await self._deliver_evict(gateway, Evict(presence.id, self._gateway, presence.connected_at_ns))

    async def _other_gateway(self, session_id: str) -> str | None:
        presence = await self._bus.presence(session_id)
        return presence.gateway if presence is not None and presence.gateway != self._gateway else None

    async def _deliver(self, worker: str, messages: list[FromBot]) -> None:
        while True:
            try:
                await self._bus.send_to_worker(worker, *messages)
                return
            except MailboxFull as error:
                log.warning("worker_mailbox_full", worker=worker, dropped=len(messages), error=str(error))
                metrics.BUS_DROPPED.labels("mailbox").inc(len(messages))
                return
            except BusUnavailable as error:
                # The queue is bounded by `send`, and the bus has already logged the outage.
                log.debug(
                    "envelopes_wait", worker=worker, waiting=len(messages) + len(self._outgoing), error=str(error)
                )
                await asyncio.sleep(0.2)

    async def _deliver_evict(self, gateway: str, evict: Evict) -> None:
        try:
            await self._bus.send_to_gateway(gateway, evict)
        except MailboxFull as error:
            # Nobody reads that mailbox: the gateway is dead, and so is its stream.
            log.info("evict_not_delivered", gateway=gateway, error=str(error))
