"""The tasks that wait for Redis: mail to workers, mail for this gateway, presence. Nobody else here waits for it."""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Callable, Sequence

import structlog

from arena.bus import AsyncBus, BusUnavailable, Evict, FromBot, MailboxFull, Session, ToBot
from arena.bus.keys import ANNOUNCE_EVERY_S
from arena.gateway import metrics
from arena.gateway.limits import GatewayLimits

log = structlog.get_logger(__name__)


class Post:
    """The way of one gateway to and from the bus."""

    def __init__(self, bus: AsyncBus, gateway: str, limits: GatewayLimits) -> None:
        self.presence: Callable[[str | None], Sequence[Session]] = lambda session: ()
        """Set by the hub: what is to be announced of one session, or of all (None)."""
        self._bus = bus
        self._gateway = gateway
        self._limits = limits
        self._outgoing: deque[tuple[str, FromBot]] = deque()
        self._has_mail = asyncio.Event()
        self._is_empty = asyncio.Event()
        self._is_empty.set()
        self._arrived: set[str] = set()
        self._changed: set[str] = set()
        self._gone: dict[str, Session] = {}
        self._has_news = asyncio.Event()
        self._publishing = asyncio.Lock()
        self._next_full = 0.0

    def send(self, worker: str, message: FromBot) -> None:
        """Leave mail for a worker. If Redis is away for long the oldest is dropped: whoever misses it asks again."""
        if len(self._outgoing) >= self._limits.bus_backlog:
            self._outgoing.popleft()
            metrics.BUS_DROPPED.labels("backlog").inc()
        self._outgoing.append((worker, message))
        self._has_mail.set()
        self._is_empty.clear()

    def arrived(self, session: str) -> None:
        """This session has a new stream here; another gateway that holds it is to give it up."""
        self._arrived.add(session)
        self.changed(session)

    def changed(self, session: str) -> None:
        """Announce this session soon."""
        self._changed.add(session)
        self._has_news.set()

    def gone(self, session: Session) -> None:
        """This session is no longer here."""
        self._gone[session.id] = session
        self._has_news.set()

    async def flush(self) -> None:
        """Wait until all mail is out."""
        await self._is_empty.wait()

    async def forward(self) -> None:
        """Take mail to the workers, all that waits at once."""
        while True:
            await self._has_mail.wait()
            batch = list(self._outgoing)
            by_worker: dict[str, list[FromBot]] = {}
            for worker, message in batch:
                by_worker.setdefault(worker, []).append(message)
            self._outgoing.clear()
            self._has_mail.clear()
            sends = [self._deliver(worker, messages) for worker, messages in by_worker.items()]
            if len(sends) == 1:
                await sends[0]
            else:
                await asyncio.gather(*sends)
            if not self._outgoing:
                self._is_empty.set()

    async def fetch(self, receive: Callable[[ToBot | Evict], None]) -> None:
        """Hand over the mail of this gateway."""
        outages = 0
        while True:
            envelopes = await self._bus.receive_for_gateway(self._gateway, timeout=5.0)
            if self._bus.outages > outages:
                outages = self._bus.outages
                # Redis may have come back empty: be found again at once.
                self._next_full = 0.0
                self._has_news.set()
            for envelope in envelopes:
                try:
                    receive(envelope)
                except Exception:
                    # A bug in handling one message is no reason to leave all other bots without theirs.
                    log.exception("mail_not_handled", session=envelope.session)

    async def announce(self, sweep: Callable[[], None]) -> None:
        """Keep the presence of all sessions fresh: every five seconds, and changes at once."""
        while True:
            try:
                sweep()
                now = time.monotonic()
                if now >= self._next_full:
                    self._next_full = now + ANNOUNCE_EVERY_S
                    await self._bus.announce(*self.presence(None))
                await self.publish_news()
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

    async def publish_news(self) -> None:
        """Announce what has changed, and withdraw what is gone. When it returns, that is on the bus."""
        async with self._publishing:
            self._has_news.clear()
            gone, self._gone = self._gone, {}
            arrived, self._arrived = self._arrived, set()
            changed, self._changed = self._changed, set()
            try:
                await self._publish(gone, arrived, changed)
            except BusUnavailable:
                self._gone = gone | self._gone
                self._arrived |= arrived
                self._changed |= changed
                raise

    async def _publish(self, gone: dict[str, Session], arrived: set[str], changed: set[str]) -> None:
        for session in gone.values():
            if not self.presence(session.id):
                await self._bus.withdraw(session)
        elsewhere = {id_: await self._elsewhere(id_) for id_ in arrived}
        news = [session for id_ in changed for session in self.presence(id_)]
        if news:
            await self._bus.announce(*news)
        for session in news:
            # Announced first: a worker that hears "moved" from the other gateway finds the session here.
            if gateway := elsewhere.get(session.id):
                await self._deliver_evict(gateway, Evict(session.id, self._gateway, session.connected_at_ns))

    async def _elsewhere(self, session: str) -> str | None:
        present = await self._bus.session(session)
        return present.gateway if present is not None and present.gateway != self._gateway else None

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
                # What waits meanwhile is bounded by `send`. The bus has said that it is away.
                log.debug("mail_waits", worker=worker, waiting=len(messages) + len(self._outgoing), error=str(error))
                await asyncio.sleep(0.2)

    async def _deliver_evict(self, gateway: str, evict: Evict) -> None:
        try:
            await self._bus.send_to_gateway(gateway, evict)
        except MailboxFull as error:
            # Nobody reads there: that gateway is dead, and so is the stream it had.
            log.info("evict_not_delivered", gateway=gateway, error=str(error))
