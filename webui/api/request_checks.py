"""Checks of what a request asks for, by the OpenAPI document.

An unknown parameter in the query is refused, because it would have no effect. A body that is not a JSON document is
refused, too, and one that has a NUL character.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, Final

from django.http import HttpRequest

from webui.api.problems import FieldError, Problem

Operations = Callable[[], Mapping[str, Mapping[str, Any]]]
"""Function that returns the operations of an address in the document, by method in small letters."""
JSON: Final = "a JSON document, with Content-Type: application/json"


def check_request(request: HttpRequest, operations: Operations) -> None:
    """Raise `Problem` if the request has unknown or repeated parameters, or an invalid body. It names each of them."""
    operation = operations().get((request.method or "").lower())
    if operation is None:
        return  # no such method: the route says which it takes
    known = [parameter["name"] for parameter in operation["parameters"] if parameter.get("in") == "query"]
    there_are = f"there are {', '.join(known)}" if known else "this address takes none"
    wrong = [
        FieldError(field=f"query.{name}", detail=f"there is no such parameter: {there_are}")
        for name in request.GET
        if name not in known
    ]
    wrong += [
        FieldError(field=f"query.{name}", detail="is given more than once")
        for name in known
        if len(request.GET.getlist(name)) > 1
    ]
    takes_json = "application/json" in operation.get("requestBody", {}).get("content", {})
    if takes_json and (detail := _fault(request)):
        wrong.append(FieldError(field="body", detail=detail))
    if wrong:
        raise Problem("BAD_REQUEST", "see `errors` for each value that is not valid", errors=wrong)


def _fault(request: HttpRequest) -> str:
    """Return why the body is not a JSON document. Return an empty text if it is one."""
    try:
        if _has_nul(json.loads(request.body, object_pairs_hook=_once)):
            return "has a NUL character in a text, which cannot be stored"
    except (ValueError, RecursionError) as error:
        if not request.body:
            return f"is missing: send {JSON}"
        if request.content_type == "application/x-www-form-urlencoded":
            return f"is a form: send {JSON}"
        return f"is no JSON ({error}): send {JSON}"
    return ""


def _has_nul(value: Any) -> bool:
    """Return whether a text of a document has a NUL character. PostgreSQL raises an error if one is looked up."""
    match value:
        case str():
            return "\0" in value
        case list():
            return any(map(_has_nul, value))
        case dict():
            return any(map(_has_nul, (*value, *value.values())))
    return False


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object in which each name occurs once. Callers cannot rely on which of two equal names would count."""
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise ValueError(f"{name!r} occurs twice in an object")
        fields[name] = value
    return fields
