"""The page for organisers says what there is: its example can be played, its tables are complete."""

from __future__ import annotations

import re
import tomllib

import pytest

from arena.events import parse_terms
from arena.events.formats import FORMATS
from arena.events.tiebreaks import TIE_BREAKS
from webui.site.docs.pages import SOURCES


@pytest.mark.parametrize("language", ["en", "es", "fr", "ru"])
def test_the_page_for_organisers(language: str) -> None:
    text = (SOURCES / language / "events.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(.*?)```", text, re.DOTALL)
    assert example and parse_terms(tomllib.loads(example[1])).ruleset.players == 4
    rows = set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE)) - {"kind", "tie_breaks"}
    assert rows == {*FORMATS, *TIE_BREAKS}
