"""The live feeds of the pages, as the OpenAPI document describes them.

They are not routes of the API: `webui.site` serves them, and they accept no tokens.
"""

from __future__ import annotations

from typing import Final

from webui.core.subjects import Document
from webui.replays.frames import VERSION

TEXT: Final[Document] = {"type": "string"}
END: Final[Document] = {
    "description": "Last event of the stream. Nothing new can follow.",
    "schema": {"type": "object", "properties": {}, "maxProperties": 0},
}


def _feed(name: str, summary: str, described: str, parameters: list[Document], events: Document) -> Document:
    return {
        "get": {
            "operationId": name,
            "tags": ["live feeds"],
            "summary": summary,
            "description": described,
            "security": [{}],
            "parameters": parameters,
            "responses": {
                200: {
                    "description": "Server-sent events. The data of each event is one JSON value.",
                    "content": {"text/event-stream": {"schema": TEXT, "x-events": events}},
                },
                404: {"description": "It does not exist, or it is hidden."},
                429: {"description": "You have too many feeds open. Wait for the seconds in `Retry-After`."},
            },
        }
    }


def _named(name: str, described: str) -> Document:
    return {"in": "path", "name": name, "required": True, "description": described, "schema": TEXT}


LAST: Final[list[Document]] = [
    {
        "in": "header",
        "name": "Last-Event-ID",
        "description": "Id of the last event that you have received. Browsers send it when they reconnect.",
        "schema": TEXT,
    },
    {
        "in": "query",
        "name": "after",
        "description": "The same as `Last-Event-ID`, for the first connection.",
        "schema": {"type": "integer", "minimum": 0},
    },
]

OF_ALL: Final[dict[str, Document]] = {
    "thinking": {
        "description": "Think time of the seat to act, so far.",
        "schema": {
            "type": "object",
            "properties": {
                "ms": {"type": "integer"},
                "most": {"type": "integer", "description": "Maximum time for one decision, ms."},
            },
            "required": ["ms", "most"],
        },
    },
    "watching": {"description": "Number of viewers, in words.", "schema": TEXT},
    "end": END,
}
"""Events that both live feeds of a match have: the one of its page, and the one that sends data."""
FEEDS: Final[dict[str, Document]] = {
    "/matches/{match_id}/live": _feed(
        "follow_match",
        "A running match, as server-sent events.",
        "This feed is made for the page and contains HTML. Programs should use `follow_match_data`. A match that has"
        " ended has no events. A ladder may show its matches with a delay.",
        [_named("match_id", "Id of the match."), *LAST],
        {
            "frame": {
                "description": "A decision, as its changes to the table, in the format of `get_frames`.",
                "schema": {
                    "type": "object",
                    "properties": {
                        "v": {"const": VERSION, "description": "Version of the format."},
                        "round": {"type": "integer"},
                        "act": {"type": "integer", "description": "Seat to act. 0 if there is none."},
                        "parts": {"type": "object", "description": "Changed parts of the table."},
                        "d": {"type": "integer", "description": "Index of the next event."},
                        "move": {"type": "string", "description": "Line for the move list, as HTML."},
                        "count": {"type": "string", "description": "Number of decisions so far, in words."},
                    },
                    "required": ["v", "round", "act", "parts"],
                },
            },
            **OF_ALL,
        },
    ),
    "/events/{slug}/live": _feed(
        "follow_event",
        "Changes of an event, as server-sent events.",
        "After a change, request the event itself.",
        [_named("slug", "Event, by its name in addresses.")],
        {
            "changed": {"description": "Tag of the current state. It differs after each change.", "schema": TEXT},
            "end": END,
        },
    ),
}
"""Entries for `paths` of the document, by address."""
