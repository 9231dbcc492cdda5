"""Open data on the site: the page, the index, the files in whole and in part; `arena data pull` from a real site."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import chdir
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
import uvicorn
from django.test import Client
from django.utils import timezone
from typer.testing import CliRunner, Result

from arena.cli import fetching
from arena.cli.app import app
from arena.cli.files import InputError
from arena.host.places import Places
from arena.host.sockets import Proxies
from tests.kit.ladder import Kit
from tests.kit.until import until
from tests.site.world import text
from webui.commands import site
from webui.matches.models import Match
from webui.open_data import queries as data_queries
from webui.open_data.actions import publish_data
from webui.site.docs.pages import read

END_OF_MONTH = datetime(2026, 10, 31, 12, tzinfo=UTC)
DAY = "replays-2026-10-31.jsonl.zst"
MONTHS = ["decisions-2026-10.parquet", "matches-2026-10.parquet"]


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.PLACES = Places(tmp_path / "var")
    return settings.PLACES.data


@pytest.fixture
def published(kit: Kit, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The files of a day with two matches, and of its month."""
    for players in (2, 3):
        kit.finish(kit.versions(players))
    Match.objects.update(finished_at=END_OF_MONTH)
    monkeypatch.setattr(timezone, "now", lambda: END_OF_MONTH + timedelta(days=1))
    assert sorted(publish_data()) == sorted([DAY, *MONTHS])
    return folder


@pytest.mark.django_db
def test_an_arena_without_a_file_has_empty_lists() -> None:
    assert Client().get("/data/index.json").json()["files"] == []
    assert Client().get("/data/SHA256SUMS").content == b""


@pytest.mark.django_db
def test_the_page_and_the_index_list_what_there_is(published: Path, settings: Any) -> None:
    settings.DATA_LICENCE = ("ODbL 1.0", "https://opendatacommons.org/licenses/odbl/1-0/")
    page = text(Client().get("/data/"))
    assert '<a rel="license" href="https://opendatacommons.org/licenses/odbl/1-0/">ODbL 1.0</a>' in page
    assert "<h2" in page and "October 2026" in page and "arena data pull --site http://testserver" in page
    index = Client().get("/data/index.json").json()
    (decisions,) = data_queries.data_files("decisions-2026-10.parquet")
    assert (index["format"], index["licence"]["name"]) == ("naqala/data/1", "ODbL 1.0")
    assert {file["name"]: (file["kind"], file["date"], file["rows"]) for file in index["files"]} == {
        DAY: ("replays", "2026-10-31", 2),
        "matches-2026-10.parquet": ("matches", "2026-10-01", 5),
        "decisions-2026-10.parquet": ("decisions", "2026-10-01", decisions.rows),
    }  # fmt: skip
    sums = text(Client().get("/data/SHA256SUMS"))
    for file in index["files"]:
        content = (published / file["name"]).read_bytes()
        assert (file["size"], file["sha256"]) == (len(content), sha256(content).hexdigest())
        assert file["sha256"] in page and f'href="/data/{file["name"]}"' in page
        assert f"{file['sha256']}  {file['name']}\n" in sums


@pytest.mark.django_db
def test_a_file_in_whole_and_in_part(published: Path) -> None:
    content = (published / DAY).read_bytes()
    size, client, where = len(content), Client(), f"/data/{DAY}"
    whole = client.get(where)
    assert (whole.status_code, b"".join(whole.streaming_content)) == (200, content)  # type: ignore[attr-defined]
    assert whole["Cache-Control"] == "public, max-age=31536000, immutable"
    assert (whole["Content-Length"], whole["Content-Type"]) == (str(size), "application/zstd")
    etag = whole["ETag"]
    assert etag == f'"{sha256(content).hexdigest()}"'
    head = client.head(where)
    assert (head.status_code, head["Content-Length"], head.content) == (200, str(size), b"")
    assert client.get(where, headers={"If-None-Match": etag}).status_code == 304
    for asked, first, end in (
        ("bytes=100-", 100, size), ("bytes=0-0", 0, 1), (f"bytes={size - 1}-", size - 1, size),
        ("bytes=-10", size - 10, size), ("bytes=5-1000000", 5, size), (f"bytes=-{size + 5}", 0, size),
    ):  # fmt: skip
        part = client.get(where, headers={"Range": asked, "If-Range": etag})
        assert part.status_code == 206, asked
        assert part["Content-Range"] == f"bytes {first}-{end - 1}/{size}"
        assert b"".join(part.streaming_content) == content[first:end]  # type: ignore[attr-defined]
    for asked in (f"bytes={size}-", "bytes=-0", "bytes=7-5"):
        none = client.get(where, headers={"Range": asked})
        assert (none.status_code, none["Content-Range"]) == (416, f"bytes */{size}"), asked
    for headers in ({"Range": "bytes=0-1,3-4"}, {"Range": "lines=1-2"}, {"Range": "bytes=1-", "If-Range": '"former"'}):
        assert client.get(where, headers=headers).status_code == 200


@pytest.mark.django_db
def test_nothing_but_what_is_published_is_sent(published: Path) -> None:
    (published / "secret-key").write_text("secret")
    for name in ("secret-key", "replays-2026-10-30.jsonl.zst", "..%2Fsecret-key", ".."):
        assert Client().get(f"/data/{name}").status_code == 404
    (published / DAY).write_bytes(b"damaged")
    lost = Client().get(f"/data/{DAY}")
    assert (lost.status_code, lost["Retry-After"]) == (503, "300")


# From a real site


@pytest.fixture
def address(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    monkeypatch.setattr(fetching, "FIRST_WAIT_S", 0.01)
    monkeypatch.setattr(fetching, "LONGEST_WAIT_S", 0.05)
    server = uvicorn.Server(site.config("127.0.0.1", 0, Proxies([]), lifespan="off", log_level="critical"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    server.should_exit = server.force_exit = True
    thread.join(60)


def pull(address: str, to: Path, *words: str) -> Result:
    return CliRunner().invoke(app, ["data", "pull", "--site", address, "--to", str(to), *words])


def test_a_copy_is_made_kept_and_counted(
    address: str, published: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    to = tmp_path / "naqala-data"
    first = pull(address, to)
    assert (first.exit_code, first.output) == (
        0, f"{to}: 1 files, 1 of them downloaded now ({(published / DAY).stat().st_size / 1e6:.1f} MB)\n",
    )  # fmt: skip
    assert (to / DAY).read_bytes() == (published / DAY).read_bytes()
    months = json.loads(pull(address, to, "--parquet", "--json", "--since", "2026-10-20").stdout)
    assert (months["downloaded"], months["changed"], months["wrong"]) == (MONTHS, [], [])
    assert sorted(path.name for path in to.iterdir()) == sorted([DAY, *MONTHS, "index.json"])
    again = json.loads(pull(address, to, "--json").stdout)
    assert (again["files"], again["downloaded"], again["bytes"]) == (1, [], 0)
    later = json.loads(pull(address, to, "--json", "--since", "2026-11-01").stdout)
    assert later["files"] == 0
    # A whole day is proved, signatures and all.
    proved = CliRunner().invoke(app, ["replay", "verify", str(to / DAY), "--arena", address])
    assert proved.exit_code == 0 and "2 replays, valid" in proved.output
    # What the documentation counts is counted from it.
    code = [code for language, code in read("open-data").code if language == "python"]
    with chdir(tmp_path):
        for block in code:
            exec(compile(block, "open-data.md", "exec"), {})
    tables = capsys.readouterr().out
    assert len(code) == 2 and tables.count("│       2 │") == 4 and tables.count("│       3 │") == 6


def test_what_broke_off_goes_on_and_what_was_changed_is_found(address: str, published: Path, tmp_path: Path) -> None:
    to, content = tmp_path / "copy", (published / DAY).read_bytes()
    to.mkdir()
    (to / f"{DAY}.part").write_bytes(content[:1000])
    found = json.loads(pull(address, to, "--json").stdout)
    assert (found["downloaded"], found["bytes"]) == ([DAY], len(content) - 1000)
    assert (to / DAY).read_bytes() == content and not (to / f"{DAY}.part").exists()
    (to / DAY).write_bytes(content[:-1] + b"?")
    found = json.loads(pull(address, to, "--json").stdout)
    assert (found["downloaded"], found["changed"]) == ([DAY], [DAY]) and (to / DAY).read_bytes() == content
    # A part of something else: what comes of it has another checksum, and all of it is downloaded.
    (to / DAY).unlink()
    (to / f"{DAY}.part").write_bytes(b"?" * 1000)
    assert json.loads(pull(address, to, "--json").stdout)["wrong"] == [] and (to / DAY).read_bytes() == content
    # The site's own file is damaged, at the same size.
    (to / DAY).unlink()
    (published / DAY).write_bytes(content[:-1] + b"?")
    wrong = pull(address, to)
    assert wrong.exit_code == 1 and f"{DAY} does not match the checksum that the arena gives" in wrong.output
    assert not (to / DAY).exists() and not (to / f"{DAY}.part").exists()


def test_a_lost_file_is_waited_for_and_then_said(address: str, published: Path, tmp_path: Path) -> None:
    (published / DAY).unlink()
    refused = pull(address, tmp_path)
    assert isinstance(refused.exception, InputError) and "answers 503" in str(refused.exception)
