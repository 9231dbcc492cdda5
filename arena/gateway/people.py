"""People at tables. They answer on the site, and a desk in a gateway speaks for them as for bots.

A desk holds the session of each person who sits at a table. It accepts the offer, reveals a nonce, and answers a
request as soon as the database has the person's answer. Several gateways agree through the database on who holds whom.
So a person's answer and seat outlive every process, and the session keeps its id at another gateway.
"""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple, Protocol

import structlog

from arena.bus import OFFER_INDEX, REVEAL_INDEX, AsyncBus, Presence, person_session, watch
from arena.bus.keys import PEOPLE
from arena.gateway.clock import ListeningClock
from arena.gateway.errors import GatewayRefusal
from arena.gateway.greeting import ALL_PLAYER_COUNTS
from arena.gateway.registry import SessionRegistry
from arena.gateway.seats import PendingAsk
from arena.gateway.session import BotSession
from arena.rules.components import EXPANSIONS
from arena.wire.v1.bot_pb2 import Accept, Answer, BotMessage, Reveal, ServerMessage

log = structlog.get_logger(__name__)

LOOK_EVERY_S: Final = 1.0
"""Maximum time between two looks into the database, because wake-ups can be lost."""
NONCE_BYTES: Final = 16
MATCHES_AT_ONCE: Final = 1
"""Number of matches that a person plays at a time."""


class SeatedPerson(NamedTuple):
    """A person whose seat this gateway holds."""

    version: int
    bot: int
    owner: int
    nonce_key: bytes
    """Secret from which the person's nonces follow."""


@dataclass(frozen=True)
class AskedDecision:
    """A decision that a person has been asked for."""

    match: str
    seat: int
    index: int


@dataclass(frozen=True)
class DeskNews:
    """What the database knows of the people of one gateway."""

    seated: Collection[SeatedPerson]
    answers: Mapping[AskedDecision, str] = field(default_factory=dict)
    """Actions by the decisions that were asked for. Those without an answer are left out. An empty one gives up."""


class People(Protocol):
    """The database of people at tables."""

    async def look(
        self, gateway: str, asked: Collection[AskedDecision], forfeited: Collection[tuple[int, str]]
    ) -> DeskNews | None:
        """Take the people whom no other gateway holds. Return all whom this gateway holds, and the answers.

        `forfeited`: versions of people, each with the match in which it has just forfeited. Return None, and note none
        of these, if the database is unavailable.
        """

    async def leave(self, gateway: str) -> None:
        """Give up all people of this gateway, so that another one takes them at once."""

    def close(self) -> None:
        """Release what is held."""


class PersonStream:
    """Stands for the stream of a bot: what is sent to the person comes to the desk. See `BotStream`."""

    def __init__(self, clock: ListeningClock, desk: PeopleDesk, nonce_key: bytes) -> None:
        self.opened_ns = clock.now()
        self.ended: asyncio.Future[GatewayRefusal | None] = asyncio.get_running_loop().create_future()
        self._clock = clock
        self._desk = desk
        self.nonce_key = nonce_key
        self._pings = 0
        self.session: BotSession | None = None

    def send(self, payload: bytes, ask: PendingAsk | None = None, ping: int = 0) -> None:
        """Pass a message to the desk, and start the person's clock if it is an ask."""
        if self.ended.done():
            return
        if ask is not None:
            ask.start(self._clock.now())
        # Not at once: the registry is still in the middle of what made it send this.
        asyncio.get_running_loop().call_soon(partial(self._desk.received, self, payload))

    def end(self, refusal: GatewayRefusal | None) -> None:
        """End. Only the first call counts."""
        if not self.ended.done():
            self.ended.set_result(refusal)

    def ask_sign(self) -> int:
        """Return the id of a ping, which the desk answers for the person."""
        self._pings += 1
        asyncio.get_running_loop().call_soon(partial(self._desk.ponged, self, self._pings))
        return self._pings

    def was_ponged(self, ping: int) -> bool:
        """Return whether there was such a ping."""
        return 0 < ping <= self._pings

    def network_ns(self) -> int:
        """Return 0: the clock runs on this machine."""
        return 0


class PeopleDesk:
    """The people whose seats one gateway holds."""

    def __init__(self, registry: SessionRegistry, people: People) -> None:
        self._registry = registry
        self._people = people
        self._streams: dict[int, PersonStream] = {}
        """Streams by version."""
        self._forfeited: set[tuple[int, str]] = set()
        """Forfeits that the database does not know yet: versions and matches."""
        self._is_due = asyncio.Event()
        self._looking = asyncio.Lock()

    async def run(self, bus: AsyncBus) -> None:
        """Serve the people, forever."""
        watching = asyncio.create_task(self._wake_up(bus))
        try:
            while True:
                await self._is_due.wait()
                self._is_due.clear()
                try:
                    async with self._looking:
                        await self._look()
                except Exception:
                    log.exception("people_not_served")
                    await asyncio.sleep(LOOK_EVERY_S)
        finally:
            watching.cancel()

    async def leave(self, bus: AsyncBus) -> None:
        """Take no more people, and let other gateways take those of this one. Call it when the registry drains."""
        async with self._looking:
            await self._people.leave(self._registry.gateway)
        await bus.wake(PEOPLE)

    def close(self) -> None:
        """Release the database."""
        self._people.close()

    async def _wake_up(self, bus: AsyncBus) -> None:
        async for _ in watch(bus, PEOPLE, look_every=LOOK_EVERY_S):
            self._is_due.set()

    async def _look(self) -> None:
        if self._registry.draining:
            return
        for version, stream in list(self._streams.items()):
            if stream.ended.done():  # another gateway has taken the person
                del self._streams[version]
        asked = {asked: stream for stream in self._streams.values() for asked in _asked_of(stream)}
        forfeited = frozenset(self._forfeited)
        news = await self._people.look(self._registry.gateway, asked.keys(), forfeited)
        if news is not None:
            self._forfeited -= forfeited
        if news is None or self._registry.draining:
            return
        for decision, action in news.answers.items():
            self._answer(asked[decision], decision, action)
        seated = {person.version: person for person in news.seated}
        for version, stream in list(self._streams.items()):
            # Who has just finished is still to be told the end.
            if version not in seated and stream.session is not None and not stream.session.running:
                del self._streams[version]
                self._registry.detach(stream.session, stream)
        for version, person in seated.items():
            if version not in self._streams:
                self._seat(person)

    def _seat(self, person: SeatedPerson) -> None:
        stream = self._streams[person.version] = PersonStream(self._registry.clock, self, person.nonce_key)
        presence = Presence(
            id=person_session(person.version),
            gateway=self._registry.gateway,
            bot=person.bot,
            bot_version=person.version,
            owner=person.owner,
            process="site",
            capacity=MATCHES_AT_ONCE,
            player_counts=ALL_PLAYER_COUNTS,
            expansions=tuple(sorted(EXPANSIONS)),
            connected_at_ns=time.time_ns(),
        )
        stream.session = self._registry.attach(presence, stream, {})
        log.info("person_seated", presence=presence.id)

    def _answer(self, stream: PersonStream, decision: AskedDecision, action: str) -> None:
        session = stream.session
        if session is None or stream.ended.done():
            return
        # An answer without actions is a fault. A person who has given up makes one at each decision, until the forfeit.
        answer = Answer(match_id=decision.match, index=decision.index, actions=[action] if action else [])
        self._registry.answer(session, decision.match, decision.index, BotMessage(answer=answer).SerializeToString())

    # What the streams report

    def received(self, stream: PersonStream, payload: bytes) -> None:
        """Handle a message to a person."""
        if stream.session is None or stream.ended.done():
            return
        message = ServerMessage.FromString(payload)
        match message.WhichOneof("kind"):
            case "offer":
                offer = message.offer
                digest = sha256(_nonce(stream, offer.match_id)).digest()
                accept = BotMessage(accept=Accept(match_id=offer.match_id, nonce_hash=digest))
                self._registry.answer(stream.session, offer.match_id, OFFER_INDEX, accept.SerializeToString())
            case "reveal_request":
                match_id = message.reveal_request.match_id
                reveal = BotMessage(reveal=Reveal(match_id=match_id, nonce=_nonce(stream, match_id)))
                self._registry.answer(stream.session, match_id, REVEAL_INDEX, reveal.SerializeToString())
            case "request":
                self._is_due.set()  # the answer may be there already
            case "fault" if message.fault.forfeited:
                self._forfeited.add((stream.session.presence.bot_version, message.fault.match_id))
                self._is_due.set()

    def ponged(self, stream: PersonStream, ping: int) -> None:
        """Confirm what was written before a ping: nothing is lost on the way to the desk."""
        if stream.session is not None:
            self._registry.ponged(stream.session, stream, ping)


def _asked_of(stream: PersonStream) -> list[AskedDecision]:
    """Return the decisions that a person is asked for."""
    if stream.session is None:
        return []
    return [
        AskedDecision(seat.match, seat.seat, seat.ask.index)
        for seat in stream.session.seats.values()
        if seat.ask is not None and seat.ask.index >= 0
    ]


def _nonce(stream: PersonStream, match_id: str) -> bytes:
    """Return the nonce of a person in a match. Every gateway knows it, so that another one can reveal it."""
    return hmac.digest(stream.nonce_key, f"nonce {match_id}".encode(), "sha256")[:NONCE_BYTES]
