"""What a first visit transfers, and that nothing moves while it loads: pages in Chromium, with nothing kept.

The bytes are those of the site's own answers to the addresses that the browser asks for, compressed as it takes them:
the same every time. How long a visit takes is measured by `tests/bench/first_visit.py`.
"""

from __future__ import annotations

import re
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from django.test import Client

from arena.rules import Ruleset
from tests.kit.ladder import CLOCK, LEASE, POLICY, Kit, play_out
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.test_geometry import MOST_SHIFT
from tests.site.world import World
from webui.core import static_files
from webui.matches import ending, ownership
from webui.ratings.fitting import fit_due
from webui.site.templatetags.arena import SHEETS


def in_browser(test: Any) -> Any:
    """Mark a test that needs Chromium."""
    for mark in in_chromium:
        test = mark(test)
    return test


STATUS_LINE = len("HTTP/1.1 200 OK\r\n\r\n")
BY_THE_SERVER = len("date: Thu, 26 Nov 2026 06:43:45 GMT\r\nserver: uvicorn\r\n")
"""Bytes of an answer that the site does not write itself."""
ENCODINGS = "gzip, deflate, br, zstd"
MOST = {"front": 120_000, "match": 150_000, "embed": 150_000, "ladder": 100_000, "bot": 100_000}
SECOND_SCRIPT = 32_000
"""Russian pages need Cyrillic letters, and Latin ones for names; a Cyrillic letter of their text is two bytes."""


@pytest.fixture
def addresses(transactional_db: None, live_server: Any, kit: Kit) -> dict[str, str]:
    """Pages of an arena with a match of four in the base game; random games are longer than those of players."""
    versions = kit.versions(4)
    match_id = ownership.schedule_match(Ruleset(4), versions, CLOCK, POLICY, rated=True, server_seed=bytes(32))
    claim = kit.claim(match_id)
    played = play_out(claim)
    ownership.append(claim.match_id, claim.epoch, 0, played.entries, LEASE)
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    fit_due()
    paths = {
        "front": "/",
        "match": f"/matches/{match_id}/",
        "embed": f"/matches/{match_id}/embed",
        "ladder": "/ladder/4-players-60-s-1-s/",
        "bot": "/bots/bot-1/",
    }
    return {name: live_server.url + path for name, path in paths.items()}


def sent(path: str, language: str) -> int:
    """Bytes of the site's answer, with its headers."""
    answer = Client().get(path, headers={"Accept-Encoding": ENCODINGS, "Accept-Language": language})
    assert answer.status_code == 200, path
    headers = sum(len(f"{name}: {value}\r\n".encode()) for name, value in answer.headers.items())
    return len(answer.getvalue()) + headers + STATUS_LINE + BY_THE_SERVER


@pytest.mark.slow
@in_browser
@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_first_visit_transfers_little_and_asks_nobody_else(addresses: dict[str, str], language: str) -> None:
    asked: dict[str, list[str]] = {}
    complaints: list[str] = []
    with chromium() as browser:
        for name, address in addresses.items():
            context = browser.new_context(viewport={"width": 1280, "height": 720}, locale=language)
            page = context.new_page()
            complaints += listen(page)
            asked[name] = urls = []
            page.on("request", lambda request, urls=urls: urls.append(request.url))
            page.goto(address, wait_until="networkidle")
            page.evaluate("document.fonts.ready.then(() => null)")
            context.close()
    site = addresses["front"].rstrip("/")
    assert {url for urls in asked.values() for url in urls if not url.startswith(f"{site}/")} == set()
    assert complaints == [], "one is that what was loaded early is not used"
    assert {name: len(urls) - len(set(urls)) for name, urls in asked.items() if len(urls) > len(set(urls))} == {}
    weights = {name: {url.removeprefix(site): 0 for url in urls} for name, urls in asked.items()}
    for paths in weights.values():
        paths.update({path: sent(path, language) for path in paths})
    sums = {name: sum(paths.values()) for name, paths in weights.items()}
    more = SECOND_SCRIPT if language == "ru" else 0
    for name, paths in weights.items():
        print(name, sums[name], *sorted((size, path) for path, size in paths.items()), sep="\n  ")
    assert {name: bytes_ for name, bytes_ in sums.items() if bytes_ > MOST[name] + more} == {}


WINDOWS = [(1280, 720), (390, 844)]
MOVED = """() => {
  window.moved = [];
  new PerformanceObserver((list) => {
    for (const { startTime, value, sources } of list.getEntries()) {
      const at = (box) => [box.x, box.y, box.width, box.height].map(Math.round).join(" ");
      const nodes = sources.map(({ node, previousRect, currentRect }) => {
        const text = node instanceof Element ? node.outerHTML : node?.textContent ?? "";
        return `${text.slice(0, 60)}: ${at(previousRect)} to ${at(currentRect)}`;
      });
      window.moved.push([startTime, value, ...nodes]);
    }
  }).observe({ type: "layout-shift", buffered: true });
}"""
"""What moves: when, by how much, and from where to where."""

PAINTED = "document.readyState != 'loading' && performance.getEntriesByName('first-contentful-paint').length > 0"


def open_with_late_fonts(page: Any, address: str) -> list[list[Any]]:
    """Open a page whose fonts come when all of it has been painted without them. Return what moves then (`MOVED`)."""
    waiting: list[Any] = []

    def hold(route: Any) -> None:
        waiting.append(route)

    page.route("**/*.woff2", hold)
    page.goto(address, wait_until="commit")
    while not (waiting and page.evaluate(PAINTED)):
        page.wait_for_timeout(20)
    page.evaluate("new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))")
    released_at = page.evaluate("performance.now()")
    while waiting or page.evaluate("document.readyState !== 'complete' || document.fonts.status !== 'loaded'"):
        while waiting:
            waiting.pop().continue_()
        page.wait_for_timeout(20)
    if "/matches/" in address:
        page.wait_for_selector("[data-ready]")
    page.evaluate("new Promise((painted) => requestAnimationFrame(() => setTimeout(painted)))")
    assert page.evaluate("[...document.fonts].some((font) => font.status === 'loaded')")
    return [move for at, *move in page.evaluate("window.moved") if at >= released_at]


@pytest.mark.slow
@in_browser
def test_nothing_moves_when_the_fonts_come(addresses: dict[str, str]) -> None:
    moved: dict[str, list[list[Any]]] = {}
    with chromium() as browser:
        for width, height in WINDOWS:
            context = browser.new_context(viewport={"width": width, "height": height}, locale="en")
            context.add_init_script(f"({MOVED})()")
            for name, address in addresses.items():
                page = context.new_page()
                moved[f"{name} {width}"] = open_with_late_fonts(page, address)
                page.close()
            context.close()
    assert {name: told for name, told in moved.items() if sum(value for value, *_ in told) > MOST_SHIFT} == {}


TOPS = "[...document.querySelectorAll('.match-title .meta > *')].map((item) => item.getBoundingClientRect().y)"


@pytest.mark.slow
@in_browser
def test_the_line_below_the_title_is_one_line_in_every_font(addresses: dict[str, str]) -> None:
    """The name of a match, whose width differs, does not decide what is on the next line, which nobody sees."""
    with chromium() as browser:
        page = browser.new_page(locale="en")
        for width in (900, 1280):
            page.set_viewport_size({"width": width, "height": 720})
            page.goto(addresses["match"])
            page.wait_for_selector("[data-ready]")
            assert len(set(page.evaluate(TOPS))) == 1, width


class Halves(BaseHTTPRequestHandler):
    """Hands on what a site answers, and a page in two halves: its title, and a second later the buttons beside it."""

    site = ""

    def do_GET(self) -> None:
        """Answer."""
        with urllib.request.urlopen(f"{self.site}{self.path}") as answer:
            body = answer.read()
            self.send_response(answer.status)
            for name in ("Content-Type", "Content-Encoding"):
                if value := answer.headers[name]:
                    self.send_header(name, value)
            self.end_headers()
        first, cut, rest = body.partition(b'<div class="head-actions">')
        self.wfile.write(first)
        if cut:
            time.sleep(1)  # as a slow line does; a browser that paints the first half does so meanwhile
            self.wfile.write(cut + rest)

    def log_message(self, *_: object) -> None:
        """Nothing."""


@pytest.mark.slow
@in_browser
def test_nothing_moves_when_the_page_comes_in_halves(addresses: dict[str, str]) -> None:
    site, page_path = (
        addresses["match"].partition("/matches")[0],
        "/matches" + addresses["match"].partition("/matches")[2],
    )
    with ThreadingHTTPServer(("127.0.0.1", 0), type("Of", (Halves,), {"site": site})) as halves, chromium() as browser:
        Thread(target=halves.serve_forever, daemon=True).start()
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 720}, locale="en")
            page.add_init_script(f"({MOVED})()")
            page.goto(f"http://127.0.0.1:{halves.server_port}{page_path}", wait_until="networkidle")
            page.wait_for_selector("[data-ready]")
            moved = page.evaluate("window.moved")
        finally:
            halves.shutdown()
    assert sum(value for value, *_ in moved) <= MOST_SHIFT / 10, moved


def classes_of(sheet: str) -> set[str]:
    """The classes that a style sheet has rules for."""
    text = re.sub(
        r"/\*.*?\*/", "", (static_files.SCRIPTS / f"{sheet}.css").read_text(encoding="utf-8"), flags=re.DOTALL
    )
    return set(re.findall(r"\.([a-z][\w-]*)", "".join(re.findall(r"[^{}]+(?=\{)", text))))


LOOKED_AT = ["/", "/matches/", "/ladder/all/", "/bots/", "/bots/long-ledger/", "/users/lena/", "/docs/", "/docs/rules/",
             "/docs/protocol/", "/docs/http-api/", "/docs/open-data/"]  # fmt: skip
OF_EVENTS = {"is-live"}
"""Classes that mean something to a script elsewhere."""


@pytest.mark.slow
@pytest.mark.django_db
def test_pages_have_the_sheets_with_rules_for_what_is_on_them(world: World) -> None:
    rules = {sheet: classes_of(sheet) for sheet in SHEETS}
    finished = f"/matches/{world.finished}/"
    paths = [*LOOKED_AT, f"/ladder/{world.ladder}/", finished, f"{finished}?d=40", f"{finished}embed"]
    lacking = {}
    for path in [*paths, f"/matches/{world.running}/"]:
        html = world.client("owner").get(path).content.decode()
        sheets = set(re.findall(r'rel="stylesheet" href="[^"]*/(\w+)\.css"', html))
        assert len(sheets) < len(SHEETS) - 1, f"{path} has nearly all of them"
        shown = {name for names in re.findall(r'class="([^"]*)"', html) for name in names.split()} - OF_EVENTS
        there = set().union(*(rules[sheet] for sheet in sheets))
        if missing := {name for name in shown - there if any(name in classes for classes in rules.values())}:
            lacking[path] = missing
    assert lacking == {}


def test_the_joined_scripts_are_of_the_modules_as_they_are() -> None:
    """`make scripts` writes them; until then pages load the modules one by one."""
    stale = [script for script in static_files.JOINED if not static_files.is_current(script)]
    assert stale == []
    for script, joined in static_files.JOINED.items():
        assert len(static_files.sources(script)) > 5 and static_files.sent(script) == f"site/{joined}"


def test_a_script_that_has_changed_since_is_sent_as_modules(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "viewer").mkdir()
    (tmp_path / "viewer/main.js").write_text(
        'import { one } from "../dom.js";\nimport {\n  enliven,\n} from "../site.js";\n'
    )
    (tmp_path / "dom.js").write_text("export const one = 1;\n")
    monkeypatch.setattr(static_files, "SCRIPTS", tmp_path)
    monkeypatch.setattr(static_files, "sent", static_files.sent.__wrapped__)
    assert static_files.sources("viewer/main.js") == [tmp_path / "dom.js", tmp_path / "viewer/main.js"]
    assert static_files.sent("viewer/main.js") == "site/viewer/main.js", "nothing is joined"
    (tmp_path / "viewer/joined-main.js").write_text(f"{static_files.heading('viewer/main.js')}\n")
    assert static_files.sent("viewer/main.js") == "site/viewer/joined-main.js"
    (tmp_path / "dom.js").write_text("export const one = 2;\n")
    assert static_files.sent("viewer/main.js") == "site/viewer/main.js"
