"""Live feed of an event's page: a stream that announces changes, after which the page fetches its new parts as HTML.

The stream itself only announces that the page has changed. For visitors who are not signed in, the parts are rendered
once and served to all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from asgiref.sync import sync_to_async
from django.db import connections

from webui.core.feeds import Feed, sent
from webui.events.eligibility import event_mark
from webui.events.values import EventMark


class EventFeed(Feed):
    """The feed of an event, with or without hidden results. It holds a hash of what the page shows."""

    LOOK_EVERY_S = 2.0  # matches at its boards do not wake this feed
    PAUSE_S = 1.0

    def __init__(self, slug: str, *, sees_all: bool) -> None:
        super().__init__(f"event:{slug}")
        self._slug = slug
        self._sees_all = sees_all
        self._mark = ""

    async def read(self) -> None:
        """Read the current mark of the page."""
        mark = await sync_to_async(self._read, thread_sensitive=False)()
        if mark.mark != self._mark or mark.is_settled:
            self._mark, self._has_ended = mark.mark, mark.is_settled
            self.tell()

    def _read(self) -> EventMark:
        try:
            return event_mark(self._slug, sees_all=self._sees_all)
        finally:
            connections.close_all()  # this thread may stay idle for long

    def events(self, after: int) -> Iterator[bytes]:
        """Yield the marks of the page as they change, and finally the end."""
        sent_mark = ""
        while True:
            if sent_mark != self._mark:
                sent_mark = self._mark
                yield sent("changed", sent_mark)
            if self._has_ended:
                yield sent("end", {})
                return
            if self._is_gone:
                return
            yield b""
