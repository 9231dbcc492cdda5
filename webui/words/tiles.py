"""Name and explain the kinds of tiles (rules 3.2 T4, 5 and 6.2)."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

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
