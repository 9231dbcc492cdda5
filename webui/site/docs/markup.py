"""Markdown of the documentation: links to the rules and to the glossary, and tables."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import override

from arena.rules.citations import links
from webui.words.glossary import FORMS


def markdown(citation: str) -> str:
    """Return a citation as Markdown links."""
    return ", ".join("[{}](../{}/#{})".format(text, *target.split("#")) for text, target in links(citation))


def table(head: Sequence[str], rows: Iterable[Sequence[object]], right: Sequence[int] = ()) -> str:
    """Return a Markdown table. The columns in `right` are aligned to the right, for numbers."""
    rule = ["--:" if place in right else "---" for place in range(len(head))]
    cells = [head, rule, *([str(cell).replace("|", "\\|").replace("\n", " ") for cell in row] for row in rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)


_TAG = re.compile(r"(<[^>]*>)")
_NAME = re.compile(r"</?(\w+)")
_IN = frozenset({"p", "li", "dd"})
"""Elements whose text is linked."""
_NOT_IN = frozenset({"a", "code", "pre", "svg", "table", "figure"})
"""Elements in which nothing is linked."""


@lru_cache(maxsize=64)
def link_terms(html: str, language: str) -> SafeString:
    """Return a page in which the first occurrence of each term links to the glossary."""
    with override(language):
        forms = {form.casefold(): term for term, words in FORMS.items() for form in str(words).split("|")}
    wanted = re.compile(rf"\b({'|'.join(map(re.escape, sorted(forms, key=len, reverse=True)))})\b", re.IGNORECASE)
    linked: set[str] = set()

    def link(match: re.Match[str]) -> str:
        term = forms[match[0].casefold()]
        if term in linked:
            return match[0]
        linked.add(term)
        return f'<a class="term" href="../glossary/#term-{term}">{match[0]}</a>'

    pieces = []
    open_tags: list[str] = []
    for piece in _TAG.split(html):
        if name := _NAME.match(piece):
            if name[1] in _IN | _NOT_IN:
                if piece.startswith("</"):
                    while open_tags and open_tags.pop() != name[1]:
                        pass
                elif not piece.endswith("/>"):
                    open_tags.append(name[1])
        elif _IN.intersection(open_tags) and not _NOT_IN.intersection(open_tags):
            piece = wanted.sub(link, piece)
        pieces.append(piece)
    return mark_safe("".join(pieces))  # noqa: S308 - the page holds no foreign text
