"""The OpenAPI document: the descriptions of the routes, completed by what applies to all of them."""

from __future__ import annotations

import copy
from typing import Final

from webui.api.answering import KEY
from webui.api.callers import SCOPES
from webui.api.limits import READS, STRANGERS, WINDOW_S, WRITES
from webui.api.problems import CONTENT_TYPE, PROBLEMS, ProblemDocument
from webui.core.subjects import Document
from webui.replays.feed_document import FEEDS, TEXT

INFO: Final = f"""All that the pages show, and all that owners of bots and organisers of events do on them.

Reading what is public needs no token, but with one more requests are granted: within {WINDOW_S} seconds {READS.quota}
for reading and {WRITES.quota} for writing to a token, three times that to all tokens of an account together, and
{STRANGERS.quota} in all to an address without one. Every answer says what is left. Tokens are made in the account, and
shown in the header `Authorization: Bearer …`.
"""

HEADERS: Final[Document] = {
    "RateLimit-Policy": {"description": "What is granted: a quota `q` of requests within `w` seconds."},
    "RateLimit": {"description": "What is left: `r` requests now, all of them in `t` seconds."},
    "ETag": {"description": "Names this state: send it back in `If-None-Match`."},
}
PARAMETERS: Final[Document] = {
    "If-None-Match": {
        "description": "An `ETag` that you have: if it still holds, the answer is 304 without content.",
        "schema": {"type": "string"},
    },
    "Idempotency-Key": {
        "schema": {"type": "string", "pattern": f"^{KEY.pattern}$"},
        "description": "A name of your own for this request. The same request with the same key is done once within 24"
        " hours, and gets the first answer again; another request with it is refused. A request that was refused may"
        " be tried again with its key.",
    },
}


def completed(document: Document) -> Document:
    """Return ninja's document, completed by what `webui.api.answering` does around each route."""
    document = copy.deepcopy(document)
    for path in document["paths"].values():
        for method, operation in path.items():
            _complete(operation, is_read=method == "get")
    document["paths"] |= copy.deepcopy(FEEDS)
    schema = ProblemDocument.model_json_schema(ref_template="#/components/schemas/{model}")
    parts = document["components"]
    parts["schemas"] |= {**schema.pop("$defs"), "ProblemDocument": schema}
    parts["securitySchemes"] = {
        "token": {
            "type": "http",
            "scheme": "bearer",
            "description": "A token of your account, or of a bot. Its scopes:\n\n"
            + "\n".join(f"- `{scope}`: {words}" for scope, words in SCOPES.items()),
        }
    }
    parts["headers"] = {name: {**part, "schema": {"type": "string"}} for name, part in HEADERS.items()}
    parts["parameters"] = {name: {"name": name, "in": "header", **part} for name, part in PARAMETERS.items()}
    parts["responses"] = {
        "Problem": {
            "description": "The request was not done. Codes: " + ", ".join(f"`{code}`" for code in PROBLEMS),
            "x-codes": [
                {"code": code, "status": int(status), "title": title} for code, (status, title) in PROBLEMS.items()
            ],
            "headers": _headers("RateLimit-Policy", "RateLimit"),
            "content": {CONTENT_TYPE: {"schema": {"$ref": "#/components/schemas/ProblemDocument"}}},
        }
    }
    return document


def _complete(operation: Document, *, is_read: bool) -> None:
    summary, _, rest = operation.pop("description", "").partition("\n\n")
    operation["summary"] = " ".join(summary.split())
    if rest:
        operation["description"] = rest
    operation.setdefault("security", [{}, {"token": []}])
    name = "If-None-Match" if is_read else "Idempotency-Key"
    is_stream = operation.pop("x-stream", "")
    if is_stream:
        content = operation["responses"][200]["content"]
        content[is_stream] = content.pop("application/json")
        if events := operation.pop("x-events", None):
            content[is_stream] = {"schema": TEXT, "x-events": events}
    else:
        operation["parameters"].append({"$ref": f"#/components/parameters/{name}"})
    headers = ["RateLimit-Policy", "RateLimit", *(["ETag"] if is_read and not is_stream else [])]
    for response in operation["responses"].values():
        response.setdefault("headers", {}).update(_headers(*headers))
    if is_read and not is_stream:
        operation["responses"][304] = {"description": "You have it.", "headers": _headers(*headers)}
    operation["responses"]["default"] = {"$ref": "#/components/responses/Problem"}


def _headers(*names: str) -> Document:
    return {name: {"$ref": f"#/components/headers/{name}"} for name in names}
