"""Events as their pages follow them: a stream that tells when there is something new, and what is new as HTML.

The stream only says that the page shows something else by now; the page then asks for its parts. For strangers these
are made once and served to all of them.
"""

from __future__ import annotations

from collections.abc import Iterator

from asgiref.sync import sync_to_async
from django.db import connections

from webui.core.feeds import Feed, sent
from webui.events.values import EventMark
from webui.events.versions import event_mark


class EventFeed(Feed):
    """An event with or without what is hidden: what its page shows, in short."""

    LOOK_EVERY_S = 2.0  # what happens at its boards wakes nobody here
    PAUSE_S = 1.0

    def __init__(self, slug: str, *, sees_all: bool) -> None:
        super().__init__(f"event:{slug}")
        self._slug = slug
        self._sees_all = sees_all
        self._mark = ""

    async def read(self) -> None:
        """Look what the page shows now."""
        found = await sync_to_async(self._read, thread_sensitive=False)()
        if found.mark != self._mark or found.is_settled:
            self._mark, self._has_ended = found.mark, found.is_settled
            self.tell()

    def _read(self) -> EventMark:
        try:
            return event_mark(self._slug, sees_all=self._sees_all)
        finally:
            connections.close_all()  # this thread may not be used again for long

    def events(self, after: int) -> Iterator[bytes]:
        """The marks of the page as they change, then the end."""
        told = ""
        while True:
            if told != self._mark:
                told = self._mark
                yield sent("changed", told)
            if self._has_ended:
                yield sent("end", {})
                return
            if self._is_gone:
                return
            yield b""
