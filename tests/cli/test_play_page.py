"""The page of `arena play --html`."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

from playwright.sync_api import expect

from arena.bots.picture import tiles_of
from arena.cli.play_page import game_document, page_of
from arena.local.results import GameResult
from arena.rules import position, read_game
from tests.kit.command import arena_here, printed
from tests.kit.records import troubled_match
from tests.site.chromium import chromium, in_chromium, listen

HOSTILE = "{data}</script><img src=x onerror=alert(1)>"


def troubled() -> tuple[GameResult, dict[str, Any]]:
    """Return a match with faults, chance and a forfeit of a bot with a hostile name."""
    replay = json.loads(json.dumps(troubled_match()))
    replay["seats"][0]["name"] = HOSTILE
    seats = len(replay["seats"])
    placements, scores = tuple(replay["verdict"]["placements"]), tuple(replay["result"]["scores"])
    forfeits = frozenset(one["seat"] for one in replay["verdict"]["forfeits"])
    result = GameResult(tuple(range(seats)), placements, scores, ((),) * seats, forfeits, ((),) * seats, replay)
    return result, replay


def test_every_ply_is_what_the_record_says() -> None:
    result, replay = troubled()
    shown = game_document(result, replay)
    frames, events = shown["frames"], replay["events"]
    starts = [index for index, event in enumerate(events) if event[0]]
    assert [frame["index"] for frame in frames] == [*starts, len(events)]
    assert [frame["text"] for frame in frames[1:]] == [events[index][1] for index in starts]
    assert sum(len(frame["chance"]) for frame in frames[1:]) == len(events) - len(starts)
    defaults = sum("default" in (event[2] if len(event) > 2 else {}) for event in events)
    kinds = Counter(one["kind"] for one in shown["incidents"])
    assert kinds["fault"] >= defaults > 0 and kinds["forfeit"] == len(result.forfeits) > 0
    assert shown["faults"] == kinds.total()
    assert frames[-1]["totals"] == shown["totals"] == [score["total"] for score in replay["result"]["scores"]]
    parts: dict[str, str] = {}
    for frame in frames:
        parts |= frame["parts"]
        here = position(read_game(replay, frame["index"]).state)
        assert {name: part for name, part in parts.items() if name in here.tiles} == tiles_of(here)


def test_no_name_becomes_markup() -> None:
    result, _ = troubled()
    row = {"player": HOSTILE, "wins": 1.0, "interval": [0.5, 1.0], "mean": 1.0, "faults": {}, "forfeits": 0,
           "think_ms": {"median": None, "p99": None}}  # fmt: skip
    page = page_of([result], [row], HOSTILE)
    assert HOSTILE not in page and "<img" not in page
    assert page.count('"index": [') == 1
    assert len(re.findall("<script", page)) == len(re.findall("</script>", page)) == 2


@in_chromium[0]
@in_chromium[1]
def test_the_page_needs_nothing_else_and_is_stepped_through(tmp_path: Path) -> None:
    file = tmp_path / "games.html"
    said = printed(arena_here("play", "greedy", "random", "--games", 2, "--mirror", "--html", file))
    assert f"the page of 2 games in {file}" in said
    with chromium() as browser:
        page = browser.new_context(offline=True, viewport={"width": 390, "height": 844}).new_page()
        complaints = listen(page)
        page.goto(f"{file.as_uri()}#g=2&d=0")
        counter = page.locator("#counter")
        expect(counter).to_have_text(re.compile(r"^before 0 / \d+$"))
        expect(page.locator("#games li")).to_have_count(2)
        page.keyboard.press("ArrowRight")
        expect(counter).to_have_text(re.compile(r"^before 1 / \d+$"))
        expect(page.locator("#said")).to_contain_text("bid ")
        page.keyboard.press("End")
        expect(counter).to_have_text(re.compile(r"^end / \d+$"))
        expect(page.locator("#moves button[aria-current]")).to_have_count(1)
        expect(page.locator("#results tbody tr")).to_have_count(2)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator("#games button").first.click()
        page.wait_for_url("**#g=1&d=*")
    assert complaints == []
