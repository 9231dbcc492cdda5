"""White space of templates: line breaks that format a template are removed, and nothing else is."""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from django.template import Engine, TemplateSyntaxError
from django.template.base import TextNode
from django.template.loader import get_template
from hypothesis import given
from hypothesis import strategies as st

from webui.board.fragments import fragments
from webui.core import whitespace
from webui.core.whitespace import squeezed_source

EXAMPLES = {
    "between tags": ("<ul>\n  <li>\n    <b>one</b>\n  </li>\n</ul>\n", "<ul><li><b>one</b></li></ul>"),
    "around words": ("<p>\n  one\n  two <b>three</b>\n  four\n</p>", "<p>one two <b>three</b>four</p>"),
    "around tags of the template": ("<p>\n  {{ a }}\n  {% if b %}\n    c\n  {% endif %}\n</p>", "<p>1c</p>"),
    "a space on a line": ("<b>one</b> <i>two</i>\n{{ a }} {{ a }}", "<b>one</b> <i>two</i>1 1"),
    "a space at the end of a line": ('<b>one</b>{{ " " }}\n<i>two</i>', "<b>one</b> <i>two</i>"),
    "between attributes": ('<a\n  class="b"\n  href="/"\n>\n  c\n</a>', '<a class="b" href="/">c</a>'),
    "before the end of an empty tag": ('<path\n  d="M0 0"\n/>\n<br\n>', '<path d="M0 0"/><br>'),
    "conditions among attributes": ('<a\n  id="x"{% if a %} hidden{% endif %}\n  rel\n>', '<a id="x" hidden rel>'),
    "in the value of an attribute": ('<a title="one\n  two > three">\n', '<a title="one two > three">'),
    "kept as it is": ("<pre\n  lang='en'\n>\n a\n   {{ a }}\n</pre>\n<p>", "<pre lang='en'>\n a\n   1\n</pre><p>"),
    "a text area": ("<p>\n  <textarea>\n  {{ a }}\n</textarea>\n</p>", "<p><textarea>\n  1\n</textarea></p>"),
    "a script": ("<script>\n  one();\n  two();\n</script>\n", "<script>\n  one();\n  two();\n</script>"),
    "comments of the template": ("<p>\n  {# two\tthree #}\n  one\n</p>", "<p>one</p>"),
    "spaces that do not break": ("<b>\u00a0\n  one\u00a0</b>", "<b>\u00a0 one\u00a0</b>"),
    "in a simple block tag": ("{% drawings %}\n  <b>\n    one\n  </b>\n{% enddrawings %}", "<b>one</b>"),
    "sentences for translators": (
        "<p>\n  {% blocktranslate trimmed %}\n    one {{ a }}\n    {{ a }} two\n  {% endblocktranslate %}\n</p>",
        "<p>one 1 1 two</p>",
    ),
}  # fmt: skip
"""Templates and the pages that they give when `a` is 1 and `b` is [1]."""


NO_DRAWINGS = '<svg class="sprite" width="0" height="0" aria-hidden="true"></svg>'
LIBRARIES = {"i18n": "django.templatetags.i18n", "arena": "webui.site.templatetags.arena"}


def rendered(folder: Path, source: str) -> str:
    (folder / "page.html").write_text(f"{{% load i18n arena %}}{source}", encoding="utf-8")
    loaders = [("webui.core.whitespace.Loader", ["django.template.loaders.filesystem.Loader"])]
    engine = Engine([folder], loaders=loaders, libraries=LIBRARIES)
    return str(engine.render_to_string("page.html", {"a": 1, "b": [1]}))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(whitespace, "OURS", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples(folder: Path, name: str) -> None:
    written, page = EXAMPLES[name]
    assert rendered(folder, written).removeprefix(NO_DRAWINGS) == page
    assert rendered(folder, squeezed_source(written)).removeprefix(NO_DRAWINGS) == page


HERE = "\x01"
"""A place where a formatted template may have a line break and the squeezed one has nothing."""
LEAVES = st.sampled_from(
    ["<br>", "{{ a }}", "{{ a }}, {{ a }}", "<b>two</b> <i></i>", f"<i>{HERE}one{HERE}</i>", "<pre>\n {{ a }}\n </pre>"]
)  # fmt: skip


def _around(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    content = st.lists(inner, max_size=3).map(lambda parts: HERE.join(["", *parts, ""]))
    return st.one_of(
        content.map(lambda text: f"<li>{text}</li>"),
        content.map(lambda text: f'<p class="c"{HERE}>{text}</p>'),
        content.map(lambda text: f"{{% if a %}}{text}{{% else %}}{HERE}no{HERE}{{% endif %}}"),
        content.map(lambda text: f"{{% for c in b %}}{text}{{% empty %}}{text}{{% endfor %}}"),
    )


BREAKS = st.sampled_from(["", "\n", "\n  ", " \n\n\t"])


@given(page=st.recursive(LEAVES, _around, max_leaves=12), data=st.data())
def test_a_formatted_template_is_sent_as_the_squeezed_one(page: str, data: st.DataObject) -> None:
    first, *others = page.split(HERE)
    formatted = first + "".join(data.draw(BREAKS) + other for other in others)
    assert squeezed_source(formatted) == page.replace(HERE, "")
    with pytest.MonkeyPatch.context() as patched, TemporaryDirectory() as folder:
        patched.setattr(whitespace, "OURS", Path(folder))
        assert rendered(Path(folder), formatted) == rendered(Path(folder), page.replace(HERE, ""))


def test_messages_about_errors_have_the_lines_of_the_file(folder: Path) -> None:
    with pytest.raises(TemplateSyntaxError, match="on line 3: 'nosuch'"):
        rendered(folder, "<p>\n\n  {% nosuch %}\n</p>")


def _texts(name: str) -> str:
    template = get_template(name).template  # type: ignore[attr-defined]
    return "".join(node.s for node in template.nodelist.get_nodes_by_type(TextNode))


def test_emails_and_templates_of_others_are_sent_as_they_are() -> None:
    assert "\n" not in _texts("site/base.html")
    assert "\n" in _texts("account/email/notice_message.txt") and "\n" in _texts("allauth/layouts/base.html")


def test_fragments_follow_the_rule() -> None:
    assert "\n" not in fragments().draw("score_table", {"lines": [], "rows": [], "totals": [], "is_end": True})
