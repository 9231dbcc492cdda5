"""Whether a bot was charged more thinking time than has passed, by the times of the log's entries.

Charges come from the gateway's clock, times from the database's: two clocks that nobody can set together. A decision
is asked for only when all before it is stored, and is stored only when it has been answered. So what is charged for it
cannot be longer than the time between the two.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

SLACK_MS = 50
"""Two clocks run differently, and stored times are cut to milliseconds."""


class Overcharge(NamedTuple):
    """A decision that cost more than there was."""

    number: int
    """Of the log's entry."""
    ms: int
    """What was charged."""
    most: int
    """What has passed since the entry before it, in milliseconds."""


def overcharges(entries: Iterable[tuple[int, str, Any, datetime]]) -> Iterator[Overcharge]:
    """Those of a match. Entries are (number, kind, data, time), in order and from the first."""
    since: datetime | None = None
    for number, kind, data, at in entries:
        if kind == "decision" and since is not None and data and "ms" in data:
            most = round((at - since).total_seconds() * 1000)
            if data["ms"] > most + SLACK_MS:
                yield Overcharge(number, data["ms"], most)
        if kind in ("ready", "decision", "chance", "forfeit"):
            since = at
