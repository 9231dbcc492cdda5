"""Hooks of events: what later subjects are told of them, and asked about them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from arena.events import Event, Fact
from webui.bots.models import Bot
from webui.core.subjects import Hook
from webui.events.models import EventRow

facts_appended: Final = Hook[[EventRow, Event, Sequence[tuple[Fact, int | None]], int], None]()
"""Facts were appended: the row before them, the event after them, each fact with the user who caused it, and
the number of the first one. Called in the transaction that appends them."""
event_open: Final = Hook[[EventRow, Event, datetime | None, datetime], None]()
"""The advancer looks at an open event: row, event, when its check-in opens (None: it has none), and the time now."""
entry_asked: Final = Hook[[EventRow, Bot], None]()
"""The owner of this bot asks the organiser to let it in late."""
entry_answered: Final = Hook[[EventRow, Bot], None]()
"""What was asked for this bot was granted, or taken back."""
entries_asked: Final = Hook[[EventRow], set[int]]()
"""Return the ids of the bots whose owners ask to let them in late."""


def asked_entries(row: EventRow) -> set[int]:
    """Return the ids of the bots whose owners ask the organiser of this event to let them in late."""
    return {bot for answer in entries_asked(row) for bot in answer}
