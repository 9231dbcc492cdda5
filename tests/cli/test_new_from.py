"""`arena bot new --from` against a scripted site: the files of a published source become a folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from arena.cli import fetching
from arena.cli.app import app
from arena.cli.files import InputError
from arena.hosting.bundle import pack
from arena.hosting.limits import DEFAULT_LIMITS


class Site(ThreadingHTTPServer):
    """An arena with two published sources of one bot."""

    def __init__(self, folder: Path) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.archives: dict[str, bytes] = {}
        self.sources: list[dict[str, Any]] = []
        for number in (2, 1):
            source = folder / f"v{number}.py"
            source.write_text(f"print({number})\n")
            bundle = pack(source, "bot.py", folder / f"packed{number}", DEFAULT_LIMITS)
            page = f"/bots/long-ledger/source/{number}/"
            self.archives[f"{page}archive"] = bundle.packed.read_bytes()
            address = f"https://another.example.org{page}"
            known = {"version": f"v{number}", "licence": "MIT", "sha256": bundle.sha256, "url": address}
            self.sources.append({**known, "archive": f"{address}archive"})

    @property
    def address(self) -> str:
        """Return its address."""
        return f"http://127.0.0.1:{self.server_port}"


class Handler(BaseHTTPRequestHandler):
    server: Site

    def do_GET(self) -> None:
        if self.path == "/api/v1/bots/long-ledger/sources":
            body = json.dumps({"items": self.server.sources}).encode()
        else:
            body = self.server.archives.get(self.path, b"")
        self.send_response(200 if body else 404)
        self.end_headers()
        self.wfile.write(body or b"{}")

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(fetching, "FIRST_WAIT_S", 0)
    with Site(tmp_path) as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def new(site: Site, folder: Path, source: str, *more: str) -> Result:
    return CliRunner().invoke(app, ["bot", "new", str(folder), "--from", source, "--site", site.address, *more])


@pytest.mark.parametrize(
    ("source", "number"),
    [("long-ledger", 2), ("long-ledger@v1", 1), ("{site}/bots/long-ledger/source/1/", 1)],
)
def test_a_published_source_becomes_a_folder(site: Site, tmp_path: Path, source: str, number: int) -> None:
    folder = tmp_path / "mybot"
    result = new(site, folder, source.format(site=site.address))
    assert result.exit_code == 0, result.exception
    assert (folder / "bot.py").read_text() == f"print({number})\n"
    assert result.stdout == f"{folder} has the files of long-ledger v{number}, under the licence MIT\n"


@pytest.mark.parametrize(
    ("source", "more", "words"),
    [
        ("long-ledger@v3", (), "published v2, v1"),
        ("nobody", (), "404"),
        ("long-ledger", ("--lang", "go"), "leave --lang out"),
        ("long-ledger@v2", (), "another hash"),
    ],
)
def test_what_cannot_be_started_from(
    site: Site, tmp_path: Path, source: str, more: tuple[str, ...], words: str
) -> None:
    if words == "another hash":
        site.archives["/bots/long-ledger/source/2/archive"] = site.archives["/bots/long-ledger/source/1/archive"]
    before = set(tmp_path.iterdir())
    result = new(site, tmp_path / "mybot", source, *more)
    assert isinstance(result.exception, InputError) and words in str(result.exception)
    assert set(tmp_path.iterdir()) == before
