"""Redis between workers, gateways and live pages: mailboxes, presence of bots, wake-ups. All of its data may be lost.

Only this package and Celery import redis. `Bus` has blocking calls (workers, tasks), `AsyncBus` is for asyncio
(gateways, live pages). `arena.bus.keys` lists the keys in Redis and their time to live; `arena.bus.envelopes` has the
messages.
"""

from arena.bus.aio import AsyncBus
from arena.bus.envelopes import (
    NO_ASK,
    OFFER_INDEX,
    PERSON,
    PROBE,
    REVEAL_INDEX,
    EnvelopeError,
    Evict,
    FromBot,
    Presence,
    ToBot,
    hosted_session,
    hosted_version,
    person_session,
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
    "PERSON",
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
    "hosted_session",
    "hosted_version",
    "person_session",
    "probe_id",
    "probed_session",
    "session_id",
    "watch",
]
