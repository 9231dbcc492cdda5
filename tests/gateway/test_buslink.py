"""What a gateway has to tell the bus is not lost by an error."""

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
    """None is left."""

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
