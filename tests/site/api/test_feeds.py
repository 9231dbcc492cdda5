"""The live feeds send what the OpenAPI document says."""

from __future__ import annotations

import http.client
import json
from typing import Any
from urllib.parse import urlsplit

import jsonschema
import pytest

from arena.referee import Kind
from tests.kit.ladder import Kit
from tests.kit.openapi import DOCUMENT
from tests.kit.redis_server import RedisServer
from tests.site.api.calling import Api
from tests.site.test_live import Following, Running, served
from webui.accounts import actions as account_actions
from webui.core.feeds import ReaderSlots
from webui.events import actions as event_actions
from webui.events.models import EventRow
from webui.ladders.models import Ladder
from webui.replays import following_api

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
    slug = event_actions.create_event(account_actions.create_user("orga", None), TERMS)
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


DATA = "api/v1/matches"


def test_of_a_match_as_data(kit: Kit, redis_server: RedisServer) -> None:
    events = json.loads(DOCUMENT.read_text())["paths"]["/api/v1/matches/{match_id}/live"]["get"]
    kinds = events["responses"]["200"]["content"]["text/event-stream"]["x-events"]
    running = Running(kit, redis_server.url)
    running.play_on(12)
    with served() as site:
        reader = Following(site, running.match, of=DATA)
        begun = reader.frames(len(running.plies))
        decided = [entry for entry in running.entries[: running.done] if entry.kind == Kind.DECISION]
        assert [(frame["seat"], frame["action"]) for frame, _ in begun] == [
            (None, None), *((entry.seat, entry.text) for entry in decided),
        ]  # fmt: skip
        for (frame, sent), index in zip(begun, running.plies, strict=True):
            jsonschema.validate(frame, kinds["frame"]["schema"])
            assert frame["d"] == index and f"id: {index}\n".encode() in sent, "the set-up has an id, too"
            position = Api().get(f"/matches/{running.match}/position?d={index}").json()
            assert frame["position"] == position
        late = Following(site, running.match, of=DATA, last_id=running.plies[3])
        assert late.frames(len(begun) - 4) == begun[4:], "the same bytes"
        again = Following(site, running.match, of=DATA, after=running.plies[0])
        assert again.frames(1) == begun[1:2], "without the set-up"
        running.finish()
        for one in (reader, late, again):
            one.end()
            one.close()


def test_what_cannot_be_followed_is_a_problem(
    kit: Kit, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = Running(kit, redis_server.url)
    running.play_on(5)
    with served() as site:

        def asked(path: str, **headers: str) -> tuple[int, str, dict[str, Any]]:
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=60)
            connection.request("GET", f"/{DATA}/{path}", headers=named)
            answer = connection.getresponse()
            found = answer.status, answer.headers["Content-Type"], json.loads(answer.read())
            connection.close()
            return found

        kind = "application/problem+json"
        status, content, said = asked("nowhere/live")
        assert (status, content, said["code"]) == (404, kind, "NOT_FOUND")
        status, content, said = asked(f"{running.match}/live", Last_Event_ID="last")
        assert (status, content, said["errors"][0]["field"]) == (400, kind, "header.Last-Event-ID")
        monkeypatch.setattr(following_api, "live_slots", ReaderSlots(8 * 20))
        readers = [Following(site, running.match, of=DATA) for _ in range(20)]
        status, content, said = asked(f"{running.match}/live")
        assert (status, content, said["code"]) == (429, kind, "TOO_MANY_REQUESTS")
        monkeypatch.setattr(following_api, "live_slots", ReaderSlots(0))
        status, content, said = asked(f"{running.match}/live")
        assert (status, content, said["code"]) == (503, kind, "TRY_AGAIN")
        for reader in readers:
            reader.close()
        for of in (DATA, "matches"):
            connection = http.client.HTTPConnection(urlsplit(site).netloc, timeout=60)
            connection.request("HEAD", f"/{of}/{running.match}/live")
            answer = connection.getresponse()
            assert (answer.status, answer.headers["Content-Type"], answer.read()) == (200, "text/event-stream", b"")
            connection.request("HEAD", f"/{of}/nowhere/live")
            assert connection.getresponse().status == 404, "nothing follows a head that would hold the connection"
            connection.close()


def test_data_of_a_delayed_match_comes_as_late_as_on_its_page(kit: Kit, redis_server: RedisServer) -> None:
    running = Running(kit, redis_server.url)
    running.play_on(12)
    Ladder.objects.update(delay=2)
    with served() as site:
        reader = Following(site, running.match, of=DATA)
        other = Following(site, running.match, of=DATA)
        told = [reader.event()[:2]]
        while ("watching", "2 watching") not in told or [kind for kind, _ in told].count("frame") < len(
            running.plies
        ) - 2:
            told.append(reader.event()[:2])
        assert {kind for kind, _ in told} == {"frame", "watching"}, "not how long somebody thinks"
        assert [data["d"] for kind, data in told if kind == "frame"] == running.plies[:-2], "and not the last two"
        reader.close()
        other.close()
