"""The allowed targets of a load test: loopback and private addresses, and a public server only by its own name."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

from arena.cli.app import app
from arena.host.public import is_private, is_public
from arena.load.addresses import AddressRefused, find_gateway, find_site
from arena.load.bots import LoadGateway
from tests.kit.until import PATIENCE_S

PUBLIC = "93.184.215.14"


@pytest.fixture
def port() -> Iterator[int]:
    """Yield a port on which a server listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


@pytest.mark.parametrize(
    ("address", "private"),
    [
        ("127.0.0.1", True), ("127.255.0.9", True), ("10.0.0.1", True), ("172.16.0.1", True), ("172.31.255.1", True),
        ("192.168.7.7", True), ("::1", True), ("fd12::1", True), ("::ffff:10.0.0.1", True),
        ("172.32.0.1", False), ("169.254.169.254", False), ("100.64.0.1", False), ("224.0.0.1", False),
        (PUBLIC, False), ("::ffff:93.184.215.14", False), ("2606:2800:21f::1", False), ("fe80::1%eth0", False),
        ("0.0.0.0", False), ("localhost", False),
    ],
)  # fmt: skip
def test_private_addresses_are_those_of_the_rfcs(address: str, private: bool) -> None:
    assert is_private(address) is private
    assert not (is_private(address) and is_public(address))


def resolving(monkeypatch: pytest.MonkeyPatch, *addresses: str) -> list[str]:
    """Let names resolve to these addresses. Return the list of resolved names."""
    asked: list[str] = []
    was = socket.getaddrinfo

    def lead(host: Any, port: Any, *more: Any, **other: Any) -> Any:
        if not host.endswith(".test"):
            return was(host, port, *more, **other)
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in addresses]

    monkeypatch.setattr(socket, "getaddrinfo", lead)
    return asked


def test_the_address_that_was_looked_at_is_the_one_that_is_used(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    asked = resolving(monkeypatch, "127.0.0.1")
    gateway, site = find_gateway(f"arena.test:{port}"), find_site(f"http://arena.test:{port}/play/")
    assert (gateway.target, gateway.authority) == (f"ipv4:127.0.0.1:{port}", f"arena.test:{port}")
    assert (site.address, site.path, site.is_tls) == ("127.0.0.1", "/play", False)
    assert asked == ["arena.test"] * 2, "once each"


def test_a_public_address_is_refused_unless_its_name_is_given(monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    """One public address among private ones is enough: the name might resolve to it later."""
    resolving(monkeypatch, "127.0.0.1", PUBLIC)
    for owned in ((), ("other.test",)):
        with pytest.raises(AddressRefused, match=r"--public --i-own arena\.test"):
            find_gateway(f"arena.test:{port}", owned)
    assert find_gateway(f"arena.test:{port}", ("arena.test",)).address == "127.0.0.1"


async def test_no_proxy_comes_between(monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that is loopback or private for a proxy is not the one that was checked."""
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0)) as gateway, socket.create_server(("127.0.0.1", 0)) as proxy:
        place = find_gateway(f"127.0.0.1:{gateway.getsockname()[1]}")
        gateway.accept()[0].close()  # the check
        for name in ("no_grpc_proxy", "no_proxy", "NO_PROXY"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("grpc_proxy", f"http://127.0.0.1:{proxy.getsockname()[1]}")
        for listening in (gateway, proxy):
            listening.setblocking(False)
        async with LoadGateway(place).open() as channel:
            channel.get_state(try_to_connect=True)
            comes = {asyncio.ensure_future(loop.sock_accept(one)): one for one in (gateway, proxy)}
            done, waiting = await asyncio.wait(comes, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
            for one in waiting:
                one.cancel()
        for one in done:
            one.result()[0].close()
        assert [comes[one] for one in done] == [gateway]


@pytest.mark.parametrize("words", [(), ("--public",), ("--i-own", "arena.test"), ("--public", "--i-own", "other.test")])
def test_it_is_to_be_said_twice(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    resolving(monkeypatch, PUBLIC)
    file = tmp_path / "bots.json"
    file.write_text('{"site": "http://arena.test", "server": "arena.test:1", "bots": [{"name": "a", "token": "t"},'
                    ' {"name": "b", "token": "u"}]}')  # fmt: skip
    done = CliRunner().invoke(app, ["load", "--bots", "2", "--matches", "1", "--from", str(file), *words])
    assert "is an attack" in str(done.exception)


@pytest.mark.parametrize("address", ["arena.test", "arena.test:x", "http://arena.test", "arena.test:1/x", ":5"])
def test_what_is_no_address_for_bots_is_refused(address: str) -> None:
    with pytest.raises(AddressRefused):
        find_gateway(address)
