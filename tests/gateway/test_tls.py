"""TLS at the gateway's port: certificates that are renewed, and data that is never sent unencrypted."""

from __future__ import annotations

import asyncio
import os
import time
from pathlib import Path
from typing import Any

import grpc.aio
import pytest
import structlog.testing
from grpc_health.v1 import health_pb2, health_pb2_grpc

from arena.gateway import metrics
from arena.gateway.server import Gateway
from arena.gateway.tls import Certificate
from tests.gateway.conftest import Arena
from tests.kit.certificates import write_certificate
from tests.kit.until import PATIENCE_S
from webui.commands.gateway import transport_security
from webui.commands.services.parts import Addresses, services
from webui.commands.services.ready import gateway_serves

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def is_trusted(gateway: Gateway, root: bytes) -> bool:
    """Return whether a client that trusts only this certificate gets an answer."""
    options = [("grpc.use_local_subchannel_pool", 1)]
    credentials = grpc.ssl_channel_credentials(root)
    async with grpc.aio.secure_channel(f"localhost:{gateway.port}", credentials, options) as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        try:
            answer = await stub.Check(health_pb2.HealthCheckRequest())
        except grpc.aio.AioRpcError:
            return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)


def replace(path: Path, data: bytes) -> None:
    """Replace a file as certificate tools do, with another modification time."""
    before = path.stat().st_mtime_ns
    path.write_bytes(data)
    os.utime(path, ns=(before + 1, before + 1))


async def test_a_renewed_certificate_is_used_without_a_restart(arena: Arena, tmp_path: Path) -> None:
    chain, key = write_certificate(tmp_path, "localhost")
    (tmp_path / "next").mkdir()
    next_chain, next_key = (path.read_bytes() for path in write_certificate(tmp_path / "next", "localhost"))
    first = chain.read_bytes()
    gateway = await arena.gateway(certificate=Certificate(chain, key))
    assert await is_trusted(gateway, first)
    replace(chain, next_chain)
    assert await is_trusted(gateway, first), "while only one of the two files is new the former pair is used"
    replace(key, next_key)
    assert await is_trusted(gateway, next_chain)
    assert not await is_trusted(gateway, first)


@pytest.mark.parametrize(
    ("days", "expected"), [(-1, "certificate_has_expired"), (13, "certificate_expires_soon"), (15, None)]
)
async def test_a_certificate_that_expires_is_told(tmp_path: Path, days: float, expected: str | None) -> None:
    with structlog.testing.capture_logs() as said:
        certificate = Certificate(*write_certificate(tmp_path, "localhost", days=days))
        certificate._renewed()
        certificate._renewed()
    assert [line["event"] for line in said] == ([expected] if expected else []), "once a day"
    expires_at = metrics.CERTIFICATE_EXPIRES._value.get()
    assert abs(expires_at - time.time() - days * 86400) < 600


async def test_the_health_check_speaks_tls(arena: Arena, tmp_path: Path) -> None:
    chain, key = write_certificate(tmp_path, "bots.example.org")
    gateway = await arena.gateway(certificate=Certificate(chain, key))
    assert await asyncio.to_thread(gateway_serves, gateway.port, chain)
    (tmp_path / "other").mkdir()
    other, _ = write_certificate(tmp_path / "other", "bots.example.org")
    assert not await asyncio.to_thread(gateway_serves, gateway.port, other)
    assert not await asyncio.to_thread(gateway_serves, gateway.port)


async def test_arena_up_finds_its_gateway_ready_with_tls(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, key = write_certificate(tmp_path, "bots.example.org")
    gateway = await arena.gateway(certificate=Certificate(chain, key))

    async def is_ready() -> bool:
        parts = services(
            Addresses(0, gateway.port, "redis://127.0.0.1:1/0"),
            tmp_path,
            is_own_redis=False,
            house={},
            runner_token=None,
        )
        (part,) = (part for part in parts if part.name == "gateway")
        return await asyncio.to_thread(part.is_ready)

    monkeypatch.delenv("ARENA_TLS_CERT", raising=False)
    assert not await is_ready()
    monkeypatch.setenv("ARENA_TLS_CERT", str(chain))
    assert await is_ready()


async def test_the_house_bots_of_arena_up_dial_in_with_tls(
    arena: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chain, key = write_certificate(tmp_path, "bots.example.org")
    gateway = await arena.gateway(certificate=Certificate(chain, key))
    monkeypatch.setenv("ARENA_TLS_CERT", str(chain))
    addresses = Addresses(0, gateway.port, arena.redis.url)
    assert addresses.for_bots == f"https://bots.example.org:{gateway.port}"
    tokens = {"random": (arena.registered.bot, arena.registered.token)}
    parts = services(addresses, tmp_path, is_own_redis=False, house=tokens, runner_token=None)
    (house,) = (part for part in parts if part.name == "house")
    environment = {**os.environ, **house.environment}
    process = await asyncio.create_subprocess_exec(*house.command, env=environment, stderr=asyncio.subprocess.DEVNULL)
    try:
        async with asyncio.timeout(PATIENCE_S):
            while not await asyncio.to_thread(house.is_ready):
                await asyncio.sleep(0.05)
    finally:
        process.kill()
        await process.wait()


async def test_nobody_talks_in_clear_to_a_port_with_tls(arena: Arena, tmp_path: Path) -> None:
    gateway = await arena.gateway(certificate=Certificate(*write_certificate(tmp_path, "localhost")))
    bot = arena.bot(gateway)
    with pytest.raises(grpc.aio.AioRpcError):
        await bot.hello()


@pytest.mark.parametrize("listen", ["127.0.0.1:50051", "localhost:50051", "[::1]:0", "unix:/run/arena.sock"])
async def test_bots_of_this_machine_may_talk_in_clear(listen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ARENA_TLS_CERT", "ARENA_TLS_KEY", "ARENA_CLEAR_TEXT"):
        monkeypatch.delenv(name, raising=False)
    assert transport_security(listen) is None


@pytest.mark.parametrize(
    "listen", ["0.0.0.0:50051", "[::]:50051", "10.0.0.1:50051", "arena.example.org:50051", ":50051"]
)
async def test_no_others_may_unless_they_are_told_that_it_is_safe(listen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("ARENA_TLS_CERT", "ARENA_TLS_KEY", "ARENA_CLEAR_TEXT"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ValueError, match="in clear"):
        transport_security(listen)
    monkeypatch.setenv("ARENA_CLEAR_TEXT", "1")
    assert transport_security(listen) is None


async def test_what_is_no_certificate_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chain, key = write_certificate(tmp_path, "localhost")
    monkeypatch.setenv("ARENA_TLS_CERT", str(chain))
    monkeypatch.delenv("ARENA_TLS_KEY", raising=False)
    with pytest.raises(ValueError, match="go together"):
        transport_security("0.0.0.0:1")
    monkeypatch.setenv("ARENA_TLS_KEY", str(chain))
    with pytest.raises(OSError, match="ARENA_TLS_KEY"):
        transport_security("0.0.0.0:1")
    monkeypatch.setenv("ARENA_TLS_KEY", str(key))
    assert transport_security("0.0.0.0:1") is not None
