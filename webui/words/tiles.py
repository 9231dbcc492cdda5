"""Name and explain the kinds of tiles (rules 3.2 T4, 5 and 6.2), and what a whim needs and pays."""

from collections.abc import Callable

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, ngettext

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


TILE_KINDS: dict[str, Promise] = {
    "village": gettext_lazy("Village"),
    "sacred": gettext_lazy("Sacred Place"),
    "oasis": gettext_lazy("Oasis"),
    "small-market": gettext_lazy("Small Market"),
    "large-market": gettext_lazy("Large Market"),
    "city": gettext_lazy("Great City"),
    "lake": gettext_lazy("Great Lake"),
    "workshop": gettext_lazy("Workshop"),
    "special-market": gettext_lazy("Specialized Market"),
    "chasm": gettext_lazy("Chasm"),
}

TILES_ABOUT: dict[str, Promise] = {
    "village": gettext_lazy("A move that ends here builds a palace on it, worth 5 to the owner of the tile."),
    "sacred": gettext_lazy(
        "A move that ends here may summon one of the face-up Djinns for 2 elders, or for an elder and a Fakir."
    ),
    "oasis": gettext_lazy("A move that ends here plants a palm on it, worth 3 to the owner of the tile."),
    "small-market": gettext_lazy("A move that ends here may buy one of the first 3 cards of the market for 3 gold."),
    "large-market": gettext_lazy("A move that ends here may buy 2 of the first 6 cards of the market for 6 gold."),
    "city": gettext_lazy(
        "A move that ends here takes the whim that lies on it. Cities count together at the end: the more one seat "
        "has, the more each is worth."
    ),
    "lake": gettext_lazy("Nobody enters it. Palms and palaces on the 8 tiles around it count twice for their owners."),
    "workshop": gettext_lazy("A move that ends here may craft an item for an artisan or for 2 Fakirs."),
    "special-market": gettext_lazy("A move that ends here may buy any card of the market for 4 gold."),
    "chasm": gettext_lazy("Nobody enters it; only a flying carpet crosses it."),
}
"""Explanation of each kind of tile, in a sentence or two."""
