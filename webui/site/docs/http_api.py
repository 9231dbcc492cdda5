"""The reference of the HTTP API as Markdown, from its OpenAPI document (`make openapi`), in English as that."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from webui.site.docs.tables import table

SITE = "http://127.0.0.1:8000"
"""What the pages say where the reader needs the address of the site."""
Document = Mapping[str, Any]


@lru_cache
def document() -> Document:
    """The document, which the API answers with, too."""
    found: Document = json.loads((Path(__file__).parent / "en" / "openapi.json").read_text(encoding="utf-8"))
    return found


def problems() -> str:
    """Table of the codes of problems, each with the anchor that the problem's `type` names."""
    rows = [
        (f'<span id="{one["code"].lower().replace("_", "-")}">`{one["code"]}`</span>', one["status"], one["title"])
        for one in document()["components"]["responses"]["Problem"]["x-codes"]
    ]
    return table(("Code", "Status", "Meaning"), rows, right=(1,))


def scopes() -> str:
    """List of the scopes."""
    described: str = document()["components"]["securitySchemes"]["token"]["description"]
    return described.partition("\n\n")[2]


def reference() -> str:
    """All routes by subject, then the schemas that they name, each to be unfolded."""
    by_tag: dict[str, list[str]] = {}
    for path, methods in document()["paths"].items():
        for method, operation in methods.items():
            by_tag.setdefault(operation["tags"][0], []).extend(_route(method, path, operation))
    parts = [part for tag in by_tag for part in (_subject(tag), *by_tag[tag])]
    schemas = document()["components"]["schemas"]
    parts += [_subject("schemas"), *(part for name in sorted(schemas) for part in _schema(name, schemas[name]))]
    return '<div lang="en">\n\n' + "\n\n".join(parts) + "\n\n</div>"


def _subject(name: str) -> str:
    return f'<h3 id="about-{name.replace(" ", "-")}">{name.capitalize()}</h3>'


def _route(method: str, path: str, operation: Document) -> Iterable[str]:
    shown, about = method.upper(), escape(operation["summary"])
    yield (
        f'<details class="route" id="{operation["operationId"]}" data-method="{shown}" data-path="{path}"><summary>'
        f'<h4><span class="route-m">{shown}</span> <code>{path}</code></h4> {about}</summary>'
    )
    if "description" in operation:
        yield operation["description"]
    scopes = [scope for option in operation["security"] for scope in option.get("token", [])]
    if scopes:
        yield "Needs a token with the scope " + " or ".join(f"`{scope}`" for scope in scopes) + "."
    given = [one for one in operation["parameters"] if "$ref" not in one]
    if given:
        rows = [
            (f"`{one['name']}`", one["in"], _type(one["schema"]), _cell(one.get("description") or one["schema"]))
            for one in given
        ]
        yield table(("Parameter", "In", "Type", "Meaning"), rows)
    if "requestBody" in operation:
        yield "Takes " + _type(operation["requestBody"]["content"]["application/json"]["schema"]) + "."
    answers: set[str] = set()
    for status, answer in operation["responses"].items():
        answers |= answer.get("content", {}).keys()
        if "content" in answer:
            ((kind, content),) = answer["content"].items()
            how = "" if kind == "application/json" else f" as `{kind}`"
            yield f"Answers {status} with {_type(content['schema'])}{how}."
            if events := content.get("x-events"):
                said = [(f"`{name}`", _type(event["schema"]), _event(event)) for name, event in events.items()]
                yield table(("Event", "Data", "Meaning"), said)
    if method == "get":
        token = ' -H "Authorization: Bearer $TOKEN"' if scopes else ""
        how = "--compressed" if "application/json" in answers else "--no-buffer"
        yield f"```bash\ncurl {how}{token} '{SITE}{path}'\n```"
        if not scopes and "{" not in path and "application/json" in answers:
            yield f"[Open the JSON]({path})"
    yield "</details>"


def _schema(name: str, schema: Document) -> Iterable[str]:
    about = escape(_cell(schema))
    yield f'<details class="route" id="{name}"><summary><h4><code>{name}</code></h4> {about}</summary>'
    if fields := schema.get("properties"):
        rows = [(f"`{field}`", _type(kind), _cell(kind)) for field, kind in fields.items()]
        yield table(("Field", "Type", "Meaning"), rows)
    yield "</details>"


def _event(event: Document) -> str:
    """What an event means, and the fields of its data."""
    fields = event["schema"].get("properties", {}).items()
    told = "; ".join(f"`{name}`: {(_cell(kind) or _type(kind)).rstrip('.')}" for name, kind in fields)
    return f"{_cell(event)} {told}".strip()


def _cell(said: str | Document) -> str:
    return " ".join((said if isinstance(said, str) else said.get("description", "")).split())


def _type(schema: Document) -> str:
    """A type in words, schemas as links."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if options := schema.get("anyOf"):
        return " or ".join(_type(option) for option in options)
    if values := schema.get("enum"):
        return ", ".join(f"`{value}`" for value in values)
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if "items" in schema else "list"
    return str(schema.get("format") or schema.get("type", "any"))
