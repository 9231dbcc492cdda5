"""Write the protocol reference: the comments of the .proto files as Markdown, in the language of the page."""

import json
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from webui.site.docs.markup import table

SOURCES = Path(__file__).parent
File = Mapping[str, Any]


def protocol() -> list[File]:
    """Return the .proto files by name: services, messages and enums with their comments, in English."""
    files: list[File] = json.loads((SOURCES / "protocol.json").read_text(encoding="utf-8"))
    return sorted(files, key=lambda file: str(file["name"]))


@lru_cache
def comments(language: str) -> Mapping[str, str]:
    """Return the translations of comments to a language, by comment. Empty if there are none."""
    path = SOURCES / language / "reference.json"
    translated: dict[str, str] = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return translated


def translated_comment(comment: str) -> str:
    """Return a comment in the current language, or in English if it is not translated."""
    return comments(get_language() or "").get(comment, comment)


def reference() -> str:
    """Return the reference as Markdown, in the current language."""
    files = protocol()
    known = {thing["name"] for file in files for thing in (*file["messages"], *file["enums"])}
    return "\n\n".join(part for file in files for part in _file(file, known))


def _file(file: File, known: set[str]) -> Iterable[str]:
    yield f"## {file['name']}"
    yield _markdown(file)
    for service in file["services"]:
        yield f"### {service['name']}"
        yield _markdown(service)
        for method in service["methods"]:
            stream = "stream " if method["streams"] else ""
            yield f"`rpc {method['name']}({stream}{method['takes']}) returns ({stream}{method['gives']})`"
            yield _markdown(method)
    for message in file["messages"]:
        yield f"### {message['name']}"
        yield _markdown(message)
        if message["fields"]:
            fields = [(f["number"], f"`{f['name']}`", _type(f, known), _markdown(f)) for f in message["fields"]]
            yield table((_("No."), _("Field"), _("Type"), _("Meaning")), fields, right=(0,))
    for enum in file["enums"]:
        yield f"### {enum['name']}"
        yield _markdown(enum)
        values = [(value["number"], f"`{value['name']}`", _markdown(value)) for value in enum["values"]]
        yield table((_("No."), _("Value"), _("Meaning")), values, right=(0,))


def _type(field: Mapping[str, str], known: set[str]) -> str:
    name = field["type"]
    shown = f"[{name}](#{name.lower()})" if name in known else name
    return f"{field['label']} {shown}" if field["label"] in ("repeated", "optional") else shown


def _markdown(thing: Mapping[str, Any]) -> str:
    """Return the comment of a file, message or field as Markdown. Indented parts become code; tags are escaped."""
    parts = []
    for part in translated_comment(thing["comment"]).split("\n\n"):
        if part.startswith("  "):
            parts.append("```\n" + "\n".join(line[2:] for line in part.splitlines()) + "\n```")
        else:
            parts.append(re.sub(r"[<>*_]", lambda match: "\\" + match[0], part))
    return "\n\n".join(parts)
