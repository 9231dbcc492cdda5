"""What a gateway remembers of one bot process: its presence, its stream, its seats in matches. No I/O.

The end of a match is kept until the bot has it: a pong to a ping that was written after it proves that, and every
client answers pings. A stream that comes before gets the end again.
"""

from __future__ import annotations

from msgspec.structs import replace

from arena.bus import Presence
from arena.gateway.seats import SeatAtMatch
from arena.gateway.stream import BotStream


class BotSession:
    """One bot process that this gateway holds."""

    __slots__ = ("claims", "lost_ns", "presence", "seats", "stream")

    def __init__(self, presence: Presence, stream: BotStream) -> None:
        self.presence = presence
        self.stream: BotStream | None = stream
        self.seats: dict[str, SeatAtMatch] = {}
        self.claims: dict[str, bool] = {}
        """Matches that the bot says it is in and of which this gateway has heard nothing else; whether they run."""
        self.lost_ns = 0
        """When it lost its stream, while it has none."""

    @property
    def running(self) -> list[str]:
        """The matches that the bot is in."""
        live = [match for match, seat in self.seats.items() if seat.end is None]
        return live + [match for match, is_live in self.claims.items() if is_live]

    @property
    def is_done(self) -> bool:
        """Whether the bot leaves and has nothing left to play."""
        return self.presence.leaving and not self.running

    def network_ns(self, now: int) -> int:
        """The network's share of a round trip."""
        return self.stream.pings.network(now) if self.stream is not None else 0

    def announced(self, now: int) -> Presence:
        """The presence as it is now. Whoever finds a match there that is over sends its end."""
        running = self.running
        return replace(
            self.presence,
            running=len(running),
            matches=(*running, *(match for match, is_live in self.claims.items() if not is_live)),
            connected=self.stream is not None,
            round_trip_ns=self.network_ns(now),
        )

    def lost(self) -> None:
        """The bot has lost its stream, by its own doing."""
        for seat in self.seats.values():
            if seat.ask is not None:
                seat.ask.lost(self.lost_ns)

    def returned(self, now: int) -> None:
        """The bot has a stream again, after an absence."""
        for seat in self.seats.values():
            if seat.ask is not None:
                seat.ask.returned(now, self.lost_ns)

    def write_again(self, stream: BotStream, now: int) -> None:
        """A new stream gets what the bot may not have: ends first, so that their places are free when offers come."""
        for seat in self.seats.values():
            if seat.end is not None:
                self.write_end(seat, stream)
        for seat in self.seats.values():
            if seat.ask is not None:
                stream.send(seat.ask.again(now), seat.ask)

    def write_end(self, seat: SeatAtMatch, stream: BotStream) -> None:
        """Write the end of a match, and ask for a sign that the bot has it."""
        assert seat.end is not None
        stream.send(seat.end)
        seat.end_ping = stream.ask_sign()

    def told_by(self, pong: int) -> list[str]:
        """The matches of whose end the bot knows, since it has answered this ping."""
        return [match for match, seat in self.seats.items() if seat.end is not None and seat.end_ping <= pong]
