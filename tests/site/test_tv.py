"""TV: what is on is the same for all, goes on by itself, tells nothing early, and needs no more memory for it."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from django.core.cache import caches
from django.test import Client
from playwright.sync_api import expect

from arena.referee import Entry, Kind
from arena.rules import view
from tests.kit.ladder import Kit, Writer
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.test_hidden import SEEDS, begin
from tests.site.test_live import Running, elsewhere, served
from webui.matches import queries as match_queries
from webui.matches.models import Participant
from webui.replays.frames import FrameEncoder
from webui.replays.replay import load_replay
from webui.tv import queries as tv_queries
from webui.tv.models import FeaturedMatch
from webui.tv.programme import cost_ms


@pytest.fixture(autouse=True)
def nothing_kept() -> Iterator[None]:
    """What is on is looked up anew."""
    caches["pages"].clear()
    yield
    caches["pages"].clear()


def now() -> Any:
    found = tv_queries.clock()
    assert found is not None
    return found


def show(match_id: str, begun_s: float, lasts_s: float | None, *, number: int = 1) -> None:
    """A match is on since so many seconds, for so long."""
    begins = now() - timedelta(seconds=begun_s)
    ends = None if lasts_s is None else begins + timedelta(seconds=lasts_s)
    FeaturedMatch.objects.create(
        number=number, match_id=match_id, begins_at=begins, ends_at=ends, was_live=ends is None
    )


def lose_marker(text: str) -> str:
    """Without what is public and differs by design."""
    text = re.sub(r"2\d{3}-\d\d-\d\dT[^\"]*", "TIME", text)
    return re.sub(r'data-(shown|rest)="\d+"', "", text)


ADDRESSES = ("/tv", "/tv/embed", "/tv/table", "/tv/table?small=1", "/tv.json", "/")


@pytest.mark.django_db
@pytest.mark.parametrize("address", ["/tv/table", "/tv/table?small=1"])
def test_a_hosted_bot_is_marked(kit: Kit, address: str) -> None:
    show(kit.finish([kit.hosted_version(), kit.version()]).match_id, 0, 3600)
    assert Client().get(address).content.decode().count('class="hosted"') == 1


@pytest.mark.django_db
def test_without_scripts_it_is_the_position_where_the_show_is(kit: Kit) -> None:
    match_id = kit.finish(kit.versions(3)).match_id
    steps = Client().get(f"/matches/{match_id}/frames.json")  # made before: what is on is lost in time else
    assert steps.status_code == 200
    show(match_id, 0, 3600)
    client = Client()
    page = client.get("/tv").content.decode()
    assert "The table before the first bid" in page and f'href="/matches/{match_id}/' in page
    assert 'data-decision="0"' in page and "Replay" in page

    caches["pages"].clear()
    FeaturedMatch.objects.update(begins_at=now() - timedelta(seconds=1800), ends_at=now() + timedelta(seconds=1800))
    half = re.search(r'data-decision="(\d+)"', client.get("/tv").content.decode())
    events = client.get(f"/matches/{match_id}/replay.json").json()["events"]
    texts = [text.split()[0] for seat, text, *_ in events if seat]
    costs = [{"take": 580, "drop": 270}.get(verb, 960) for verb in texts]
    shown = [seat for seat, *_ in events[: int(half[1])] if seat] if half else []
    assert 0.49 < sum(costs[: len(shown)]) / sum(costs) < 0.52, "half of the time, half of what is to be seen"

    caches["pages"].clear()
    FeaturedMatch.objects.update(ends_at=now() + timedelta(seconds=9))
    assert "wins over" in client.get("/tv").content.decode(), "the end is shown at the end"


@pytest.mark.django_db
def test_what_is_on_tells_nothing_of_how_it_ended(kit: Kit) -> None:
    """Two matches of the same beginning, of which each other's winner wins."""
    pages = []
    match_id = kit.finish(kit.versions(2)).match_id
    show(match_id, 0, 3600)
    for placements in ((1, 2), (2, 1)):
        caches["pages"].clear()
        for seat, place in enumerate(placements, 1):
            Participant.objects.filter(match=match_id, seat=seat).update(
                placement=place, rank=place, score=100 * place, forfeit_reason="" if place == 1 else "TOO_LATE",
                forfeited_at=None if place == 1 else 50)  # fmt: skip
        pages.append([lose_marker(Client().get(address).content.decode()) for address in ADDRESSES[:5]])
    assert pages[0] == pages[1]
    hero = Client().get("/").content.decode()
    assert "Latest result<" not in hero and 'data-programme="1"' in hero


@pytest.mark.django_db
def test_the_viewer_goes_at_the_pace_of_the_server(kit: Kit) -> None:
    """Both know what a decision costs: the server by its verb, the viewer by what moves."""
    text = (Path(__file__).parents[2] / "webui/site/static/site/viewer/motions.js").read_text(encoding="utf-8")
    take, drop, other = map(int, re.findall(r"const COST = { take: (\d+), drop: (\d+), other: (\d+) }", text)[0])
    line = match_queries.match_page(kit.finish(kit.versions(2)).match_id).line
    replay = load_replay(line)
    assert replay is not None
    for step, frame in zip(replay.steps, list(FrameEncoder(line.seats).frames(replay))[1:], strict=True):
        kinds = [kind for kind, *_ in frame.get("motions", [])]
        assert cost_ms(step) == (take if "pick" in kinds else drop if "drop" in kinds else other), step


@pytest.mark.django_db
def test_nothing_on(kit: Kit) -> None:
    client = Client()
    for address in ADDRESSES:
        assert client.get(address).status_code == 200
    assert client.get("/tv.json").json()["now"] is None


@pytest.mark.django_db
def test_two_matches_that_differ_in_what_is_hidden_look_the_same_on_tv(kit: Kit) -> None:
    versions = kit.versions(3)
    one, two = (begin(kit, versions, seed) for seed in SEEDS)
    draw = random.Random(5)
    while True:
        choice = draw.choice([action.text for action in one[1].state.legal])
        if choice not in [action.text for action in two[1].state.legal]:
            break
        played = [game.play(choice) for _, game, _ in (one, two)]
        if view(one[1].state, 0) != view(two[1].state, 0) or one[1].seen_events(0) != two[1].seen_events(0):
            break
        for (_, _, entries), events in zip((one, two), played, strict=True):
            for event in events:
                kind = Kind.DECISION if event.seat else Kind.CHANCE
                entries.append(Entry(len(entries), kind, event.seat, event.text))
    pages = []
    for claim, _, entries in (one, two):
        assert sum(entry.kind == Kind.DECISION for entry in entries) > 10, "they parted too early to prove anything"
        Writer(claim).append(entries)
    for claim, game, _ in (one, two):
        FeaturedMatch.objects.all().delete()
        caches["pages"].clear()
        show(claim.match_id, 600, None)
        told = [lose_marker(Client().get(address).content.decode()).replace(claim.match_id, "MATCH")
                for address in ADDRESSES[:5]]  # fmt: skip
        assert "in sight" in told[0] and game.seed.hex() not in "".join(told)
        pages.append(told)
    assert pages[0] == pages[1]


# In a browser.


@pytest.fixture
def schedule(transactional_db: None, live_server: Any, kit: Kit) -> str:
    """The address of the site, and some matches."""
    tables = [kit.finish(kit.versions(2)).match_id for _ in range(3)]
    client = Client()
    for match_id in tables:
        client.get(f"/matches/{match_id}/frames.json")
    return str(live_server.url) + " " + " ".join(tables)


@pytest.fixture
def browser(schedule: str) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def go_on(tables: list[str], number: int) -> None:
    """The show of this number has ended just now, and the next one has begun."""
    begins = now()
    FeaturedMatch.objects.filter(number=number).update(ends_at=begins)
    FeaturedMatch.objects.create(number=number + 1, match_id=tables[number % len(tables)], begins_at=begins,
                                 ends_at=begins + timedelta(hours=1), was_live=False)  # fmt: skip


@pytest.mark.slow
@in_chromium[0]
@in_chromium[1]
def test_it_goes_on_by_itself_for_a_dozen_matches_without_more_memory(schedule: str, browser: Any) -> None:
    url, *tables = schedule.split(" ")
    elsewhere(lambda: show(tables[0], 0, 3600))
    page = browser.new_page(viewport={"width": 1280, "height": 720})
    page.clock.install()
    complaints = listen(page)
    page.goto(f"{url}/tv/embed")
    page.evaluate("window.isTheSamePage = true")
    session = page.context.new_cdp_session(page)
    counts = []
    for number in range(1, 14):
        if number > 1:
            elsewhere(partial(go_on, tables, number - 1))
        until(partial(is_shown, page, number))
        if number in (4, 13):
            session.send("HeapProfiler.collectGarbage")
            counts.append(session.send("Memory.getDOMCounters"))
    assert page.evaluate("window.isTheSamePage"), "no reload"
    early, late = counts
    for what in ("nodes", "jsEventListeners", "documents"):
        assert late[what] <= 1.25 * early[what] + 50, (what, counts)
    assert complaints == []


def is_shown(page: Any, number: int) -> bool:
    """Whether the show of this number is on; else some minutes pass for the page."""
    if page.evaluate(f"""!!document.querySelector('[data-programme="{number}"][data-ready]')"""):
        return True  # (a handle of the element would keep it)
    page.clock.fast_forward(600_000)
    return False


@pytest.fixture
def running(kit: Kit, redis_server: RedisServer, transactional_db: None) -> Running:
    """A match with some twenty decisions behind it."""
    match = Running(kit, redis_server.url)
    match.play_on(30)
    return match


@pytest.fixture
def viewer(running: Running) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.mark.slow
@in_chromium[0]
@in_chromium[1]
def test_a_running_match_is_shown_from_its_beginning_to_its_end(running: Running, viewer: Any) -> None:
    elsewhere(lambda: show(running.match, 0, None))
    with served() as site:
        page = viewer.new_page(viewport={"width": 1280, "height": 720})
        page.clock.install()
        complaints = listen(page)
        page.goto(f"{site}/tv")
        page.wait_for_selector("[data-ready]")
        page.evaluate("window.isTheSamePage = true")
        shown = page.locator(".tv-root")
        expect(shown.locator(".chip.live")).to_have_text("Live")
        expect(page.locator(".caption")).not_to_contain_text("The table before the first bid")  # it goes on
        page.keyboard.press("Space")
        expect(page.locator("[data-pause]")).to_have_attribute("aria-pressed", "false")
        page.keyboard.press("Space")
        expect(page.locator("[data-pause]")).to_have_attribute("aria-pressed", "true")

        def last_seat() -> str:
            """The seat of the last decision so far."""
            return str([entry for entry in running.entries[: running.done] if entry.kind == Kind.DECISION][-1].seat)

        until(lambda: page.clock.fast_forward(3000) or page.evaluate("!!document.querySelector('.seat.is-acting')"))
        elsewhere(lambda: running.play_on(4))
        assert last_seat()
        elsewhere(running.finish)
        expect(shown.locator(".chip.live")).to_have_count(0)
        expect(shown.locator(".chip").first).to_have_text("Just played")
        expect(page.locator(".caption")).not_to_contain_text("wins over")
        elsewhere(lambda: FeaturedMatch.objects.update(ends_at=now() + timedelta(seconds=1)))
        assert page.evaluate("window.isTheSamePage")
    assert [said for said in complaints if "ERR_" not in said] == []
