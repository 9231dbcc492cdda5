"""The glossary and the terms that lead to it: every link finds its entry, and explains itself in Chromium."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils.translation import override
from playwright.sync_api import expect

import webui
from tests.kit.ladder import Kit
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.world import text
from webui.site.docs.facts import Facts
from webui.site.docs.markup import link_terms
from webui.words.glossary import FORMS, OF_SOURCES, TERMS
from webui.words.tiles import TILE_KINDS
from webui.words.vocabulary import CATEGORIES

WEBUI = Path(webui.__file__).parent
IDS = [term.id for term in TERMS]


def test_every_term_has_one_entry_and_every_link_finds_it() -> None:
    assert len(IDS) == len(set(IDS)) and set(TILE_KINDS) <= set(IDS)
    assert set(FORMS) <= set(IDS) and list(OF_SOURCES) == list(CATEGORIES) and set(OF_SOURCES.values()) <= set(IDS)
    used = {
        name
        for folder in ("templates", "jinja2")
        for template in WEBUI.glob(f"*/{folder}/**/*.html")
        for name in re.findall(r'{% (?:term |call term\()"([\w-]+)"\)? %}', template.read_text(encoding="utf-8"))
    }
    assert used >= {"market", "djinn", "turn-order", "bid-order"} and used <= set(IDS)


@pytest.mark.parametrize("language", [code for code, _ in settings.LANGUAGES])
def test_the_glossary_says_each_of_them(language: str) -> None:
    with override(language):
        page = Facts().glossary
        assert re.findall(r'id="term-([\w-]+)"', page) == IDS
        assert all(str(term.name) and str(term.about) for term in TERMS)


def test_running_text_links_the_first_of_each_term_outside_of_headings_and_code() -> None:
    html = (
        "<h2>Viziers</h2><p>Two viziers, <code>vizier</code> and a <b>Vizier</b>; camels</p>"
        '<table><tr><td>elder</td></tr></table><ul><li>an elder, <a href="x">a palm</a></li></ul>'
    )
    assert link_terms(html, "en") == (
        '<h2>Viziers</h2><p>Two <a class="term" href="../glossary/#term-vizier">viziers</a>, <code>vizier</code> and a '
        '<b>Vizier</b>; <a class="term" href="../glossary/#term-camel">camels</a></p>'
        '<table><tr><td>elder</td></tr></table><ul><li>an <a class="term" href="../glossary/#term-elder">elder</a>, '
        '<a href="x">a palm</a></li></ul>'
    )


@pytest.mark.django_db
def test_pages_about_the_game_lead_to_the_glossary() -> None:
    for page in ("rules", "expansions", "djinns"):
        assert 'class="term" href="../glossary/#term-' in text(Client().get(f"/docs/{page}/")), page
    assert 'class="term"' not in text(Client().get("/docs/protocol/"))


@pytest.fixture
def match(transactional_db: None, live_server: Any, kit: Kit) -> Iterator[tuple[str, Any]]:
    match_id = kit.finish(kit.versions(3)).match_id
    with chromium() as browser:
        yield f"{live_server.url}/matches/{match_id}/", browser


@pytest.mark.usefixtures("match")
class TestInChromium:
    pytestmark = in_chromium

    @pytest.mark.slow
    def test_a_term_explains_itself_to_pointer_and_keyboard(self, match: tuple[str, Any]) -> None:
        url, browser = match
        page = browser.new_context(viewport={"width": 1600, "height": 1000}).new_page()
        complaints = listen(page)
        page.goto(url)
        page.wait_for_selector("[data-ready]")
        said = page.get_by_role("tooltip")
        term = page.locator("#mk a.term")
        term.hover()
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
        assert complaints == []

    @pytest.mark.slow
    def test_a_first_tap_explains_and_a_second_one_follows(self, match: tuple[str, Any]) -> None:
        url, browser = match
        page = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True).new_page()
        page.goto(url)
        page.wait_for_selector("[data-ready]")
        term = page.locator("#mk a.term")
        term.tap()
        box = page.get_by_role("tooltip")
        expect(box).to_contain_text("Nine cards that lie face up")
        where = box.bounding_box()
        assert where["x"] >= 0 and where["x"] + where["width"] <= 390
        term.tap()
        expect(page).to_have_url(re.compile(r"/docs/glossary/#term-market$"))
