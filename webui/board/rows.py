"""The public rows beside the board, as values for templates: market, Djinns, cities with their whims, items."""

from dataclasses import dataclass

from django.utils.translation import gettext as _

from arena.rules import View
from arena.rules.components import CITY_VALUE, DJINN_ROW, MARKETS, RESOURCE_ROW
from arena.rules.components import ITEMS as ITEM_TOKENS
from webui.board.panel_cards import (
    Card,
    DjinnCard,
    ItemCard,
    WhimCard,
    card,
    djinn_card,
    item_card,
    item_cards,
    whim_card,
)
from webui.words import things, tiles, vocabulary
from webui.words.vocabulary import once_a_language


@dataclass(frozen=True)
class MarketPanel:
    """The row of resources in groups of three, with the rule of the market that reaches each group."""

    rows: list["MarketRow"]
    deck: int
    discard: int


@dataclass(frozen=True)
class MarketRow:
    """Three places of the market."""

    places: list[tuple[int, Card | None]]
    rule: str


def market(position: View) -> MarketPanel:
    """Return the market: nine places in row order. A place whose card was taken stays empty until clean-up."""
    has_special = "artisans" in position.expansions
    return _market(position.market, position.cards_left, len(position.discard), has_special=has_special)


@once_a_language
def _market(names: tuple[str, ...], deck: int, discard: int, *, has_special: bool) -> MarketPanel:
    row = [card(name) for name in names]
    rules = _market_rules(has_special)
    rows = []
    for first in range(0, RESOURCE_ROW, 3):
        places = [(place + 1, row[place] if place < len(row) else None) for place in range(first, first + 3)]
        rows.append(MarketRow(places, rules.get(first + 3, "")))
    return MarketPanel(rows, deck, discard)


@once_a_language
def _market_rules(has_special: bool) -> dict[int, str]:
    """Return the rule of each market in words, by the number of places that it reaches."""
    small, large = MARKETS["small-market"], MARKETS["large-market"]
    rules = {
        small.reach: _("small market: %(gold)s for 1 card above") % {"gold": vocabulary.coins(small.price)},
        large.reach: _("large market: %(gold)s for 2 cards above") % {"gold": vocabulary.coins(large.price)},
    }
    if has_special:
        special = MARKETS["special-market"]
        rules[special.reach] = _("specialized market: %(gold)s for any card") % {
            "gold": vocabulary.coins(special.price)
        }
    return rules


@dataclass(frozen=True)
class DjinnRow:
    """The Djinns that can be summoned, the places that are empty until clean-up, and the size of the pile."""

    cards: list[DjinnCard]
    taken: range
    pile: int


def djinn_row(position: View) -> DjinnRow:
    """Return the row of face-up Djinns."""
    return _djinn_row(position.djinns, position.djinns_left, artisans="artisans" in position.expansions)


@once_a_language
def _djinn_row(djinns: tuple[str, ...], pile: int, *, artisans: bool) -> DjinnRow:
    cards = [djinn_card(djinn, artisans=artisans) for djinn in djinns]
    return DjinnRow(cards, range(DJINN_ROW - len(cards)), pile)


@dataclass(frozen=True)
class City:
    """A great city: its tile, its owner, and the whim on it, if any."""

    tile: str
    colour: str | None
    owner: int | None
    whim: WhimCard | None


@dataclass(frozen=True)
class Cities:
    """The great cities, the number of whims still in the deck, and the value of several cities of the same owner.

    `values` are pairs of a number of cities and their value together.
    """

    cities: list[City]
    deck: int
    values: list[tuple[int, int]]


def cities(position: View) -> Cities | None:
    """Return the cities with their whims. Return None without Whims of the Sultan."""
    if "whims" not in position.expansions:
        return None
    shown = [
        City(tile.name, tile.colour, tile.owner, whim_card(tile.whim) if tile.whim else None)
        for tile in position.tiles.values()
        if tile.kind == "city"
    ]
    return Cities(shown, position.whims_left, list(enumerate(CITY_VALUE))[1:])


@dataclass(frozen=True)
class Items:
    """The size of the pile of items, and the items discarded face up."""

    pile: int
    discard: list[ItemCard]


def items(position: View) -> Items | None:
    """Return the items. Return None without the artisans."""
    if "artisans" not in position.expansions:
        return None
    return Items(position.items_left, item_cards(position.items_discarded))


def item_kinds() -> list[ItemCard]:
    """Return every kind of item with its number of tokens."""
    return [item_card(token.id, token.copies) for token in ITEM_TOKENS]


@dataclass(frozen=True)
class ThingCard:
    """A thing on the table: its drawing, if it has one, its name and its description."""

    id: str
    drawing: str
    name: str
    about: str


def thing_cards(position: View) -> list[ThingCard]:
    """Return all things on this table except its tiles."""
    without = {
        *(() if "artisans" in position.expansions else ("m-p", "tent")),
        *(() if "whims" in position.expansions else ("whim",)),
    }
    drawings = {"goods": "i-spice", "fakir": "i-fakir", "track": ""}
    return [
        ThingCard(thing, drawings.get(thing, thing), str(name), str(about))
        for thing, (name, about) in things.THINGS_ABOUT.items()
        if thing not in without
    ]


@dataclass(frozen=True)
class TileCard:
    """A kind of tile with its name and description."""

    kind: str
    name: str
    about: str


def tile_cards(position: View) -> list[TileCard]:
    """Return the kinds of tiles on this board, in the order of `TILE_KINDS`."""
    kinds = {tile.kind for tile in position.tiles.values()}
    return [
        TileCard(kind, str(name), str(tiles.TILES_ABOUT[kind]))
        for kind, name in tiles.TILE_KINDS.items()
        if kind in kinds
    ]
