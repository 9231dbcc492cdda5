"""A clip in Chromium: the file that is downloaded is a looping picture of the decisions that were asked for."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from playwright.sync_api import expect

from tests.kit.ladder import Kit
from tests.kit.plies import indices
from tests.site.chromium import chromium, in_chromium, listen
from webui.matches import ending

pytestmark = in_chromium


@pytest.fixture
def match(transactional_db: None, live_server: Any, kit: Kit) -> Iterator[tuple[str, list[int], Any]]:
    claim, played = kit.ready_to_finish(kit.versions(3))
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    plies = indices(event[0] > 0 for event in played.document["events"])
    with chromium() as browser:
        yield f"{live_server.url}/matches/{claim.match_id}/", plies, browser


@pytest.mark.slow
def test_a_clip_is_a_looping_picture_with_many_frames(match: tuple[str, list[int], Any]) -> None:
    url, plies, browser = match
    page = browser.new_context(viewport={"width": 1600, "height": 1000}, accept_downloads=True).new_page()
    complaints = listen(page)
    page.goto(f"{url}?d={plies[20]}")
    page.wait_for_selector("[data-ready]")
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
    assert re.fullmatch(rf"naqala-\w+-{plies[20]}\.gif", loading.value.suggested_filename)
    clip = Image.open(io.BytesIO(Path(loading.value.path()).read_bytes()))
    assert (clip.format, clip.info["loop"], clip.width) == ("GIF", 0, 600)
    pictures, lasts = [], 0
    for number in range(clip.n_frames):  # type: ignore[attr-defined]
        clip.seek(number)
        lasts += clip.info["duration"]
        pictures.append(clip.convert("RGB").tobytes())
    assert len(pictures) > 3 and len(set(pictures)) > 3, "the decisions look different"
    assert 4000 <= lasts <= 6500, "about five seconds, to the end of a decision"
    colours = Image.open(io.BytesIO(Path(loading.value.path()).read_bytes())).convert("RGB").getcolors(1 << 24)
    assert colours and len(colours) > 40, "the board is drawn in its colours"
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    assert complaints == []


@pytest.mark.slow
def test_on_a_phone_and_at_the_end_of_the_match(match: tuple[str, list[int], Any]) -> None:
    url, _, browser = match
    page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
    page.goto(url)
    page.wait_for_selector("[data-ready]")
    page.get_by_role("button", name="Options").click()
    page.get_by_role("button", name="Make a clip").click()
    sheet = page.get_by_role("dialog", name="Make a clip")
    sheet.get_by_label("Length").select_option("5")
    sheet.get_by_label("Speed").select_option("2")
    sheet.get_by_role("button", name="Make a clip").click()
    expect(sheet.get_by_role("link", name="Download")).to_be_visible()
    box = sheet.bounding_box()
    assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    natural = "image => image.naturalWidth"
    assert sheet.get_by_role("img", name="The clip").evaluate(natural) == 600
