"""Each kind of change that breaks clients of the HTTP API is found, and additions are not reported."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.kit.openapi_breaks import breaks

Document = dict[str, Any]


def ref(name: str) -> Document:
    return {"$ref": f"#/components/schemas/{name}"}


def document() -> Document:
    """Return the document of an API with a list of bots, and a route that makes one."""
    bot = {
        "type": "object",
        "properties": {
            "slug": {"type": "string"},
            "state": {"enum": ["active", "paused"], "type": "string"},
            "rank": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "rivals": {"type": "array", "items": ref("Bot")},
            "parent": {"anyOf": [ref("Bot"), {"type": "null"}]},
            "kind": {"type": "string", "const": "bot"},
        },
        "required": ["slug", "state", "rank"],
    }
    order = {
        "type": "object",
        "additionalProperties": False,
        "properties": {
            "name": {"type": "string", "minLength": 1, "maxLength": 40},
            "players": {"type": "integer", "minimum": 2, "maximum": 5},
            "game": {"enum": ["base", "artisans"], "type": "string"},
        },
        "required": ["name"],
    }
    answer = {"content": {"application/json": {"schema": ref("Bot")}}, "headers": {"ETag": {}}}
    problem = {"x-codes": [{"code": "NOT_FOUND", "status": 404}, {"code": "TOO_MANY", "status": 429}]}
    return {
        "paths": {
            "/bots": {
                "get": {
                    "operationId": "list_bots",
                    "security": [{}, {"token": []}],
                    "parameters": [
                        {"in": "query", "name": "limit", "schema": {"type": "integer", "maximum": 100, "default": 20}},
                        {"$ref": "#/components/parameters/Since"},
                    ],
                    "responses": {200: answer, "default": {"$ref": "#/components/responses/Problem"}},
                },
                "post": {
                    "operationId": "make_bot",
                    "security": [{"token": ["bots"]}],
                    "requestBody": {"required": True, "content": {"application/json": {"schema": ref("Order")}}},
                    "responses": {201: copy.deepcopy(answer)},
                },
            },
        },
        "components": {
            "schemas": {"Bot": bot, "Order": order},
            "responses": {"Problem": problem},
            "parameters": {"Since": {"in": "query", "name": "since", "schema": {"type": "string", "format": "date"}}},
        },
    }


Change = Callable[[Document], Any]


def get(new: Document) -> Document:
    return dict.__getitem__(new["paths"]["/bots"], "get")


def post(new: Document) -> Document:
    return dict.__getitem__(new["paths"]["/bots"], "post")


def bot(new: Document) -> Document:
    return dict.__getitem__(new["components"]["schemas"], "Bot")


def order(new: Document) -> Document:
    return dict.__getitem__(new["components"]["schemas"], "Order")


GET, POST = "GET /bots: ", "POST /bots: "
BREAKS: list[tuple[str, Change]] = [
    (f"{GET}removed", lambda new: new["paths"].clear()),
    (f"{POST}removed", lambda new: new["paths"]["/bots"].pop("post")),
    (f"{GET}list_bots is now called bots", lambda new: get(new).update(operationId="bots")),
    (f"{GET}needs another scope", lambda new: get(new).update(security=[{"token": ["read"]}])),
    (f"{POST}needs another scope", lambda new: post(new).update(security=[{"token": ["bots", "read"]}])),
    (f"{GET}query limit: removed", lambda new: get(new)["parameters"].pop(0)),
    (f"{GET}query limit: another default", lambda new: get(new)["parameters"][0]["schema"].update(default=10)),
    (f"{GET}query limit: maximum 100 is now 50", lambda new: get(new)["parameters"][0]["schema"].update(maximum=50)),
    (f"{GET}query limit: is required now", lambda new: get(new)["parameters"][0].update(required=True)),
    (
        f"{GET}query who: is required now",
        lambda new: get(new)["parameters"].append({"in": "query", "name": "who", "schema": {}, "required": True}),
    ),
    (
        f"{GET}query since: format date is now date-time",
        lambda new: new["components"]["parameters"]["Since"]["schema"].update(format="date-time"),
    ),
    (
        f"{GET}body: is required now",
        lambda new: get(new).update(requestBody={"required": True, "content": {}}),
    ),
    (f"{POST}body: application/json is taken no more", lambda new: post(new)["requestBody"].update(content={})),
    (f"{POST}body.game: is required now", lambda new: order(new)["required"].append("game")),
    (f"{POST}body.players: is taken no more", lambda new: order(new)["properties"].pop("players")),
    (f"{POST}body.players: minimum 2 is now 3", lambda new: order(new)["properties"]["players"].update(minimum=3)),
    (f"{POST}body.name: pattern None is now ^a", lambda new: order(new)["properties"]["name"].update(pattern="^a")),
    (f"{POST}body.name: string is now integer", lambda new: order(new)["properties"]["name"].update(type="integer")),
    (
        f"{POST}body.game: artisans is taken no more",
        lambda new: order(new)["properties"]["game"].update(enum=["base"]),
    ),
    (f"{GET}answer 200: removed", lambda new: get(new)["responses"].pop(200)),
    (f"{GET}answers 202, too", lambda new: get(new)["responses"].update({202: {}})),
    (f"{POST}answers 409, too", lambda new: post(new)["responses"].update({409: {}})),
    (
        f"{POST}answer 201: application/json is given no more",
        lambda new: post(new)["responses"][201].update(content={"text/plain": {"schema": {}}}),
    ),
    (f"{POST}answer 201: header ETag removed", lambda new: post(new)["responses"][201].pop("headers")),
    (f"{GET}answer 200.slug: removed", lambda new: bot(new)["properties"].pop("slug")),
    (f"{GET}answer 200.slug: may be missing now", lambda new: bot(new)["required"].remove("slug")),
    (f"{GET}answer 200.slug: string is now integer", lambda new: bot(new)["properties"]["slug"].update(type="integer")),
    (f"{GET}answer 200.state: gone is new", lambda new: bot(new)["properties"]["state"]["enum"].append("gone")),
    (f"{GET}answer 200.kind: cat is new", lambda new: bot(new)["properties"]["kind"].update(const="cat")),
    (
        f"{GET}answer 200.slug: string is now null",
        lambda new: bot(new)["properties"].update(slug={"anyOf": [{"type": "string"}, {"type": "null"}]}),
    ),
    (f"{GET}answer 200.rivals[]: object is now any type", lambda new: bot(new)["properties"]["rivals"].pop("items")),
    ("problem TOO_MANY: removed", lambda new: new["components"]["responses"]["Problem"]["x-codes"].pop()),
    (
        "problem NOT_FOUND: the status 404 is now 410",
        lambda new: new["components"]["responses"]["Problem"]["x-codes"][0].update(status=410),
    ),
]
ADDITIONS: list[Change] = [
    lambda new: new["paths"].update({"/cats": {"get": {}}}),
    lambda new: new["paths"]["/bots"].update(delete={}),
    lambda new: get(new)["parameters"].append({"in": "query", "name": "who", "schema": {"type": "string"}}),
    lambda new: get(new)["parameters"][0]["schema"].update(maximum=200),
    lambda new: get(new)["parameters"][0]["schema"].update(type="number"),
    lambda new: post(new).update(security=[{"token": ["bots"]}, {"token": ["play"]}]),
    lambda new: post(new).update(security=[{}]),
    lambda new: order(new)["properties"].update(description={"type": "string"}),
    lambda new: order(new).update(required=[]),
    lambda new: order(new)["properties"]["game"]["enum"].append("whims"),
    lambda new: order(new)["properties"].update(name={"anyOf": [order(new)["properties"]["name"], {"type": "null"}]}),
    lambda new: bot(new)["properties"].update(owner={"type": "string"}),
    lambda new: bot(new)["required"].append("rivals"),
    lambda new: bot(new)["properties"].update(rank={"type": "integer"}),
    lambda new: bot(new)["properties"]["state"].update(enum=["active"]),
    lambda new: get(new)["responses"].update({409: {}}),
    lambda new: new["components"]["responses"]["Problem"]["x-codes"].append({"code": "NEW", "status": 400}),
]


@pytest.mark.parametrize(("said", "change"), BREAKS, ids=[said for said, _ in BREAKS])
def test_a_change_that_breaks_clients_is_found(said: str, change: Change) -> None:
    new = document()
    change(new)
    assert said in breaks(document(), new)


@pytest.mark.parametrize("change", ADDITIONS)
def test_an_addition_breaks_nobody(change: Change) -> None:
    new = document()
    change(new)
    assert new != document() and breaks(document(), new) == []


def test_one_of_several_schemas_is_compared_with_each() -> None:
    """The schemas are formats of events, each with its own `kind`."""
    swiss, cup = ({"type": "object", "properties": {"kind": {"const": kind}}} for kind in ("swiss", "cup"))

    def taking(*formats: Document) -> Document:
        found = document()
        found["components"]["schemas"]["Order"]["properties"]["format"] = {"oneOf": list(formats)}
        return found

    assert breaks(taking(swiss), taking(swiss, cup)) == []
    assert len(breaks(taking(swiss, cup), taking(swiss))) == 1
