"""The viewer in Chromium: visitors step through a match, watch it move, look from a seat, and embed it elsewhere."""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import expect

from arena.rules import View
from tests.site.chromium import in_chromium
from tests.site.gallery import Gallery, Visitor, before
from tests.site.test_browser import AXE, faults
from webui.matches import queries as match_queries
from webui.replays.motions import motions
from webui.replays.replay import FinishedReplay, Step

pytestmark = [*in_chromium, pytest.mark.slow]

Visit = Callable[..., Visitor]
PHONE = {"width": 390, "height": 844, "has_touch": True, "is_mobile": True}


@pytest.fixture(scope="module")
def replay(gallery: Gallery) -> FinishedReplay:
    """Return the replay of the match of three."""
    return FinishedReplay.of_record(match_queries.match_record(gallery.three.id) or {})


def table(page: Any) -> str:
    """Return what stands on the table once nothing moves any more: boards and panels as text and names."""
    expect(page.locator(".counts")).to_have_count(0)
    names = page.eval_on_selector_all(".layer-pieces [data-tile]", "all => all.map(each => each.ariaLabel)")
    parts = page.locator(".seats [data-part], .market, .area-djinns, .tracks, .caption")
    return "\n".join([*names, *parts.all_text_contents()])


def test_a_visitor_steps_through_a_match_by_keyboard(gallery: Gallery, visit: Visit) -> None:
    """The keys, the slider and its marks, the charts, and the turns that open."""
    visitor, plies = visit(), gallery.three.plies
    page = visitor.open(gallery.page_of(gallery.three))
    lacking = "all => all.map(use => use.getAttribute('href')).filter(name => !document.querySelector(name))"
    assert page.eval_on_selector_all("use", lacking) == []
    assert page.locator("symbol#d-ganesha").count() == 1, "drawings of other places were loaded"
    at, last = page.locator(".position b"), plies[-1]
    expect(page.locator(".position")).to_contain_text(f"end / {last} · ")
    page.keyboard.press("Home")
    expect(page.locator(".position")).to_have_text(f"before 0 / {last} · round 1")
    page.keyboard.press("ArrowRight")
    expect(at).to_have_text(str(plies[1]))
    expect(page.locator("[data-caption]")).to_have_attribute("aria-live", "polite")
    page.keyboard.press("Shift+ArrowRight")
    expect(at).to_have_text(str(plies[2]))
    page.keyboard.press("r")
    expect(page.locator("[data-slide]")).to_have_attribute("aria-valuetext", re.compile("round 2. Last: "))
    page.keyboard.press("Shift+R")
    expect(at).to_have_text("0")
    page.keyboard.press("End")
    expect(at).to_have_text("end")
    page.keyboard.press("ArrowLeft")
    expect(at).to_have_text(str(plies[-2]))
    expect(page.locator(".move.is-now .move-index")).to_have_text(str(plies[-3]))  # the decision that led there
    page.keyboard.press("m")
    expect(page.locator(".move-list")).to_be_focused()
    page.locator(".move-list").blur()
    page.keyboard.press("?")
    expect(page.locator("[data-sheet=keys]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("[data-sheet=keys]")).to_be_hidden()
    page.locator(".layer-pieces [data-tile=A1]").focus()
    page.keyboard.press("Enter")
    expect(page.locator("[data-sheet=about]")).to_contain_text("A1, ")
    page.keyboard.press("Escape")

    page.locator("[data-slide]").fill("7")
    expect(at).to_have_text(str(plies[7]))
    mark = page.locator("[data-marks] a").first
    to = mark.get_attribute("href")
    mark.dispatch_event("click")  # another mark may lie above it
    assert to is not None
    expect(page).to_have_url(re.compile(re.escape(to) + "$"))
    page.hover("[data-slide]", position={"x": 12, "y": 12})
    expect(page.locator("[data-hint]")).to_contain_text("round 1")

    page.locator(".area-chart").scroll_into_view_if_needed()
    expect(page.locator("[data-chart] canvas")).to_have_count(1)
    for kind in ("source", "bids", "options", "think"):
        page.select_option("[data-chart-kind]", kind)
        expect(page.locator("[data-chart] canvas")).to_have_count(1)
        expect(page.locator("[data-chart-table] tbody tr")).not_to_have_count(0)

    page = visitor.open(f"{gallery.page_of(gallery.three)}?d=0")
    slide, following = page.locator("[data-slide]"), page.locator("#step-next")
    page.select_option("[data-unit]", "turn")
    assert following.get_attribute("title") == "Next turn (Shift →)"
    following.click()
    following.click()
    expect(slide).to_have_js_property("value", "2")  # two bids
    page.select_option("[data-unit]", "round")
    following.click()
    told = slide.get_attribute("aria-valuetext")
    assert told is not None and "round 2. Last: " in told
    page.locator("#step-previous").click()
    expect(at).to_have_text("0")
    page.select_option("[data-unit]", "")
    following.click()
    expect(slide).to_have_js_property("value", "1")
    visitor.leave()


def test_turns_open_on_a_click_and_the_current_one_by_itself(gallery: Gallery, visit: Visit) -> None:
    visitor = visit(1280, 900)
    page = visitor.open(f"{gallery.page_of(gallery.four)}?d=0")
    open_ = page.locator(".move-list details[open]")
    expect(open_).to_have_count(0)
    move = page.locator(".move-list .turn").nth(5).locator(".move a").nth(1)
    visitor.open(gallery.page_of(gallery.four) + str(move.get_attribute("href")))
    expect(open_).to_have_count(1)
    expect(open_.locator(".move.is-now")).to_have_count(1)
    first = page.locator(".move-list details").first
    first.locator("summary").click()
    expect(open_).to_have_count(2)
    page.keyboard.press("End")  # a match ends with the end of a turn
    expect(first).to_have_attribute("open", "")  # what a visitor opened stays open
    expect(page.locator(".move-list .turn.has-now details")).to_have_attribute("open", "")
    expect(open_).to_have_count(2)
    first.locator(".move a").first.click()
    expect(page.locator(".move.is-now")).to_have_count(1)
    expect(first.locator(".move.is-now")).to_have_count(1)
    visitor.leave()


def test_what_is_stepped_to_is_what_the_server_shows_there(gallery: Gallery, visit: Visit) -> None:
    """With scripts that step, without the viewer's script, and without any scripts, from a seat as from outside."""
    visitor, plies, url = visit(), gallery.three.plies, gallery.page_of(gallery.three)
    page = visitor.open(f"{url}?d=0")
    without = visit()
    without.page.route("**/viewer/joined-main.js", lambda route: route.abort())
    last = len(plies) - 1
    for ply in (1, 31, 76, last):
        page.locator("[data-slide]").fill(str(ply))
        expect(page.locator(".position b")).to_have_text(str(plies[ply]) if ply < last else "end")
        stepped = table(page)
        without.page.goto(f"{url}?d={plies[ply]}")
        assert table(without.page) == stepped

    visitor.open(f"{url}?d={plies[41]}")
    hidden = page.locator(".seats").get_by_text("hidden", exact=True)
    expect(hidden).to_have_count(0)
    page.keyboard.press("2")
    expect(hidden).to_have_count(2)
    expect(page.locator("[data-part=seat-2-stock]").get_by_text("hidden", exact=True)).to_have_count(0)
    assert "view=2" in page.url
    page.reload()
    expect(hidden).to_have_count(2)
    page.wait_for_selector("[data-ready]")
    page.keyboard.press("2")
    expect(hidden).to_have_count(0)
    visitor.leave()

    plain = visit(java_script_enabled=False)
    page = plain.page
    page.goto(f"{url}?d={plies[21]}&view=1")
    expect(page.locator(".seats").get_by_text("hidden", exact=True)).to_have_count(2)
    page.click("#step-next")
    page.wait_for_url(f"**?view=1&d={plies[22]}")
    for offered in ("[data-play]", "[data-slide]", "[data-speed]", "[data-help]", "[data-theme-toggle]"):
        expect(page.locator(offered)).to_be_hidden()
    expect(page.locator(".move")).to_have_count(last)
    plain.context.close()  # what a browser without scripts says of them is no complaint


RECORD = """() => {
  window.seen = [];
  const root = document.querySelector("[data-viewer]");
  new MutationObserver((records) => {
    for (const { type, target, addedNodes } of records) {
      if (type === "attributes") {
        const { transform, opacity, strokeDasharray } = target.style;
        const kind = target.closest(".fly") ? "" : target.matches(".owner-border") ? strokeDasharray && "border"
          : target.matches(".card, .djinn-card") ? transform ? "slide" : opacity && "fade" : "";
        if (kind) window.seen.push([kind, target.textContent]);
      }
      for (const node of addedNodes) {
        if (node.matches?.(".fly")) window.seen.push(["fly", node.firstElementChild.getAttribute("href")]);
        if (node.matches?.(".counts")) window.seen.push(["count", node.previousSibling.textContent]);
      }
    }
  }).observe(root, { subtree: true, childList: true, attributes: true, attributeFilter: ["style"] });
}"""
"""From here on the page notes what begins to move: what kind, and what it is or says."""


def step(page: Any, key: str = "ArrowRight") -> list[list[str]]:
    """Step, and return what moved until all was still again."""
    slide = page.locator("[data-slide]")
    ply = int(slide.input_value())
    page.evaluate("window.seen = []")
    page.keyboard.press(key)
    expect(slide).to_have_js_property("value", str(ply + (1 if key == "ArrowRight" else -1)))
    moving = ".fly, .counts, .card[style*=a], .djinn-card[style*=a], .owner-border[style*=stroke]"
    expect(page.locator(moving)).to_have_count(0)
    expect(page.locator(".meeple[style*=hidden]")).to_have_count(0)
    seen: list[list[str]] = page.evaluate("window.seen")
    return seen


def is_clean_up(step: Step, before: View, after: View) -> bool:
    return len(after.market) > len(before.market)


def is_purchase(step: Step, before: View, after: View) -> bool:
    row = before.market, after.market
    return len(row[1]) == len(row[0]) - 1 and row[0][:-1] != row[1]


def captures(step: Step, before: View, after: View) -> bool:
    return any(motion[1] == "camel" for motion in motions(step, before, after))


def lifts(step: Step, before: View, after: View) -> bool:
    return any(motion[0] == "lift" for motion in motions(step, before, after))


def drops(step: Step, before: View, after: View) -> bool:
    return step.verb == "drop"


def takes(step: Step, before: View, after: View) -> bool:
    return step.verb == "take"


def pays(step: Step, before: View, after: View) -> bool:
    seat = step.seat - 1
    return step.verb == "bid" and before.seats[seat].gold != after.seats[seat].gold


def test_what_moves_when_a_decision_is_stepped_to(gallery: Gallery, replay: FinishedReplay, visit: Visit) -> None:
    """Cards fade in and slide, pieces fly, gold counts, a camel draws a border; nothing moves backwards."""
    visitor = visit()

    def steps(wanted: Callable[[Step, View, View], bool]) -> Any:
        page = visitor.open(f"{gallery.page_of(gallery.three)}?d={before(replay, wanted)}")
        page.evaluate(RECORD)
        return page

    page = steps(is_clean_up)
    assert "fade" in {kind for kind, _ in step(page)}
    assert step(page, "ArrowLeft") == [], "a step back moves nothing"
    assert "slide" in {kind for kind, _ in step(steps(is_purchase))}
    page = steps(drops)
    assert "fly" in {kind for kind, _ in step(page)}
    expect(page.locator(".sky > *")).to_have_count(0)
    assert step(page, "ArrowLeft") == []

    page = steps(pays)
    ply = int(page.locator("[data-slide]").input_value()) + 1
    told = [number for kind, number in step(page) if kind == "count"]
    seat = replay.steps[ply - 1].seat
    assert str(replay.position(ply).seats[seat - 1].gold) in told, "readers are told the new number at once"
    expect(page.locator(f"[data-part=seat-{seat}-stock] dd").first).to_have_text(told[0])

    seen = step(steps(captures))
    assert ["fly", "#camel"] in seen and "border" in {kind for kind, _ in seen}
    assert sum(what.startswith("#m-") for kind, what in step(steps(lifts)) if kind == "fly") >= 2
    visitor.leave()

    for speed, motion in (("4", "no-preference"), ("1", "reduce")):
        visitor = visit(reduced_motion=motion)
        for wanted in (is_clean_up, captures, lifts, drops):
            page = steps(wanted)
            page.select_option("[data-speed]", speed)
            page.locator("[data-speed]").blur()
            assert step(page) == [], f"nothing moves at speed {speed}, {motion}"
        if motion == "reduce":
            expect(page.locator(".layer-pieces .has-changed")).not_to_have_count(0)
        visitor.leave()


def test_it_plays_to_the_end(gallery: Gallery, replay: FinishedReplay, visit: Visit) -> None:
    visitor, url = visit(), gallery.page_of(gallery.three)
    page = visitor.open(f"{url}?d={before(replay, takes)}")
    page.evaluate("""() => {
      const caption = document.querySelector("[data-part=caption]");
      new MutationObserver(() => { document.body.dataset.inAir ??= document.querySelectorAll(".fly").length; })
        .observe(caption, { childList: true });
    }""")
    page.select_option("[data-speed]", "0.5")
    page.keyboard.press("Space")
    expect(page.locator("body")).to_have_attribute("data-in-air", re.compile("[1-9]"))  # what is picked up stays there
    page.keyboard.press("Space")
    expect(page.locator(".fly")).to_have_count(0)

    visitor.open(f"{url}?d={gallery.three.plies[-12]}")
    page.select_option("[data-speed]", "1")
    page.locator("[data-speed]").blur()
    page.keyboard.press("Space")
    expect(page.locator("[data-play]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("[data-caption]")).to_have_attribute("aria-live", "off")
    expect(page.locator(".position b")).to_have_text("end")
    expect(page.locator("[data-play]")).to_have_attribute("aria-pressed", "false")
    expect(page.locator(".sky > *")).to_have_count(0)
    page.select_option("[data-speed]", "8")
    page.click("[data-play]")  # from the end it begins again
    expect(page.locator(".position b")).not_to_have_text("end")
    visitor.leave()


def test_it_can_be_embedded_by_another_site(gallery: Gallery, visit: Visit, tmp_path: Path) -> None:
    url = gallery.page_of(gallery.three)
    framed = f"<iframe id=table width=700 height=900 src='{url}embed'></iframe>"
    (tmp_path / "index.html").write_text(f"<!doctype html>{framed}<iframe id=page src='{url}'></iframe>")
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(SimpleHTTPRequestHandler, directory=str(tmp_path)))
    Thread(target=server.serve_forever, daemon=True).start()
    try:
        page = visit().page
        page.goto(f"http://127.0.0.1:{server.server_port}/")
        inside = page.frame_locator("#table")
        expect(inside.locator("[data-ready]")).to_be_visible()
        inside.locator("#step-previous").click()
        expect(inside.locator(".position b")).to_have_text(str(gallery.three.plies[-2]))
        expect(page.frame_locator("#page").locator(".board")).to_have_count(0)
    finally:
        server.shutdown()
        server.server_close()


def test_a_clip_is_a_looping_picture_with_many_frames(gallery: Gallery, visit: Visit) -> None:
    begin = gallery.three.plies[20]
    visitor = visit(accept_downloads=True)
    page = visitor.open(f"{gallery.page_of(gallery.three)}?d={begin}")
    page.locator("[data-clip]").focus()
    page.keyboard.press("Enter")
    sheet = page.get_by_role("dialog", name="Make a clip")
    expect(sheet).to_be_visible()
    sheet.get_by_label("Length").select_option("5")
    sheet.get_by_role("button", name="Make a clip").click()
    expect(sheet.get_by_role("status")).to_contain_text("The clip is ready")
    expect(sheet.get_by_role("img", name="The clip")).to_be_visible()
    with page.expect_download() as loading:
        sheet.get_by_role("link", name="Download").click()
    assert re.fullmatch(rf"naqala-\w+-{begin}\.gif", loading.value.suggested_filename)
    file = Path(loading.value.path()).read_bytes()
    clip = Image.open(io.BytesIO(file))
    assert (clip.format, clip.info["loop"], clip.width) == ("GIF", 0, 600)
    pictures, lasts = [], 0
    for number in range(clip.n_frames):  # type: ignore[attr-defined]
        clip.seek(number)
        lasts += clip.info["duration"]
        pictures.append(clip.convert("RGB").tobytes())
    assert len(pictures) > 3 and len(set(pictures)) > 3, "the decisions look different"
    assert 4000 <= lasts <= 6500, "about five seconds, to the end of a decision"
    colours = Image.open(io.BytesIO(file)).convert("RGB").getcolors(1 << 24)
    assert colours and len(colours) > 40, "the board is drawn in its colours"
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    visitor.leave()


def test_a_phone_has_its_options_in_a_sheet_and_makes_a_clip(
    gallery: Gallery, replay: FinishedReplay, visit: Visit
) -> None:
    visitor = visit(**PHONE)
    page = visitor.open(gallery.page_of(gallery.three))
    choices = page.get_by_role("combobox", name=re.compile("^(Step|Speed|Seen by)"))  # those that can be seen
    expect(choices).to_have_count(0)
    page.get_by_role("button", name="Options").tap()
    expect(choices).to_have_count(3)
    page.select_option("[data-unit]", "round")
    page.keyboard.press("Escape")
    expect(choices).to_have_count(0)
    last = replay.position(len(replay.steps)).round
    page.locator("#step-previous").tap()
    assert f"round {last}. " in (page.locator("[data-slide]").get_attribute("aria-valuetext") or "")
    for button in page.locator(".transport > :visible, .more-options").all():
        box = button.bounding_box()
        assert box and min(box["width"], box["height"]) >= 44

    visitor.open(gallery.page_of(gallery.three))
    page.get_by_role("button", name="Options").tap()
    page.get_by_role("button", name="Make a clip").tap()
    sheet = page.get_by_role("dialog", name="Make a clip")
    sheet.get_by_label("Length").select_option("5")
    sheet.get_by_label("Speed").select_option("2")
    sheet.get_by_role("button", name="Make a clip").tap()
    expect(sheet.get_by_role("link", name="Download")).to_be_visible()
    box = sheet.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    assert sheet.get_by_role("img", name="The clip").evaluate("image => image.naturalWidth") == 600
    visitor.leave()


def test_what_is_tapped_explains_itself(gallery: Gallery, visit: Visit) -> None:
    """A first tap explains a thing of a seat or a term; a second tap follows the term."""
    visitor = visit(**PHONE)
    page = visitor.open(gallery.page_of(gallery.four))
    # Safari takes a tap for no click if something is shown where the pointer is.
    djinn = page.locator(".seat .djinn").first
    djinn.hover()
    assert djinn.evaluate("each => each.matches(':hover')")
    assert djinn.locator(".tip").bounding_box()["height"] <= 1
    about = page.locator("dialog[data-sheet=about]")
    for kind in (".hand-card", ".djinn"):
        thing = page.locator(f".seat {kind}").first
        thing.scroll_into_view_if_needed()
        box = thing.bounding_box()
        assert box["height"] >= 28 and box["width"] >= 28, "a finger meets it"
        thing.tap()
        expect(about).to_be_visible()
        page.keyboard.press("Escape")
        expect(about).to_be_hidden()
    term = page.locator("#mk a.term")
    term.tap()
    tooltip = page.get_by_role("tooltip")
    expect(tooltip).to_contain_text("Nine cards that lie face up")
    where = tooltip.bounding_box()
    assert where["x"] >= 0 and where["x"] + where["width"] <= 390
    term.tap()
    expect(page).to_have_url(re.compile(r"/docs/glossary/#term-market$"))
    visitor.leave()


def test_what_is_clicked_says_what_it_is(gallery: Gallery, visit: Visit) -> None:
    """Tiles, cards and tracks of the widest table; and terms, to pointer and keyboard."""
    visitor = visit(1280, 900, has_touch=True)
    page = visitor.open(f"{gallery.page_of(gallery.five)}?d=0")
    about, label = page.locator("[data-about-cards]"), page.locator("[data-about-label]")
    tile = page.locator('.layer-pieces .tile[data-kind="oasis"]').first
    tile.click()
    expect(about).to_contain_text("plants a palm on it")
    expect(label).to_have_text(tile.get_attribute("aria-label"))
    meeples = {"vizier": "Viziers", "elder": "Elders", "builder": "Builders", "assassin": "Assassins"}
    for word, title in meeples.items():
        if word in tile.get_attribute("aria-label"):
            expect(about).to_contain_text(title)
    page.mouse.click(5, 5)  # beside it
    expect(page.locator("[data-sheet=about]")).to_be_hidden()
    things = ((".market .card:not(.fakir)", "Different goods make a set"), (".city", "pays its gold once"),
              (".area-djinns .djinn-card", "once a round|Always on|At the end"),
              (".seat-stock .camels", "marks the tile"), (".track", "seats bid for spots"))  # fmt: skip
    for selector, words in things:
        thing = page.locator(selector).first
        thing.scroll_into_view_if_needed()
        thing.dispatch_event("click")  # what covers it while the page scrolls is not what is tried here
        expect(about, selector).to_contain_text(re.compile(words))
        page.keyboard.press("Escape")
        expect(page.locator("[data-sheet=about]")).to_be_hidden()
    visitor.leave()

    visitor = visit()
    page = visitor.open(gallery.page_of(gallery.three))
    said = page.get_by_role("tooltip")
    page.locator("#mk a.term").hover()
    expect(said).to_contain_text("Nine cards that lie face up")
    page.mouse.move(5, 5)
    expect(said).to_be_hidden()
    page.locator("#dj a.term").focus()
    expect(said).to_contain_text("summoned on a Sacred Place")
    assert page.locator("#dj a.term").get_attribute("aria-describedby") == said.get_attribute("id")
    page.keyboard.press("Escape")
    expect(said).to_be_hidden()
    page.locator("#dj a.term").click()
    expect(page).to_have_url(re.compile(r"/docs/glossary/#term-djinn$"))
    visitor.leave()


def test_the_story_leads_to_what_turned_the_match(gallery: Gallery, visit: Visit) -> None:
    """Chapters, chances to win and other choices; and the page without its result, where nothing ahead is drawn."""
    visitor = visit(1280, 720)
    page = visitor.open(gallery.page_of(gallery.told))
    first = page.locator(".chapter").first
    index = re.search(r"d=(\d+)", first.get_attribute("href"))[1]  # type: ignore[index]
    first.click()
    expect(page.locator("[data-part=counter]")).to_have_text(re.compile(rf"\b{index}$"))
    page.locator("[data-chart-tab=chance]").scroll_into_view_if_needed()
    expect(page.locator("[data-chart] canvas")).to_be_visible()
    page.locator("[data-chart-tab=chance]").click()
    expect(page.locator("#sot")).to_have_text("Chance to win")
    expect(page.locator("[data-chart-noise]")).to_be_visible()
    page.locator("[data-chart-tab=total]").click()
    expect(page.locator("#sot")).to_have_text("Score over time")
    page.keyboard.press("Home")
    page.keyboard.press("ArrowRight")
    expect(page.locator("[data-alternatives-link]")).to_have_attribute("href", re.compile(r"\?d=0$"))
    page.locator("[data-alternatives-link]").click()
    expect(page.locator("dialog[open] [data-alternatives]")).to_be_visible()
    assert page.locator("dialog[open] .alternatives-table tbody tr").count() >= 2
    page.keyboard.press("Escape")
    page.evaluate(AXE)
    assert faults(page) == []

    visitor.open(f"{gallery.page_of(gallery.told)}?spoilers=0")
    expect(page.locator("[data-marks] a")).to_have_count(0)
    expect(page.locator(".move-list .move:visible")).to_have_count(0)
    expect(page.locator("[data-rounds] text")).to_have_count(1)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(page.locator(".move-list .move:visible")).to_have_count(3)
    expect(page).to_have_url(re.compile(r"spoilers=0.*d=3|d=3.*spoilers=0"))
    assert "wins" not in page.title() and "wins" not in page.locator("main").inner_text()
    page.keyboard.press("End")
    expect(page.locator("[data-caption]")).to_contain_text("wins over")
    assert page.locator("[data-marks] a").count() > 0
    page.get_by_role("link", name="Show the result").click()
    expect(page.locator(".match-verdict")).to_be_visible()
    visitor.leave()
