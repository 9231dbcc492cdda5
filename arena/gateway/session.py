"""State that a gateway keeps for one bot process: its presence, its stream and its seats. No I/O.

The end of a match is kept until the bot has it. Every client answers pings, so a pong to a ping that was written after
the end proves that. If a new stream opens first, the end is written again.
"""

from __future__ import annotations

from msgspec.structs import replace

from arena.bus import Presence
from arena.gateway.seats import SeatAtMatch
from arena.gateway.stream import SessionStream


class BotSession:
    """One bot process that this gateway holds."""

    __slots__ = ("claims", "lost_ns", "presence", "seats", "stream")

    def __init__(self, presence: Presence, stream: SessionStream | None) -> None:
        self.presence = presence
        self.stream = stream
        self.seats: dict[str, SeatAtMatch] = {}
        self.claims: dict[str, bool] = {}
        """Matches that only the bot itself has named at hello, and whether each one runs."""
        self.lost_ns = 0
        """Time at which it lost its stream, while it has none."""

    @property
    def running(self) -> list[str]:
        """Return the matches that the bot is in."""
        live = [match for match, seat in self.seats.items() if seat.end is None]
        return live + [match for match, is_live in self.claims.items() if is_live]

    @property
    def is_done(self) -> bool:
        """Return whether the bot leaves and has no match left to play."""
        return self.presence.leaving and not self.running

    def network_ns(self) -> int:
        """Return the network's share of a round trip, in nanoseconds."""
        return self.stream.network_ns() if self.stream is not None else 0

    def announced(self) -> Presence:
        """Return the current presence. A worker that finds a finished match in it sends that match's end."""
        running = self.running
        return replace(
            self.presence,
            running=len(running),
            matches=(*running, *(match for match, is_live in self.claims.items() if not is_live)),
            connected=self.stream is not None,
            round_trip_ns=self.network_ns(),
        )

    def lost(self) -> None:
        """Record in all pending asks that the bot lost its stream through its own fault."""
        for seat in self.seats.values():
            if seat.ask is not None:
                seat.ask.lost(self.lost_ns)

    def returned(self, now: int) -> None:
        """Record in all pending asks that the bot has a stream again."""
        for seat in self.seats.values():
            if seat.ask is not None:
                seat.ask.returned(now, self.lost_ns)

    def write_again(self, stream: SessionStream, now: int) -> None:
        """Write what the bot may lack to its new stream. Ends go first, to free their places before offers arrive."""
        for seat in self.seats.values():
            if seat.end is not None:
                self.write_end(seat, stream)
        for seat in self.seats.values():
            if seat.ask is not None:
                stream.send(seat.ask.current_payload(now), seat.ask)

    def write_end(self, seat: SeatAtMatch, stream: SessionStream) -> None:
        """Write the end of a match, and a ping whose pong proves that the bot has it."""
        assert seat.end is not None
        stream.send(seat.end)
        seat.end_ping = stream.ask_sign()

    def confirmed_ends(self, pong: int) -> list[str]:
        """Return the matches whose end the bot has confirmed by answering this ping."""
        return [match for match, seat in self.seats.items() if seat.end is not None and seat.end_ping <= pong]
