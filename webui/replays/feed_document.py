"""The live feeds of the pages, as the OpenAPI document describes them.

They are not routes of the API: `webui.site` serves them, and they accept no tokens.
"""

from __future__ import annotations

from typing import Final

from webui.core.subjects import Document
from webui.replays.frames import VERSION

TEXT: Final[Document] = {"type": "string"}
END: Final[Document] = {
    "description": "Nothing new can come: the stream ends.",
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
                    "description": "Server-sent events. The data of each are one JSON value.",
                    "content": {"text/event-stream": {"schema": TEXT, "x-events": events}},
                },
                404: {"description": "There is no such thing, or it is hidden."},
                429: {"description": "You follow many of them already: wait as many seconds as `Retry-After` says."},
            },
        }
    }


def _named(name: str, described: str) -> Document:
    return {"in": "path", "name": name, "required": True, "description": described, "schema": TEXT}


LAST: Final[list[Document]] = [
    {
        "in": "header",
        "name": "Last-Event-ID",
        "description": "The id of the last event that you have; browsers send it when they connect again.",
        "schema": TEXT,
    },
    {
        "in": "query",
        "name": "after",
        "description": "The same for the first connection.",
        "schema": {"type": "integer", "minimum": 0},
    },
]

OF_ALL: Final[dict[str, Document]] = {
    "thinking": {
        "description": "How long the seat to act has thought.",
        "schema": {
            "type": "object",
            "properties": {
                "ms": {"type": "integer"},
                "most": {"type": "integer", "description": "The most that it may take for one decision, ms."},
            },
            "required": ["ms", "most"],
        },
    },
    "watching": {"description": "How many follow it, in words.", "schema": TEXT},
    "end": END,
}
"""Events that both live feeds of a match have: the one of its page, and the one that sends data."""
FEEDS: Final[dict[str, Document]] = {
    "/matches/{match_id}/live": _feed(
        "follow_match",
        "A running match as it is played, as server-sent events.",
        "Made for the page, with parts of HTML: programs take `follow_match_data`. It has no events of a match that has"
        " ended. A ladder may show its matches late.",
        [_named("match_id", "The match."), *LAST],
        {
            "frame": {
                "description": "A decision: what it changes in the table, in the form of `get_frames`.",
                "schema": {
                    "type": "object",
                    "properties": {
                        "v": {"const": VERSION, "description": "Another number: another form."},
                        "round": {"type": "integer"},
                        "act": {"type": "integer", "description": "The seat to act; 0: none."},
                        "parts": {"type": "object", "description": "The parts of the table that are new."},
                        "d": {"type": "integer", "description": "The index of what follows."},
                        "move": {"type": "string", "description": "A line of HTML for the list of moves."},
                        "count": {"type": "string", "description": "How many decisions there are, in words."},
                    },
                    "required": ["v", "round", "act", "parts"],
                },
            },
            **OF_ALL,
        },
    ),
    "/events/{slug}/live": _feed(
        "follow_event",
        "Whether an event shows something new, as server-sent events.",
        "Ask for the event itself then.",
        [_named("slug", "The event, by its name in addresses.")],
        {
            "changed": {"description": "A mark of what is shown now: another one, another state.", "schema": TEXT},
            "end": END,
        },
    ),
}
"""Entries for `paths` of the document, by address."""
