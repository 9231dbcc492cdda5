"""The live feeds send what the OpenAPI document says."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from tests.kit.ladder import Kit
from tests.kit.openapi import DOCUMENT
from tests.kit.redis_server import RedisServer
from tests.site.test_live import Following, Running, served
from webui.ladder import actions
from webui.ladder.models import EventRow

pytestmark = pytest.mark.django_db(transaction=True)
TERMS = {"name": "Salt Cup", "format": {"kind": "swiss"}, "game": {"players": 3}}


def events_of(path: str) -> dict[str, Any]:
    operation = json.loads(DOCUMENT.read_text())["paths"][path]["get"]
    return dict(operation["responses"]["200"]["content"]["text/event-stream"]["x-events"])


def test_of_a_match(kit: Kit, redis_server: RedisServer) -> None:
    events, seen = events_of("/matches/{match_id}/live"), set[str]()
    running = Running(kit, redis_server.url)
    running.play_on(10)
    with served() as site:
        reader = Following(site, running.match)
        for others in ({"frame", "thinking", "watching"}, {"end"}):
            while not others <= seen:
                kind, data, _ = reader.event()
                jsonschema.validate(data, events[kind]["schema"])
                seen.add(kind)
            if "end" not in seen:
                running.finish()
        reader.close()
    assert seen == events.keys()


def test_of_an_event(kit: Kit) -> None:
    events = events_of("/events/{slug}/live")
    slug = actions.create_event(actions.create_user("orga", None), TERMS)
    EventRow.objects.filter(slug=slug).update(state="open")
    with served() as site:
        reader = Following(site, slug, of="events")
        kind, data, _ = reader.event()
        jsonschema.validate(data, events[kind]["schema"])
        EventRow.objects.filter(slug=slug).update(state="cancelled")
        seen = {kind}
        while "end" not in seen:
            kind, data, _ = reader.event()
            jsonschema.validate(data, events[kind]["schema"])
            seen.add(kind)
        reader.close()
    assert seen == events.keys()
