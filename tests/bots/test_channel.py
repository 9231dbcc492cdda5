"""The addresses that a bot dials: encrypted, in clear, and never through a proxy on this machine."""

import asyncio
import socket

import pytest

from arena.bots.channel import connection_advice, open_channel, parse_server
from tests.kit.until import PATIENCE_S

VARIABLES = ("grpc_proxy", "https_proxy", "http_proxy", "no_grpc_proxy", "no_proxy", "NO_PROXY")


@pytest.fixture(autouse=True)
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Remove the proxies of the machine that runs the test."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


@pytest.mark.parametrize(
    ("server", "target", "is_tls"),
    [
        ("localhost:1", "localhost:1", False),
        ("127.0.0.2:1", "127.0.0.2:1", False),
        ("[::1]:1", "[::1]:1", False),
        ("http://192.168.0.2:1", "192.168.0.2:1", False),
        ("http://gateway:1", "gateway:1", False),
        ("https://arena.example.org:1", "arena.example.org:1", True),
        ("https://arena.example.org", "arena.example.org", True),
        ("https://[2001:db8::1]:1", "[2001:db8::1]:1", True),
        ("https://localhost:1", "localhost:1", True),
        ("unix:/run/arena.sock", "unix:/run/arena.sock", False),
    ],
)
def test_an_address_says_whether_to_encrypt(server: str, target: str, is_tls: bool) -> None:
    address = parse_server(server)
    assert (address.target, address.is_tls) == (target, is_tls)


@pytest.mark.parametrize(
    "server",
    [
        "arena.example.org:1",
        "192.168.0.2:1",
        "[2001:db8::1]:1",
        "localhost.example.org:1",
        "127.example.org:1",
        "gateway:1",
    ],
)
def test_a_token_is_never_sent_in_clear_by_mistake(server: str) -> None:
    with pytest.raises(ValueError, match=r"write https://.*, or http://.* to send your token unencrypted"):
        parse_server(server)


@pytest.mark.parametrize(
    "server",
    ["", "localhost", "unix:arena.sock", "::1:1", "http://localhost", "ftp://localhost:1", "https://a/b", "a@b:1"],
)
def test_an_address_that_nobody_can_dial_is_refused(server: str) -> None:
    with pytest.raises(ValueError, match="is not an address for bots"):
        parse_server(server)


@pytest.mark.parametrize("variable", ["grpc_proxy", "https_proxy", "http_proxy"])
@pytest.mark.parametrize("scheme", ["", "http://", "https://"])
async def test_a_connection_to_this_machine_uses_no_proxy(
    scheme: str, variable: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    loop = asyncio.get_running_loop()
    with socket.create_server(("127.0.0.1", 0)) as gateway, socket.create_server(("127.0.0.1", 0)) as proxy:
        monkeypatch.setenv(variable, f"http://127.0.0.1:{proxy.getsockname()[1]}")
        for listening in (gateway, proxy):
            listening.setblocking(False)
        async with open_channel(f"{scheme}127.0.0.1:{gateway.getsockname()[1]}") as channel:
            channel.get_state(try_to_connect=True)
            comes = {asyncio.ensure_future(loop.sock_accept(one)): one for one in (gateway, proxy)}
            done, waiting = await asyncio.wait(comes, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
            for one in waiting:
                one.cancel()
        for one in done:
            one.result()[0].close()
        assert [comes[one] for one in done] == [gateway]


def test_a_failure_elsewhere_names_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    server = "https://arena.example.org:50051"
    assert "proxy" not in connection_advice("", server)
    monkeypatch.setenv("http_proxy", "http://user:secret@proxy.example.org:3128")
    advice = connection_advice("", server)
    assert "the variable http_proxy" in advice and "no_proxy=arena.example.org" in advice and "secret" not in advice
    assert "proxy" not in connection_advice("", "localhost:50051")
    monkeypatch.setenv("no_proxy", ".example.org")
    assert "proxy" not in connection_advice("", server)
