"""Describe what a whim needs and pays. The texts follow the rules' table, so a corrected value shows here too."""

from collections.abc import Callable

from django.utils.translation import ngettext

from arena.rules.components import WHIM_NUMBER, WHIMS
from webui.words.vocabulary import listed

THINGS: dict[str, Callable[[int], str]] = {
    "djinns": lambda n: ngettext("%(n)d Djinn", "%(n)d Djinns", n),
    "viziers": lambda n: ngettext("%(n)d vizier", "%(n)d viziers", n),
    "elders": lambda n: ngettext("%(n)d elder", "%(n)d elders", n),
    "artisans": lambda n: ngettext("%(n)d artisan", "%(n)d artisans", n),
    "items": lambda n: ngettext("%(n)d item", "%(n)d items", n),
    "fakirs": lambda n: ngettext("%(n)d Fakir", "%(n)d Fakirs", n),
    "kinds of goods": lambda n: ngettext("%(n)d kind of goods", "%(n)d different goods", n),
    "goods of one kind": lambda n: ngettext("%(n)d card of goods", "%(n)d goods of the same kind", n),
    "palms": lambda n: ngettext("%(n)d palm on own tiles", "%(n)d palms on own tiles", n),
    "palaces": lambda n: ngettext("%(n)d palace on own tiles", "%(n)d palaces on own tiles", n),
    "blue tiles": lambda n: ngettext(
        "%(n)d own blue tile other than a city", "%(n)d own blue tiles other than cities", n
    ),
    "red tiles": lambda n: ngettext("%(n)d own red tile other than a city", "%(n)d own red tiles other than cities", n),
    "tiles around the lake": lambda n: ngettext("%(n)d own tile by the lake", "%(n)d own tiles by the lake", n),
    "oasis": lambda n: ngettext("%(n)d own Oasis", "%(n)d own Oases", n),
    "village": lambda n: ngettext("%(n)d own Village", "%(n)d own Villages", n),
    "small-market": lambda n: ngettext("%(n)d own Small Market", "%(n)d own Small Markets", n),
    "large-market": lambda n: ngettext("%(n)d own Large Market", "%(n)d own Large Markets", n),
    "special-market": lambda n: ngettext("%(n)d own Specialized Market", "%(n)d own Specialized Markets", n),
    "sacred": lambda n: ngettext("%(n)d own Sacred Place", "%(n)d own Sacred Places", n),
    "city": lambda n: ngettext("%(n)d own Great City", "%(n)d own Great Cities", n),
    "workshop": lambda n: ngettext("%(n)d own Workshop", "%(n)d own Workshops", n),
}
"""Words for a number of each thing that a whim can require. A kind of tile means the tiles that the seat owns."""


def whim_needs(whim: str) -> str:
    """Return what the owner of a whim needs: `3 viziers and 3 elders`."""
    return listed(THINGS[thing](least) % {"n": least} for thing, least in WHIMS[WHIM_NUMBER[whim]].needs)


def whim_reward(whim: str) -> int:
    """Return the gold that a whim pays."""
    return WHIMS[WHIM_NUMBER[whim]].reward
