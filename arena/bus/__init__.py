"""Redis between workers, gateways and live pages: mailboxes, presence of bots, wake-ups. All of it is soft.

The only import of redis besides Celery's. `Bus` blocks (workers, tasks), `AsyncBus` is for asyncio (gateway, live
pages). What lies in Redis, and for how long, is in `arena.bus.keys`; what travels is in `arena.bus.envelopes`.
"""

from arena.bus.aio import AsyncBus
from arena.bus.envelopes import (
    NO_ASK,
    OFFER_INDEX,
    PROBE,
    REVEAL_INDEX,
    EnvelopeError,
    Evict,
    FromBot,
    Presence,
    ToBot,
    probe_id,
    probed_session,
    session_id,
)
from arena.bus.errors import BusError, BusUnavailable, MailboxFull
from arena.bus.reasons import WireKind, WireReason
from arena.bus.sync import Bus
from arena.bus.watch import watch

__all__ = [
    "NO_ASK",
    "OFFER_INDEX",
    "PROBE",
    "REVEAL_INDEX",
    "AsyncBus",
    "Bus",
    "BusError",
    "BusUnavailable",
    "EnvelopeError",
    "Evict",
    "FromBot",
    "MailboxFull",
    "Presence",
    "ToBot",
    "WireKind",
    "WireReason",
    "probe_id",
    "probed_session",
    "session_id",
    "watch",
]
