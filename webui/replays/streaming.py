"""Routes that send a stream of documents, as the OpenAPI document describes them."""

from __future__ import annotations

from typing import Final

from webui.core.subjects import Document
from webui.replays.feed_document import OF_ALL

STREAM: Final[Document] = {"openapi_extra": {"x-stream": "application/x-ndjson"}}
"""Options of a route whose answer is a stream of documents like that of its `response`, one a line: `**STREAM`."""


def events_of(**kinds: Document) -> Document:
    """Options of a route that sends events of these kinds, and those that all live feeds of a match have."""
    return {"openapi_extra": {"x-stream": "text/event-stream", "x-events": {**kinds, **OF_ALL}}}
