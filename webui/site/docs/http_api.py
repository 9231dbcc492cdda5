"""Write the reference of the HTTP API as Markdown, in English, from its OpenAPI document (`make openapi`)."""

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from html import escape
from pathlib import Path
from typing import Any

from webui.site.docs.markup import table

SITE = "http://127.0.0.1:8000"
"""Address of the site in the sources of the pages. A running site shows its own address instead."""
Document = Mapping[str, Any]
DEEPEST = 3
"""Maximum depth of an example; deeper objects are left empty."""
BOUNDS = (
    (("minimum", "maximum"), ""),
    (("minLength", "maxLength"), " characters"),
    (("minItems", "maxItems"), " items"),
)


@lru_cache
def document() -> Document:
    """Return the OpenAPI document, which the API also serves."""
    schema: Document = json.loads((Path(__file__).parent / "en" / "openapi.json").read_text(encoding="utf-8"))
    return schema


def problems() -> str:
    """Return a table of the problem codes. Each has the anchor that a problem's `type` links to."""
    rows = [
        (f'<span id="{code["code"].lower().replace("_", "-")}">`{code["code"]}`</span>', code["status"], code["title"])
        for code in document()["components"]["responses"]["Problem"]["x-codes"]
    ]
    return table(("Code", "Status", "Meaning"), rows, right=(1,))


def scopes() -> str:
    """Return the list of scopes."""
    described: str = document()["components"]["securitySchemes"]["token"]["description"]
    return described.partition("\n\n")[2]


def reference() -> str:
    """Return all routes by subject, then the schemas that they use. Each can be expanded."""
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
        f'<h4><span class="route-method">{shown}</span> <code>{path}</code></h4> {about}</summary>'
    )
    if "description" in operation:
        yield operation["description"]
    scopes = [scope for option in operation["security"] for scope in option.get("token", [])]
    if scopes:
        yield "Needs a token with the scope " + " or ".join(f"`{scope}`" for scope in scopes) + "."
    given = [field for field in operation["parameters"] if "$ref" not in field]
    if given:
        rows = [
            (
                f"`{field['name']}`",
                field["in"],
                _type(field["schema"]),
                _meaning(field.get("description") or "", field["schema"]),
            )
            for field in given
        ]
        yield table(("Parameter", "In", "Type", "Meaning"), rows)
    if "requestBody" in operation:
        kind, schema = body_of(operation)
        yield f"Takes {_type(schema)}{_as(kind)}."
    answers: set[str] = set()
    for status, answer in operation["responses"].items():
        answers |= answer.get("content", {}).keys()
        if "content" in answer:
            ((kind, content),) = answer["content"].items()
            yield f"Answers {status} with {_type(content['schema'])}{_as(kind)}."
            if events := content.get("x-events"):
                event_rows = [(f"`{name}`", _type(event["schema"]), _event(event)) for name, event in events.items()]
                yield table(("Event", "Data", "Meaning"), event_rows)
    token = ' -H "Authorization: Bearer $ARENA_API_TOKEN"' if scopes else ""
    if method != "get":
        body = f" \\\n  {_curl_body(operation)}" if "requestBody" in operation else ""
        yield f"```bash\ncurl -X {shown}{token}{body} \\\n  '{SITE}{path}'\n```"
    else:
        how = "--compressed" if "application/json" in answers else "--no-buffer"
        yield f"```bash\ncurl {how}{token} '{SITE}{path}'\n```"
        if not scopes and "{" not in path and "application/json" in answers:
            yield f"[Open the JSON]({path})"
    yield "</details>"


def _schema(name: str, schema: Document) -> Iterable[str]:
    about = escape(_cell(schema))
    yield f'<details class="route" id="{name}"><summary><h4><code>{name}</code></h4> {about}</summary>'
    if fields := schema.get("properties"):
        rows = [(f"`{field}`", _type(kind), _meaning(_cell(kind), kind)) for field, kind in fields.items()]
        yield table(("Field", "Type", "Meaning"), rows)
    yield "</details>"


def _event(event: Document) -> str:
    """Describe an event and the fields of its data."""
    fields = event["schema"].get("properties", {}).items()
    described = "; ".join(f"`{name}`: {(_cell(kind) or _type(kind)).rstrip('.')}" for name, kind in fields)
    return f"{_cell(event)} {described}".strip()


def _as(kind: str) -> str:
    return "" if kind == "application/json" else f" as `{kind}`"


def body_of(operation: Document) -> tuple[str, Document]:
    """Return the media type of a route's request body, and its schema."""
    ((kind, content),) = operation["requestBody"]["content"].items()
    return kind, content["schema"]


def _curl_body(operation: Document) -> str:
    """Return the arguments of curl for an example of a request body."""
    kind, schema = body_of(operation)
    if kind == "application/json":
        return f"--json '{_example_text(schema)}'"
    return f"-H 'Content-Type: {kind}' --data-binary @FILE"


def _meaning(described: str, schema: Document) -> str:
    """Describe a value: its meaning, its bounds and its default."""
    parts = [_cell(described), _bounds(schema)]
    if (default := schema.get("default")) not in (None, "", [], {}) and not isinstance(default, Mapping):
        parts.append(f"Default: `{json.dumps(default)}`.")
    return " ".join(part for part in parts if part)


def _bounds(schema: Document) -> str:
    """Describe the bounds of a number, a text or a list. Return "" if there are none."""
    schema = next((option for option in schema.get("anyOf", []) if option.get("type") != "null"), schema)
    for names, unit in BOUNDS:
        least, most = (schema.get(name) for name in names)
        if least is not None and most is not None:
            return f"From {least} to {most}{unit}."
        if most is not None:
            return f"At most {most}{unit}."
        if least is not None:
            return f"At least {least}{unit}."
    return ""


def _example_text(schema: Document) -> str:
    return json.dumps(_example(schema), ensure_ascii=False)


def _example(schema: Document, depth: int = 0) -> Any:
    """Return an example with only the required fields."""
    if "$ref" in schema:
        return _example(document()["components"]["schemas"][schema["$ref"].rpartition("/")[2]], depth)
    if "examples" in schema:
        return schema["examples"][0]
    if options := schema.get("anyOf") or schema.get("oneOf") or schema.get("allOf"):
        return _example(options[0], depth)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    if schema.get("type") == "object":
        fields = schema.get("properties", {})
        needed = schema.get("required") or list(fields)[:1]
        return {name: _example(fields[name], depth + 1) for name in needed} if depth <= DEEPEST else {}
    if schema.get("type") == "array":
        return [_example(schema.get("items", {}), depth + 1)] * int(schema.get("minItems", 0))
    if schema.get("type") in ("integer", "number"):
        return schema.get("minimum", 0)
    return False if schema.get("type") == "boolean" else "…"


def _cell(described: str | Document) -> str:
    return " ".join((described if isinstance(described, str) else described.get("description", "")).split())


def _type(schema: Document) -> str:
    """Describe a type. Schemas are links."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return f"[{name}](#{name})"
    if "allOf" in schema:  # holds one schema, whose description stands beside it
        return _type(schema["allOf"][0])
    if options := schema.get("anyOf") or schema.get("oneOf"):
        return " or ".join(_type(option) for option in options)
    if values := schema.get("enum"):
        return ", ".join(f"`{value}`" for value in values)
    if "const" in schema:
        return f"`{schema['const']}`"
    if schema.get("type") == "array":
        return f"list of {_type(schema['items'])}" if "items" in schema else "list"
    return str(schema.get("format") or schema.get("type", "any"))
