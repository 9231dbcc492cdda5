"""The rules and the notation are in `docs/`, and every citation of them leads to an anchor there.

Citations stand in comments, docstrings and messages ("rules 3.2 T3, 8.17", "(8.22)", "R15", "3.2 T1" as the rule of a
refusal), in the `.proto` files, in the viewer and on pages.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.rules.citations import links, places
from webui.site.docs.pages import PAGES, read

ROOT = Path(__file__).resolve().parents[1]
CODE = sorted(
    path
    for folder in ("arena", "workers", "webui", "proto", "tests")
    for path in (ROOT / folder).rglob("*.py")
    if "_pb2" not in path.name and "node_modules" not in path.parts and path != Path(__file__)
)
TEXTS = sorted(
    path
    for folder, ending in (
        ("proto", "*.proto"),
        ("webui/site/docs", "*.md"),
        ("docs", "*.md"),
        ("webui/site/static/site", "*.js"),
    )
    for path in (ROOT / folder).rglob(ending)
)

NUMBER = r"\d{1,2}(?:\.\d{1,2})?(?: (?:[TW]\d|END_TURN))?"
LIST = rf"{NUMBER}(?:(?:, |–|-| and ){NUMBER})*"
RULING = re.compile(r"(?<![\w#.\[/])R\d{1,2}\b(?!\.\d)")
AFTER_WORD = re.compile(rf"\b[Rr]ules? (?:§ ?)?({LIST})")
IN_PARENTHESES = re.compile(
    r"[(;] ?((?:[2-9]|1[01])\.\d{1,2}(?: [TW]\d)?(?:(?:, |–| and )[2-9]\.\d{1,2}(?: [TW]\d)?)*)(?=[);])"
)
REFUSALS = ("IllegalAction", "ActionSyntaxError", "RulesError", "PositionError", "ReplayError")


def numbers(text: str) -> Iterator[str]:
    """The numbers of the rules that a text cites. A range cites its two ends."""
    yield from RULING.findall(text)
    for pattern in (AFTER_WORD, IN_PARENTHESES):
        for cited in pattern.findall(text):
            yield from re.split(r", |–|-| and ", cited)


def comments(source: str) -> Iterator[str]:
    """The comments and strings of a module; none if it cites nothing anywhere: to take code apart takes long."""
    if not any(numbers(source)):
        return
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in (tokenize.COMMENT, tokenize.STRING, getattr(tokenize, "FSTRING_MIDDLE", -1)):
            yield token.string


def refusals(source: str) -> Iterator[str]:
    """The rules that refusals name: their third argument."""
    if not any(name in source for name in REFUSALS):
        return
    for call in ast.walk(ast.parse(source)):
        if isinstance(call, ast.Call) and getattr(call.func, "id", getattr(call.func, "attr", "")) in REFUSALS:
            named = [*call.args[2:3], *(word.value for word in call.keywords if word.arg == "rule")]
            for node in named:
                for constant in ast.walk(node):
                    if isinstance(constant, ast.Constant) and isinstance(constant.value, str) and constant.value:
                        yield constant.value


def citations() -> Iterator[tuple[str, str]]:
    """Every citation, with the file that it is in."""
    for path in CODE:
        source, where = path.read_text(encoding="utf-8"), str(path.relative_to(ROOT))
        for text in comments(source):
            for number in numbers(text):
                yield where, number
        if path.is_relative_to(ROOT / "arena"):
            for citation in refusals(source):
                yield where, citation
    for path in TEXTS:
        for number in numbers(path.read_text(encoding="utf-8")):
            yield str(path.relative_to(ROOT)), number


@pytest.fixture(scope="module")
def anchors() -> dict[str, set[str]]:
    return {page.slug: set(re.findall(r'id="([^"]+)"', read(page.slug).html)) for page in PAGES if page.is_normative}


def test_every_citation_leads_to_its_place(anchors: dict[str, set[str]]) -> None:
    found = list(citations())
    lost = [
        f"{where}: {citation!r}"
        for where, citation in found
        for _, target in links(citation)
        if target.partition("#")[2] not in anchors[target.partition("#")[0]]
    ]
    assert lost == []
    assert len(found) > 300, "the patterns find what there is"


def test_what_the_patterns_find() -> None:
    assert list(numbers("as in rules 3.2 T3, 8.17 and R15 (8.22); see (5.3–5.4), 0.5 s, (0.25)")) == [
        "R15", "3.2 T3", "8.17", "8.22", "5.3", "5.4",
    ]  # fmt: skip
    assert list(links("R21, R22")) == [("R21", "rules-reference#r21"), ("R22", "rules-reference#r22")]
    assert list(links("notation, Chance")) == [("notation, Chance", "notation-reference#chance")]
    assert places("R21, R22") == "docs/rules.md#r21, docs/rules.md#r22, on the site /docs/rules-reference/#r21"


def test_every_number_of_the_rules_has_an_anchor_of_its_own(anchors: dict[str, set[str]]) -> None:
    text = (ROOT / "docs" / "rules.md").read_text(encoding="utf-8")
    assert {f"r{number}" for number in range(1, 61)} | {f"8.{point}" for point in range(1, 32)} <= anchors[
        "rules-reference"
    ]
    headings = re.findall(r"^#+ .*?(\d+(?:\.\d+)?)\.? ", re.sub(r"<[^>]+>", "", text), re.MULTILINE)
    assert len(headings) > 40 and set(headings) <= anchors["rules-reference"]
    ids = re.findall(r'<a id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert all(target in anchors["rules-reference"] for target in re.findall(r"\]\(#([^)]+)\)", text))
