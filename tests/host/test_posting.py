"""A POST to a stranger's address: only to the public internet, only to the checked address, and limited."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import pytest

from arena.host import posting
from arena.host.posting import KEPT, Failure, Reply
from arena.host.public import is_of_this_machine, is_public
from tests.kit.certificates import write_certificate
from tests.kit.receiver import Receiver, reply


@pytest.fixture(scope="module")
def receiver() -> Iterator[Receiver]:
    with Receiver() as receiver:
        yield receiver


def post(url: str, **more: Any) -> Reply:
    return posting.post(url, {"x-mark": "1"}, b"{}", **{"private_too": True, "timeout_s": 20, **more})


PUBLIC = ("1.1.1.1", "93.184.216.34", "172.15.255.255", "172.32.0.0", "2606:2800:220:1::1", "64:ff9b::5db8:d822")
NOT_PUBLIC = (
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "127.8.8.8", "169.254.169.254", "172.16.0.1", "172.31.255.255",
    "192.0.0.8", "192.0.2.1", "192.168.1.1", "198.18.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1", "240.0.0.1",
    "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:1.1.1.1", "::127.0.0.1", "64:ff9b::7f00:1",
    "64:ff9b::a00:1", "64:ff9b:1::1.1.1.1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::1", "2002:101:101::1",
    "3fff::1", "fc00::1", "fd12::1", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "localhost", "",
)  # fmt: skip


def test_which_addresses_are_public() -> None:
    assert [address for address in PUBLIC if not is_public(address)] == []
    assert [address for address in NOT_PUBLIC if is_public(address)] == []


def test_the_addresses_of_this_machine() -> None:
    assert is_of_this_machine("127.0.0.1") and not is_of_this_machine("192.0.2.1")


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1", "2130706433", "0x7f.1", "127.1", "0", "[::1]", "[::ffff:127.0.0.1]"]
)
def test_nothing_is_sent_to_this_machine(receiver: Receiver, host: str) -> None:
    """The address may be written in any form."""
    came = post(receiver.url(host=host), private_too=False)
    assert came.failure in (Failure.NOT_PUBLIC, Failure.NO_ADDRESS) and receiver.received.empty()


def resolving(monkeypatch: pytest.MonkeyPatch, *answers: list[str]) -> list[str]:
    """Let the name `rebind.example` resolve to these answers in turn. Return the list of resolved names."""
    asked: list[str] = []
    original, rest = socket.getaddrinfo, list(answers)

    def resolve(host: Any, port: Any, *more: Any, **named: Any) -> Any:
        if host != "rebind.example":
            return original(host, port, *more, **named)
        asked.append(host)
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in rest.pop(0)]

    monkeypatch.setattr(socket, "getaddrinfo", resolve)
    return asked


def test_a_name_with_one_private_address_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    resolving(monkeypatch, ["93.184.216.34", "10.0.0.1"])
    came = post("http://rebind.example/", private_too=False)
    assert (came.failure, came.detail) == (Failure.NOT_PUBLIC, "rebind.example has an address that is not public")


def test_a_name_that_leads_elsewhere_a_moment_later(monkeypatch: pytest.MonkeyPatch, receiver: Receiver) -> None:
    """The connection goes to the checked address."""
    with Receiver("127.0.0.2", receiver.port) as other:
        asked = resolving(monkeypatch, ["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"])
        assert post(f"http://rebind.example:{receiver.port}/a?b=c").status == 204
        assert asked == ["rebind.example"] and other.received.empty()
    got = receiver.get()
    assert (got.path, got.body, got.headers["x-mark"]) == ("/a?b=c", b"{}", "1")
    assert got.headers["host"] == f"rebind.example:{receiver.port}"


def test_the_next_address_is_tried(monkeypatch: pytest.MonkeyPatch, receiver: Receiver) -> None:
    resolving(monkeypatch, ["127.0.0.3", "127.0.0.1"])
    assert post(f"http://rebind.example:{receiver.port}/").status == 204 and receiver.get().path == "/"


def test_the_arenas_own_hosts(receiver: Receiver) -> None:
    came = post("http://arena.example.org/", private_too=False, is_own="arena.example.org".__eq__)
    assert came.failure is Failure.NOT_PUBLIC


def test_redirects_are_not_followed(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        receiver, "answer", lambda handler: reply(handler, 302, b"there\x00\n", Location=receiver.url("/elsewhere"))
    )
    came = post(receiver.url())
    assert (came.status, came.text, came.is_success) == (302, "there", False)
    assert receiver.get().path == "/hook" and receiver.received.empty()


def huge(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    handler.end_headers()
    while True:
        handler.wfile.write(b"x" * 65_536)


def endless_headers(handler: BaseHTTPRequestHandler) -> None:
    handler.send_response(200)
    while True:
        handler.send_header("x-more", "y" * 1000)
        handler.flush_headers()


def test_huge_answers_are_read_to_a_bound(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiver, "answer", huge)
    came = post(receiver.url())
    assert (came.status, came.text) == (200, "x" * KEPT)
    monkeypatch.setattr(receiver, "answer", endless_headers)
    assert post(receiver.url()).failure is Failure.NO_HTTP
    receiver.get(), receiver.get()


@pytest.fixture
def dripping() -> Iterator[str]:
    """Yield the address of a server that answers a byte at a time, forever."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            try:
                while True:
                    connection, _ = server.accept()
                    with connection:
                        connection.settimeout(0.02)
                        connection.sendall(b"HTTP/1.1 200 OK\r\nx-drip: ")
                        while True:
                            connection.sendall(b"x")
                            with suppress(TimeoutError):
                                connection.recv(10)  # its timeout is the pause
            except OSError:
                pass  # the sender has closed

        thread = Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}/"


def test_a_slow_answer_has_one_deadline(dripping: str) -> None:
    began = monotonic()
    came = post(dripping, timeout_s=0.4)
    assert came.failure is Failure.TIMEOUT and monotonic() - began < 20


def test_what_is_no_http_and_who_is_not_there(receiver: Receiver, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(receiver, "answer", lambda handler: handler.wfile.write(b"+OK redis\r\n\r\n"))
    assert post(receiver.url()).failure is Failure.NO_HTTP
    monkeypatch.setattr(receiver, "answer", lambda handler: None)
    assert post(receiver.url()).failure is Failure.NO_HTTP
    receiver.get(), receiver.get()
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert post(f"http://127.0.0.1:{port}/").failure is Failure.NO_CONNECTION
    assert post("http://nobody.invalid/").failure is Failure.NO_ADDRESS


def test_certificates_are_checked_against_the_name(tmp_path: Path) -> None:
    chain, key = write_certificate(tmp_path, "localhost")
    trusting = ssl.create_default_context(cafile=str(chain))
    with Receiver(certificate=(chain, key)) as receiver:
        assert post(receiver.url(), tls=trusting).status == 204
        assert receiver.get().headers["host"] == f"localhost:{receiver.port}"
        assert post(receiver.url()).failure is Failure.NO_TLS
        assert post(receiver.url(host="127.0.0.1"), tls=trusting).failure is Failure.NO_TLS
        assert receiver.received.empty()
    with Receiver() as plain:
        assert post(plain.url().replace("http:", "https:")).failure in (Failure.NO_TLS, Failure.NO_CONNECTION)
