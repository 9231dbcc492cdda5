"""Options of routes that send a stream, for the OpenAPI document."""

from __future__ import annotations

from typing import Final

from webui.core.subjects import Document
from webui.replays.feed_document import OF_ALL

STREAM: Final[Document] = {"openapi_extra": {"x-stream": "application/x-ndjson"}}
"""Options of a route that sends a stream of documents, one a line, each as in `response`. Pass it as `**STREAM`."""


def events_of(**kinds: Document) -> Document:
    """Return the options of a route that sends these kinds of events and those that all match feeds have."""
    return {"openapi_extra": {"x-stream": "text/event-stream", "x-events": {**kinds, **OF_ALL}}}
