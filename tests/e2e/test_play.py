"""People who play in the browser against the bots of a whole arena, and what is broken meanwhile."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from statistics import median, quantiles
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.e2e.holding import kill
from tests.e2e.playing import play_only
from tests.e2e.running import RunningArena, Site
from tests.e2e.seated import OVER, Choose, PersonAtTable, by_keyboard, by_mouse, by_touch
from tests.kit.until import until
from tests.site.chromium import chromium, in_chromium

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1200), *in_chromium]

PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
QUIET = {"reduced_motion": "reduce"}


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any) -> Iterator[RunningArena]:
    """Run an arena with house bots, which play only where people sit."""
    with RunningArena(tmp_path_factory.mktemp("play") / "var", "--house") as arena:
        arena.wait_ready()
        with django_db_blocker.unblock(), arena.database():
            play_only()
        arena.wait_for("process", name="runner", state="ready")
        yield arena


@pytest.fixture
def address(arena: RunningArena) -> str:
    """Address of the site, once the bots are there."""
    address = str(arena.wait_ready()["site"])
    until(lambda: "Sit down" in Site(address).page("/play/"), "the bots' coming", every=0.5)
    return address


@pytest.fixture
def browser(address: str) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


def report(person: PersonAtTable) -> None:
    """Print how long a person waited for the frame after each decision."""
    seconds = person.seconds
    worst = quantiles(seconds, n=20)[-1]
    load = os.getloadavg()[0]
    print(f"; {len(seconds)} decisions, next frame after {median(seconds):.2f} s (p95 {worst:.2f} s), load {load:.0f}")


def was_played(replay: dict[str, Any], sent: list[tuple[int, str]]) -> bool:
    """Return whether a replay has each decision that was sent, at its index. Indexes differ, so none was played twice.

    Decisions with one legal action are not asked for.
    """
    own = next(seat for seat, each in enumerate(replay["seats"], 1) if each["name"].startswith("Guest "))
    played = [(index, replay["events"][index][1]) for index, _ in sent if replay["events"][index][0] == own]
    return played == sent and len({index for index, _ in sent}) == len(sent)


@pytest.mark.parametrize(("choose", "options"), [(by_mouse, {}), (by_touch, PHONE)], ids=["by mouse", "by touch"])
def test_rounds_are_played(browser: Any, address: str, choose: Choose, options: dict[str, Any]) -> None:
    person = PersonAtTable(browser, address, **options)
    person.sit_down("Greedy")
    person.follow_live()
    person.play(choose, rounds=2)
    person.check(f"table {choose.__name__}", [person.page.viewport_size["width"]])
    report(person)
    assert person.complaints == []


def test_a_match_is_played_to_its_end_by_keyboard(browser: Any, address: str) -> None:
    person = PersonAtTable(browser, address, **QUIET)
    person.page.goto(f"{address}/play/")
    person.check("form")
    person.sit_down("Random")
    person.follow_live()
    person.check("table")
    person.play(by_keyboard)
    report(person)
    person.check("over")
    replay = Site(address).replay(person.match_id)
    assert replay is not None and replay["verdict"]["kind"] == "completed"
    assert was_played(replay, person.sent)
    person.page.click(OVER)
    person.last, person.is_over = -1, False
    person.wait_until_asked()
    person.decide(by_keyboard)
    assert person.complaints == []


def test_a_table_of_five_with_both_expansions(browser: Any, address: str) -> None:
    person = PersonAtTable(browser, address, **QUIET)
    person.sit_down("Random", "Greedy", "Greedy Trader", "Greedy Rival", expansions=("whims", "artisans"))
    person.follow_live()
    person.play(by_mouse, rounds=1)
    person.check("table of five")
    report(person)
    assert person.complaints == []


def test_an_old_tab_says_so_and_shows_the_game_as_it_is(browser: Any, address: str) -> None:
    person = PersonAtTable(browser, address, **QUIET)
    person.sit_down("Random")
    old, page = person.new_tab(), person.page
    old.route("**/live*", lambda route: route.abort())
    old.goto(page.url)
    expect(old.locator(".choosing-steps button").first).to_be_visible()
    page.locator(".choosing-steps button").nth(0).click()
    person.wait_until_asked()
    old.locator(".choosing-steps button").nth(1).click()
    expect(old.locator("[data-seat-note]")).to_contain_text("The game has gone on")
    expect(old.locator("[data-choosing]")).to_be_hidden()
    old.unroute("**/live*")
    expect(old.locator("[data-last]")).to_have_text(page.locator("[data-last]").inner_text(), timeout=60_000)
    expect(old.locator("[data-question]")).to_have_text(page.locator("[data-question]").inner_text(), timeout=60_000)
    assert old.locator("[data-lost]").is_hidden()


def test_reload_back_double_click_and_a_lost_connection(browser: Any, address: str) -> None:
    person = PersonAtTable(browser, address, **QUIET)
    person.sit_down("Random")
    page, question = person.page, person.page.locator("[data-question]")
    asked = question.inner_text()
    page.reload()
    expect(question).to_have_text(asked)
    page.goto(f"{address}/play/")
    page.get_by_role("link", name="Back to your table").click()
    expect(question).to_have_text(asked)
    page.go_back()
    page.get_by_role("link", name="Back to your table").click()
    expect(question).to_have_text(asked)

    page.locator(".choosing-steps button").first.dblclick()
    person.wait_until_asked()
    assert len(person.sent) == 1

    person.context.set_offline(True)
    person.send(by_mouse)
    expect(page.locator("[data-lost]")).to_be_visible()
    person.context.set_offline(False)
    person.wait_until_asked()
    expect(page.locator("[data-lost]")).to_be_hidden()
    assert len(person.sent) == 2


@pytest.mark.soak
def test_a_game_outlives_every_process(browser: Any, arena: RunningArena, address: str) -> None:
    """Each process is killed while a decision is pending, and right after one was sent."""
    person = PersonAtTable(browser, address, **QUIET)
    person.sit_down("Random")
    person.follow_live()
    for name in ("gateway", "referee", "site"):
        kill(arena, name)
        person.decide(by_keyboard)
        pending = person.seconds[-1]
        person.send(by_keyboard)
        os.kill(arena.state(name)["pid"], signal.SIGKILL)
        person.wait_for_next()
        print(f"\n{name} killed: next frame after {pending:.1f} s and {person.seconds[-1]:.1f} s", end="")
    person.play(by_keyboard)
    replay = Site(address).replay(person.match_id)
    assert replay is not None and replay["verdict"]["kind"] == "completed"
    assert was_played(replay, person.sent)
    assert "incidents" not in replay
