"""Explain the pieces and cards on the table; `tiles` explains the kinds of tiles (rules 3, 4 and 6)."""

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

THINGS_ABOUT: dict[str, tuple[Promise, Promise]] = {
    "m-y": (
        gettext_lazy("Viziers"),
        gettext_lazy(
            "Lifted, they stand in front of the seat: 1 point each, and 10 for every other seat that has fewer."
        ),
    ),
    "m-w": (
        gettext_lazy("Elders"),
        gettext_lazy("Lifted, they stand in front of the seat: 2 points each, and they pay for Djinns."),
    ),
    "m-g": (gettext_lazy("Merchants"), gettext_lazy("Each one lifted brings the next card of the market.")),
    "m-b": (
        gettext_lazy("Builders"),
        gettext_lazy("They earn gold: their number times the blue tiles among the tile and the 8 around it."),
    ),
    "m-r": (
        gettext_lazy("Assassins"),
        gettext_lazy(
            "They kill one meeple: on a tile at most as many steps away as assassins were lifted, or a vizier, elder "
            "or artisan in front of another seat."
        ),
    ),
    "m-p": (
        gettext_lazy("Artisans"),
        gettext_lazy("Lifted, they stand in front of the seat, bring items and count at the end."),
    ),
    "camel": (
        gettext_lazy("Camel"),
        gettext_lazy(
            "It marks the tile of a seat. When a seat has placed its last camel (with the Artisans, also its tent), "
            "the round is the last."
        ),
    ),
    "tent": (
        gettext_lazy("Tent"),
        gettext_lazy(
            "It takes a tile like a camel, and counts 1 point for each red tile of the block around it. A seat’s last "
            "camel ends the game only if its tent is placed, too."
        ),
    ),
    "palm": (gettext_lazy("Palm"), gettext_lazy("3 points for the owner of the tile, twice that by the lake.")),
    "palace": (gettext_lazy("Palace"), gettext_lazy("5 points for the owner of the tile, twice that by the lake.")),
    "coin": (
        gettext_lazy("Gold"),
        gettext_lazy("A point each. It pays for bids and cards, and is hidden until the end."),
    ),
    "goods": (
        gettext_lazy("Goods"),
        gettext_lazy(
            "Different goods make a set, and each further one makes it worth more: 9 of them are worth 60"
            " points. The dots say how rare a card is: three for the rarest."
        ),
    ),
    "fakir": (
        gettext_lazy("Fakir"),
        gettext_lazy("It is worth nothing in a set, but helps assassins and builders, and pays for Djinns."),
    ),
    "whim": (
        gettext_lazy("Whim"),
        gettext_lazy(
            "A wish of the Sultan. It pays its gold once, as soon as its owner has what it asks for. Until then it "
            "lies face down."
        ),
    ),
    "track": (
        gettext_lazy("Turn order"),
        gettext_lazy("Each round the seats bid for spots. The dearest spot acts first; the number is what it costs."),
    ),
}
"""Name and explanation of each thing, by the id of its drawing or card."""
