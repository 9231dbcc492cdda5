"""Events as their organiser holds them, on a whole arena whose bots play over gRPC: `make soak-events`.

On each database one arena holds five events at once, the first of them made in a browser. Meanwhile the referees, the
gateway and Redis are killed.
"""

from __future__ import annotations

import csv
import io
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from fractions import Fraction
from itertools import chain
from pathlib import Path
from typing import Any

import pytest

from arena.players import GRADED
from tests.e2e.holding import EVENT_S, Document, export, facts, forgeries, hold, kill, points, show, tables, verify
from tests.e2e.registering import register
from tests.e2e.running import RunningArena, Site, bot_process
from tests.kit.postgres_server import PostgresServer, require_postgres
from tests.kit.until import until
from tests.site.chromium import chromium, in_chromium

pytestmark = [pytest.mark.e2e, pytest.mark.soak, pytest.mark.timeout(2 * EVENT_S), *in_chromium]

HOUSE = GRADED
MORE = ("house-9", "house-10", "house-11", "house-12")
SWISS = {
    "name": "Winter Cup",
    "format": {"kind": "swiss", "rounds": 5},
    "game": {"players": 4},
    "unit": "block",
    "hidden": True,
    "entry": {"entrants": 12},
}
LEAGUE = {
    "name": "League",
    "format": {"kind": "league", "size": 4, "moves": 1, "seasons": 2},
    "game": {"players": 2},
    "entry": {"entrants": 8},
}
KNOCKOUT = {
    "name": "Knockout",
    "format": {"kind": "knockout"},
    "game": {"players": 3},
    "entry": {"entrants": 9},
}
NO_SHOW_S = 20
ABSENT = {
    "name": "One is missing",
    "format": {"kind": "swiss", "rounds": 2},
    "game": {"players": 3},
    "entry": {"entrants": 3},
    "course": {"no_show_s": NO_SHOW_S},
}
ONLINE = '<span class="chip good"><i class="dot"></i>online</span>'
POSTGRES = pytest.param("postgres", marks=pytest.mark.postgres)


@dataclass
class Held:
    """The results of the events."""

    folder: Path
    site: Site
    documents: dict[str, list[Document]] = field(default_factory=dict)
    """The export of each event: `browser`, `commands`, `league`, `knockout`, `absent`."""
    slugs: dict[str, str] = field(default_factory=dict)
    csv: str = ""
    standings: list[list[str]] = field(default_factory=list)
    """Place, bot and points on the page."""
    crosstable: list[list[str]] = field(default_factory=list)
    """Cells of the page's rows."""
    log: str = ""
    strangers: Document = field(default_factory=dict)
    """The document that a stranger got when the first of several rounds was revealed."""
    matches_of_strangers: str = ""


@pytest.fixture(scope="module", params=["sqlite", POSTGRES])
def held(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, django_db_blocker: Any
) -> Iterator[Held]:
    """Hold all five events to their ends."""
    folder = tmp_path_factory.mktemp(request.param)
    with ExitStack() as stack:
        more = {"ARENA_MATCHES": "0"}  # none for the ladders
        if request.param == "postgres":
            require_postgres()
            more["DATABASE_URL"] = stack.enter_context(PostgresServer()).url
        arena = stack.enter_context(RunningArena(folder / "var", "--house", **more))
        ready, began = arena.wait_ready(), time.monotonic()
        site = Site(ready["site"])
        tokens = [
            arena.run("user", "register-bot", "house", name.title().replace("-", " "), "--house") for name in MORE
        ]
        command = [sys.executable, "-m", "tests.e2e.house_players", ready["gateway"], "2,3,4,5", *tokens]
        stack.enter_context(bot_process(command, arena.environment, folder / "players.log"))
        with django_db_blocker.unblock(), arena.database():
            ghost = register({"somebody": "Ghost"})["Ghost"]
        command = [sys.executable, "-m", "tests.e2e.house_players", ready["gateway"], "2,3,4,5", ghost]
        with bot_process(command, arena.environment, folder / "ghost.log"):
            for name in (*MORE, "ghost"):
                until(lambda name=name: ONLINE in site.page(f"/bots/{name}/"), name, every=1)

        found = Held(folder, site)
        page = _signed_in(stack, site.address, ready)
        found.slugs["browser"] = _made_in_the_browser(page, site.address)
        for key, terms, bots in (
            ("commands", SWISS, (*HOUSE, *MORE)),
            ("league", LEAGUE, HOUSE),
            ("knockout", KNOCKOUT, (*HOUSE, MORE[0])),
        ):
            found.slugs[key] = hold(arena, folder, terms, bots)
        _kill_on_the_way(arena, page, found)
        for slug in found.slugs.values():
            until(lambda slug=slug: show(arena, slug)["state"] == "finished", slug, EVENT_S, every=5)
        found.slugs["absent"] = hold(arena, folder, ABSENT, ("random", "greedy", "ghost"))
        until(lambda: show(arena, found.slugs["absent"])["state"] == "finished", "absent", EVENT_S, every=2)

        found.documents = {key: export(arena, slug, folder) for key, slug in found.slugs.items()}
        _read_pages(page, found)
        matches = sum(len(documents) - 1 for documents in found.documents.values())
        print(f"\n{request.param}: {matches} matches in {(time.monotonic() - began) / 60:.1f} minutes")
        assert arena.run("admin", "doctor", "--all").startswith("healthy")
        yield found


def _signed_in(stack: ExitStack, address: str, ready: Document) -> Any:
    page = stack.enter_context(chromium()).new_page()
    page.set_default_timeout(120_000)
    page.goto(f"{address}/staff/")
    page.fill("[name=login]", ready["admin"])
    page.fill("[name=password]", ready["password"])
    page.click("main form .button.primary")
    page.wait_for_selector(".staff-nav")
    return page


def _made_in_the_browser(page: Any, address: str) -> str:
    """Make the same event as `SWISS` only with the forms of the site. Return its slug."""
    page.goto(f"{address}/events/new/")
    page.fill("[name=name]", "Autumn Cup")
    page.select_option("[name=kind]", "swiss")
    page.fill("[name=swiss_rounds]", "5")
    page.select_option("[name=players]", "4")
    page.select_option("[name=unit]", "block")
    page.check("[name=hidden]")
    page.fill("[name=entrants]", "12")
    page.click(".event-form button.primary")
    page.wait_for_url(lambda url: "/events/autumn-cup-" in url)
    slug = str(page.url.rstrip("/").rpartition("/")[2])
    with page.expect_navigation():  # a page cannot be reloaded during a navigation
        page.click("button[value=publish]")

    def is_open() -> bool:
        page.reload()
        return bool(page.query_selector("button[value=freeze]"))

    until(is_open, "it is open", every=0.5)
    for bot in (*HOUSE, *MORE):
        page.click("details:has(#do-enter) > summary")
        page.fill("#do-enter", bot)
        with page.expect_navigation():
            page.press("#do-enter", "Enter")
    page.click("details:has(button[value=freeze]) > summary")
    with page.expect_navigation():
        page.click("button[value=freeze]")
    return slug


def _kill_on_the_way(arena: RunningArena, page: Any, found: Held) -> None:
    """Kill referees in round 2, the gateway in round 3, Redis in round 4; reveal round 1 during round 2."""
    address = f"{found.site.address}/events/{found.slugs['browser']}/"

    def rounds() -> int:
        return len(facts(page.context.request.get(f"{address}event.json").json(), "drawn"))

    for number, name in ((2, "referee"), (3, "gateway"), (4, "redis")):
        until(lambda number=number: rounds() >= number, f"round {number}", EVENT_S, every=2)
        if number == 2:
            page.goto(address)
            with page.expect_navigation():
                page.click("button[value=reveal]")
            stranger = page.context.browser.new_context()
            found.strangers = stranger.request.get(f"{address}event.json").json()
            found.matches_of_strangers = stranger.request.get(f"{found.site.address}/matches/").text()
            stranger.close()
        kill(arena, name)


def _read_pages(page: Any, found: Held) -> None:
    address = f"{found.site.address}/events/{found.slugs['browser']}/"
    found.csv = page.context.request.get(f"{address}standings.csv").text()
    page.goto(f"{address}?log=all&standings=all")
    rows = page.locator(".standings tbody tr")
    cells = ("td.rank b", "th a.plain-link b", "td.points b")
    found.standings = [[rows.nth(at).locator(c).first.inner_text() for c in cells] for at in range(rows.count())]
    crossed = page.locator(".crosstable tbody tr")
    found.crosstable = [crossed.nth(at).locator("td, th").all_inner_texts() for at in range(crossed.count())]
    found.log = page.locator(".event-log").inner_text()


def _number(words: str) -> Fraction:
    """Parse a number of points as the page writes it, such as 12½."""
    whole = words.replace("½", "").strip()
    return Fraction(whole or "0") + (Fraction(1, 2) if "½" in words else 0)


@pytest.mark.parametrize("event", ["browser", "commands"])
def test_a_swiss_of_deal_blocks_is_proved_and_no_forgery_of_it(held: Held, event: str) -> None:
    document, *replays = held.documents[event]
    drawn = facts(document, "drawn")
    assert [len(tables(one)) for one in drawn] == [3] * 5
    assert all(sorted(chain(*tables(one))) == list(range(1, 13)) for one in drawn)
    assert len(replays) == len(facts(document, "result")) == 60
    blocks: dict[str, list[list[str]]] = {}
    for replay in replays:
        blocks.setdefault(replay["deal"], []).append([seat["name"] for seat in replay["seats"]])
    assert len(blocks) == 15, "a deal for each table"
    for games in blocks.values():
        assert all(len({game[seat] for game in games}) == 4 for seat in range(4)), "everybody sits everywhere"

    said = verify(held.folder, held.documents[event])
    assert said["exit"] == 0 and (said["valid"], said["draws"], said["results"]) == (True, 5, 60)
    assert said["results_proved"]
    for what, number, forged in forgeries(document):
        said = verify(held.folder, [forged, *replays])
        assert (said["exit"], said["valid"], said["fact"]) == (1, False, number), (what, said)


@pytest.mark.parametrize("event", ["browser", "commands"])
def test_standings_are_the_points_counted_by_hand(held: Held, event: str) -> None:
    document = held.documents[event][0]
    own = points(document)
    assert {row["entrant"]: Fraction(row["points"]) for row in document["standings"]} == own
    shown = [Fraction(row["points"]) for row in document["standings"]]
    assert shown == sorted(shown, reverse=True) and sum(shown) == 60 * 6
    assert sorted(row["place"] for row in document["standings"]) == list(range(1, 13)), "the lot separates all"


def test_page_crosstable_and_table_for_programs_say_the_same(held: Held) -> None:
    document = held.documents["browser"][0]
    said = [(row["name"], Fraction(row["points"])) for row in document["standings"]]
    assert [(name, _number(own)) for _place, name, own in held.standings] == said
    rows = list(csv.DictReader(io.StringIO(held.csv)))
    assert [(row["bot"], Fraction(row["points"])) for row in rows] == said
    for at, (row, (name, own)) in enumerate(zip(held.crosstable, said, strict=True)):
        number, bot, *cells, total = row
        assert (number, bot, _number(total)) == (str(at + 1), name, own)
        assert sum(_number(cell.partition("/")[0]) for cell in cells) == own, name
        assert cells[at].strip() == ""
    assert "admin" in held.log and len(held.log) > 1000
    by = [fact.get("by") for fact in document["facts"] if fact["kind"] in ("created", "entered", "frozen", "revealed")]
    assert by == ["admin"] * 15


def test_strangers_saw_the_revealed_round_alone(held: Held) -> None:
    seen = held.strangers
    assert {result["round"] for result in facts(seen, "result")} == {1}
    assert len(facts(seen, "drawn")) == 2 and seen["standings"] == []
    hidden = {d["match"] for d in facts(held.documents["browser"][0], "result") if d["round"] > 1}
    assert hidden and not any(match in held.matches_of_strangers for match in hidden)


def test_a_league_plays_two_seasons_with_promotion_and_relegation(held: Held) -> None:
    document = held.documents["league"][0]
    drawn = facts(document, "drawn")
    assert [one["label"] for one in drawn] == [f"season {s}, round {r}" for s in (1, 2) for r in (1, 2, 3)]

    def members(first: int) -> list[set[int]]:
        listed = [table for one in drawn[first : first + 3] for table in one["tables"]]
        return [{n for t in listed if t["group"] == f"division {d}" for n in t["seats"]} for d in (1, 2)]

    (upper, lower), (upper_then, lower_then) = members(0), members(3)
    assert [len(one) for one in (upper, lower, upper_then, lower_then)] == [4] * 4
    (down,), (up,) = upper - upper_then, lower - lower_then
    assert upper_then == upper - {down} | {up} and lower_then == lower - {up} | {down}
    first = points(document, [1, 2, 3])
    assert first[down] == min(first[n] for n in upper) and first[up] == max(first[n] for n in lower)
    second = points(document, [4, 5, 6])
    shown = [(row["entrant"] in lower_then, -second[row["entrant"]]) for row in document["standings"]]
    assert shown == sorted(shown), "division 1 first, each by the points of this season"
    assert verify(held.folder, held.documents["league"])["exit"] == 0


def test_a_knockout_of_nine_at_heats_of_three_ends(held: Held) -> None:
    document = held.documents["knockout"][0]
    first, final = facts(document, "drawn")
    assert len(tables(first)) == 3 and len(tables(final)) == 1 and final["label"] == "final"
    finalists = set(tables(final)[0])
    for table in tables(first):
        assert len(finalists & set(table)) == 1, "the best of each heat"
    assert [row["entrant"] in finalists for row in document["standings"]] == [True] * 3 + [False] * 6
    assert verify(held.folder, held.documents["knockout"])["exit"] == 0


def test_who_never_comes_delays_nobody_beyond_the_limit(held: Held) -> None:
    document = held.documents["absent"][0]
    at = {kind: [datetime.fromisoformat(f["at"]) for f in document["facts"] if f["kind"] == kind]
          for kind in ("drawn", "absent")}  # fmt: skip
    assert len(at["absent"]) == 2, "in each round"
    for drawn, absent in zip(at["drawn"], at["absent"], strict=True):
        # The advancer runs every two seconds.
        assert NO_SHOW_S <= (absent - drawn).total_seconds() <= NO_SHOW_S + 10
    ghost = next(row for row in document["standings"] if row["name"] == "Ghost")
    assert (ghost["place"], ghost["points"]) == (3, "0")
    assert all(result["out"] == [ghost["entrant"]] for result in facts(document, "result"))
    assert verify(held.folder, held.documents["absent"])["exit"] == 0
