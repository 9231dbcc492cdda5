"""`arena bot challenge` against a scripted site: the requests that it sends, and its reaction to the answers."""

from __future__ import annotations

import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from arena.cli import challenge, fetching
from arena.cli.app import app
from arena.cli.files import InputError

TOKEN = "naqala_secret"
WAITING = {
    "id": "abc",
    "state": "waiting",
    "expires_at": "2026-11-23T08:31:00+00:00",
    "seats": [
        {"name": "Mine", "version": None, "state": "online"},
        {"name": "Salt Road", "version": None, "state": "offline"},
    ],
    "match": None,
    "match_state": None,
    "placements": [],
    "scores": [],
    "url": "http://arena/account/challenges/abc/",
}
PLAYED = {**WAITING, "state": "matched", "match": "m1", "url": "http://arena/matches/m1/"}
RUNNING = {**PLAYED, "match_state": "running"}
SEATS = [{"name": "Mine", "version": "v7", "state": "online"}, {"name": "Salt Road", "version": "1", "state": "online"}]
FINISHED = {**PLAYED, "match_state": "finished", "placements": [2, 1], "scores": [None, 131], "seats": SEATS}


class Site(ThreadingHTTPServer):
    """Answers requests with the given answers in order; the last one is repeated."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.answers: list[tuple[int, Any]] = []
        self.asked: list[tuple[str, str, Any]] = []
        self.tokens: set[str] = set()
        self.keys: list[str] = []

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def challenge(self, *words: str) -> Result:
        return CliRunner().invoke(app, ["bot", "challenge", *words, "--site", self.address, "--token", TOKEN])


class Handler(BaseHTTPRequestHandler):
    server: Site

    def handle_one(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.server.asked.append((self.command, self.path, json.loads(body) if body else None))
        self.server.tokens.add(self.headers["Authorization"])
        if self.command != "GET":
            self.server.keys.append(self.headers["Idempotency-Key"])
        answers = self.server.answers
        status, document = answers.pop(0) if len(answers) > 1 else answers[0]
        self.send_response(status)
        if status == 302:
            self.send_header("Location", document)
        if status == 429 and isinstance(document, str):
            self.send_header("Retry-After", document)
        if isinstance(document, dict) and status >= 400:
            self.send_header("Content-Type", "application/problem+json")
        self.end_headers()
        self.wfile.write(document.encode() if isinstance(document, str) else json.dumps(document).encode())

    do_GET = do_POST = do_DELETE = handle_one

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@pytest.fixture
def site(monkeypatch: pytest.MonkeyPatch) -> Iterator[Site]:
    monkeypatch.setattr(challenge, "LOOK_S", 0)
    with Site() as server:
        thread = Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def test_a_challenge_is_followed_to_its_result(site: Site) -> None:
    site.answers = [(201, WAITING), (200, WAITING), (502, "away"), (200, RUNNING), (200, FINISHED)]
    result = site.challenge("Salt Road", "@v6", "--seat", "2", "--version", "v7", "-x", "whims")
    assert result.exit_code == 0, result.output
    assert result.stdout.splitlines() == [
        "1. Salt Road 1: 131 points",
        "2. Mine v7: no score",
        "http://arena/matches/m1/",
    ]
    assert result.stderr.splitlines() == [
        "seats 1 to 2: Mine, Salt Road",
        "waiting until 08:31 UTC: offline: Salt Road",
        "playing: http://arena/matches/m1/",
    ]
    seats = [{"bot": "Salt Road"}, {"version": "v7"}, {"version": "v6"}]
    assert site.asked[0] == ("POST", "/api/v1/challenges", {"seats": seats, "expansions": ["whims"]})
    assert set(site.asked[1:]) == {("GET", "/api/v1/challenges/abc", None)}
    assert site.tokens == {f"Bearer {TOKEN}"}


def test_one_that_is_not_played_is_told_by_the_exit_code(site: Site) -> None:
    site.answers = [(201, {**WAITING, "state": "expired"})]
    result = site.challenge("--rematch", "m1", "--json")
    assert result.exit_code == 1 and json.loads(result.stdout)["state"] == "expired"
    assert site.asked == [("POST", "/api/v1/matches/m1/rematch", None)]
    site.answers = [(201, {**PLAYED, "match_state": "aborted"})]
    assert site.challenge("greedy").stdout == "aborted: http://arena/matches/m1/\n"


def test_control_c_withdraws_it(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(_: float) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(challenge.time, "sleep", interrupt)
    site.answers = [(201, WAITING), (200, {**WAITING, "state": "withdrawn"})]
    result = site.challenge("Salt Road")
    assert (result.exit_code, result.stdout) == (1, "withdrawn: no match was made\n")
    assert site.asked[1][:2] == ("DELETE", "/api/v1/challenges/abc")


@pytest.mark.parametrize(
    ("status", "document", "why"),
    [
        (409, {"code": "CHALLENGE_REFUSAL", "detail": "no, thanks"}, "the arena refuses: no, thanks"),
        (400, {"detail": "see `errors`", "errors": [{"field": "body.x", "detail": "no"}]}, "refuses: body.x: no"),
        (404, "<html>", "answers 404 Not Found"),
        (404, "[]", "answers 404 Not Found"),
        (429, {"detail": "10 are there: wait a while"}, "the arena refuses: 10 are there"),
        (302, "http://127.0.0.1:1/elsewhere", "answers 302 Found"),
        (200, "<html>", "is not an arena"),
        (200, {"id": "abc"}, "is not an arena"),
        (200, {"match_state": None}, "is not an arena"),
        (200, {**FINISHED, "seats": [1, 2]}, "is not an arena"),
        (200, {**FINISHED, "placements": [1]}, "is not an arena"),
        (200, {**FINISHED, "placements": ["1", 2]}, "is not an arena"),
        (200, {**FINISHED, "url": 7}, "is not an arena"),
    ],
)
def test_what_is_no_challenge(site: Site, status: int, document: Any, why: str) -> None:
    site.answers = [(status, document)]
    result = site.challenge("greedy")
    assert isinstance(result.exception, InputError) and why in str(result.exception)
    assert len(site.asked) == 1, "the token goes nowhere else"


def test_an_arena_that_stays_away_is_given_up(site: Site) -> None:
    site.answers = [(201, WAITING), (503, "away")]
    result = site.challenge("greedy")
    assert isinstance(result.exception, InputError) and "answers 503" in str(result.exception)
    assert len(site.asked) == 1 + challenge.MOST_FAILURES


def test_an_arena_that_asks_for_fewer_looks_is_asked_later(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(challenge.time, "sleep", waits.append)
    busy = [(429, after) for after in ("7", "86400", "Mon, 23 Nov 2026 10:00:00 GMT", "")]
    site.answers = [(201, WAITING), *busy, (200, WAITING), (200, FINISHED)]
    result = site.challenge("Salt Road")
    assert result.exit_code == 0, result.output
    assert waits == [0, 7, fetching.LONGEST_WAIT_S, 0, 0, 0]


def test_a_write_whose_answer_is_lost_is_asked_for_again_with_its_key(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    waits: list[float] = []
    monkeypatch.setattr(fetching.time, "sleep", waits.append)
    site.answers = [(503, "away"), (429, "7"), (201, FINISHED)]
    assert site.challenge("greedy", "--bot", "mine").exit_code == 0
    assert waits == [0.5, 7] and len(site.keys) == 3 and len(set(site.keys)) == 1
    assert site.asked[0][2] == {"seats": [{"bot": "mine"}, {"bot": "greedy"}], "expansions": []}
    site.answers, site.keys[:] = [(503, "away")], []
    failed = site.challenge("greedy").exception
    assert isinstance(failed, InputError) and "answers 503" in str(failed)
    assert len(site.keys) == fetching.TRIES and waits[2:] == [0.5, 1, 2, 4, 8]


@pytest.mark.parametrize(
    "address", ["http://arena.example.org", "ftp://127.0.0.1", "arena", "", "http://[::1", "https://", "https://a:b"]
)
def test_the_token_is_not_sent_in_clear_text(address: str) -> None:
    result = CliRunner().invoke(app, ["bot", "challenge", "greedy", "--site", address, "--token", TOKEN])
    assert isinstance(result.exception, InputError) and "https://" in str(result.exception)


@pytest.mark.parametrize("words", [[], ["greedy", "--rematch", "m1"], ["greedy", "--seat", "3"]])
def test_an_order_that_has_no_meaning(site: Site, words: list[str]) -> None:
    assert site.challenge(*words).exit_code == 2 and not site.asked
