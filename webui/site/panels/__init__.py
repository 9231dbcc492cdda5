"""The panels around the board, as values for templates.

from webui.site import panels; panels.seat_panels(position, lines, scores)
"""

from webui.site.panels.cards import Card, DjinnCard, ItemCard, WhimCard, card, djinn_card, item_card, whim_card
from webui.site.panels.rows import (
    Cities,
    DjinnRow,
    Items,
    MarketPanel,
    ThingCard,
    TileCard,
    cities,
    djinn_row,
    item_kinds,
    items,
    market,
    thing_cards,
    tile_cards,
)
from webui.site.panels.seats import (
    ScoreRow,
    SeatPanel,
    cards_words,
    items_words,
    score_table,
    seat_panels,
    whims_words,
)
from webui.site.panels.tracks import Hand, PendingPieces, Spot, bid_track, hand_of, held_of, turn_track

__all__ = [
    "Card",
    "Cities",
    "DjinnCard",
    "DjinnRow",
    "Hand",
    "ItemCard",
    "Items",
    "MarketPanel",
    "PendingPieces",
    "ScoreRow",
    "SeatPanel",
    "Spot",
    "ThingCard",
    "TileCard",
    "WhimCard",
    "bid_track",
    "card",
    "cards_words",
    "cities",
    "djinn_card",
    "djinn_row",
    "hand_of",
    "held_of",
    "item_card",
    "item_kinds",
    "items",
    "items_words",
    "market",
    "score_table",
    "seat_panels",
    "thing_cards",
    "tile_cards",
    "turn_track",
    "whim_card",
    "whims_words",
]
