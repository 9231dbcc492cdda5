"""Translations: every text is there in every language, the compiled catalogue is the written one, and nothing on the
pages cannot be translated."""

from __future__ import annotations

import gettext
import os
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from django.conf import settings
from django.test import Client
from django.utils.formats import date_format
from django.utils.translation import ngettext, override, pgettext

from tests.kit.catalogue import LOCALES, compiled, read

SITE = LOCALES.parent
LANGUAGES = sorted(path.name for path in LOCALES.iterdir())
DATES = {
    "en": ("21 Nov 2026", "21 Nov 2026, 09:05"),
    "es": ("21 nov 2026", "21 nov 2026, 09:05"),
    "fr": ("21 nov. 2026", "21 nov. 2026 à 09:05"),
    "ru": ("21 ноября 2026", "21 ноября 2026, 09:05"),
}
"""A date, and a date with its time, in every language."""


def catalogue(language: str) -> Path:
    return LOCALES / language / "LC_MESSAGES" / "django.po"


def test_the_languages_offered_have_a_catalogue() -> None:
    assert {code for code, _ in settings.LANGUAGES} == {"en", *LANGUAGES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_text_is_translated(language: str) -> None:
    entries = read(catalogue(language))[1:]
    assert len(entries) > 500
    assert [(entry.msgid, fault) for entry in entries for fault in entry.faults()] == []
    assert len({entry.key for entry in entries}) == len(entries)
    forms = range(int(re.findall(r"nplurals=(\d)", read(catalogue(language))[0].text)[0]))
    assert [entry.msgid for entry in entries if entry.msgid_plural and sorted(entry.msgstr) != list(forms)] == []


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_compiled_catalogue_is_the_written_one(language: str) -> None:
    path = catalogue(language)
    assert path.with_suffix(".mo").read_bytes() == compiled(read(path)), "run `make messages`"
    with path.with_suffix(".mo").open("rb") as file:
        found = gettext.GNUTranslations(file)
    for entry in read(path)[1:]:
        if entry.msgid_plural is None and entry.msgctxt is None:
            assert found.gettext(entry.msgid) == entry.msgstr[0]


@pytest.mark.skipif(
    not shutil.which("xgettext") and os.environ.get("ARENA_REQUIRE_ALL") != "1", reason="xgettext (gettext) is missing"
)
def test_no_text_is_missing_from_the_catalogues(tmp_path: Path) -> None:
    webui = shutil.copytree(
        SITE.parent, tmp_path / "webui", ignore=shutil.ignore_patterns("static", "node_modules", "__pycache__", "*.mo")
    )
    command = [
        sys.executable,
        "-m",
        "django",
        "makemessages",
        "--settings",
        "webui.settings",
        "--pythonpath",
        str(tmp_path),
    ]
    command += ["--all", "--no-obsolete", "--no-wrap", "--add-location", "file"]
    done = subprocess.run(command, cwd=webui, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode == 0, done.stderr
    for language in LANGUAGES:
        collected = webui / catalogue(language).relative_to(SITE.parent)
        wanted = {entry.key for entry in read(collected)}
        there = {entry.key for entry in read(catalogue(language))}
        assert wanted == there, f"run `make messages` and translate: {sorted(wanted ^ there)}"


def test_russian_numbers() -> None:
    with override("ru"):
        cards = {n: ngettext("%(n)d card", "%(n)d cards", n) % {"n": n} for n in (1, 2, 4, 5, 11, 12, 21, 22, 25)}
        assert pgettext("what is taken", "fish") == "рыбу"
    assert cards == {
        1: "1 карта", 2: "2 карты", 4: "4 карты", 5: "5 карт", 11: "11 карт", 12: "12 карт", 21: "21 карта",
        22: "22 карты", 25: "25 карт",
    }  # fmt: skip


def test_dates() -> None:
    day, written = datetime(2026, 11, 21, 9, 5, tzinfo=UTC), {}
    for language in DATES:
        with override(language):
            written[language] = (date_format(day, "DATE_FORMAT"), date_format(day, "DATETIME_FORMAT"))
    assert written == DATES
    assert {code for code, _ in settings.LANGUAGES} <= set(DATES)


@pytest.mark.django_db
def test_pages_speak_the_visitors_language(client: Client) -> None:
    russian = client.get("/", headers={"Accept-Language": "ru-RU,ru;q=0.9,en;q=0.5"}).content.decode()
    assert '<html lang="ru"' in russian and "Смотреть" in russian
    assert '<html lang="en"' in client.get("/", headers={"Accept-Language": "en"}).content.decode()
    client.post("/language/", {"language": "ru", "next": "/docs/"})
    assert "Документация" in client.get("/docs/").content.decode()


# Nothing is written into a template that a translator cannot reach.

TRANSLATED = re.compile(r"{%-?\s*blocktrans(?:late)?\b.*?{%-?\s*endblocktrans(?:late)?\s*-?%}", re.DOTALL)
MARKUP = re.compile(
    r"{#.*?#}|{% block main_class %}.*?{% endblock %}|{%.*?%}|{{.*?}}|<!--.*?-->"
    r"|<(script|style|code|pre|kbd)\b.*?</\1>",
    re.DOTALL,
)
SPOKEN = re.compile(r"""\b(?:aria-label|title|alt|placeholder)="([^"]*)\"""")
NAMES = re.compile(
    r"Naqala( Arena)?|Five Tribes|SHA-256|gRPC|VP|JSON( Lines)?|CSV|TRF|UTC|&\w+;"
    r"|index\.json|SHA256SUMS|arena data pull"
)


@pytest.mark.parametrize("path", sorted(SITE.parent.glob("*/templates/**/*.html")), ids=lambda path: path.name)
def test_every_word_of_a_template_can_be_translated(path: Path) -> None:
    text = MARKUP.sub(" ", TRANSLATED.sub(" ", path.read_text(encoding="utf-8")))
    said = [*SPOKEN.findall(text), *re.split(r"<[^>]*>", text)]
    words = [words for part in said for words in re.findall(r"[A-Za-z]{3,}", NAMES.sub(" ", part))]
    assert words == []


COMMENT = re.compile(r"/\*.*?\*/|(?m:^\s*//.*$|\s//\s.*$)", re.DOTALL)
SAID = re.compile(r"""["'`]([A-Z][a-z]+(?: [a-z]+)+[.?!]?)["'`]""")


OWN_SCRIPTS = [path for path in sorted(SITE.glob("static/**/*.js")) if "vendor" not in path.parts]
"""Scripts but those of others, whose words are for authors."""


@pytest.mark.parametrize("path", OWN_SCRIPTS, ids=lambda path: path.name)
def test_scripts_have_no_words_of_their_own(path: Path) -> None:
    assert SAID.findall(COMMENT.sub(" ", path.read_text(encoding="utf-8"))) == []
