"""Turn citations of the rules and the notation (`8.17`, `R15`, `3.2 T1`, `4 Boaz`, `notation, Chance`) into links."""

from __future__ import annotations

import re
from collections.abc import Iterator

RULES, NOTATION = "rules-reference", "notation-reference"
"""Pages of the site that citations link to."""
FILES = {RULES: "docs/rules.md", NOTATION: "docs/notation.md"}
"""Source file of each page."""


def links(citation: str) -> Iterator[tuple[str, str]]:
    """Yield each part of a citation with the page and anchor it links to, such as `("R15", "rules-reference#r15")`.

    A citation is a list of numbers of the rules, or `notation, ` and a heading of the notation.
    """
    document, comma, heading = citation.partition(", ")
    if comma and document == "notation":
        yield citation, f"{NOTATION}#{anchor(heading)}"
        return
    for number in citation.split(", "):
        yield number, f"{RULES}#{anchor(number)}"


def anchor(name: str) -> str:
    """Return the id of a number or a heading: `3.2-t1` for `3.2 T1`."""
    return re.sub(r"[^a-z0-9.]+", "-", name.lower())


def places(citation: str) -> str:
    """Return where a cited rule can be read: the file in the repository, and the page on the site of any arena."""
    targets = [target.split("#") for _, target in links(citation)]
    page = targets[0][0]
    files = ", ".join(f"{FILES[page]}#{mark}" for _, mark in targets)
    return f"{files}, on the site /docs/{page}/#{targets[0][1]}"
