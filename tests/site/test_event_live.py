"""An event's page while it is open: the stream that tells of news, the new parts, and a browser that shows them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from playwright.sync_api import expect

from arena.bus import Bus
from arena.events import FactKind
from tests.kit.ladder import Kit, Writer, play_out
from tests.kit.redis_server import RedisServer
from tests.ladder.organised import Organised
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.organising import client_of
from tests.site.test_live import Following, elsewhere, served
from tests.site.world import served as served_shared
from tests.site.world import text
from webui.accounts import actions as account_actions
from webui.bots.models import Bot
from webui.core.shared import shared_pages
from webui.core.times import COOKIE
from webui.events import actions as event_actions
from webui.events import pages as event_pages
from webui.events import queries as event_queries
from webui.events import rounds
from webui.events.live import EventFeed


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without kept pages, and keep them for as long as a slow machine needs."""
    shared_pages.clear()
    monkeypatch.setattr(event_pages, "VERSIONED_S", 600.0)


def parts(cup: Organised, user_id: int | None = None, tag: str = "") -> tuple[int, str, str]:
    """The status of the answer, what is in it, and its ETag."""
    asked = {"If-None-Match": tag} if tag else {}
    answer = served_shared(client_of(user_id), f"/events/{cup.slug}/parts/", **asked)
    return answer.status_code, text(answer), answer["ETag"]


@pytest.mark.django_db
def test_parts_are_sent_when_they_are_new(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "TABLES_A_PAGE", 1)
    cup = Organised(kit, 3)
    cup.start()
    cup.play()
    cup.advance()
    status, page, tag = parts(cup)
    assert status == 200 and "about to begin" in page and parts(cup, tag=tag)[0] == 304
    assert 'href="?page=2"' in page, "older rounds are on another page"
    places = re.compile(r'<div[^>]*data-part="[^"]*">')
    whole = text(client_of().get(f"/events/{cup.slug}/"))
    assert sorted(places.findall(page)) == sorted(places.findall(whole)), "each part has its place"
    claim = kit.claim(cup.scheduled()[0])
    status, page, begun = parts(cup, tag=tag)
    assert status == 200 and "Now playing" in page and begun != tag
    Writer(claim).append(play_out(claim).entries[:40])
    status, page, moved = parts(cup, tag=begun)
    seen = event_queries.event_page(cup.slug).boards[claim.match_id]
    assert status == 200 and f"Round {seen.round}" in page and page.count("Camels left</span>") == 0 and moved != begun
    assert parts(cup, cup.organiser, tag=moved)[0] == 200, "an organiser sees more"
    assert client_of().get("/events/nowhere/parts/").status_code == 404


@pytest.mark.django_db
def test_visitors_share_parts_that_have_nothing_of_their_own(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 3)
    first, second = (account_actions.create_user(name, None) for name in ("first", "second"))
    owner = cup.bots[0].owner_id
    rendered: list[int | None] = []
    original = event_pages.render_page

    def noted(request: HttpRequest, *args: Any) -> HttpResponse:
        rendered.append(request.user.pk)
        return original(request, *args)

    monkeypatch.setattr(event_pages, "render_page", noted)
    for _ in range(2):
        _, of_stranger, strange = parts(cup)
        _, of_first, tag = parts(cup, first)
        assert parts(cup, second)[1:] == (of_first, tag), "the same bytes"
        assert of_first == of_stranger and tag != strange, "strangers are offered to sign in while nobody has entered"
        own = parts(cup, owner)[1]
        assert "csrfmiddlewaretoken" in own and "is-own" in own and "own-panel" in own
        room = parts(cup, cup.organiser)[1]
        assert "csrfmiddlewaretoken" in room and "event-room" in room
        for shared in (of_stranger, of_first):
            assert not any(word in shared for word in ("csrfmiddlewaretoken", "is-own", "own-panel", "event-room"))
    assert rendered == [None, first, owner, cup.organiser, owner, cup.organiser]

    Bot.objects.filter(owner=owner).update(owner=second)
    now_own = parts(cup, second)[1]
    assert "is-own" in now_own and "own-panel" in now_own, "who gets a first bot gets parts of their own"
    assert parts(cup, first)[1:] == (of_first, tag)


@pytest.mark.django_db
@pytest.mark.parametrize("where", ["", "parts/"])
def test_shared_links_repeat_nothing_of_the_first_visitor(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    monkeypatch.setattr(rounds, "TABLES_A_PAGE", 1)
    cup = Organised(kit, 3)
    cup.start()
    cup.play()
    cup.advance()
    for visitor in (None, account_actions.create_user("first", None)):
        served_shared(client_of(visitor), f"/events/{cup.slug}/{where}?page=1&secret=mine")
        page = text(served_shared(client_of(visitor), f"/events/{cup.slug}/{where}?page=1"))
        assert "page=2" in page and "mine" not in page


@pytest.mark.django_db
def test_shared_parts_are_in_the_zone_of_the_visitor(kit: Kit) -> None:
    cup = Organised(kit, 2)
    seen = []
    for name, zone in (("east", "Asia/Tokyo"), ("west", "America/New_York"), ("middle", "")):
        client = client_of(account_actions.create_user(name, None))
        client.cookies[COOKIE] = zone
        seen.append(text(served_shared(client, f"/events/{cup.slug}/parts/")))
    assert "JST" in seen[0] and "JST" not in seen[1] and "UTC" in seen[2] and len(set(seen)) == 3


@pytest.mark.django_db
def test_the_mark_of_strangers_does_not_move_with_what_is_hidden(kit: Kit) -> None:
    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    cup.start()
    before = [event_queries.event_mark(cup.slug, sees_all=everything) for everything in (False, True)]
    cup.play()
    cup.advance()
    assert len(cup.event.games) == 2 and len(cup.event.rounds) == 2
    after = [event_queries.event_mark(cup.slug, sees_all=everything) for everything in (False, True)]
    assert after[0] == before[0] and after[1] != before[1]
    event_actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    assert event_queries.event_mark(cup.slug, sees_all=False) != before[0]


@pytest.fixture
def cup(transactional_db: None, kit: Kit) -> Organised:
    """An event whose first match waits."""
    cup = Organised(kit, 3)
    cup.start()
    return cup


@pytest.fixture
def browser(cup: Organised) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


MORPHED = """async (address) => {
  const { morph } = await import(address);
  const list = (text) => {
    const ul = document.createElement("ul");
    ul.innerHTML = text;
    return document.body.appendChild(ul);
  };
  const old = list(`<li data-key="a">A<input></li>
    <li data-key="b" class="x"><details open>B</details></li><li data-key="d">D</li>`);
  const [a, b] = old.children;
  a.querySelector("input").value = "typed";
  morph(old, list(`<li data-key="b"><details>B now</details></li>
    <li data-key="a">, A<input></li><li data-key="c">, C</li>`));
  return [old.children[0] === b && old.children[1] === a, b.firstChild.open, a.querySelector("input").value,
    old.textContent.replace(/\\s+,/g, ","), b.hasAttribute("class")];
}"""
"""What has a key is the same element afterwards, with what was typed and opened, wherever it stands."""


@pytest.mark.slow
@pytest.mark.browser
@in_chromium[1]
def test_an_open_page_follows_the_event_to_its_end(
    cup: Organised, browser: Any, redis_server: RedisServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(EventFeed, "LOOK_EVERY_S", 600.0)  # only a wake-up tells
    monkeypatch.setattr(EventFeed, "PAUSE_S", 0.01)
    bus = Bus(redis_server.url)

    def play_on() -> None:
        cup.play()
        cup.advance()
        bus.wake(f"event:{cup.slug}")

    def rule() -> None:
        said = {"round": 1, "table": 1, "game": 0, "placements": [1, 1]}
        event_actions.decide(cup.slug, cup.organiser, FactKind.RULED, said, "a bad cable")
        bus.wake(f"event:{cup.slug}")

    def archive() -> None:
        event_actions.decide(cup.slug, cup.organiser, FactKind.ARCHIVED)
        bus.wake(f"event:{cup.slug}")

    with served() as site:
        reader = Following(site, cup.slug, of="events")
        first = reader.event()
        page = browser.new_page()
        complaints = listen(page)
        page.goto(f"{site}/events/{cup.slug}/?log=all")
        page.evaluate("window.isTheSamePage = true")
        terms, rows = page.locator("details", has_text="Draws can be verified"), page.locator(".standings tbody tr")
        last = rows.last.locator("th a").inner_text()
        terms.locator("summary").click()
        rows.last.locator("th a").focus()
        elsewhere(play_on)
        expect(page.locator("#r-2")).to_be_visible()
        expect(page.locator("[data-live]")).to_have_text("Round 2 was drawn: 1 table.")
        assert terms.evaluate("details => details.open") and page.evaluate("document.activeElement.innerText") == last
        second = reader.event()
        assert (first[0], second[0]) == ("changed", "changed") and first[1] != second[1]

        top = "document.querySelector('#ev-lg').getBoundingClientRect().top"
        page.evaluate(f"scrollTo({{ top: scrollY + {top} - 90, behavior: 'instant' }})")
        stood = page.evaluate(top)
        elsewhere(play_on)
        expect(page.locator(".chip", has_text="finished")).to_be_visible()
        expect(page.locator("[data-live]")).to_have_text("The event is over, and its seed is revealed.")
        assert abs(page.evaluate(top) - stood) < 2, "what is read stays where it is"
        assert page.evaluate("window.isTheSamePage") and complaints == []
        assert page.evaluate(MORPHED, static("site/morph.js")) == [True, True, "typed", "B now, A, C", False]
        assert page.locator(".event-end").count() == 1
        order = page.locator("[data-part]").evaluate_all("parts => parts.map((part) => part.dataset.part)")
        assert order.index("terms") > order.index("rounds"), "as on a page that is opened now"
        elsewhere(rule)
        expect(page.locator("[data-live]")).to_contain_text("by decision")
        elsewhere(archive)
        reader.end()
        reader.close()
