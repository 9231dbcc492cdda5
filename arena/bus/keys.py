"""All keys and channels on the bus: type, bound and time to live. The arena writes nothing else to Redis (Celery
does).

- `arena:gateway:{gateway_id}`: list of `ToBot` and `Evict`, written by workers and gateways, read by that gateway. It
  expires 60 s after the last write and holds at most 10 000 envelopes.
- `arena:worker:{worker_id}`: list of `FromBot`, written by gateways, read by that worker process. It expires 60 s
  after the last write and holds at most 10 000 envelopes.
- `arena:session:{session_id}`: string, a `Presence`, announced every 5 s by the gateway that holds it; read by
  workers, matchmaker and pages. It expires after 15 s.
- `arena:session-index`: set of session ids, an index of the above. It expires after 15 s without an announcement; the
  sweeper removes the ids of expired sessions.
- `arena:written`: string, written by upkeep to see whether Redis accepts writes.
- `arena:wake:{match_id}`, `arena:wake:event:{slug}`: pub/sub channels, published by workers, read by live pages. They
  are not stored. `arena:wake:people` is published by the site when a person at a table has done something, and read by
  gateways.

All data may be lost at any moment (`FLUSHALL`, a restart without a disk). Presence is back within 5 s, workers send
their pending asks again, and watchers read the log again. A full mailbox is an error for the writer (`MailboxFull`),
and never fills the server's memory.
"""

from __future__ import annotations

from typing import Final

MAILBOX_TTL_S: Final = 60
MAILBOX_LIMIT: Final = 10_000
PRESENCE_TTL_S: Final = 15
ANNOUNCE_EVERY_S: Final = 5

PEOPLE: Final = "people"
"""Name by which gateways are woken when a person at a table has done something."""
SESSIONS: Final = "arena:session-index"
WRITTEN: Final = "arena:written"


def gateway_key(gateway: str) -> str:
    """Return the key of a gateway's mailbox."""
    return f"arena:gateway:{gateway}"


def worker_key(worker: str) -> str:
    """Return the key of a worker process's mailbox."""
    return f"arena:worker:{worker}"


def session_key(session: str) -> str:
    """Return the key of a bot session's presence."""
    return f"arena:session:{session}"


def wake_channel(name: str) -> str:
    """Return the channel that wakes live pages of a match or an event."""
    return f"arena:wake:{name}"
