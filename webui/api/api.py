"""The API as one object: its routes, its document, its errors."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NoReturn

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.operation import Operation

from webui.api import ROOT
from webui.api.document import INFO, completed
from webui.api.routes import (
    account,
    bots,
    challenges,
    comparisons,
    entries,
    event_pages,
    fairness,
    following,
    ladders,
    matches,
    organising,
    own_bots,
    status,
    stream,
    transcripts,
    tv,
    versions,
    webhooks,
)

VERSION: Final = "1.2"
"""Of the document: the first number is that of `ROOT`, the second one counts additions."""


class Api(NinjaAPI):
    """Errors go to `webui.api.answering`, and from there, if they are mistakes of ours, to Django."""

    def on_exception(self, request: HttpRequest, exc: Any) -> NoReturn:
        """Raise it."""
        raise exc

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """The name of the route's function."""
        return operation.view_func.__name__

    def get_openapi_schema(self, **_: Any) -> Any:
        """The document, made once."""
        return self._document

    def operations(self, path: str) -> dict[str, Any]:
        """What the document has of an address, by method; empty for that of the document itself."""
        found: dict[str, Any] = self._document["paths"].get(path, {})
        return found

    @cached_property
    def _document(self) -> dict[str, Any]:
        return completed(super().get_openapi_schema(path_prefix=ROOT))


api = Api(title="Naqala Arena", version=VERSION, description=INFO, docs_url=None, urls_namespace="api")
for subject in (
    bots,
    versions,
    own_bots,
    transcripts,
    ladders,
    matches,
    stream,
    following,
    challenges,
    comparisons,
    event_pages,
    entries,
    organising,
    fairness,
    webhooks,
    account,
    status,
    tv,
):
    api.add_router("", subject.router)
