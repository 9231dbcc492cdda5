"""Messages from a gateway to the bus are not lost by an error."""

from __future__ import annotations

from typing import Any

import pytest

from arena.gateway.buslink import BusLink
from arena.gateway.limits import GatewayLimits


class Bus:
    """A bus whose first call fails."""

    def __init__(self) -> None:
        self.withdrawn: list[str] = []
        self.fails = True

    async def withdraw(self, presence: Any) -> None:
        if self.fails:
            self.fails = False
            raise ConnectionError
        self.withdrawn.append(presence.id)


class Sessions:
    """No sessions are left."""

    def presence(self, session_id: str) -> None:
        return None


class Gone:
    id = "s1"


async def test_a_withdrawal_is_not_lost_by_an_error() -> None:
    bus: Any = Bus()
    sessions: Any = Sessions()
    gone: Any = Gone()
    link = BusLink(bus, "gw", GatewayLimits())
    link.gone(gone)
    with pytest.raises(ConnectionError):
        await link.publish_news(sessions)
    assert bus.withdrawn == []
    await link.publish_news(sessions)
    assert bus.withdrawn == ["s1"]


class Many:
    """Sessions of which one ends while the others are announced."""

    def __init__(self, count: int) -> None:
        self.here = {str(number) for number in range(count)}

    def ids(self) -> list[str]:
        return sorted(self.here, key=int)

    def presence(self, session_id: str) -> str | None:
        return session_id if session_id in self.here else None


async def test_many_sessions_are_announced_a_few_at_a_time_each_as_it_is_then() -> None:
    sessions: Any = Many(120)
    announced: list[tuple[str, ...]] = []

    class Announcing:
        async def announce(self, *presences: str) -> None:
            announced.append(presences)
            sessions.here.discard("100")

    bus: Any = Announcing()
    link = BusLink(bus, "gw", GatewayLimits())
    await link._announce_all(sessions)
    assert [len(few) for few in announced] == [50, 50, 19]
    assert [one for few in announced for one in few] == [str(number) for number in range(120) if number != 100]
