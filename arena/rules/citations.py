"""Citations of the rules and of the notation (`8.17`, `R15`, `3.2 T1`, `4 Boaz`, `notation, Chance`) as links."""

from __future__ import annotations

import re
from collections.abc import Iterator

RULES, NOTATION = "rules-reference", "notation-reference"
"""The pages of the site that are cited."""
FILES = {RULES: "docs/rules.md", NOTATION: "docs/notation.md"}
"""The files that they are made from."""


def links(citation: str) -> Iterator[tuple[str, str]]:
    """What a citation names: each text with the page and the anchor that it leads to, `("R15", "rules-reference#r15")`.

    A citation is a list of numbers of the rules, or `notation, ` and a heading of the notation.
    """
    document, comma, heading = citation.partition(", ")
    if comma and document == "notation":
        yield citation, f"{NOTATION}#{anchor(heading)}"
        return
    for number in citation.split(", "):
        yield number, f"{RULES}#{anchor(number)}"


def anchor(name: str) -> str:
    """The id of a number or a heading: `3.2 T1` is `3.2-t1`."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower())


def places(citation: str) -> str:
    """Where a cited rule stands: in the repository, and on the site of any arena."""
    targets = [target.split("#") for _, target in links(citation)]
    page = targets[0][0]
    files = ", ".join(f"{FILES[page]}#{mark}" for _, mark in targets)
    return f"{files}, on the site /docs/{page}/#{targets[0][1]}"
