"""Citations of the rules and of the notation (`8.17`, `R15`, `3.2 T1`, `4 Boaz`, `notation, Chance`) as links."""

import re
from collections.abc import Iterator

RULES, NOTATION = "rules-reference", "notation-reference"
"""The pages that are cited."""


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


def markdown(citation: str) -> str:
    """A citation as Markdown, on a page of the documentation."""
    return ", ".join("[{}](../{}/#{})".format(text, *target.split("#")) for text, target in links(citation))
