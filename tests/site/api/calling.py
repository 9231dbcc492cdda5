"""Calls of the API, as programs make them."""

from __future__ import annotations

from typing import Any

from django.test import Client

from tests.site.world import World
from webui.accounts.values import API_SCOPES
from webui.bots import token_actions

ROOT = "/api/v1"


class Api:
    """A program with a token, or without."""

    def __init__(self, token: str = "", **client: Any) -> None:
        self.client = Client(**client)
        self.token = token

    def call(self, method: str, path: str, body: Any = None, **headers: str) -> Any:
        """The answer. `headers`: with underscores."""
        if self.token:
            headers.setdefault("Authorization", f"Bearer {self.token}")
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        content = {} if method in ("get", "head", "delete") else {"content_type": "application/json"}
        if body is not None:
            content |= {"data": body, "content_type": "application/json"}
        return getattr(self.client, method)(ROOT + path, headers=named, **content)

    def get(self, path: str, **headers: str) -> Any:
        return self.call("get", path, **headers)


def with_token(user_id: int, *scopes: str) -> Api:
    """A program of this user's, with all scopes if none are named."""
    return Api(token_actions.issue_api_token(user_id, scopes or API_SCOPES).token)


def callers(world: World) -> dict[str, Api]:
    """Everybody who may call."""
    return {
        "stranger": Api(),
        "owner": with_token(world.owner),
        "owner-without-scopes": Api(token_actions.issue_api_token(world.owner, ()).token),
        "other": with_token(world.other),
        "staff": with_token(world.staff),
        "bot": Api(world.token.token),
    }


def code(answer: Any) -> str:
    """The code of a problem, whose document is whole."""
    assert answer["Content-Type"] == "application/problem+json"
    document = answer.json()
    assert document["status"] == answer.status_code and document["title"] and document["detail"]
    assert document["type"] == f"/docs/http-api/#{document['code'].lower().replace('_', '-')}"
    return str(document["code"])
