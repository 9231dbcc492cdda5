"""The hosted versions of one runner, and all seats that it plays.

To workers, the runner is a gateway that holds one process of each hosted version. Behind it, each seat of each match
has a sandbox and a session of its own. `HostedSeats` translates between both: it handles envelopes for versions, and is
the link to the bus of the registry that holds the seats' sessions.
"""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Iterable, Sequence

import structlog
from msgspec.structs import replace

from arena.bus import (
    NO_ASK,
    OFFER_INDEX,
    PROBE,
    Evict,
    FromBot,
    Presence,
    ToBot,
    WireReason,
    hosted_session,
    probed_session,
)
from arena.gateway.buslink import SessionLink
from arena.gateway.clock import ListeningClock
from arena.gateway.limits import GatewayLimits
from arena.gateway.notices import Notices
from arena.gateway.registry import SessionRegistry
from arena.hosting.messages import HostedVersionInfo
from arena.runner import metrics
from arena.runner.door import sandbox_limits
from arena.runner.seat import SandboxedSeat, SeatTally, SeatTools
from arena.wire.v1.bot_pb2 import ServerMessage

log = structlog.get_logger(__name__)

MOST_TALLIES = 10_000
"""Maximum number of seats that are tallied."""
WITHHELD_S = 60.0
"""Seconds for which a version is not hosted here after its files could not be had."""


class HostedSeats:
    """The seats that one runner plays. Its methods never wait."""

    def __init__(
        self, runner: str, buslink: SessionLink, limits: GatewayLimits, clock: ListeningClock, places: int
    ) -> None:
        """`runner` is the id of this runner on the bus. `places` is how many sandboxes it may have."""
        self.runner = runner
        self.draining = False
        self.is_paused = False
        self.registry = SessionRegistry(runner, self, sandbox_limits(limits), clock)
        self.notices = Notices(runner, buslink)
        self._buslink = buslink
        self._hold_ns = int(limits.hold_s * 1e9)
        self._places = places
        self._tools: SeatTools | None = None
        self._connected_at_ns = time.time_ns()
        self._versions: dict[str, HostedVersionInfo] = {}
        """Versions by the ids of their sessions."""
        self._withheld: dict[str, float] = {}
        """Sessions of versions whose files could not be had, and until when they are withheld (monotonic)."""
        self._seats: dict[tuple[str, str], SandboxedSeat] = {}
        """The seat of each session of a version and match; that of a match which is over may be another one's soon."""
        self._by_id: dict[str, SandboxedSeat] = {}
        """All seats whose tasks run, by the ids of their own sessions."""
        self._tasks: dict[asyncio.Task[None], SandboxedSeat] = {}
        self._tallies: OrderedDict[tuple[str, str], SeatTally] = OrderedDict()
        metrics.PLACES.set(places)

    def begin(self, tools: SeatTools) -> None:
        """Start to play seats with these tools."""
        self._tools = tools

    # Versions

    def host(self, versions: Iterable[HostedVersionInfo], *, is_paused: bool = False) -> None:
        """Host these versions and no others. Matches of others are played to their ends.

        While it is paused, the runner opens no seats for offers. It still takes over seats of runners that are lost.
        """
        now = time.monotonic()
        self._withheld = {session: until for session, until in self._withheld.items() if until > now}
        by_session = {hosted_session(version.version, self.runner): version for version in versions}
        listed = {session: version for session, version in by_session.items() if session not in self._withheld}
        for session, version in self._versions.items():
            if session not in listed and self._seats_of(session):
                listed[session] = replace(version, is_offered=False)
        if self.draining:
            return
        gone = [presence for session in self._versions.keys() - listed.keys() if (presence := self.presence(session))]
        changed = [
            session
            for session, version in listed.items()
            if self._versions.get(session) != version or is_paused != self.is_paused
        ]
        self.is_paused = is_paused
        self._versions = listed
        for presence in gone:
            self._buslink.gone(presence)
        for session in changed:
            self._buslink.changed(session)

    def withhold(self, session_id: str) -> None:
        """Do not host a version for a while, because its files cannot be had. Any other runner takes over."""
        self._withheld[session_id] = time.monotonic() + WITHHELD_S
        self.host(list(self._versions.values()), is_paused=self.is_paused)

    def ids(self) -> Sequence[str]:
        """Return the ids of the versions' sessions."""
        return [] if self.draining else list(self._versions)

    def presence(self, session_id: str) -> Presence | None:
        """Return the presence to announce for one version; `None` if it is not hosted here."""
        version = self._versions.get(session_id)
        if version is None or self.draining:
            return None
        matches = tuple(seat.match for seat in self._seats_of(session_id))
        places = len(self._by_id) if self.is_paused else self._places
        return Presence(
            id=session_id,
            gateway=self.runner,
            bot=version.bot,
            bot_version=version.version,
            owner=version.owner,
            process=self.runner,
            is_house=version.is_house,
            capacity=len(matches) + max(0, places - len(self._by_id)),
            running=len(matches),
            matches=matches,
            places=places,
            player_counts=version.player_counts,
            expansions=version.expansions,
            wants_legal=version.wants_legal,
            sdk=version.sdk,
            leaving=not version.is_offered,
            connected_at_ns=self._connected_at_ns,
        )

    def _seats_of(self, session_id: str) -> list[SandboxedSeat]:
        return [seat for seat in self._seats.values() if seat.session == session_id and not seat.is_over]

    # Mailbox

    def receive(self, envelope: ToBot | Evict) -> None:
        """Handle an envelope from a worker."""
        if isinstance(envelope, Evict):
            return  # no other process has a session of this runner
        if envelope.session.startswith(PROBE):
            self._receive_probe(envelope)
            return
        seat = self._seats.get((envelope.session, envelope.match))
        if seat is None or seat.is_over:
            seat = self._opened(envelope)
        if seat is not None:
            seat.receive(envelope)

    def _receive_probe(self, probe: ToBot) -> None:
        seat = self._seats.get((probed_session(probe.session), probe.match))
        if seat is None or seat.is_over:
            self.notices.answer_probe(probe, NO_ASK, 0, 0)
        else:
            seat.probe(probe)

    def _opened(self, envelope: ToBot) -> SandboxedSeat | None:
        """Open a seat for its first envelope. Return `None` if the envelope is refused, or needs no bot."""
        version = self._versions.get(envelope.session)
        if self.draining or envelope.session in self._withheld:
            self.notices.refuse(envelope, WireReason.GOING_DOWN)
            return None
        if version is None or self._tools is None:
            self.notices.refuse(envelope, WireReason.UNKNOWN_SESSION)
            return None
        if envelope.ask and envelope.index == OFFER_INDEX and (self.is_paused or not version.is_offered):
            self.notices.refuse(envelope, WireReason.LEAVING)
            return None
        if not envelope.ask and ServerMessage.FromString(envelope.payload).WhichOneof("kind") != "resumed":
            return None  # a message that came too late: no sandbox is started for it
        key = (envelope.session, envelope.match)
        tally = self._tallies.setdefault(key, SeatTally())
        self._tallies.move_to_end(key)
        if len(self._tallies) > MOST_TALLIES:
            self._tallies.popitem(last=False)
        tally.seats += 1
        seat = self._seats[key] = SandboxedSeat(self._tools, version, envelope, tally)
        self._by_id[seat.id] = seat
        task = asyncio.create_task(seat.play(), name=f"seat {seat.id}")
        self._tasks[task] = seat
        task.add_done_callback(self._ended)
        log.info("hosted_seat_opened", presence=envelope.session, match=envelope.match, seat=envelope.seat)
        self._buslink.changed(envelope.session)
        return seat

    def _ended(self, task: asyncio.Task[None]) -> None:
        seat = self._tasks.pop(task)
        del self._by_id[seat.id]
        if self._seats.get((seat.session, seat.match)) is seat:
            del self._seats[seat.session, seat.match]
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("seat_failed", match=seat.match, exc_info=error)
        log.info("hosted_seat_closed", presence=seat.session, match=seat.match)
        self._buslink.changed(seat.session)

    def sweep(self) -> None:
        """Return matches of which no worker has sent anything for too long, and update the gauges."""
        oldest = self.registry.clock.now() - self._hold_ns
        for seat in list(self._seats.values()):
            seat.finish_if_idle(oldest)
        self.registry.sweep()
        metrics.SEATS.set(len(self._by_id))

    # Drain

    def withdraw(self) -> None:
        """First half of a drain: withdraw all versions and open no more seats."""
        gone = [presence for session in self._versions if (presence := self.presence(session))]
        self.draining = True
        for seat in self._seats.values():
            seat.refuse(WireReason.GOING_DOWN)
        for presence in gone:
            self._buslink.gone(presence)
        self.registry.withdraw()

    def dismiss(self) -> None:
        """Second half of a drain: return all matches to their workers."""
        for seat in self._seats.values():
            seat.settle()
        self.registry.dismiss()
        self.finish()

    def finish(self) -> None:
        """End all sandboxes."""
        for seat in self._by_id.values():
            seat.finish()

    async def wait(self) -> None:
        """Wait until no seat is left."""
        while self._tasks:
            await asyncio.wait(list(self._tasks))

    # The link of the registry, which has the seats' sessions

    def send(self, worker: str, message: FromBot) -> None:
        """Send a message of a seat's session as one of its version's session."""
        session = message.session.partition("/")[0]
        self._buslink.send(worker, replace(message, session=session))

    def arrived(self, session_id: str) -> None:
        """Handle the hello of a bot in its sandbox."""
        if (seat := self._by_id.get(session_id)) is not None:
            seat.arrived()

    def changed(self, session_id: str) -> None:
        """Handle a change of a seat's session."""
        if not self.draining and (seat := self._by_id.get(session_id)) is not None:
            seat.changed()

    def gone(self, presence: Presence) -> None:
        """Handle that the registry has forgotten a seat's session."""
        self.changed(presence.id)
