"""The fragments of `templates/site/table`: each draws a part of a table, a thousand times for the frames of a match."""

import re
from collections.abc import Mapping
from typing import Any

from django.template import Context, Engine, Template
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from webui.site.panels import once_a_language

_SENTENCE = re.compile(r'{% translate "([^"]+)" %}')


def draw_fragment(name: str, shown: Mapping[str, Any]) -> SafeString:
    """The fragment of this name with these values."""
    html = _fragment(name).render(Context(dict(shown), use_l10n=False)).strip()
    return mark_safe(html)  # noqa: S308 - the template escapes


@once_a_language
def _fragment(name: str) -> Template:
    """With its sentences translated once and for all: looking them up takes longer than all the rest."""
    engine = Engine.get_default()
    source = str(engine.get_template(f"site/table/{name}.html").source)
    return engine.from_string(_SENTENCE.sub(lambda found: gettext(found[1]), source))
