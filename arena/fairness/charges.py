"""Find decisions that were charged more thinking time than the log's times allow.

Charges come from the gateway's clock and times from the database's; nobody can set both together. A decision is asked
for only when everything before it is stored, and it is stored only when it has been answered. The charge can therefore
not be longer than the time between the two entries.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

SLACK_MS = 50
"""Tolerance in milliseconds: two clocks run at different rates, and stored times are cut to milliseconds."""


class Overcharge(NamedTuple):
    """A decision that was charged more time than had passed."""

    number: int
    """Number of the decision's entry in the log."""
    ms: int
    """Milliseconds charged."""
    most: int
    """Milliseconds that passed since the previous entry."""


def overcharges(entries: Iterable[tuple[int, str, Any, datetime]]) -> Iterator[Overcharge]:
    """Yield the overcharges of a match. `entries` are (number, kind, data, time), in order and from the first."""
    since: datetime | None = None
    for number, kind, data, at in entries:
        if kind == "decision" and since is not None and data and "ms" in data:
            most = round((at - since).total_seconds() * 1000)
            if data["ms"] > most + SLACK_MS:
                yield Overcharge(number, data["ms"], most)
        if kind in ("ready", "decision", "chance", "forfeit"):
            since = at
