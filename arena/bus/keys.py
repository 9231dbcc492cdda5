"""Every key and channel on the bus: type, bound and time to live. The arena writes nothing else to Redis (Celery does).

- `arena:gateway:{gateway_id}`: list of `ToBot` and `Evict`, written by workers and gateways, read by that gateway.
  Gone 60 s after the last write; at most 10 000 envelopes.
- `arena:worker:{worker_id}`: list of `FromBot`, written by gateways, read by that worker process.
  Gone 60 s after the last write; at most 10 000 envelopes.
- `arena:session:{session_id}`: string, a `Presence`, announced every 5 s by the gateway that holds it; read by workers,
  matchmaker and pages. Gone after 15 s.
- `arena:sessions`: sorted set, session ids by the wall clock of their last announcement; an index over the former.
  Gone after 15 s without announcement; members older than 60 s are removed.
- `arena:turn:{name}`: string, set by the process whose turn it is to do something (`sweep`), gone at the next turn.
- `arena:wake:{match_id}`, `arena:wake:event:{slug}`: pub/sub channels, published by workers, read by live pages.
  Not stored.

All of it may vanish at any moment (`FLUSHALL`, a restart without a disk): presence is back within 5 s, a worker sends
its pending asks again, a watcher reads the log again. A full mailbox is an error of the writer (`MailboxFull`), never
memory of the server.
"""

from __future__ import annotations

from typing import Final

MAILBOX_TTL_S: Final = 60
MAILBOX_LIMIT: Final = 10_000
PRESENCE_TTL_S: Final = 15
ANNOUNCE_EVERY_S: Final = 5
INDEX_FORGETS_S: Final = 60

SESSIONS: Final = "arena:sessions"


def gateway_key(gateway: str) -> str:
    """The mailbox of a gateway."""
    return f"arena:gateway:{gateway}"


def worker_key(worker: str) -> str:
    """The mailbox of a worker process."""
    return f"arena:worker:{worker}"


def session_key(session: str) -> str:
    """The presence of a session of a bot."""
    return f"arena:session:{session}"


def turn_key(name: str) -> str:
    """Who does something that is to be done once in a while."""
    return f"arena:turn:{name}"


def wake_channel(name: str) -> str:
    """The channel that wakes live pages of a match or an event."""
    return f"arena:wake:{name}"
