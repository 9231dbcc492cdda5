"""The fragments of `jinja2/`. Each draws a part of a table, about a thousand times for the frames of a match.

They use Jinja, because rendering with Django's templates took two fifths of the time for a match's frames. Sentences
are marked as in Django's templates, so that they are collected for translation with all others.
"""

import re
from collections.abc import Hashable, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext, ngettext, trim_whitespace
from jinja2 import Environment, FunctionLoader, Template

from webui.board import seats
from webui.core.whitespace import squeezed_source
from webui.words import badges
from webui.words.vocabulary import once_a_language

FOLDER = Path(__file__).parent / "jinja2"
_SENTENCE = re.compile(r'{% translate "([^"]+)" %}')
_WITH_VALUES = re.compile(
    r"{% blocktranslate(?P<trimmed> trimmed)?(?: with (?P<values>[^%]+))? %}(?P<sentence>.*?){% endblocktranslate %}",
    re.DOTALL,
)
_VALUE = re.compile(r"{{ (\w+) }}")
_PLACE = re.compile(r"%\((\w+)\)s")
_ICON = re.compile(r'{{ icon\("([\w-]+)", "([\w -]+)"\) }}')
_TERM = re.compile(r'{% call term\("([\w-]+)"\) %}([^{]*){% endcall %}')


class Fragments:
    """All fragments, in the language that is active when the object is made.

    Sentences without values are translated once, when a fragment is loaded. Looking one up takes longer than the rest.
    """

    def __init__(self) -> None:
        self._environment = Environment(autoescape=True, loader=FunctionLoader(_source))
        self._environment.globals |= {
            "bounds": self._bounds,
            "capfirst": lambda text: text[:1].upper() + text[1:],
            "cards_words": cache(seats.cards_words),
            "icon": badges.icon,
            "items_words": cache(seats.items_words),
            "ordinal": cache(badges.ordinal),
            "piece": lru_cache(maxsize=2000)(self._piece),
            "points_words": cache(lambda n: ngettext("%(n)s point", "%(n)s points", n) % {"n": n}),
            "seat_badge": cache(badges.seat_badge),
            "term": lambda name, caller: badges.term(caller(), name),
            "whims_words": cache(seats.whims_words),
        }
        self._templates: dict[str, Template] = {}

    def draw(self, name: str, shown: Mapping[str, Any]) -> SafeString:
        """Render the fragment `name` with the values `shown`."""
        template = self._templates.get(name)
        if template is None:
            template = self._templates[name] = self._environment.get_template(name)
            template.globals = dict(template.globals)  # replaces a chain of mappings, which is slower
        return mark_safe(template.render(shown).strip())  # noqa: S308 - the fragment escapes

    def _piece(self, name: str, shown: Hashable) -> SafeString:
        """Render a fragment that shows one value. The result is cached for each value."""
        return self.draw(name, {"shown": shown})

    def _bounds(self, bounds: tuple[int, int]) -> SafeString:
        return self.draw("bounds", {"low": bounds[0], "high": bounds[1]})


@once_a_language
def fragments() -> Fragments:
    """Return the fragments of the active language."""
    return Fragments()


def _source(name: str) -> str:
    """Return the source of a fragment with its sentences translated, and its icons and terms rendered."""
    source = squeezed_source((FOLDER / f"{name}.html").read_text(encoding="utf-8"))
    source = _WITH_VALUES.sub(_sentence, _SENTENCE.sub(lambda match: gettext(match[1]), source))
    source = _TERM.sub(lambda match: badges.term(SafeString(match[2]), match[1]), source)
    return _ICON.sub(lambda match: badges.icon(match[1], match[2]), source)


def _sentence(match: re.Match[str]) -> str:
    """Return the translation of a sentence with values. Translators see `{{ n }}` as `%(n)s`, as in Django."""
    values = dict(pair.split("=", 1) for pair in (match["values"] or "").split())
    sentence = trim_whitespace(match["sentence"]) if match["trimmed"] else match["sentence"]
    text = gettext(_VALUE.sub(r"%(\1)s", sentence))
    return _PLACE.sub(lambda place: f"{{{{ {values.get(place[1], place[1])} }}}}", text)
