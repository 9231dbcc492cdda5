"""Live pages behind a proxy that fails: each says that it reconnects, and goes on where it was."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.core.cache import caches
from playwright.sync_api import expect

from arena.bus import Bus
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from tests.ladder.organised import Organised
from tests.site.chromium import chromium, in_chromium
from tests.site.flaky_proxy import FlakyProxy, flaky_proxy
from tests.site.test_live import Running, elsewhere, served
from tests.site.test_tv import show

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.slow, *in_chromium]

RECONNECTING = {"en": "Reconnecting", "es": "Reconectando", "fr": "Reconnexion en cours", "ru": "Восстанавливаем связь"}
LONG_MS = 120_000
PAST_SILENCE_MS = 45_000
"""Longer than a page waits for a silent server, and no shorter than its longest pause between two tries."""

FAILURES: dict[str, Callable[[FlakyProxy], None]] = {
    "502": lambda proxy: proxy.answer_only(502),
    "503": lambda proxy: proxy.answer_only(503, {"Retry-After": "3"}),
    "429": lambda proxy: proxy.answer_only(429, {"Retry-After": "10"}),
    "drop": FlakyProxy.drop,
    "stall": FlakyProxy.stall,
}


@pytest.fixture
def running(kit: Kit, redis_server: RedisServer) -> Running:
    """A match with some twenty decisions behind it."""
    caches["pages"].clear()  # TV looks up what is on
    match = Running(kit, redis_server.url)
    match.play_on(30)
    return match


@pytest.fixture
def cup(kit: Kit) -> Organised:
    """An event whose first match waits."""
    cup = Organised(kit, 3)
    cup.start()
    return cup


@pytest.fixture
def browser(running: Running, cup: Organised) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def opened(browser: Any, address: str, *, language: str = "en") -> Any:
    """A page whose clock a test can move."""
    page = browser.new_context(locale=language).new_page()
    page.clock.install()
    page.goto(address)
    return page


def wait_for(page: Any, look: Callable[[], bool]) -> None:
    """Wait while minutes pass for the page. Only for a proxy that is broken: requests to a slow site would time out."""
    until(lambda: look() or page.clock.fast_forward(5000))


def says_that_it_is_lost(page: Any) -> bool:
    return bool(page.locator("[data-lost]").is_visible())


def mend(page: Any, proxy: FlakyProxy) -> None:
    """Mend the proxy and wait until the page is connected, for as long as the site takes."""
    proxy.mend()
    page.clock.fast_forward(PAST_SILENCE_MS)
    expect(page.locator("[data-lost]")).to_be_hidden(timeout=LONG_MS)


@pytest.mark.parametrize("failure", FAILURES)
def test_a_match_page_comes_back_where_it_was(running: Running, browser: Any, failure: str) -> None:
    with served() as site, flaky_proxy(site) as (address, proxy):
        page = opened(browser, f"{address}/matches/{running.match}/")
        at, moves = page.locator(".position b"), page.locator(".move")
        expect(page.locator("[data-watching]")).to_have_text("1 watching")
        page.evaluate("window.isTheSamePage = true")
        last = running.plies[-1]
        FAILURES[failure](proxy)
        wait_for(page, lambda: says_that_it_is_lost(page))
        elsewhere(lambda: running.play_on(8))
        wait_for(page, lambda: len(lives(proxy)) > 2)
        expect(page.get_by_role("status").filter(has_text="Reconnecting")).to_have_text("Reconnecting")
        mend(page, proxy)
        expect(at).to_have_text(str(running.plies[-1]))
        expect(moves).to_have_count(len(running.plies) - 1)
        assert lives(proxy)[-1].endswith(f"?after={last}"), "only what is new is sent"
        elsewhere(running.finish)
        expect(page.locator(".chip.live")).to_have_count(0)
        assert page.evaluate("window.isTheSamePage")


def lives(proxy: FlakyProxy) -> list[str]:
    """The requests for the live feed of a match."""
    return [path for path in list(proxy.asked) if path.partition("?")[0].endswith("/live")]


def play_on(cup: Organised, bus: Bus) -> None:
    """Play a round of an event, and tell its readers."""
    cup.play()
    cup.advance()
    bus.wake(f"event:{cup.slug}")


@pytest.mark.parametrize("failure", ["503", "drop", "stall"])
def test_an_event_page_comes_back_where_it_was(
    cup: Organised, browser: Any, redis_server: RedisServer, failure: str
) -> None:
    with served() as site, flaky_proxy(site) as (address, proxy):
        page = opened(browser, f"{address}/events/{cup.slug}/")
        until(lambda: any("/parts/" in path for path in proxy.asked))
        FAILURES[failure](proxy)
        wait_for(page, lambda: says_that_it_is_lost(page))
        elsewhere(lambda: play_on(cup, Bus(redis_server.url)))
        mend(page, proxy)
        expect(page.locator("#r-2")).to_be_visible(timeout=LONG_MS)


def test_an_event_page_asks_again_for_parts_that_never_came(
    cup: Organised, browser: Any, redis_server: RedisServer
) -> None:
    with served() as site, flaky_proxy(site) as (address, proxy):
        proxy.stall("/parts/")
        page = opened(browser, f"{address}/events/{cup.slug}/")
        until(lambda: any("/parts/" in path for path in proxy.asked))
        page.clock.fast_forward(PAST_SILENCE_MS)
        expect(page.locator("[data-lost]")).to_be_visible(timeout=LONG_MS)
        elsewhere(lambda: play_on(cup, Bus(redis_server.url)))
        mend(page, proxy)
        expect(page.locator("#r-2")).to_be_visible(timeout=LONG_MS)


@pytest.mark.parametrize(("path", "failure"), [("/tv", "502"), ("/tv", "stall"), ("/", "429")])
def test_tv_comes_back(running: Running, browser: Any, path: str, failure: str) -> None:
    elsewhere(lambda: show(running.match, 0, None))
    with served() as site, flaky_proxy(site) as (address, proxy):
        page = opened(browser, address + path)
        until(lambda: lives(proxy))
        FAILURES[failure](proxy)
        wait_for(page, lambda: says_that_it_is_lost(page))
        elsewhere(running.finish)
        mend(page, proxy)
        expect(page.locator(".tv-root .chip").first).to_have_text("Just played", timeout=LONG_MS)


@pytest.mark.parametrize("language", RECONNECTING)
def test_the_page_says_it_in_the_visitors_language(running: Running, browser: Any, language: str) -> None:
    with served() as site, flaky_proxy(site) as (address, proxy):
        page = opened(browser, f"{address}/matches/{running.match}/", language=language)
        until(lambda: lives(proxy))
        proxy.answer_only(502)
        wait_for(page, lambda: says_that_it_is_lost(page))
        assert page.locator("[data-lost]").inner_text() == RECONNECTING[language]


@pytest.mark.parametrize("status", [204, 403, 404, 410])
def test_a_page_stops_asking_when_there_is_no_feed(running: Running, browser: Any, status: int) -> None:
    with served() as site, flaky_proxy(site) as (address, proxy):
        page = opened(browser, f"{address}/matches/{running.match}/")
        until(lambda: lives(proxy))
        proxy.answer_only(status)
        until(lambda: len(lives(proxy)) == 2)
        expect(page.locator("[data-lost]")).to_be_hidden(timeout=LONG_MS)
        page.clock.fast_forward(LONG_MS)
        page.evaluate("fetch('/robots.txt')")
        until(lambda: "/robots.txt" in proxy.asked)
        assert len(lives(proxy)) == 2
