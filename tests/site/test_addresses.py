"""Visitors behind a proxy, through the server of the site: whose address counts, and which scheme they speak."""

from __future__ import annotations

import json
import threading
import urllib.request
from typing import Any

import pytest
import uvicorn
from django.test import RequestFactory

from arena.host.sockets import Proxies
from tests.kit.until import until
from webui.commands import site
from webui.core.visitors import address_of


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Says who asks, and how."""
    body = json.dumps([scope["client"][0], scope["scheme"]]).encode()
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"%d" % len(body))]})
    await send({"type": "http.response.body", "body": body})


@pytest.mark.parametrize(
    ("proxies", "seen"), [(["127.0.0.1"], ["8.8.8.8", "https"]), (["10.0.0.0/8"], ["127.0.0.1", "http"])]
)
def test_who_is_named_by_a_proxy_that_is_believed(proxies: list[str], seen: list[str]) -> None:
    config = site.config("127.0.0.1", 0, Proxies(proxies), lifespan="off", log_level="critical")
    config.app = application
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}/"
        headers = {"X-Forwarded-For": "1.1.1.1, 8.8.8.8", "X-Forwarded-Proto": "https"}
        with urllib.request.urlopen(urllib.request.Request(address, headers=headers), timeout=30) as answer:
            assert json.load(answer) == seen
    finally:
        server.should_exit = server.force_exit = True
        thread.join(60)


def test_a_visitor_counts_by_what_one_customer_has() -> None:
    addresses = ("8.8.8.8", "2001:db8:0:1::5", "2001:db8:0:1:6::")
    requests = [RequestFactory(REMOTE_ADDR=address).get("/") for address in addresses]
    assert [address_of(request) for request in requests] == ["8.8.8.8", "2001:db8:0:1::/64", "2001:db8:0:1::/64"]
