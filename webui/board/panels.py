"""The panels around the board, as values for templates.

from webui.board import panels; panels.market(position)
"""

from webui.board.panel_cards import Card, DjinnCard, ItemCard, WhimCard, card, djinn_card, item_card, whim_card
from webui.board.rows import (
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
from webui.board.seats import (
    ScoreRow,
    SeatKnown,
    SeatPanel,
    cards_words,
    items_words,
    score_table,
    seat_panel,
    seats_known,
    whims_words,
)
from webui.board.tracks import Hand, PendingPieces, Spot, bid_track, hand_of, held_of, turn_track

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
    "SeatKnown",
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
    "seat_panel",
    "seats_known",
    "thing_cards",
    "tile_cards",
    "turn_track",
    "whim_card",
    "whims_words",
]
