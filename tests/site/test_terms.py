"""The glossary and the terms that lead to it: every link finds its entry, and explains itself in Chromium."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.utils.translation import override

import webui
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
