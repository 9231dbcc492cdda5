"""Define the terms that a spectator meets, each in a sentence or two (rules 1 to 6).

The glossary page lists all terms. `static/site/terms.js` shows a definition beside every link to one of them.
"""

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from webui.words.things import THINGS_ABOUT
from webui.words.tiles import TILE_KINDS, TILES_ABOUT


@dataclass(frozen=True)
class Term:
    """A term of the game."""

    id: str
    """Id of the term. Its anchor on the page is `term-` plus this id, because drawings already use bare ids."""
    name: Promise
    about: Promise
    drawing: str = ""
    """Id of the drawing in the sprite, if the term has one."""


_PLAY = (
    Term(
        "tribe",
        gettext_lazy("Meeples and tribes"),
        gettext_lazy(
            "Meeples are the pieces on the tiles. Their colour is their tribe, and each tribe does "
            "something different when it is lifted."
        ),
    ),
    Term(
        "round",
        gettext_lazy("Round"),
        gettext_lazy(
            "First every seat bids for its place in the order, then each makes its move; at the clean-up market and "
            "Djinns are filled up again."
        ),
    ),
    Term(
        "bid",
        gettext_lazy("Bid"),
        gettext_lazy(
            "What a seat pays to act early: it puts its marker on a free spot of the turn order, at its price."
        ),
    ),
    Term("turn-order", *THINGS_ABOUT["track"]),
    Term(
        "bid-order",
        gettext_lazy("Bid order"),
        gettext_lazy("The order of bids in the next round: a seat that acts earlier in this round bids earlier."),
    ),
    Term(
        "sowing",
        gettext_lazy("Sowing"),
        gettext_lazy(
            "A move: all meeples of a tile are picked up and dropped one by one, each on a neighbouring "
            "tile. The last one has to meet its own tribe. All meeples of that tribe there are then "
            "lifted."
        ),
    ),
    Term(
        "capture",
        pgettext_lazy("of a tile", "Capture"),
        gettext_lazy("A tile that is emptied belongs to the seat that emptied it, which puts a camel on it."),
    ),
    Term(
        "tile",
        gettext_lazy("Tiles"),
        gettext_lazy(
            "Each has a kind, a colour and a value, which counts at the end for the seat whose camel stands on it."
        ),
    ),
    Term(
        "market",
        gettext_lazy("Market"),
        gettext_lazy("Nine cards that lie face up: goods and Fakirs. Merchants and market tiles bring them."),
    ),
    Term(
        "djinn",
        gettext_lazy("Djinns"),
        gettext_lazy(
            "Cards with points and a power of their own. One is summoned on a Sacred Place, for 2 elders or an elder "
            "and a Fakir."
        ),
    ),
    Term(
        "item",
        gettext_lazy("Items"),
        gettext_lazy("Artisans and workshops bring them. Precious ones count at the end, magic ones are used once."),
    ),
    Term(
        "forfeit",
        gettext_lazy("Forfeit"),
        gettext_lazy(
            "A bot that answers late, breaks a rule too often or goes away gives up its seat, which the house plays to "
            "the end."
        ),
    ),
)

_DRAWN = {
    "vizier": "m-y", "elder": "m-w", "merchant": "m-g", "builder": "m-b", "assassin": "m-r", "artisan": "m-p",
    "camel": "camel", "tent": "tent", "palm": "palm", "palace": "palace", "gold": "coin", "goods": "goods",
    "fakir": "fakir", "whim": "whim",
}  # fmt: skip
_SYMBOLS = {"goods": "i-spice", "fakir": "i-fakir"}

TERMS: tuple[Term, ...] = (
    *_PLAY[:7],
    *(Term(term, *THINGS_ABOUT[thing], drawing=_SYMBOLS.get(thing, thing)) for term, thing in _DRAWN.items()),
    *_PLAY[7:],
    *(Term(kind, name, TILES_ABOUT[kind], drawing=f"t-{kind}") for kind, name in TILE_KINDS.items()),
)
"""All terms in reading order: how a round proceeds, the pieces, what lies on the table, and the kinds of tiles."""

OF_SOURCES: dict[str, str] = {
    "gold": "gold", "viziers": "vizier", "elders": "elder", "djinns": "djinn", "tiles": "tile", "palms": "palm",
    "palaces": "palace", "goods": "goods", "artisans": "artisan", "items": "item",
}  # fmt: skip
"""Id of the term for each source of points."""

FORMS: dict[str, Promise] = {
    "tribe": pgettext_lazy("every form of a term, for links", "tribe|tribes|meeple|meeples"),
    "bid": pgettext_lazy("every form of a term, for links", "bid|bids"),
    "sowing": pgettext_lazy("every form of a term, for links", "sowing|sow|sows"),
    "vizier": pgettext_lazy("every form of a term, for links", "vizier|viziers"),
    "elder": pgettext_lazy("every form of a term, for links", "elder|elders"),
    "merchant": pgettext_lazy("every form of a term, for links", "merchant|merchants"),
    "builder": pgettext_lazy("every form of a term, for links", "builder|builders"),
    "assassin": pgettext_lazy("every form of a term, for links", "assassin|assassins"),
    "artisan": pgettext_lazy("every form of a term, for links", "artisan|artisans"),
    "camel": pgettext_lazy("every form of a term, for links", "camel|camels"),
    "tent": pgettext_lazy("every form of a term, for links", "tent|tents"),
    "palm": pgettext_lazy("every form of a term, for links", "palm|palms"),
    "palace": pgettext_lazy("every form of a term, for links", "palace|palaces"),
    "fakir": pgettext_lazy("every form of a term, for links", "Fakir|Fakirs"),
    "whim": pgettext_lazy("every form of a term, for links", "whim|whims"),
    "djinn": pgettext_lazy("every form of a term, for links", "Djinn|Djinns"),
    "item": pgettext_lazy("every form of a term, for links", "item|items"),
    "market": pgettext_lazy("every form of a term, for links", "market"),
}
"""Forms of a term in running text, separated by bars. The documentation links the first occurrence on each page."""
