"""`arena data pull` from a site that breaks off, refuses, or sends wrong data."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.request import Request

import pytest
from typer.testing import CliRunner, Result

from arena.cli import fetching
from arena.cli.app import app
from arena.cli.files import InputError

NAME = "replays-2026-11-23.jsonl.zst"
CONTENT = bytes(range(256)) * 2000
FILE = {"name": NAME, "date": "2026-11-23", "size": len(CONTENT), "sha256": sha256(CONTENT).hexdigest()}
INDEX = {"format": "naqala/data/1", "files": [FILE]}


class Site(ThreadingHTTPServer):
    """Answers with an index, and with a file as the test defines."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.index: Any = INDEX
        self.answers: list[Callable[[Handler], None]] = [Handler.all_of_it]
        self.asked: list[str | None] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        if self.path == "/data/index.json":
            return self.send(200, json.dumps(self.server.index).encode())
        self.server.asked.append(self.headers["Range"])
        answers = self.server.answers
        return (answers.pop(0) if len(answers) > 1 else answers[0])(self)

    def send(self, status: int, content: bytes, size: int | None = None, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(content) if size is None else size))
        self.end_headers()
        self.wfile.write(content)

    def all_of_it(self) -> None:
        self.send(200, CONTENT)

    def some_of_it(self) -> None:
        """Send 100,000 bytes from the requested place, then end the connection."""
        asked = self.headers["Range"]
        first = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        piece, left = CONTENT[first : first + 100_000], len(CONTENT) - first
        if not first:
            return self.send(200, piece, left)
        assert self.headers["If-Range"] == f'"{FILE["sha256"]}"'
        return self.send(206, piece, left, Content_Range=f"bytes {first}-{len(CONTENT) - 1}/{len(CONTENT)}")

    def busy(self) -> None:
        self.send(429, b"", Retry_After="10")

    def nothing_of_it(self) -> None:
        """Refuse the range because the site does not have it."""
        self.send(416, b"")

    def another_part(self) -> None:
        self.send(206, CONTENT[7:], Content_Range=f"bytes 7-{len(CONTENT) - 1}/{len(CONTENT)}")

    def more_of_it(self) -> None:
        self.send(200, CONTENT + b"more")

    def gone(self) -> None:
        self.send(404, b"")

    def byte_by_byte(self) -> None:
        """Send a byte at a time as long as the client reads."""
        self.send(200, b"", len(CONTENT))
        try:
            while True:
                self.wfile.write(b"x")
                time.sleep(0.001)
        except OSError:
            pass

    def a_byte_of_it(self) -> None:
        """Send one byte, then end the connection."""
        asked = self.headers["Range"]
        first = int(asked.removeprefix("bytes=").removesuffix("-")) if asked else 0
        content_range = f"bytes {first}-{len(CONTENT) - 1}/{len(CONTENT)}"
        self.send(206 if first else 200, CONTENT[first : first + 1], len(CONTENT) - first, Content_Range=content_range)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(fetching, "FIRST_WAIT_S", 0.001)
    monkeypatch.setattr(fetching, "LONGEST_WAIT_S", 0.01)
    with Site() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def pull(site: Site, to: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["data", "pull", "--site", site.address, "--to", str(to), *words])


def test_a_download_that_breaks_off_again_and_again_goes_on(site: Site, tmp_path: Path) -> None:
    site.answers = [Handler.busy, Handler.some_of_it, Handler.busy, Handler.some_of_it]
    assert pull(site, tmp_path).exit_code == 0
    assert (tmp_path / NAME).read_bytes() == CONTENT
    assert site.asked == [None, None, "bytes=100000-", *(f"bytes={n}00000-" for n in range(1, 6))]


@pytest.mark.parametrize("answer", [Handler.nothing_of_it, Handler.another_part])
def test_a_part_that_cannot_be_continued_is_begun_anew(site: Site, tmp_path: Path, answer: Any) -> None:
    (tmp_path / f"{NAME}.part").write_bytes(CONTENT[:500])
    site.answers = [answer, Handler.all_of_it]
    assert pull(site, tmp_path).exit_code == 0
    assert (tmp_path / NAME).read_bytes() == CONTENT and site.asked == ["bytes=500-", None]


def test_no_more_is_written_than_the_index_says(site: Site, tmp_path: Path) -> None:
    site.answers = [Handler.more_of_it]
    assert pull(site, tmp_path).exit_code == 0
    assert (tmp_path / NAME).read_bytes() == CONTENT


def test_a_site_that_gives_nothing_is_left_after_some_tries(site: Site, tmp_path: Path) -> None:
    site.answers = [Handler.busy]
    refused = pull(site, tmp_path)
    assert isinstance(refused.exception, InputError) and "429" in str(refused.exception)
    assert len(site.asked) == fetching.TRIES
    site.answers = [Handler.gone]
    assert "404" in str(pull(site, tmp_path).exception) and len(site.asked) == fetching.TRIES + 1


def test_a_site_that_does_not_give_an_empty_file_is_left_as_well(site: Site, tmp_path: Path) -> None:
    site.index = {**INDEX, "files": [{**FILE, "size": 0, "sha256": sha256(b"").hexdigest()}]}
    site.answers = [*[Handler.busy] * (2 * fetching.TRIES), Handler.gone]
    assert "429" in str(pull(site, tmp_path).exception) and len(site.asked) == fetching.TRIES


def test_a_site_that_sends_hardly_anything_is_left(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "PACE_S", 0.05)
    site.answers = [Handler.byte_by_byte]
    refused = pull(site, tmp_path)
    assert isinstance(refused.exception, InputError) and f"{NAME} sent only " in str(refused.exception)
    assert (tmp_path / f"{NAME}.part").exists() and len(site.asked) == 1


def test_a_site_that_sends_a_byte_a_connection_is_left(site: Site, tmp_path: Path) -> None:
    site.answers = [Handler.a_byte_of_it]
    refused = pull(site, tmp_path)
    assert isinstance(refused.exception, InputError) and len(site.asked) == fetching.TRIES
    assert (tmp_path / f"{NAME}.part").read_bytes() == CONTENT[: fetching.TRIES]


@pytest.mark.parametrize(
    "index",
    [
        [], {}, {"format": "naqala/data/2", "files": []},
        *({**INDEX, "files": [{**FILE, **wrong}]} for wrong in (
            {"name": "../up.json"}, {"name": "/etc/passwd"}, {"name": ".bashrc"}, {"name": f"{NAME}\n"},
            {"name": "matches-2026-1.parquet"}, {"size": -1}, {"size": True}, {"sha256": "0"}, {"date": "never"},
        )),
    ],
)  # fmt: skip
def test_an_index_that_is_none_is_refused(site: Site, tmp_path: Path, index: Any) -> None:
    site.index = index
    refused = pull(site, tmp_path / "new")
    assert isinstance(refused.exception, InputError) and site.asked == []
    assert not (tmp_path / "new").exists()


def test_what_there_is_no_room_for_is_not_begun(site: Site, tmp_path: Path) -> None:
    site.index = {**INDEX, "files": [{**FILE, "size": 10**13}]}
    refused = pull(site, tmp_path)
    assert isinstance(refused.exception, InputError) and "are needed" in str(refused.exception) and site.asked == []
    with (tmp_path / f"{NAME}.part").open("wb") as part:
        part.truncate(10**13 - 1)  # a sparse file, without a byte on the disk
    site.answers = [Handler.gone]
    assert "404" in str(pull(site, tmp_path).exception), "what was received is not counted again"


def test_an_arena_elsewhere_does_not_choose_what_is_asked_of_this_machine() -> None:
    ask = fetching.SafeRedirects().redirect_request
    far, near = Request("https://arena.example.org/data/"), Request("http://127.0.0.1:8000/data/")
    for target in ("http://127.0.0.1:8080/", "https://localhost/", "http://arena.example.org/data/"):
        with pytest.raises(InputError):
            ask(far, None, 302, "Found", {}, target)
    assert ask(near, None, 302, "Found", {}, "http://127.0.0.1:8000/data/index.json") is not None
    assert ask(far, None, 302, "Found", {}, "https://mirror.example.org/") is not None


def test_input_that_cannot_be_used_is_refused(site: Site, tmp_path: Path) -> None:
    assert "write a date as" in str(pull(site, tmp_path, "--since", "yesterday").exception)
    (tmp_path / "file").touch()
    assert "cannot write in" in str(pull(site, tmp_path / "file").exception)
    for address in ("http://arena.example.org", "ftp://127.0.0.1", "arena"):
        refused = CliRunner().invoke(app, ["data", "pull", "--site", address])
        assert "must begin with https://" in str(refused.exception)


def test_who_gets_no_file_is_told_so(site: Site, tmp_path: Path) -> None:
    said = pull(site, tmp_path, "--parquet")
    assert said.exit_code == 0 and "the arena has no such files" in said.output
    assert "no such files" not in pull(site, tmp_path, "--since", "2000-01-01").output
