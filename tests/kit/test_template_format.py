"""The check of how templates are formatted: `make check` runs it on all of them."""

from __future__ import annotations

import pytest

from tests.kit.template_format import faults

GOOD = """\
{% extends "base.html" %}
{% block main %}
  <p class="a">{{ b }} <b>{{ c }}</b></p>
  {% if d > e %}
    <input
      type="text"
      {% if f %}disabled{% endif %}
      title="{% blocktranslate trimmed %}
        one
      {% endblocktranslate %}"
    >
    <pre>
 a   <i></i><b></b>
</pre>
  {% else %}
    <path
      d="M0 0"
    />
    <a
      href="/"
    >{{ g }}</a>
  {% endif %}
{% endblock %}
"""
BAD = {
    f"<p>\n  {'a' * 139}\n</p>": (2, "has 141 characters, more than 140"),
    "<p>\n  <b>a</b><i>b</i>\n</p>": (2, "has two elements side by side"),
    "<p>\n  <b>a</b>{{ b }}<br>\n</p>": (2, "has two elements side by side"),
    "<svg>\n  <path/>{% if a %}<path/>{% endif %}\n</svg>": (2, "has two elements side by side"),
    "<p>\na\n</p>": (2, "is indented by 0 spaces instead of 2"),
    "{% if a %}\n  b\n  {% else %}\n  c\n{% endif %}": (3, "is indented by 2 spaces instead of 0"),
    '<p\n    id="a"\n>\n</p>': (2, "is indented by 4 spaces instead of 2"),
    "<p>\n  <br>\n    a\n</p>": (3, "is indented by 4 spaces instead of 2"),
    "<pre>\n  b\n </pre>\n <p></p>": (4, "is indented by 1 spaces instead of 0"),
}


def test_a_template_that_is_well_formatted() -> None:
    assert list(faults(GOOD)) == []


@pytest.mark.parametrize("source", BAD)
def test_faults(source: str) -> None:
    assert list(faults(source)) == [BAD[source]]
