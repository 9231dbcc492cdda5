"""What a reader of a live match costs while it stays."""

from __future__ import annotations

import asyncio
import gc
import os
import threading
from io import BytesIO
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.handlers.asgi import ASGIRequest
from django.db import connections
from django.http import HttpResponseBase

from tests.kit.ladder import Kit
from webui.asgi import application
from webui.ladder import actions
from webui.site.views import games

SHARED = min(32, (os.cpu_count() or 1) + 4) + 1
"""The threads of asyncio, and the one for what Django does in order."""
READERS = SHARED + 20


@pytest.mark.django_db(transaction=True)
def test_a_reader_holds_no_thread_and_no_connection_to_the_database(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    match_id = kit.match()
    actions.claim_match(match_id, "worker", 60)
    opened: list[Any] = []
    create = connections.create_connection

    def noted(alias: str) -> Any:
        opened.append(create(alias))
        return opened[-1]

    monkeypatch.setattr(connections, "create_connection", noted)
    path = f"/matches/{match_id}/live"
    scope = {"type": "http", "method": "GET", "path": path, "headers": [(b"host", b"localhost")], "query_string": b""}

    before = set(threading.enumerate())

    async def read() -> None:
        clients = [(f"8.8.8.{number}", 7) for number in range(READERS)]
        readers = [ApplicationCommunicator(application, scope | {"client": client}) for client in clients]
        threads: set[threading.Thread] = set()
        for reader in readers:
            await reader.send_input({"type": "http.request", "body": b""})
            assert (await reader.receive_output(30))["status"] == 200
            assert b"retry" in (await reader.receive_output(30))["body"]
            threads |= {thread for thread in threading.enumerate() if "ThreadPool" in thread.name} - before
        assert len(threads) <= SHARED, "however many readers there are"
        held = [connection for connection in opened if connection.connection is not None]
        assert len(held) <= 1, "that of the feed, which reads for all of them"
        for reader in readers:
            await reader.send_input({"type": "http.disconnect"})
            await reader.wait(30)

    asyncio.run(read())


@pytest.mark.django_db(transaction=True)
def test_a_burst_of_readers_does_not_get_past_the_limit(kit: Kit) -> None:
    match_id = kit.match()
    scope = {"type": "http", "method": "GET", "path": "/", "headers": [], "query_string": b"", "client": ("8.8.8.8", 7)}
    many = games.live_slots._per_address + 5

    async def ask() -> list[HttpResponseBase]:
        return await asyncio.gather(*(games.live(ASGIRequest(scope, BytesIO()), match_id) for _ in range(many)))

    answers = asyncio.run(ask())
    assert [answer.status_code for answer in answers] == [200] * (many - 5) + [429] * 5
    del answers
    gc.collect()
    assert not games.live_slots._taken, "streams of which nothing was read have given their places back"
