"""Convert Markdown to HTML with anchors, code that can be copied, and tables that scroll."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import gettext as _
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import OptionsDict

FEW = 2
"""Maximum number of sections for which the table of contents lists subsections instead."""
COPY = (
    '<button class="button compact" type="button" data-copy="{id}" hidden><svg class="icon" aria-hidden="true">'
    '<use href="#u-copy"/></svg><span data-copy-label>{copy}</span></button>'
)


@dataclass(frozen=True)
class Text:
    """A page's title, its HTML after the title, its sections (id, heading) and its code blocks (language, code)."""

    title: str
    html: SafeString
    language: str
    sections: list[tuple[str, str]] = field(default_factory=list)
    code: list[tuple[str, str]] = field(default_factory=list)


class _Renderer(RendererHTML):
    def fence(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        token = tokens[idx]
        env["code"].append((token.info, token.content))
        name = f"code-{len(env['code'])}"
        copy = COPY.format(id=name, copy=_("Copy")) if token.info else ""
        return (
            f'<div class="code"><pre tabindex="0"><code id="{name}">{escape(token.content)}</code></pre>{copy}</div>\n'
        )

    def table_open(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        label = _("Table, more columns to the side")
        return f'<div class="scroll" tabindex="0" role="region" aria-label="{label}"><table class="data-table">\n'

    def table_close(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: Any) -> str:
        return "</table></div>\n"


_parser = MarkdownIt("commonmark", {"html": True, "typographer": False}, renderer_cls=_Renderer).enable("table")


def render(source: str, language: str) -> Text:
    """Convert a Markdown text with one title to a page.

    The page lists its sections. If there are at most `FEW`, it lists their subsections instead.
    """
    env: dict[str, Any] = {"code": []}
    tokens = _parser.parse(source, env)
    title = ""
    headings: dict[str, list[tuple[str, str]]] = {"h2": [], "h3": []}
    for number, token in enumerate(tokens):
        if token.attrs.pop(
            "style", None
        ):  # the parser aligns columns by inline styles, which the content policy forbids
            token.attrSet("class", "number")
        if token.type != "heading_open":
            continue
        heading = "".join(child.content for child in tokens[number + 1].children or [] if child.type != "html_inline")
        if token.tag == "h1":
            title = heading
            continue
        parts = tokens[number + 1].children or []
        is_name = (
            len(parts) == 1 and parts[0].type == "code_inline"
        )  # a name in the code: `View` and `view` need different anchors
        anchor = heading if is_name else slugify(heading, allow_unicode=True)
        token.attrSet("id", anchor)
        headings[token.tag].append((anchor, heading))
    sections = headings["h2"] if len(headings["h2"]) > FEW else headings["h3"]
    body = tokens[3:] if title else tokens
    html = _parser.renderer.render(body, _parser.options, env)
    safe = mark_safe(html)  # noqa: S308 - our own pages; foreign text is escaped on its way in
    return Text(title, safe, language, sections, env["code"])
