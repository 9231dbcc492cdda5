"""Live feed of an event's page: a stream that announces changes, after which the page fetches its new parts as HTML.

The stream itself only announces that the page has changed. For visitors who are not signed in, the parts are rendered
once and served to all of them.
"""

from __future__ import annotations

from webui.core.feeds import PartsFeed
from webui.events.eligibility import event_mark


class EventFeed(PartsFeed):
    """The feed of an event, with or without hidden results."""

    LOOK_EVERY_S = 2.0  # matches at its boards do not wake this feed
    PAUSE_S = 1.0

    def __init__(self, slug: str, *, sees_all: bool) -> None:
        super().__init__(f"event:{slug}", lambda: event_mark(slug, sees_all=sees_all))
