"""The API as one object: its routes, its document and its errors."""

from __future__ import annotations

from functools import cached_property
from importlib.metadata import version
from typing import Any, Final, NoReturn

from django.http import HttpRequest
from ninja import NinjaAPI
from ninja.operation import Operation

from webui.api import ROOT
from webui.challenges import api as challenge_api
from webui.comparisons import api as comparison_api
from webui.events import api as event_api
from webui.events import entry_api, organising_api
from webui.fairness import api as fairness_api
from webui.game_statistics import api as statistics_api
from webui.hosting import api as hosting_api
from webui.people import api as people_api
from webui.profiles import account_api, own_api, version_api
from webui.profiles import api as profile_api
from webui.ratings import api as rating_api
from webui.replays import api as replay_api
from webui.replays import following_api, stream_api, transcript_api
from webui.site.api.document import INFO, completed
from webui.status import api as status_api
from webui.tv import api as tv_api
from webui.webhooks import api as webhook_api

VERSION: Final = version("naqala-arena")
"""Version of the arena that serves the API. The version of the API itself is in its addresses (`ROOT`)."""


class SiteApi(NinjaAPI):
    """An API that leaves its errors to `webui.api.answering`, which passes our own bugs on to Django."""

    def on_exception(self, request: HttpRequest, exc: Any) -> NoReturn:
        """Raise the exception again."""
        raise exc

    def get_openapi_operation_id(self, operation: Operation) -> str:
        """Return the name of the route's function."""
        return operation.view_func.__name__

    def get_openapi_schema(self, **_: Any) -> Any:
        """Return the OpenAPI document, which is made once."""
        return self._document

    def operations(self, path: str) -> dict[str, Any]:
        """Return the document's operations at an address, by method. Empty for the address of the document itself."""
        methods: dict[str, Any] = self._document["paths"].get(path, {})
        return methods

    @cached_property
    def _document(self) -> dict[str, Any]:
        return completed(super().get_openapi_schema(path_prefix=ROOT))


api = SiteApi(title="Naqala Arena", version=VERSION, description=INFO, docs_url=None, urls_namespace="api")
for subject in (
    profile_api,
    version_api,
    own_api,
    transcript_api,
    rating_api,
    replay_api,
    stream_api,
    following_api,
    challenge_api,
    comparison_api,
    event_api,
    entry_api,
    organising_api,
    fairness_api,
    hosting_api,
    webhook_api,
    account_api,
    statistics_api,
    people_api,
    status_api,
    tv_api,
):
    api.add_router("", subject.router)
