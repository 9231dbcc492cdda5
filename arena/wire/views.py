"""Position and view documents as messages, and back: decode_view(encode_view(d)) == d, holes included.

A document is what notation.md calls a position; a view is one with holes (a number for a deck, null for gold). A
key that this module does not know is an error and not dropped: what a bot is not told it cannot play.
"""

from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Any, TypeVar

from arena.wire.names import (
    COLOURS,
    ENDINGS,
    KINDS,
    PHASES,
    RESOURCES,
    CodecError,
    Document,
    decode_group,
    decode_hand,
    encode_group,
    encode_hand,
)
from arena.wire.v1.game_pb2 import (
    Board,
    Cards,
    Djinns,
    GameView,
    Items,
    Market,
    Ruleset,
    Seat,
    SeatWhims,
    Supply,
    Tile,
    Turn,
)

FORMAT = "naqala/position/1"
T = TypeVar("T")

_TOP = (
    "format", "players", "expansions", "round", "phase", "to_act", "ending", "board", "bag", "resources",
    "djinns", "supply", "seats", "bid_order", "turn_track", "turn", "view", "whims", "items",
)  # fmt: skip
_TILE = (
    "kind", "value", "colour", "meeples", "owner", "palms", "palaces", "whim", "mountains", "tent",
)  # fmt: skip
_SEAT = (
    "gold", "camels", "viziers", "elders", "hand", "cards", "djinns", "used", "artisans", "tent", "items",
    "whims",
)  # fmt: skip
_TURN = (
    "origin", "at", "from", "hand", "lifted", "drawn", "back", "target", "pulls", "left", "next", "doubled",
    "item_used",
)  # fmt: skip


def guarded(what: str, work: Callable[[], T]) -> T:
    """Turn whatever a document of the wrong shape provokes into the one error of the codec."""
    try:
        return work()
    except CodecError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
        raise CodecError(f"not {what}: {error!r}") from error


def known_keys(document: Document, known: Iterable[str], what: str) -> None:
    """Refuse keys that would be lost."""
    if unknown := document.keys() - set(known):
        raise CodecError(f"unknown keys in {what}: {sorted(unknown)}")


# --- to messages ---


def encode_ruleset(document: Document) -> Ruleset:
    """`{"players": 4, "expansions": []}` as a message."""
    known_keys(document, ("players", "expansions"), "ruleset")
    return guarded(
        "a ruleset",
        lambda: Ruleset(players=document["players"], expansions=document["expansions"]),
    )


def encode_view(document: Document) -> GameView:
    """A position or view document as a message."""
    return guarded("a position", lambda: _encode_view(document))


def _encode_view(document: Document) -> GameView:
    known_keys(document, _TOP, "position")
    if document["format"] != FORMAT:
        raise CodecError(f"format {document['format']!r} is not {FORMAT}")
    known_keys(document["board"], ("columns", "rows", "tiles"), "board")
    known_keys(document["resources"], ("row", "deck", "discard"), "resources")
    known_keys(document["djinns"], ("row", "deck", "discard"), "djinns")
    resources, djinns = document["resources"], document["djinns"]
    deck = resources["deck"]
    whims, items = document.get("whims"), document.get("items")
    return GameView(
        viewer=document.get("view"),
        ruleset=Ruleset(players=document["players"], expansions=document["expansions"]),
        round=document["round"],
        phase=PHASES.number(document["phase"]),
        to_act=_seat(document["to_act"]),
        ending=ENDINGS.number(document["ending"]),
        board=Board(
            columns=document["board"]["columns"],
            rows=document["board"]["rows"],
            tiles=[_encode_tile(name, tuple(tile.items())) for name, tile in document["board"]["tiles"].items()],
        ),
        bag=encode_group(document["bag"]),
        market=Market(
            row=[RESOURCES.number(card) for card in resources["row"]],
            deck_size=deck if isinstance(deck, int) else len(deck),
            deck=[] if isinstance(deck, int) else [RESOURCES.number(card) for card in deck],
            deck_known=not isinstance(deck, int),
            discard=[RESOURCES.number(card) for card in resources["discard"]],
        ),
        djinns=Djinns(
            row=djinns["row"],
            deck=_encode_cards(djinns["deck"]),
            discard=djinns["discard"],
        ),
        supply=Supply(**document["supply"]),
        seats=[_encode_seat(seat) for seat in document["seats"]],
        bid_order=document["bid_order"],
        turn_track=[_seat(spot) for spot in document["turn_track"]],
        turn=None if document["turn"] is None else _encode_turn(document["turn"]),
        whims=None if whims is None else _encode_cards(whims["deck"]),
        items=None if items is None else Items(pile=_encode_cards(items["pile"]), discard=items["discard"]),
    )


def _seat(seat: int | None) -> int:
    if seat == 0:
        raise CodecError("seats are numbered from 1")
    return seat or 0


def _encode_cards(cards: int | list[str]) -> Cards:
    return Cards(size=cards) if isinstance(cards, int) else Cards(size=len(cards), ids=cards, known=True)


@lru_cache(16384)  # from one decision to the next few tiles change, and building messages is what a view costs
def _encode_tile(name: str, items: tuple[tuple[str, Any], ...]) -> Tile:
    tile = dict(items)
    known_keys(tile, _TILE, f"tile {name}")
    return Tile(
        name=name,
        kind=KINDS.number(tile["kind"]),
        value=tile["value"],
        colour=COLOURS.number(tile["colour"]),
        meeples=encode_group(tile["meeples"]),
        owner=_seat(tile["owner"]),
        palms=tile["palms"],
        palaces=tile["palaces"],
        whim=tile.get("whim"),
        mountains=tile.get("mountains"),
        tent=tile.get("tent"),
    )


def _encode_seat(seat: Document) -> Seat:
    known_keys(seat, _SEAT, "seat")
    hand, items, whims = seat["hand"], seat.get("items"), seat.get("whims")
    return Seat(
        gold=seat["gold"],
        camels=seat["camels"],
        viziers=seat["viziers"],
        elders=seat["elders"],
        hand=None if hand is None else encode_hand(hand),
        cards=seat["cards"] if hand is None else sum(hand.values()),
        djinns=seat["djinns"],
        used=seat["used"],
        artisans=seat.get("artisans"),
        tent=seat.get("tent"),
        items=None if items is None else _encode_cards(items),
        whims=None if whims is None else SeatWhims(open=_encode_cards(whims["open"]), paid=whims["paid"]),
    )


def _encode_turn(turn: Document) -> Turn:
    known_keys(turn, _TURN, "turn")
    fields: dict[str, Any] = {
        key: turn[key] for key in ("origin", "at", "target", "pulls", "left", "doubled", "item_used") if key in turn
    }
    fields |= {key: encode_group(turn[key]) for key in ("hand", "lifted") if key in turn}
    fields |= {key: PHASES.number(turn[key]) for key in ("back", "next") if key in turn}
    if "from" in turn:
        fields["from"] = turn["from"]  # a keyword of Python, hence not a keyword argument
    if "drawn" in turn:
        fields["drawn"] = _encode_cards(turn["drawn"])
    return Turn(**fields)


# --- to documents ---


def decode_ruleset(message: Ruleset) -> Document:
    """A ruleset message as its document."""
    return {"players": message.players, "expansions": list(message.expansions)}


def decode_view(message: GameView) -> Document:
    """A message as the position or view document it was made from."""
    names = [tile.name for tile in message.board.tiles]
    if len(set(names)) != len(names) or "" in names:
        raise CodecError("the tiles of a board have different names")
    market = message.market
    document: Document = {
        "format": FORMAT,
        **decode_ruleset(message.ruleset),
        "round": message.round,
        "phase": PHASES.name(message.phase),
        "to_act": message.to_act or None,
        "ending": ENDINGS.name(message.ending),
        "board": {
            "columns": message.board.columns,
            "rows": message.board.rows,
            "tiles": {tile.name: _decode_tile(tile) for tile in message.board.tiles},
        },
        "bag": decode_group(message.bag),
        "resources": {
            "row": [RESOURCES.name(card) for card in market.row],
            "deck": _pile(
                market.deck_size,
                market.deck_known,
                [RESOURCES.name(card) for card in market.deck],
            ),
            "discard": [RESOURCES.name(card) for card in market.discard],
        },
        "djinns": {
            "row": list(message.djinns.row),
            "deck": _decode_cards(message.djinns.deck),
            "discard": list(message.djinns.discard),
        },
        "supply": {"palms": message.supply.palms, "palaces": message.supply.palaces},
        "seats": [_decode_seat(seat) for seat in message.seats],
        "bid_order": list(message.bid_order),
        "turn_track": [seat or None for seat in message.turn_track],
        "turn": _decode_turn(message.turn) if message.HasField("turn") else None,
    }
    if message.HasField("whims"):
        document["whims"] = {"deck": _decode_cards(message.whims)}
    if message.HasField("items"):
        document["items"] = {
            "pile": _decode_cards(message.items.pile),
            "discard": list(message.items.discard),
        }
    if message.HasField("viewer"):
        document["view"] = message.viewer
    return document


def _pile(size: int, known: bool, cards: list[Any]) -> int | list[Any]:
    if len(cards) != (size if known else 0):
        raise CodecError(f"a pile of {size} cards names {len(cards)}")
    return cards if known else size


def _decode_cards(message: Cards) -> int | list[Any]:
    return _pile(message.size, message.known, list(message.ids))


def _decode_tile(message: Tile) -> Document:
    kind = KINDS.name(message.kind)
    tile: Document = {
        "kind": kind,
        "value": message.value,
        "colour": COLOURS.name(message.colour),
        "meeples": decode_group(message.meeples),
        "owner": message.owner or None,
        "palms": message.palms,
        "palaces": message.palaces,
    }
    if kind == "city":
        tile["whim"] = message.whim or None
    if message.mountains:
        tile["mountains"] = message.mountains
    if message.tent:
        tile["tent"] = True
    return tile


def _decode_seat(message: Seat) -> Document:
    seat: Document = {
        "gold": message.gold if message.HasField("gold") else None,
        "camels": message.camels,
        "viziers": message.viziers,
        "elders": message.elders,
        "hand": decode_hand(message.hand) if message.HasField("hand") else None,
    }
    if seat["hand"] is None:
        seat["cards"] = message.cards
    seat |= {"djinns": list(message.djinns), "used": list(message.used)}
    if message.HasField("artisans"):
        seat["artisans"] = message.artisans
    if message.HasField("tent"):
        seat["tent"] = message.tent
    if message.HasField("items"):
        seat["items"] = _decode_cards(message.items)
    if message.HasField("whims"):
        seat["whims"] = {
            "open": _decode_cards(message.whims.open),
            "paid": list(message.whims.paid),
        }
    return seat


def _decode_turn(message: Turn) -> Document:
    turn: Document = {key: text for key in ("origin", "at", "from") if (text := getattr(message, key))}
    turn |= {key: decode_group(getattr(message, key)) for key in ("hand", "lifted") if message.HasField(key)}
    if message.HasField("drawn"):
        turn["drawn"] = _decode_cards(message.drawn)
    turn |= {key: PHASES.name(getattr(message, key)) for key in ("back", "next") if getattr(message, key)}
    if message.target:
        turn["target"] = message.target
    turn |= {key: getattr(message, key) for key in ("pulls", "left") if message.HasField(key)}
    if message.doubled:
        turn["doubled"] = list(message.doubled)
    if message.item_used:
        turn["item_used"] = True
    return turn
