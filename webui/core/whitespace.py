"""Remove the white space that only formats a template, when the template is loaded.

The rule is that of JSX, and webui/site/README.md explains it with an example. A line break that touches a tag, of HTML
or of the template, disappears with its indentation. A line break between two words or two attributes becomes one space.
The content of `pre`, `script`, `style` and `textarea` stays as it is, and so does white space on one line.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from django.template import Origin, Template
from django.template.base import Node, TextNode
from django.template.loaders import base, cached

OURS = Path(__file__).parents[1]
"""Directory of the templates that follow the rule. Those of other packages are sent as they are written."""
GAP = "\x00"
"""Character that stands for a tag of the template while the text around it is squeezed."""
_SENTENCE = r"{% blocktranslate(?s:.*?){% endblocktranslate %}"
TEMPLATE_TAG = re.compile(rf"({_SENTENCE}|{{%.*?%}}|{{{{.*?}}}}|{{#.*?#}})")
"""Pattern of a tag of a template. A sentence for translators counts as one tag: `trimmed` removes its line breaks."""
_ATTRIBUTES = r"""(?:"[^"]*"|'[^']*'|[^"'>])*"""
_PIECE = re.compile(
    rf"(?P<open><(?P<name>pre|script|style|textarea)\b{_ATTRIBUTES}>)(?P<kept>.*?)(?=</(?P=name)>)"
    rf"|(?P<tag><[a-z/!]{_ATTRIBUTES}>)|(?P<words>[^<{GAP}]+)",
    re.DOTALL | re.IGNORECASE,
)
_BREAK = r"[ \t]*\n[ \t\n]*"
_BREAKS = re.compile(_BREAK)
_OUTER_BREAKS = re.compile(rf"\A{_BREAK}|{_BREAK}\Z")
_LAST_BREAK = re.compile(rf"{_BREAK}(?=/?>\Z)")


def squeeze(texts: Sequence[str]) -> list[str]:
    """Return the texts between the tags of one template without the line breaks that only format it."""
    return _PIECE.sub(_squeezed, GAP.join(texts)).split(GAP) if texts else []


def squeezed_source(source: str) -> str:
    """Return the source of a template without the line breaks that only format it."""
    parts = TEMPLATE_TAG.split(source)
    parts[::2] = squeeze(parts[::2])
    return "".join(parts)


def _squeezed(match: re.Match[str]) -> str:
    if match["words"]:
        return _BREAKS.sub(" ", _OUTER_BREAKS.sub("", match["words"]))
    tag = _BREAKS.sub(" ", _LAST_BREAK.sub("", match["open"] or match["tag"]))
    return tag + (match["kept"] or "")


def _text_nodes(nodes: Iterable[Node]) -> Iterator[TextNode]:
    for node in nodes:
        if isinstance(node, TextNode):
            yield node
        # Django does not count the content of a simple block tag among its children.
        for name in node.child_nodelists or ("nodelist",):
            yield from _text_nodes(getattr(node, name, ()))


class _Squeezing(base.Loader):
    def get_template(self, template_name: str, skip: list[Origin] | None = None) -> Template:
        """Return the compiled template. Line numbers are kept, for error messages."""
        template = super().get_template(template_name, skip)
        name = Path(template.origin.name)
        if name.suffix == ".html" and name.is_relative_to(OURS):
            nodes = list(_text_nodes(template.nodelist))
            for node, text in zip(nodes, squeeze([node.s for node in nodes]), strict=True):
                node.s = text
        return template


class Loader(cached.Loader, _Squeezing):
    """Load templates once in a process, and remove what only formats them."""
