"""Name the things of the game, each alone ("elder") and as the object of a sentence ("picks up an elder").

In many languages the two forms differ. Functions that end in `_taken` return the second form.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache, wraps
from typing import ParamSpec, TypeVar

from django.utils.functional import Promise
from django.utils.translation import get_language, gettext_lazy, ngettext, npgettext, pgettext_lazy
from django.utils.translation import gettext as _

# Cache translated texts by language.


P = ParamSpec("P")
T = TypeVar("T")


def once_a_language(make: Callable[P, T]) -> Callable[P, T]:
    """Cache a function's latest 2,000 results, separately for each active language. The arguments must be hashable.

    Looking up translations is slow, and a replay shows the same texts at hundreds of plies.
    """

    @lru_cache(maxsize=2000)
    def cached(language: str | None, *args: P.args, **kwargs: P.kwargs) -> T:
        return make(*args, **kwargs)

    @wraps(make)
    def in_current_language(*args: P.args, **kwargs: P.kwargs) -> T:
        return cached(get_language(), *args, **kwargs)  # type: ignore[arg-type]  # all are hashable

    return in_current_language


TRIBES = "ywgbrp"

RESOURCES: dict[str, Promise] = {
    "ivory": gettext_lazy("ivory"),
    "jewels": gettext_lazy("jewels"),
    "gold": gettext_lazy("gold ingots"),
    "papyrus": gettext_lazy("papyrus"),
    "silk": gettext_lazy("silk"),
    "spice": gettext_lazy("spice"),
    "fish": gettext_lazy("fish"),
    "wheat": gettext_lazy("wheat"),
    "pottery": gettext_lazy("pottery"),
    "fakir": gettext_lazy("Fakir"),
}

RESOURCES_TAKEN: dict[str, Promise] = {
    "ivory": pgettext_lazy("what is taken", "ivory"),
    "jewels": pgettext_lazy("what is taken", "jewels"),
    "gold": pgettext_lazy("what is taken", "gold ingots"),
    "papyrus": pgettext_lazy("what is taken", "papyrus"),
    "silk": pgettext_lazy("what is taken", "silk"),
    "spice": pgettext_lazy("what is taken", "spice"),
    "fish": pgettext_lazy("what is taken", "fish"),
    "wheat": pgettext_lazy("what is taken", "wheat"),
    "pottery": pgettext_lazy("what is taken", "pottery"),
    "fakir": pgettext_lazy("what is taken", "a Fakir"),
}

CATEGORIES: dict[str, Promise] = {  # in the order in which charts stack them
    "gold": gettext_lazy("Gold"),
    "viziers": gettext_lazy("Viziers"),
    "elders": gettext_lazy("Elders"),
    "djinns": gettext_lazy("Djinns"),
    "tiles": gettext_lazy("Tiles"),
    "palms": gettext_lazy("Palms"),
    "palaces": gettext_lazy("Palaces"),
    "goods": gettext_lazy("Goods"),
    "artisans": gettext_lazy("Artisans"),
    "items": gettext_lazy("Items"),
}


@once_a_language
def source_names() -> dict[str, str]:
    """Return the names of the sources of points by category, in the order of `CATEGORIES`."""
    return {name: str(title) for name, title in CATEGORIES.items()}


_MEEPLES: dict[str, Callable[[int], str]] = {
    "y": lambda n: ngettext("vizier", "%(n)d viziers", n) % {"n": n},
    "w": lambda n: ngettext("elder", "%(n)d elders", n) % {"n": n},
    "g": lambda n: ngettext("merchant", "%(n)d merchants", n) % {"n": n},
    "b": lambda n: ngettext("builder", "%(n)d builders", n) % {"n": n},
    "r": lambda n: ngettext("assassin", "%(n)d assassins", n) % {"n": n},
    "p": lambda n: ngettext("artisan", "%(n)d artisans", n) % {"n": n},
}
_MEEPLES_TAKEN: dict[str, Callable[[int], str]] = {
    "y": lambda n: npgettext("what is taken", "a vizier", "%(n)d viziers", n) % {"n": n},
    "w": lambda n: npgettext("what is taken", "an elder", "%(n)d elders", n) % {"n": n},
    "g": lambda n: npgettext("what is taken", "a merchant", "%(n)d merchants", n) % {"n": n},
    "b": lambda n: npgettext("what is taken", "a builder", "%(n)d builders", n) % {"n": n},
    "r": lambda n: npgettext("what is taken", "an assassin", "%(n)d assassins", n) % {"n": n},
    "p": lambda n: npgettext("what is taken", "an artisan", "%(n)d artisans", n) % {"n": n},
}


def counts(group: str) -> list[tuple[str, int]]:
    """Return each tribe of a group with its number, in the order of the notation: `wwr` gives `w` 2 and `r` 1."""
    return [(tribe, group.count(tribe)) for tribe in TRIBES if tribe in group]


def listed(words: Iterable[object]) -> str:
    """Join words to a list such as `fish, ivory and wheat`."""
    texts = [str(word) for word in words]
    if len(texts) < 2:
        return "".join(texts)
    return _("%(most)s and %(last)s") % {"most": ", ".join(texts[:-1]), "last": texts[-1]}


def meeples(tribe: str, number: int) -> str:
    """Return a number of meeples of one tribe: `elder`, `2 merchants`."""
    return _MEEPLES[tribe](number)


@once_a_language
def group_words(group: str, joint: str = ", ") -> str:
    """Return the meeples of a group: `elder, 2 merchants`. Return "" for the empty group."""
    return joint.join(meeples(tribe, number) for tribe, number in counts(group))


@once_a_language
def group_taken(group: str) -> str:
    """Return the meeples of a group as an object: `an elder and 2 merchants`."""
    return listed(_MEEPLES_TAKEN[tribe](number) for tribe, number in counts(group))


def cards_taken(cards: Sequence[str]) -> str:
    """Return resource cards as an object: `fish and 2 Fakirs`. Each kind is named once."""
    phrases = []
    for card in dict.fromkeys(cards):
        number, name = cards.count(card), RESOURCES_TAKEN[card]
        several = _("%(name)s (%(n)d times)") % {"name": name, "n": number}
        phrases.append(name if number == 1 else fakirs(number) if card == "fakir" else several)
    return listed(phrases)


@once_a_language
def coins(number: int) -> str:
    """Return an amount as an object: `12 gold`."""
    return npgettext("an amount that is paid or earned", "%(n)d gold", "%(n)d gold", number) % {"n": number}


def fakirs(number: int) -> str:
    """Return a number of Fakirs as an object: `2 Fakirs`."""
    return npgettext("what is taken", "%(n)d Fakir", "%(n)d Fakirs", number) % {"n": number}


_PAYMENTS: dict[str, Promise] = {
    "w": gettext_lazy("an elder"),
    "f": gettext_lazy("a Fakir"),
    "ww": gettext_lazy("2 elders"),
    "wf": gettext_lazy("an elder and a Fakir"),
    "p": gettext_lazy("an artisan"),
    "ff": gettext_lazy("2 Fakirs"),
}


def payment(letters: str) -> str:
    """Return a payment as an object: `an elder and a Fakir`."""
    return str(_PAYMENTS[letters])
