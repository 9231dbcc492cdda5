"""Hooks of events: events that later subjects receive, and questions that they answer."""

from collections.abc import Sequence
from datetime import datetime
from typing import Final

from arena.events import Event, Fact
from webui.bots.models import Bot
from webui.core.subjects import Hook
from webui.events.models import EventRow

facts_appended: Final = Hook[[EventRow, Event, Sequence[tuple[Fact, int | None]], int], None]()
"""Facts have been appended. Called in the transaction that appends them.

The arguments are the row before the facts, the event after them, each fact with the id of the user who caused it, and
the number of the first fact.
"""
event_open: Final = Hook[[EventRow, Event, datetime | None, datetime], None]()
"""The advancer processes an open event. The arguments are the row, the event, the time at which its check-in opens
(None without check-in), and the current time."""
entry_asked: Final = Hook[[EventRow, Bot], None]()
"""The owner of this bot asks the organiser to let it in late."""
entry_answered: Final = Hook[[EventRow, Bot], None]()
"""The request to let this bot in was granted or withdrawn."""
entries_asked: Final = Hook[[EventRow], set[int]]()
"""Return the ids of the bots whose owners ask to let them in late."""


def asking_bot_ids(row: EventRow) -> set[int]:
    """Return the ids of the bots whose owners ask the organiser of this event to let them in late."""
    return {bot for answer in entries_asked(row) for bot in answer}
