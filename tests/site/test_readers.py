"""What a reader of a live match costs while it stays."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator
from django.core.asgi import get_asgi_application
from django.db import connections

from tests.kit.ladder import Kit
from webui.ladder import actions

READERS = 5


@pytest.mark.django_db(transaction=True)
def test_a_reader_holds_no_connection_to_the_database(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
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

    async def read() -> None:
        # As a server of today calls it: each request in a context of its own, with a thread that it keeps.
        readers = [ApplicationCommunicator(get_asgi_application(), {**scope}) for _ in range(READERS)]
        for reader in readers:
            await reader.send_input({"type": "http.request", "body": b""})
            assert (await reader.receive_output(30))["status"] == 200
            assert b"retry" in (await reader.receive_output(30))["body"]
        held = [connection for connection in opened if connection.connection is not None]
        assert len(held) <= 1, "that of the feed, which reads for all of them"
        for reader in readers:
            await reader.send_input({"type": "http.disconnect"})
            await reader.wait(30)

    asyncio.run(read())
