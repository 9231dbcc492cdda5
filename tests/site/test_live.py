"""Live matches: what is on the wire, and a page that follows one to its end."""

from __future__ import annotations

import http.client
import json
import random
import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
import uvicorn
from django.db import connections
from playwright.sync_api import expect

from arena.bus import Bus
from arena.host.sockets import most_connections
from arena.referee import Entry, Kind
from arena.rules import view
from tests.kit.ladder import Kit, Writer, play_out
from tests.kit.plies import indices
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.test_frames import validator
from tests.site.test_hidden import SEEDS, begin
from webui.commands.connections import ConnectionLimits
from webui.core.feeds import ReaderSlots, feeds, most_live_readers
from webui.matches import ending
from webui.replays.frames import VERSION

pytestmark = pytest.mark.django_db(transaction=True)

LONG_S = 60


@contextmanager
def served() -> Iterator[str]:
    """The site as it runs in production, on the test's database."""
    from webui.asgi import application

    server = uvicorn.Server(uvicorn.Config(application, port=0, lifespan="off", log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    until(lambda: server.started)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = server.force_exit = True
        thread.join(LONG_S)


class Following:
    """A reader of a live match or event: the events of its stream as they come."""

    def __init__(
        self, site: str, match: str, *, after: int | None = None, last_id: int | None = None, of: str = "matches"
    ) -> None:
        where = urlsplit(site)
        self.connection = http.client.HTTPConnection(where.hostname or "", where.port, timeout=LONG_S)
        headers = {} if last_id is None else {"Last-Event-ID": str(last_id)}
        query = "" if after is None else f"?after={after}"
        self.connection.request("GET", f"/{of}/{match}/live{query}", headers=headers)
        self.answer = self.connection.getresponse()
        assert self.answer.status == 200 and self.answer.headers["Content-Type"] == "text/event-stream"

    def event(self) -> tuple[str, Any, bytes]:
        """The next event: its kind, its data, its bytes. Comments and `retry` are passed over."""
        while True:
            lines: list[bytes] = []
            while line := self.answer.readline().rstrip(b"\n"):
                lines.append(line)
            assert lines, "the stream has ended"
            fields = dict(part.split(b": ", 1) for part in lines if not part.startswith(b":"))
            if b"event" in fields:
                return fields[b"event"].decode(), json.loads(fields[b"data"]), b"\n".join(lines)

    def frames(self, count: int) -> list[tuple[dict[str, Any], bytes]]:
        """The next frames, each with its bytes."""
        found: list[tuple[dict[str, Any], bytes]] = []
        while len(found) < count:
            kind, data, text = self.event()
            if kind == "frame":
                found.append((data, text))
        return found

    def end(self) -> None:
        """Read on to the end of the match."""
        while self.event()[0] != "end":
            pass
        assert self.answer.read() == b"", "the server ends the stream"

    def close(self) -> None:
        self.connection.close()


class Running:
    """A match that is played on at will, as a worker would: append, then wake."""

    def __init__(self, kit: Kit, redis_url: str) -> None:
        self.claim = kit.claim(kit.match(kit.versions(3)))
        self.played = play_out(self.claim)
        self.entries = self.played.entries
        self.done = 0
        self.writer = Writer(self.claim)
        self.bus = Bus(redis_url)

    @property
    def match(self) -> str:
        return self.claim.match_id

    @property
    def plies(self) -> list[int]:
        """The index of the event that follows each ply so far."""
        kinds = [entry.kind for entry in self.entries[: self.done]]
        return indices(kind == Kind.DECISION for kind in kinds if kind in (Kind.DECISION, Kind.CHANCE))

    def play_on(self, entries: int) -> None:
        """Append so many more entries of the log, up to where a decision begins."""
        end = min(len(self.entries), self.done + entries)
        while end < len(self.entries) and self.entries[end].kind == Kind.CHANCE:
            end += 1
        self.writer.append(self.entries[self.done : end])
        self.done = end
        self.bus.wake(self.match)

    def finish(self) -> None:
        self.play_on(len(self.entries))
        ending.finish_match(self.match, self.claim.epoch, self.played.verdict, self.played.document)
        self.bus.wake(self.match)


@pytest.fixture
def offered(kit: Kit, redis_server: RedisServer) -> Running:
    """A match that waits for its bots."""
    return Running(kit, redis_server.url)


@pytest.fixture
def running(offered: Running) -> Running:
    """A match with some twenty decisions behind it."""
    offered.play_on(30)
    return offered


def test_frames_come_as_they_happen_and_a_reader_goes_on_where_it_was(running: Running) -> None:
    with served() as site:
        first = Following(site, running.match)
        begun = first.frames(len(running.plies))
        for frame, _ in begun:
            validator("liveFrame").validate(frame)
        assert [frame.get("d") for frame, _ in begun] == [None, *running.plies[1:]]
        seen = len(running.plies)
        running.play_on(25)
        fresh = first.frames(len(running.plies) - seen)
        assert [frame["d"] for frame, _ in fresh] == running.plies[seen:]

        # The line is lost; the browser comes again with the last id, and gets what it has missed: the same bytes.
        late = Following(site, running.match, after=3, last_id=running.plies[seen - 1])
        assert late.frames(len(fresh)) == fresh
        newcomer = Following(site, running.match, after=running.plies[-1])
        while (told := newcomer.event())[0] != "watching":
            pass
        assert told[1].endswith(" watching")
        running.finish()
        for reader in (first, late, newcomer):
            reader.end()
            reader.close()
        ended = Following(site, running.match)
        assert ended.event()[0] == "end"
        ended.close()


def test_readers_share_one_feed_that_goes_with_the_last_of_them(running: Running) -> None:
    with served() as site:
        readers = [Following(site, running.match) for _ in range(3)]
        for reader in readers:
            reader.frames(1)
        assert [feed.readers for feed, _ in feeds._feeds.values()] == [3]
        for reader in readers:
            reader.close()
        running.play_on(10)  # what cannot be sent shows that a reader has left
        until(lambda: not feeds._feeds)


@pytest.mark.parametrize(("in_all", "status"), [(18, 429), (2, 503)])
def test_readers_are_limited_and_make_room_when_they_leave(
    running: Running, monkeypatch: pytest.MonkeyPatch, in_all: int, status: int
) -> None:
    monkeypatch.setattr("webui.core.streams.live_slots", ReaderSlots(in_all, pages_per_address=2))

    def is_refused() -> bool:
        where = urlsplit(site)
        line = http.client.HTTPConnection(where.hostname or "", where.port, timeout=LONG_S)
        line.request("GET", f"/matches/{running.match}/live")
        answer = line.getresponse()
        line.close()
        return answer.status == status and answer.headers["Retry-After"] == "10"

    with served() as site:
        readers = [Following(site, running.match) for _ in range(2)]
        until(is_refused)
        readers[0].close()
        until(lambda: not is_refused())
        readers[1].close()


@pytest.mark.parametrize("files", [64, 1024, 4096, 65_536])
def test_live_readers_leave_connections_to_other_pages(files: int) -> None:
    connections = most_connections(ConnectionLimits().connections, files)
    assert 0 < most_live_readers(files) <= 0.75 * connections
    assert most_live_readers(65_536) > 5_000


@pytest.mark.parametrize("of", ["matches", "api/v1/matches"])
def test_matches_that_differ_in_what_is_hidden_send_the_same_bytes(kit: Kit, of: str) -> None:
    versions = kit.versions(3)
    pair = [begin(kit, versions, seed) for seed in SEEDS]
    games = [game for _, game, _ in pair]
    assert games[0].state.deck != games[1].state.deck, "there is something to hide"
    draw = random.Random(5)
    while True:
        legal = [[action.text for action in game.state.legal] for game in games]
        choice = draw.choice(legal[0])
        if choice not in legal[1]:
            break
        played = [game.play(choice) for game in games]
        if view(games[0].state, 0) != view(games[1].state, 0) or games[0].seen_events(0) != games[1].seen_events(0):
            break
        for (_, _, entries), events in zip(pair, played, strict=True):
            for event in events:
                kind, facts = (Kind.DECISION, {"ms": draw.randint(1000, 9999)}) if event.seat else (Kind.CHANCE, None)
                entries.append(Entry(len(entries), kind, event.seat, event.text, facts))
    streams = []
    with served() as site:
        for claim, _, entries in pair:
            Writer(claim).append(entries)
            decisions = sum(entry.kind == Kind.DECISION for entry in entries)
            assert decisions > 10, "the two games parted too early to prove anything"
            reader = Following(site, claim.match_id, of=of)
            streams.append(
                [text.replace(claim.match_id.encode(), b"MATCH") for _, text in reader.frames(decisions + 1)]
            )
            reader.close()
    assert streams[0] == streams[1]
    told = b"".join(streams[0])
    for hidden in (b'"ms"', b'"options"', b'"scores"', b"source-gold"):
        assert hidden not in told


@pytest.fixture
def browser(offered: Running) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def elsewhere(work: Any) -> None:
    """Do it in a thread of its own: while Playwright's loop runs, Django refuses the database in this one."""

    def run() -> None:
        try:
            work()
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result()


@pytest.mark.slow
@in_chromium[0]
@in_chromium[1]
def test_a_visitor_follows_a_match_from_the_offer_to_its_end(offered: Running, browser: Any) -> None:
    running = offered

    def late(route: Any) -> None:
        elsewhere(lambda: running.play_on(4))
        route.continue_()

    with served() as site:
        page = browser.new_page()
        complaints = listen(page)
        at, moves = page.locator(".position b"), page.locator(".move")
        page.goto(f"{site}/matches/{running.match}/")
        expect(page.get_by_role("heading", name="Waiting for the bots")).to_be_visible()
        elsewhere(lambda: running.play_on(6))  # a hash and a nonce of each
        page.wait_for_selector("[data-ready]")
        expect(page.get_by_text("Nobody has bid yet.")).to_be_visible()
        elsewhere(lambda: running.play_on(1))
        expect(moves).to_have_count(1)
        expect(page.locator(".moves [data-count]")).to_have_text("1 decision")
        expect(page.get_by_text("Nobody has bid yet.")).to_have_count(0)

        elsewhere(lambda: running.play_on(23))
        page.route("**/frames.json*", late)  # what is decided while the page loads is not missing in its list
        page.goto(f"{site}/matches/{running.match}/")
        page.wait_for_selector("[data-ready]")
        decisions = [str(index) for index in running.plies[:-1]]
        expect(page.locator(".move .move-index")).to_have_text(decisions)
        expect(page.locator(".move.is-now .move-index")).to_have_text(decisions[-1])
        expect(page.locator(".move.is-later")).to_have_count(0)
        page.unroute("**/frames.json*")
        expect(page.locator(".chip.live")).to_have_text("Live")
        expect(page.locator("[data-watching]")).to_have_text("1 watching")

        elsewhere(lambda: running.play_on(4))
        expect(page.locator(".position")).to_contain_text(f"{running.plies[-1]} / {running.plies[-1]}")
        expect(page.locator(".move .move-index")).to_have_text([str(index) for index in running.plies[:-1]])

        page.keyboard.press("Home")
        expect(at).to_have_text("0")
        elsewhere(lambda: running.play_on(4))
        expect(moves).to_have_count(len(running.plies) - 1)
        expect(page.locator(".moves [data-count]")).to_have_text(f"{len(running.plies) - 1} decisions")
        expect(at).to_have_text("0")  # who looks back is left in peace
        page.get_by_role("button", name="Back to live").click()
        expect(at).to_have_text(str(running.plies[-1]))
        expect(page.locator("[data-back-live]")).to_be_hidden()

        page.evaluate("window.isTheSamePage = true")
        elsewhere(running.finish)
        expect(page.locator(".chip.live")).to_have_count(0)
        expect(page.locator("h1")).to_contain_text(re.compile("wins|win"))
        expect(page.locator("[data-ready] [data-part=score-table]")).to_contain_text("Result")
        assert page.evaluate("window.isTheSamePage"), "the page has become the replay in place"
        page.keyboard.press("ArrowLeft")
        expect(at).to_have_text(str(running.plies[-2]))
        assert complaints == []


@pytest.mark.slow
@in_chromium[0]
@in_chromium[1]
def test_a_page_is_loaded_anew_once_where_two_versions_of_the_site_run(running: Running, browser: Any) -> None:
    def newer(route: Any) -> None:
        event = f"event: frame\ndata: {json.dumps({'v': VERSION + 1})}\n\n"
        route.fulfill(status=200, content_type="text/event-stream", body=event)

    with served() as site:
        page = browser.new_page()
        complaints, loads = listen(page), []
        page.on("load", lambda _: loads.append(page.url))
        page.route(re.compile(r"/live(\?|$)"), newer)
        page.goto(f"{site}/matches/{running.match}/")
        expect(page.locator("[data-lost]")).to_contain_text("different versions")
        expect(page.locator("[data-lost]")).to_be_visible()
        page.keyboard.press("Home")
        expect(page.locator(".position b")).to_have_text("0")
        assert len(loads) == 2 and complaints == []
