"""The smallest drawings and phrases, which pages and fragments of a table share."""

from functools import cache

from django.urls import reverse
from django.utils.functional import Promise
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from webui.matches.values import EVENT_CANCELLED, HOUSE_SILENT
from webui.words.vocabulary import once_a_language

# Describe why a match, an offer or a seat ended early.


REASONS: dict[str, Promise] = {
    "ILLEGAL": gettext_lazy("illegal action"),
    "MALFORMED": gettext_lazy("unreadable answer"),
    "LATE": gettext_lazy("late answer"),
    "GONE": gettext_lazy("connection lost"),
    "FLOODING": gettext_lazy("flooding"),
    "NO_REVEAL": gettext_lazy("nonce not revealed"),
    "NO_ANSWER": gettext_lazy("a bot did not answer the offer"),
    "DECLINED": gettext_lazy("a bot declined the offer"),
    "NO_PLACE": gettext_lazy("a bot was leaving or had no room"),
    "BAD_NONCE": gettext_lazy("a bot accepted without the hash of a nonce"),
}
VOID_REASONS: dict[str, Promise] = {
    EVENT_CANCELLED: gettext_lazy("the event was cancelled"),
    HOUSE_SILENT: gettext_lazy("a bot of the arena did not answer"),
}
"""Reasons of the arena for which a match is void, as they are stored."""


def reason_words(code: str) -> str:
    """Describe a reason code. An unknown code is returned in lower case, with spaces."""
    return str(REASONS.get(code, code.replace("_", " ").lower()))


PLACES = {
    1: gettext_lazy("1st"),
    2: gettext_lazy("2nd"),
    3: gettext_lazy("3rd"),
    4: gettext_lazy("4th"),
    5: gettext_lazy("5th"),
}


@cache
def icon(name: str, css: str = "icon") -> SafeString:
    """Return a drawing of the sprite. Screen readers skip it, because the words stand beside it."""
    return format_html('<svg class="{}" aria-hidden="true"><use href="#{}"/></svg>', css, name)


@once_a_language
def seat_badge(seat: int, css: str = "") -> SafeString:
    """Return the badge of a seat: its number on its colour."""
    return format_html(
        '<span class="seat-badge seat-{0} {1}" title="{2}"><span class="visually-hidden">{3} </span>{0}</span>',
        seat, css, _("Seat %(n)d") % {"n": seat}, pgettext("before a number", "Seat"),
    )  # fmt: skip


@once_a_language
def hosted_mark() -> SafeString:
    """Return the mark of a bot that the arena runs."""
    words = _("the arena runs it")
    return format_html(
        '<span class="hosted" title="{0}">{1}<span class="visually-hidden">{0}</span></span>', words, icon("u-hosted")
    )


def term(content: str, name: str) -> SafeString:
    """Return a term of the game as a link to the glossary. A script shows the definition beside it."""
    return format_html('<a class="term" href="{}#term-{}">{}</a>', _glossary(), name, content)


@cache
def _glossary() -> str:
    return reverse("docs-page", args=["glossary"])


def ordinal(place: int | None) -> str:
    """Return an ordinal such as `1st`. Translators may write it differently."""
    return "–" if place is None else str(PLACES.get(place, place))
