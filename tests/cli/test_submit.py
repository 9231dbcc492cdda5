"""`arena bot submit` against a scripted site: what it sends, and how it follows the build."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from typer.testing import CliRunner, Result

from arena.cli import fetching, submit
from arena.cli.app import app
from arena.cli.files import InputError
from arena.hosting.bundle import pack, pack_weights, unpack
from arena.hosting.limits import DEFAULT_LIMITS
from tests.kit.command import arena, complaint

MADE = {"id": 5, "version": "v7", "state": "uploaded", "log": "", "fault": None, "fault_text": None}
BUILDING = {**MADE, "state": "building"}
READY = {**MADE, "state": "ready"}
FAILED = {**MADE, "state": "failed", "log": "a\nb\n", "fault": "BUILD_FAILED", "fault_text": "no such file: fix it"}


class Site(ThreadingHTTPServer):
    """Answers requests with the given answers in order; the last one is repeated."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, Any]] = []
        self.asked: list[tuple[str, str, bytes]] = []
        self.checked: tuple[int, Any] = (200, {"items": []})
        """The answer to the first request, which finds out whether the bot may be handed in."""
        self.tokens: set[str] = set()


class Handler(BaseHTTPRequestHandler):
    server: Site

    def handle_one(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.tokens.add(self.headers["Authorization"])
        if self.path.endswith("/submissions?limit=1"):
            status, document = self.server.checked
        else:
            self.server.asked.append((self.command, self.path, body))
            answers = self.server.answers
            status, document = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        self.send_header("Content-Type", "application/problem+json" if status >= 400 else "application/json")
        self.end_headers()
        self.wfile.write(json.dumps(document).encode())

    do_GET = do_POST = handle_one

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(submit, "LOOK_S", 0)
    monkeypatch.setattr(fetching, "FIRST_WAIT_S", 0)
    with Site() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    """A folder with a bot."""
    folder = tmp_path / "mybot"
    folder.mkdir()
    (folder / "bot.toml").write_text('language = "python"\ncommand = ["python3", "bot.py"]\n')
    (folder / "bot.py").write_text("print('hello')\n")
    return folder


def run(site: Site, *words: str) -> Result:
    address = f"http://127.0.0.1:{site.server_port}"
    return CliRunner().invoke(app, ["bot", "submit", *words, "--site", address, "--token", "naqala_api_x"])


def refusal(result: Result) -> str:
    """Return the line that `arena` prints before it ends with exit code 2."""
    assert isinstance(result.exception, InputError), result.output
    return str(result.exception)


def test_a_folder_is_packed_sent_and_followed_until_it_is_ready(site: Site, bot: Path, tmp_path: Path) -> None:
    site.answers = [(201, MADE), (200, BUILDING), (200, READY)]
    result = run(site, str(bot), "--bot", "long-ledger", "--version", "v7", "--note", "Faster & better.")
    assert result.exit_code == 0 and result.stdout == "version v7: ready\n"
    assert "2 files" in result.stderr and "being built" in result.stderr
    (method, path, body), *looks = site.asked
    assert (method, urlsplit(path).path) == ("POST", "/api/v1/bots/long-ledger/submissions")
    query = {"file": ["bot.tar.gz"], "version": ["v7"], "note": ["Faster & better."]}
    assert parse_qs(urlsplit(path).query) == query
    assert [look[:2] for look in looks] == [("GET", "/api/v1/submissions/5")] * 2
    sent = tmp_path / "sent"
    sent.write_bytes(body)
    bundle = pack(sent, "bot.tar.gz", tmp_path / "again", DEFAULT_LIMITS)
    assert bundle.files == 2
    unpack(sent, bundle.sha256, tmp_path / "unpacked", DEFAULT_LIMITS)  # what was sent has that hash
    assert site.tokens == {"Bearer naqala_api_x"}


def test_a_failure_shows_the_end_of_the_log_and_the_fault(site: Site, bot: Path) -> None:
    site.answers = [(201, MADE), (200, FAILED)]
    result = run(site, str(bot), "--bot", "long-ledger")
    assert result.exit_code == 1
    assert result.stdout == "a\nb\nversion v7: failed: BUILD_FAILED: no such file: fix it\n"
    site.answers = [(201, FAILED)]
    result = run(site, str(bot), "--bot", "long-ledger", "--json")
    assert result.exit_code == 1 and json.loads(result.stdout) == FAILED


def test_a_lost_answer_is_asked_for_again_with_the_whole_file(site: Site, bot: Path) -> None:
    site.answers = [(503, {}), (201, READY)]
    assert run(site, str(bot), "--bot", "long-ledger").exit_code == 0
    first, second = site.asked
    assert first == second and first[2]


def test_weights_are_sent_apart_and_only_once(site: Site, bot: Path, tmp_path: Path) -> None:
    (bot / "weights").mkdir()
    (bot / "weights" / "net.bin").write_bytes(b"x" * 5000)
    site.answers = [(200, {"items": []}), (201, {}), (201, READY)]
    result = run(site, str(bot), "--bot", "long-ledger")
    assert result.exit_code == 0 and "weights: 1 file, 5.0 KB" in result.stderr
    (_, asked, _), (_, path, body), (_, _, sent) = site.asked
    (tmp_path / "weights").write_bytes(body)
    sha256 = pack_weights(tmp_path / "weights", tmp_path / "again", DEFAULT_LIMITS).sha256
    assert (asked, path) == (f"/api/v1/weights?sha256={sha256}", "/api/v1/weights")
    site.asked.clear()
    site.answers = [(200, {"items": [{"sha256": sha256}]}), (201, READY)]
    assert "which the arena has" in run(site, str(bot), "--bot", "long-ledger").stderr
    assert [one[0] for one in site.asked] == ["GET", "POST"] and site.asked[1][2] == sent
    (tmp_path / "sent").write_bytes(sent)
    assert pack(tmp_path / "sent", "bot.tar.gz", tmp_path / "bundle", DEFAULT_LIMITS).weights_sha256 == sha256


def test_packages_are_fetched_for_the_python_of_the_arena(
    site: Site, bot: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    (bot / "requirements.txt").write_text("--no-index\nnone-such\n")
    runtime = {"python": "3.9", "machine": "riscv64", "libc": "2.36"}
    site.answers = [(200, {"items": [runtime, {**runtime, "libc": "2.9"}, {"python": 3}]})]
    words = refusal(run(site, str(bot), "--bot", "long-ledger"))
    assert "has no wheel for Python 3.9 on riscv64 Linux" in words
    assert [one[:2] for one in site.asked] == [("GET", "/api/v1/runtimes")]
    site.answers = [(200, {"items": []})]
    assert f"for Python 3.{sys.version_info.minor} on" in refusal(run(site, str(bot), "--bot", "long-ledger"))


@pytest.mark.parametrize("status", [401, 404, 422])
def test_a_refusal_is_said_in_one_line(site: Site, bot: Path, status: int) -> None:
    site.answers = [(status, {"detail": "you have no bot 'x'"})]
    assert "you have no bot 'x'" in refusal(run(site, str(bot), "--bot", "x"))


@pytest.mark.parametrize(
    ("status", "code", "step"),
    [
        (404, "NOT_FOUND", "register your bot at {}/account/bots/new/, and give the end of its page's address: --bot"),
        (401, "BAD_TOKEN", "make an API token with the scope bots at {}/account/api-tokens/new/, and set ARENA_API"),
        (403, "MISSING_SCOPE", "make an API token with the scope bots at {}/account/api-tokens/new/, and set"),
        (429, "TOO_MANY_REQUESTS", ""),
    ],
)
def test_who_may_not_hand_in_learns_the_next_step_before_anything_is_prepared(
    site: Site, bot: Path, status: int, code: str, step: str
) -> None:
    (bot / "bot.toml").write_text('language = "other"\ncommand = ["x"]\nprepare = ["touch", "prepared"]\n')
    site.checked = (status, {"detail": "no", "code": code})
    words = refusal(run(site, str(bot), "--bot", "x"))
    assert words.startswith("the arena refuses: no") and "\n" not in words
    assert step.format(f"http://127.0.0.1:{site.server_port}") in words
    assert not (bot / "prepared").exists() and site.asked == []


@pytest.mark.parametrize(("option", "step"), [("--bot", "/account/bots/new/"), ("--token", "/account/api-tokens/new/")])
def test_what_is_missing_is_named_with_the_next_step(bot: Path, option: str, step: str) -> None:
    options = {"--bot": "x", "--token": "naqala_api_x"}
    del options[option]
    words = complaint(arena("bot", "submit", bot, *(word for pair in options.items() for word in pair)))
    assert step in words


@pytest.mark.parametrize("answer", [{}, {"id": "5"}, {**MADE, "state": 3}])
def test_what_is_no_submission(site: Site, bot: Path, answer: Any) -> None:
    site.answers = [(201, answer)]
    assert "not an arena" in refusal(run(site, str(bot), "--bot", "long-ledger"))


def test_what_cannot_be_packed_is_refused_before_anything_is_sent(site: Site, bot: Path, tmp_path: Path) -> None:
    (bot / "bot.toml").write_text('language = "cobol"\n')
    for source in (bot, tmp_path / "nothing"):
        assert refusal(run(site, str(source), "--bot", "long-ledger"))
    assert site.asked == []
    assert (
        CliRunner().invoke(app, ["bot", "submit", str(bot), "--bot", "x"], env={"ARENA_API_TOKEN": ""}).exit_code == 2
    )


def test_control_c_ends_the_waiting_alone(site: Site, bot: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(seconds: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(submit.time, "sleep", interrupt)
    site.answers = [(201, MADE)]
    result = run(site, str(bot), "--bot", "long-ledger")
    assert result.exit_code == 1 and result.stdout == "version v7: waiting for a runner\n"
