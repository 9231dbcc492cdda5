"""Uploads on a real server: admitted before they are read, bounded in size, number, rate and room, and never left."""

from __future__ import annotations

import http.client
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from arena.host.places import Places
from arena.host.sockets import LOOPBACK, Proxies
from tests.kit.until import until
from webui.commands import site, uploads
from webui.commands.connections import ConnectionLimits
from webui.commands.uploads import UploadLimits
from webui.core import uploads as core_uploads
from webui.core.uploads import UPLOAD, Upload

PATH = "/api/v1/bots/long-ledger/submissions"
MIB = 1 << 20


async def application(scope: Any, receive: Any, send: Any) -> None:
    """Admit whoever says so, and answer with what was received."""
    upload: Upload | None = scope.get(UPLOAD)
    body = b""
    while (message := await receive()).get("more_body"):
        body += message["body"]
    headers = dict(scope["headers"])
    answer: dict[str, Any] = {
        "type": upload and upload.content_type,
        "length": headers.get(b"content-length", b"").decode(),
    }
    status = 403
    if upload is not None and upload.file is not None:
        content = upload.file.read_bytes()
        answer |= {"size": len(content), "sha256": sha256(content).hexdigest(), "digest": upload.digest}
        status = 201
    elif upload is not None:
        upload.account = headers.get(b"x-account", b"").decode()
    text = json.dumps(answer).encode()
    await send({"type": "http.response.start", "status": status, "headers": [(b"content-length", b"%d" % len(text))]})
    await send({"type": "http.response.body", "body": text})


@pytest.fixture
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.PLACES = Places(tmp_path)
    return settings.PLACES.uploads  # type: ignore[no-any-return]


@contextmanager
def served(request_s: float = 600, **limits: Any) -> Iterator[int]:
    """The port of a server with these limits for uploads."""
    connections = ConnectionLimits(request_s=request_s, uploads=UploadLimits(**limits))
    config = site.config("127.0.0.1", 0, Proxies(LOOPBACK), connections, lifespan="off", log_level="critical")
    config.app = application
    server = site.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = server.force_exit = True
        thread.join(60)


def head(length: int, account: str = "7", path: str = PATH) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: arena", f"X-Account: {account}", "Content-Type: application/zip"]
    return "\r\n".join([*lines, f"Content-Length: {length}", "", ""]).encode()


def answer_of(line: socket.socket) -> tuple[int, Any]:
    response = http.client.HTTPResponse(line, method="POST")
    response.begin()
    return response.status, json.loads(response.read())


def connect(port: int) -> socket.socket:
    return socket.create_connection(("127.0.0.1", port), 120)


def is_closed(line: socket.socket) -> bool:
    line.setblocking(False)
    try:
        return not line.recv(100)
    except BlockingIOError:
        return False
    except OSError:
        return True


def files(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.exists() else []


def test_a_large_body_comes_as_a_file_that_is_gone_after_the_answer(folder: Path) -> None:
    body = os.urandom(20 * MIB)
    with served() as port, connect(port) as line:
        for _ in range(2):  # on one connection
            line.sendall(head(len(body)) + body)
            status, answer = answer_of(line)
            digest = sha256(body).hexdigest()
            assert (status, answer["size"], answer["sha256"], answer["digest"]) == (201, len(body), digest, digest)
            assert (answer["type"], answer["length"]) == ("application/zip", "0")
            until(lambda: files(folder) == [])


def test_a_bot_may_be_named_as_its_owner_writes_it(folder: Path) -> None:
    with served() as port, connect(port) as line:
        line.sendall(head(100_000, path="/api/v1/bots/L%C3%B6ng%20Ledger/submissions") + bytes(100_000))
        assert answer_of(line)[0] == 201


def test_a_chunked_body_is_received_and_bounded(folder: Path) -> None:
    chunk = b"%x\r\n%s\r\n" % (70_000, bytes(70_000))
    start = head(0).replace(b"Content-Length: 0", b"Transfer-Encoding: chunked")
    with served(longest=100_000) as port:
        with connect(port) as line:
            line.sendall(start + chunk + b"0\r\n\r\n")
            assert answer_of(line)[0] == 201
        with connect(port) as line:
            line.sendall(start + chunk + chunk)
            assert answer_of(line)[0] == 413
        until(lambda: files(folder) == [])


def test_who_has_no_right_is_refused_before_the_body(folder: Path) -> None:
    with served() as port, connect(port) as line:
        line.sendall(head(MIB, account=""))  # and no byte of the body
        assert answer_of(line)[0] == 403
        assert files(folder) == []


def test_too_large_a_body_is_refused_before_it_is_sent(folder: Path) -> None:
    with served(longest=1000) as port, connect(port) as line:
        line.sendall(head(1001))
        status, answer = answer_of(line)
        assert (status, answer["code"]) == (413, "MESSAGE_TOO_LARGE") and "1000 bytes" in answer["detail"]


def test_an_account_and_the_process_have_so_many_at_once(folder: Path) -> None:
    with served(in_all=3, per_account=2, settled_s=600) as port, ExitStack() as stack:
        lines = []
        for account in ("7", "7", "8"):
            lines.append(stack.enter_context(connect(port)))
            lines[-1].sendall(head(10, account) + b"12345")
            until(lambda: len(files(folder)) == len(lines))
        for account in ("7", "9"):
            with connect(port) as refused:
                refused.sendall(head(10, account))
                status, answer = answer_of(refused)
                assert (status, answer["code"]) == (503, "TRY_AGAIN")
        for line in lines:
            line.sendall(b"67890")
            assert answer_of(line)[0] == 201
        with connect(port) as line:
            line.sendall(head(10, "9") + b"1234567890")
            assert answer_of(line)[0] == 201


def test_those_with_most_uploads_do_not_keep_others_out(folder: Path) -> None:
    with served(in_all=2, grace_s=600, settled_s=0) as port, ExitStack() as stack:
        held = [stack.enter_context(connect(port)) for _ in range(2)]
        for number, line in enumerate(held):
            line.sendall(head(1000) + b"x" * (10 + 490 * number))
            until(lambda number=number: len(files(folder)) == number + 1)
        with connect(port) as line:
            line.sendall(head(3, "9") + b"123")
            assert answer_of(line)[0] == 201
        until(lambda: is_closed(held[0]))
        assert not is_closed(held[1]), "it is faster"


def test_broken_uploads_count(folder: Path) -> None:
    with served(broken_an_hour=2.0) as port:
        for _ in range(2):
            with connect(port) as gone:
                gone.sendall(head(1000) + b"x")
                until(lambda: len(files(folder)) == 1)
            until(lambda: files(folder) == [])
        for account, status in (("7", 503), ("8", 201)):
            with connect(port) as line:
                line.sendall(head(3, account) + b"123")
                assert answer_of(line)[0] == status


def test_a_slow_upload_is_cut_off_and_frees_its_slot(folder: Path) -> None:
    with served(grace_s=0.2, least_rate=1e9, in_all=1) as port, connect(port) as slow:
        slow.sendall(head(1000) + b"x")
        until(lambda: is_closed(slow))
        until(lambda: files(folder) == [])
    with served(grace_s=600, in_all=1) as port:
        with connect(port) as gone:
            gone.sendall(head(1000) + b"x")
            until(lambda: len(files(folder)) == 1)
        until(lambda: files(folder) == [])  # its client went away
        with connect(port) as line:
            line.sendall(head(3) + b"123")
            assert answer_of(line)[0] == 201


def test_an_upload_has_longer_than_another_request(folder: Path) -> None:
    with served(request_s=0.3, grace_s=600) as port, connect(port) as line:
        line.sendall(head(3) + b"1")
        until(lambda: len(files(folder)) == 1)
        began = time.monotonic()
        until(lambda: time.monotonic() - began > 1)
        line.sendall(b"23")
        assert answer_of(line)[0] == 201
        until(lambda: is_closed(line))  # the deadline of the next request


def test_a_full_disk_is_said_and_harms_nothing_else(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(file: Any, part: bytes) -> None:
        raise OSError(28, "No space left on device")

    with served() as port:
        with monkeypatch.context() as patched, connect(port) as line:
            patched.setattr(uploads, "_write", fail)
            line.sendall(head(3) + b"123")
            assert answer_of(line)[0] == 503
        with monkeypatch.context() as patched, connect(port) as line:
            patched.setattr(core_uploads, "LEAST_FREE_BYTES", 1 << 62)
            line.sendall(head(3))
            assert answer_of(line)[0] == 503
        with connect(port) as line:
            line.sendall(head(3) + b"123")
            assert answer_of(line)[0] == 201
        until(lambda: files(folder) == [])


def test_what_a_killed_process_left_behind_is_deleted(folder: Path) -> None:
    (folder / "pack-old").mkdir(parents=True)
    (folder / "pack-old" / "file").write_text("x")
    (folder / "body-new").write_text("x")
    os.utime(folder / "pack-old", (1, 1))
    with served() as port, connect(port) as line:
        line.sendall(head(3) + b"123")
        assert answer_of(line)[0] == 201
        until(lambda: [path.name for path in files(folder)] == ["body-new"])


def test_other_paths_and_methods_keep_the_small_limit(folder: Path) -> None:
    with served() as port, connect(port) as line:
        for start in (b"POST /bots/", b"PUT " + PATH.encode()):
            line.sendall(start + b" HTTP/1.1\r\nHost: a\r\nContent-Length: 100000\r\n\r\n" + bytes(100_000))
            response = http.client.HTTPResponse(line)
            response.begin()
            response.read()
            assert response.status == 413
