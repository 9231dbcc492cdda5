"""Describe Djinns and items in our own words (rules 4 and 6.4)."""

from __future__ import annotations

from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from arena.story import TurningKind, TurningPoint

# Describe turning points. Each branch has a complete sentence, for the sake of translations.


def turning_words(turn: TurningPoint, bot: str) -> str:
    """Describe a turning point: `Vizier gains 12 points and takes the lead`. `bot` is the name of the acting bot."""
    n = turn.gain
    values = {"bot": bot, "n": n}
    if n <= 0 and turn.kind in (TurningKind.LEAD, TurningKind.TILE, TurningKind.GAIN):
        return _("%(bot)s improves its chances") % values
    match turn.kind:
        case TurningKind.LEAD:
            return (
                ngettext(
                    "%(bot)s gains %(n)d point and takes the lead", "%(bot)s gains %(n)d points and takes the lead", n
                )
                % values
            )
        case TurningKind.DJINN:
            return _("%(bot)s gains the Djinn %(djinn)s") % {**values, "djinn": djinn_name(turn.what)}
        case TurningKind.TILE:
            return ngettext(
                "%(bot)s takes %(tile)s and gains %(n)d point", "%(bot)s takes %(tile)s and gains %(n)d points", n
            ) % {**values, "tile": turn.what}
        case TurningKind.OUTBID:
            return _("%(bot)s outbids the others and acts first") % values
        case TurningKind.BID:
            return _("The bids raise the chance of %(bot)s to win") % values
        case TurningKind.SLIP if n > 0:
            return (
                ngettext(
                    "%(bot)s gains %(n)d point, but its chance to win falls",
                    "%(bot)s gains %(n)d points, but its chance to win falls",
                    n,
                )
                % values
            )
        case TurningKind.SLIP:
            return _("%(bot)s gains no points, and its chance to win falls") % values
    return ngettext("%(bot)s gains %(n)d point", "%(bot)s gains %(n)d points", n) % values


@dataclass(frozen=True)
class DjinnText:
    """Name of a Djinn, its effect, and when the effect applies."""

    name: Promise
    effect: Promise
    when: Promise


_ALWAYS = gettext_lazy("Always on")
_AT_END = gettext_lazy("At the end")
_ONE = gettext_lazy("Costs an elder or a Fakir, once a round")
_TWO = gettext_lazy("Costs 2 elders, or an elder and a Fakir, once a round")
_FAKIR = gettext_lazy("Costs a Fakir, once a round")
_FAKIRS = gettext_lazy("Costs Fakirs, once a round")

DJINNS: dict[str, DjinnText] = {
    "al-amin": DjinnText(
        gettext_lazy("Al-Amin"), gettext_lazy("Every 2 Fakirs count as one card of any goods"), _AT_END
    ),
    "anun-nak": DjinnText(gettext_lazy("Anun-Nak"), gettext_lazy("Put 3 meeples from the bag on an empty tile"), _ONE),
    "baal": DjinnText(
        gettext_lazy("Ba’al"), gettext_lazy("1 gold when you gain a Djinn, 2 when somebody else does"), _ALWAYS
    ),
    "boaz": DjinnText(gettext_lazy("Boaz"), gettext_lazy("Assassins cannot kill your viziers and elders"), _ALWAYS),
    "bouraq": DjinnText(gettext_lazy("Bouraq"), gettext_lazy("Build a palace on any Village"), _ONE),
    "echidna": DjinnText(gettext_lazy("Echidna"), gettext_lazy("Your builders earn double this turn"), _TWO),
    "enki": DjinnText(gettext_lazy("Enki"), gettext_lazy("Plant a palm on any Oasis"), _ONE),
    "hagis": DjinnText(
        gettext_lazy("Hagis"), gettext_lazy("You may place a palace on one of the 8 tiles around instead"), _ONE
    ),
    "haurvatat": DjinnText(gettext_lazy("Haurvatat"), gettext_lazy("Your palms are worth 5 each, not 3"), _AT_END),
    "iblis": DjinnText(gettext_lazy("Iblis"), gettext_lazy("Your assassins kill two at one place this turn"), _ONE),
    "jafaar": DjinnText(gettext_lazy("Jafaar"), gettext_lazy("Your viziers are worth 3 each, not 1"), _AT_END),
    "kandicha": DjinnText(
        gettext_lazy("Kandicha"),
        gettext_lazy(
            "Meeples that your assassins kill pay you: a vizier or elder joins you, a merchant brings a "
            "card, a builder gold"
        ),
        _ALWAYS,
    ),
    "kumarbi": DjinnText(
        gettext_lazy("Kumarbi"), gettext_lazy("Each Fakir makes your bid one price step cheaper"), _FAKIRS
    ),
    "lamia": DjinnText(
        gettext_lazy("Lamia"), gettext_lazy("You may place a palm on one of the 8 tiles around instead"), _ONE
    ),
    "leta": DjinnText(gettext_lazy("Leta"), gettext_lazy("Take an empty tile with a camel"), _TWO),
    "marid": DjinnText(
        gettext_lazy("Marid"),
        gettext_lazy("For each meeple dropped on your tiles: 1 gold in your move, 2 in another’s"),
        _ALWAYS,
    ),
    "monkir": DjinnText(
        gettext_lazy("Monkir"), gettext_lazy("1 gold when you place a palace, 2 when somebody else does"), _ALWAYS
    ),
    "nekir": DjinnText(
        gettext_lazy("Nekir"), gettext_lazy("1 gold when your assassins kill, 2 when another’s do"), _ALWAYS
    ),
    "shamhat": DjinnText(gettext_lazy("Shamhat"), gettext_lazy("Your elders are worth 4 each, not 2"), _AT_END),
    "sibittis": DjinnText(gettext_lazy("Sibittis"), gettext_lazy("Draw 3 Djinns from the pile and keep one"), _TWO),
    "sloar": DjinnText(gettext_lazy("Sloar"), gettext_lazy("Draw the top resource card"), _FAKIR),
    "utug": DjinnText(
        gettext_lazy("Utug"), gettext_lazy("Take a tile with meeples and nothing else with a camel"), _TWO
    ),
    "geb": DjinnText(gettext_lazy("Geb"), gettext_lazy("Your precious items are worth 3 more each"), _AT_END),
    "ptah": DjinnText(gettext_lazy("Ptah"), gettext_lazy("Your artisans are worth 2 more each"), _AT_END),
    "kali": DjinnText(
        gettext_lazy("Kali"),
        gettext_lazy("1 gold for each marker that your bid pushes on, 2 when another’s bid pushes yours"),
        _ALWAYS,
    ),
    "ganesha": DjinnText(
        gettext_lazy("Ganesha"), gettext_lazy("1 gold when you take a whim, 2 when somebody else does"), _ALWAYS
    ),
}
WITH_ARTISANS: dict[str, DjinnText] = {
    "boaz": DjinnText(
        gettext_lazy("Boaz"), gettext_lazy("Assassins cannot kill your viziers, elders and artisans"), _ALWAYS
    ),
    "kandicha": DjinnText(
        gettext_lazy("Kandicha"),
        gettext_lazy(
            "Meeples that your assassins kill pay you: a vizier or elder joins you, an artisan too and "
            "brings an item, a merchant brings a card, a builder gold"
        ),
        _ALWAYS,
    ),
}
"""Djinns whose cards are replaced when the Artisans are in play (rule 6.7)."""


def djinn_text(djinn: str, *, artisans: bool = False) -> DjinnText:
    """Return the text of a Djinn; with the Artisans in play, two Djinns have another text."""
    return WITH_ARTISANS.get(djinn, DJINNS[djinn]) if artisans else DJINNS[djinn]


def djinn_name(djinn: str) -> str:
    """Return the name of the Djinn with this id."""
    return str(DJINNS[djinn].name)


@dataclass(frozen=True)
class ItemText:
    """Name of an item, the name as the object of a sentence, and its effect."""

    name: Promise
    taken: Promise
    effect: Promise


_PRECIOUS = gettext_lazy("Precious: points at the end")

ITEMS: dict[str, ItemText] = {
    "jewelry": ItemText(gettext_lazy("Jewelry"), gettext_lazy("the Jewelry"), _PRECIOUS),
    "treasure": ItemText(gettext_lazy("Treasure Chest"), gettext_lazy("the Treasure Chest"), _PRECIOUS),
    "crown": ItemText(gettext_lazy("Crown"), gettext_lazy("the Crown"), _PRECIOUS),
    "carpet": ItemText(
        gettext_lazy("Flying Carpet"),
        gettext_lazy("the Flying Carpet"),
        gettext_lazy("The last meeple of a move may fly to any tile that holds one of its colour"),
    ),
    "flute": ItemText(
        gettext_lazy("Enchanting Flute"),
        gettext_lazy("the Enchanting Flute"),
        gettext_lazy("Before the move, lure 1 to 5 meeples onto a tile from the tiles beside it"),
    ),
    "lamp": ItemText(
        gettext_lazy("Fabulous Lamp"),
        gettext_lazy("the Fabulous Lamp"),
        gettext_lazy("Gain one of the face-up Djinns for nothing"),
    ),
    "scimitar": ItemText(
        gettext_lazy("Burning Scimitar"),
        gettext_lazy("the Burning Scimitar"),
        gettext_lazy("Kill any 2 meeples on the board; if that empties a free tile, it becomes yours"),
    ),
    "talisman": ItemText(
        gettext_lazy("Tempest Talisman"),
        gettext_lazy("the Tempest Talisman"),
        gettext_lazy("Move one of your camels to an empty tile"),
    ),
    "horn": ItemText(
        gettext_lazy("Horn of Plenty"),
        gettext_lazy("the Horn of Plenty"),
        gettext_lazy("Replace the market by 9 new cards, laid in the order you like"),
    ),
    "ring": ItemText(
        gettext_lazy("Rebirth Ring"),
        gettext_lazy("the Rebirth Ring"),
        gettext_lazy("Fetch an item back from the discarded ones"),
    ),
}
"""Texts of the items. A magic item is used once and then discarded; a seat uses at most one in a turn."""


def item_name(item: str) -> str:
    """Return the name of the item with this id."""
    return str(ITEMS[item].name)
