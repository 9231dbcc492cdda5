"""A bot behind Debian's nginx with deploy/nginx.conf: TLS, IPv6, HTTP/2 on both sides."""

from __future__ import annotations

import asyncio
import re
import socket
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPConnection, HTTPSConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from ipaddress import ip_address
from pathlib import Path
from threading import Semaphore, Thread
from typing import Any

import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.bots import Client, Settings
from arena.host.logs import is_request_id
from arena.host.sockets import Proxies
from tests.gateway.conftest import WAIT_S, Arena
from tests.gateway.test_bots import First, play
from tests.kit.certificates import write_certificate
from tests.kit.lacking import require_nginx
from tests.kit.ports import ReservedPort
from tests.kit.until import until
from webui.bots.models import BotToken
from webui.commands.uploads import PATH, UploadLimits

CONFIGURATION = Path(__file__).resolve().parents[2] / "deploy" / "nginx.conf"
HOST = "arena.example.org"

pytestmark = pytest.mark.asyncio(loop_scope="session")


@contextmanager
def nginx(folder: Path, gateway: int, site: int) -> Iterator[tuple[int, Path]]:
    """Run nginx with deploy/nginx.conf, except for ports and files. Yields its port and its certificate."""
    chain, key = write_certificate(folder, HOST)
    with ReservedPort() as https, ReservedPort() as http:
        text = CONFIGURATION.read_text()
        changes = {
            "443 ": f"{https.number} ", "80;": f"{http.number};", "127.0.0.1:50051": f"127.0.0.1:{gateway}",
            "    server 127.0.0.1:50052;\n": "", "127.0.0.1:8000": f"127.0.0.1:{site}",
            f"/etc/letsencrypt/live/{HOST}/fullchain.pem": str(chain),
            f"/etc/letsencrypt/live/{HOST}/privkey.pem": str(key),
        }  # fmt: skip
        for before, after in changes.items():
            assert before in text
            text = text.replace(before, after)
        if not HAS_IPV6:
            text = re.sub(r" +listen \[::\].*\n", "", text)
        with running(folder, text, https.number):
            yield https.number, chain


@contextmanager
def running(folder: Path, text: str, port: int) -> Iterator[None]:
    """Run nginx with a configuration of servers, which listen at this port."""
    (folder / "arena.conf").write_text(text)
    main = "daemon off; pid nginx.pid; error_log stderr; worker_processes 1;"
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = " ".join(f"{kind}_temp_path {folder}/{kind};" for kind in kinds)
    (folder / "nginx.conf").write_text(
        f"{main} events {{}} http {{ access_log off; {places} include {folder}/arena.conf; }}"
    )
    command = [require_nginx(), "-p", str(folder), "-c", str(folder / "nginx.conf")]
    with (folder / "log").open("wb") as log, subprocess.Popen(command, stderr=log) as process:
        try:
            until(lambda: _listens(port) or process.poll() is not None, "nginx")
            assert process.poll() is None, (folder / "log").read_text()
            yield
        finally:
            process.terminate()


def _listens(port: int) -> bool:
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


def _has_ipv6() -> bool:
    with suppress(OSError), socket.socket(socket.AF_INET6) as trial:
        trial.bind(("::1", 0))
        return True
    return False


HAS_IPV6 = _has_ipv6()
"""Some containers have no IPv6; the tests then use IPv4."""


async def is_trusted(address: str, root: bytes, name: str) -> bool:
    """Return whether a gateway is healthy for a client that trusts this certificate of that name."""
    options = [("grpc.use_local_subchannel_pool", 1), ("grpc.ssl_target_name_override", name)]
    async with grpc.aio.secure_channel(address, grpc.ssl_channel_credentials(root), options) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest())
    return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


async def test_a_bot_plays_through_nginx(arena: Arena, tmp_path: Path) -> None:
    gateway = await arena.gateway(proxies=Proxies(["127.0.0.0/8"]), ping_interval_s=5)
    with nginx(tmp_path, gateway.port, 9) as (port, chain):
        host, network = ("[::1]", "::/64") if HAS_IPV6 else ("127.0.0.1", "127.0.0.1")
        settings = Settings(f"https://{host}:{port}", arena.registered.token, "p", 4, chain)
        client = Client(First, settings)
        task = asyncio.create_task(client.run())
        session = await arena.present()
        assert await is_trusted(f"127.0.0.1:{port}", chain.read_bytes(), HOST), "the health check, over IPv4"
        await play(arena, session, "m1")
        client.leave()
        await asyncio.wait_for(task, WAIT_S)
    assert client.matches.finished == 1
    seen = await asyncio.to_thread(lambda: BotToken.objects.values_list("last_address", flat=True).get())
    assert seen == network, "where the bot is, not nginx"


async def test_the_site_is_told_who_asks_and_how(tmp_path: Path) -> None:
    asked: list[tuple[str, ...]] = []
    ids: list[str] = []

    class Site(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            names = ("Host", "X-Forwarded-For", "X-Forwarded-Proto")
            asked.append((self.path, *(self.headers[name] for name in names)))
            ids.append(self.headers["X-Request-ID"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    site = HTTPServer(("127.0.0.1", 0), Site)
    Thread(target=site.serve_forever, daemon=True).start()
    with nginx(tmp_path, 9, site.server_port) as (port, chain):

        def status() -> int:
            context = ssl.create_default_context(cafile=str(chain))
            context.check_hostname = False
            connection = HTTPSConnection("127.0.0.1", port, context=context, timeout=WAIT_S)
            forged = {"X-Forwarded-For": "203.0.113.9", "X-Request-ID": "of-another-visitor"}
            connection.request("GET", "/ladder/?n=1", headers={"Host": HOST, **forged})
            return connection.getresponse().status

        assert await asyncio.to_thread(status) == 204
    site.shutdown()
    assert asked == [("/ladder/?n=1", HOST, "127.0.0.1", "https")], "what a visitor writes there is not believed"
    assert all(map(is_request_id, ids)) and "of-another-visitor" not in ids


UPLOADS = ("/bots/ann/submissions/", "/api/v1/bots/ann/submissions", "/api/v1/weights")


async def test_the_site_receives_uploads_while_they_arrive(tmp_path: Path) -> None:
    size, ready = 2 << 20, Semaphore(0)
    received: list[tuple[str, int]] = []

    class Site(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            first = self.rfile.read(size // 2)
            ready.release()
            rest = self.rfile.read(int(self.headers["Content-Length"]) - len(first))
            received.append((self.path, len(first) + len(rest)))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    site = HTTPServer(("127.0.0.1", 0), Site)
    Thread(target=site.serve_forever, daemon=True).start()
    with nginx(tmp_path, 9, site.server_port) as (port, chain):
        context = ssl.create_default_context(cafile=str(chain))
        context.check_hostname = False

        def status(path: str) -> int:
            connection = HTTPSConnection("127.0.0.1", port, context=context, timeout=WAIT_S)
            connection.putrequest("POST", path, skip_host=True)
            connection.putheader("Host", HOST)
            connection.putheader("Content-Length", str(size))
            connection.endheaders()
            if path in UPLOADS:
                connection.send(bytes(size // 2))
                assert ready.acquire(timeout=WAIT_S), f"{path}: nginx keeps the first half until the second arrives"
                connection.send(bytes(size // 2))
            return connection.getresponse().status

        for path in UPLOADS:
            assert PATH.fullmatch(path)
            assert await asyncio.to_thread(status, path) == 204
        assert await asyncio.to_thread(status, "/bots/ann/") == 413
    site.shutdown()
    assert received == [(path, size) for path in UPLOADS]


async def test_nginx_admits_the_longest_upload() -> None:
    (most,) = re.findall(r"client_max_body_size (\d+)m;", CONFIGURATION.read_text())
    assert int(most) << 20 > UploadLimits().longest


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("203.0.113.9", ip_address("203.0.113.9").packed),
        ("2001:db8::a:b:c:d", ip_address("2001:db8::").packed[:8]),
        ("2001:db8:1:2:ffff:0:10:13", ip_address("2001:db8:1:2::").packed[:8]),
    ],
)
async def test_a_visitor_counts_by_network(tmp_path: Path, address: str, counted: bytes) -> None:
    (visitor,) = re.findall(r"^map .*?^}\n", CONFIGURATION.read_text(), re.MULTILINE | re.DOTALL)

    def seen(port: int) -> bytes:
        connection = HTTPConnection("127.0.0.1", port, timeout=WAIT_S)
        connection.request("GET", "/", headers={"X-Forwarded-For": address})
        return connection.getresponse().read()

    with ReservedPort() as http:
        trusted = "set_real_ip_from 127.0.0.1; real_ip_header X-Forwarded-For;"
        server = f"server {{ listen {http.number}; {trusted} return 200 $arena_visitor; }}"
        with running(tmp_path, visitor + server, http.number):
            assert await asyncio.to_thread(seen, http.number) == counted
