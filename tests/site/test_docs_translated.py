"""The documentation in other languages: all of it is there, and it says what the English says, as far as that can be
counted."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest
from django.conf import settings
from django.utils.translation import override

from webui.site.docs.facts import Facts
from webui.site.docs.pages import ORIGINAL, PAGES, read
from webui.site.docs.reference import SOURCES, comments, protocol

TRANSLATED = [page.slug for page in PAGES if not page.is_normative]
"""A normative text exists once: its translation would be a second one."""
LANGUAGES = [code for code, _ in settings.LANGUAGES if code != ORIGINAL]


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_page_is_translated(language: str) -> None:
    assert [slug for slug in TRANSLATED if read(slug, language).language != language] == []


@pytest.mark.parametrize("slug", TRANSLATED)
@pytest.mark.parametrize("language", LANGUAGES)
def test_a_translated_page_says_the_same(language: str, slug: str) -> None:
    ours, theirs = read(slug), read(slug, language)
    for tag in ("<h2", "<h3", "<table", "<figure", "<li", "<td"):
        assert theirs.html.count(tag) == ours.html.count(tag), tag
    for kind in ("sh", "json"):
        assert [code for k, code in theirs.code if k == kind] == [code for k, code in ours.code if k == kind]
    links = re.compile(r'href="([^"]*)"')
    assert sorted(links.findall(theirs.html)) == sorted(links.findall(ours.html))


def test_a_page_that_is_not_translated_is_in_english() -> None:
    assert read("rules", "eo").language == ORIGINAL
    assert comments("eo") == {}


# Comments of the code are translated one by one.


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_show_comments_in_their_language(language: str) -> None:
    assert comments(language)["What the server allows."] in read("reference", language).html
    assert "What the server allows." not in read("reference", language).html


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_comment_is_translated(language: str) -> None:
    translated = json.loads((SOURCES / language / "reference.json").read_text(encoding="utf-8"))
    with override(ORIGINAL):
        assert sorted(translated) == sorted({*_comments(protocol()), Facts().pairing})
    for comment, text in translated.items():
        assert text.strip(), comment
        assert _literals(text) == _literals(comment), comment
        assert [part.startswith("  ") for part in text.split("\n\n")] == [
            part.startswith("  ") for part in comment.split("\n\n")
        ], comment


def _comments(thing: object) -> set[str]:
    """Every comment in a part of protocol.json."""
    if isinstance(thing, dict):
        own = {value for key, value in thing.items() if key == "comment"}
        return own.union(*map(_comments, thing.values()))
    return set().union(*map(_comments, thing)) if isinstance(thing, list) else set()


def _literals(text: str) -> Counter[str]:
    """What is the same in every language: code, quoted values, numbers, and names of fields and reasons."""
    return Counter(re.findall(r'`[^`]*`|"[^"\n]*"|\b\d+\b|\b[A-Za-z]+(?:[._][A-Za-z]+)+\b', text))
