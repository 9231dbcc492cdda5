"""Encode views and positions as messages, and decode them: decode_view(encode_view(view)) == view.

A message without a viewer is a whole position. A value that has no form as a message raises an error. It is never
dropped, because a bot cannot play by what it does not see.
"""

from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, TypeVar, cast, get_args

from arena.rules import FullSeat, Position, SeatView, TileView, TurnView, View
from arena.rules.components import Mountains
from arena.wire.joining import joiner
from arena.wire.names import (
    COLOURS,
    ENDINGS,
    KINDS,
    PHASES,
    RESOURCES,
    CodecError,
    decode_group,
    decode_hand,
    encode_group,
    encode_hand,
    guarded,
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

S = TypeVar("S", bound=SeatView)
_AS_BOARD, _AS_TILE = joiner(GameView, "board"), joiner(Board, "tiles")


# --- to messages ---


def encode_view(view: View) -> GameView:
    """Encode a view, or a whole position."""
    return GameView.FromString(pack_view(view))


def pack_view(view: View) -> bytes:
    """Return the bytes of the message that `encode_view` makes."""
    return guarded("a view", lambda: _AS_BOARD(_pack_board(view)) + _encode_rest(view).SerializeToString())


_last_board: tuple[Mapping[str, TileView], bytes] = ({}, b"")
"""Board that was packed last. After a decision, the same board goes to the spectators and to the seat to act."""


def _pack_board(view: View) -> bytes:
    global _last_board
    tiles, packed = _last_board
    if tiles != view.tiles:
        shape = Board(columns=view.columns, rows=view.rows).SerializeToString()
        packed = shape + b"".join(map(_pack_tile, view.tiles.values()))
        if isinstance(view.tiles, MappingProxyType):  # nobody can change this mapping
            _last_board = view.tiles, packed
    return packed


def _encode_rest(view: View) -> GameView:
    """Encode all of a view except its board."""
    items = Items(pile=_encode_cards(view.item_pile), discard=view.items_discarded)
    return GameView(
        viewer=None if isinstance(view, Position) else view.seat,
        ruleset=Ruleset(players=view.players, expansions=view.expansions),
        round=view.round,
        phase=PHASES.number(view.phase),
        to_act=_encode_seat_number(view.to_act),
        ending=ENDINGS.number(view.ending),
        bag=encode_group(view.bag),
        market=Market(
            row=[RESOURCES.number(card) for card in view.market],
            cards_left=view.cards_left,
            deck=[] if isinstance(view.deck, int) else [RESOURCES.number(card) for card in view.deck],
            deck_known=not isinstance(view.deck, int),
            discard=[RESOURCES.number(card) for card in view.discard],
        ),
        djinns=Djinns(row=view.djinns, deck=_encode_cards(view.djinn_deck), discard=view.djinn_discard),
        supply=Supply(palms=view.palms, palaces=view.palaces),
        seats=[_encode_seat(seat, view.expansions) for seat in view.seats],
        bid_order=view.bid_order,
        turn_track=[_encode_seat_number(spot) for spot in view.turn_track],
        turn=None if view.phase in ("bid", "over") else _encode_turn(view.turn),
        whims=_encode_cards(view.whim_deck) if "whims" in view.expansions else None,
        items=items if "artisans" in view.expansions else None,
    )


def _encode_seat_number(seat: int | None) -> int:
    if seat == 0:
        raise CodecError("seats are numbered from 1")
    return seat or 0


def _encode_cards(cards: tuple[str, ...] | int) -> Cards:
    return Cards(size=cards) if isinstance(cards, int) else Cards(size=len(cards), ids=cards, known=True)


@lru_cache(1 << 14)  # few tiles change between decisions, and making messages is most of a view's cost
def _pack_tile(tile: TileView) -> bytes:
    message = Tile(
        name=tile.name,
        kind=KINDS.number(tile.kind),
        value=tile.value,
        colour=COLOURS.number(tile.colour),
        meeples=encode_group(tile.meeples),
        owner=_encode_seat_number(tile.owner),
        palms=tile.palms,
        palaces=tile.palaces,
        whim=tile.whim,
        mountains=tile.mountains,
        tent=tile.tent,
    )
    return _AS_TILE(message.SerializeToString())


def _encode_seat(seat: SeatView, expansions: tuple[str, ...]) -> Seat:
    message = Seat(
        gold=seat.gold,
        camels=seat.camels,
        viziers=seat.viziers,
        elders=seat.elders,
        hand=None if seat.hand is None else encode_hand(seat.hand),
        cards=seat.cards,
        djinns=seat.djinns,
        used=seat.used,
    )
    if "artisans" in expansions:
        message.artisans, message.tent = seat.artisans, seat.tents
        message.items.CopyFrom(_encode_cards(seat.items))
    if "whims" in expansions:
        message.whims.CopyFrom(SeatWhims(open=_encode_cards(seat.open_whims), paid=seat.paid_whims))
    return message


def _encode_turn(turn: TurnView) -> Turn:
    fields: dict[str, Any] = {"from": turn.came_from}  # `from` is a keyword of Python and cannot be a keyword argument
    return Turn(
        origin=turn.origin,
        at=turn.at,
        hand=encode_group(turn.hand) if turn.hand else None,
        lifted=encode_group(turn.lifted) if turn.lifted else None,
        drawn=_encode_cards(turn.drawn) if turn.drawn else None,
        back=PHASES.number(turn.back) if turn.back else None,
        target=turn.target,
        pulls=turn.pulls,
        left=turn.left,
        next=PHASES.number(turn.next) if turn.next else None,
        doubled=turn.doubled,
        item_used=turn.item_used,
        **fields,
    )


# --- to values ---


def decode_view(message: GameView) -> View:
    """Return the view that a message holds, or the position if the message has no viewer."""
    tiles = {tile.name: tile for tile in map(_decode_tile, map(Tile.SerializeToString, message.board.tiles))}
    if len(tiles) != len(message.board.tiles) or "" in tiles:
        raise CodecError("every tile of a board needs a name of its own")
    if message.viewer > len(message.seats):
        raise CodecError(f"the viewer is seat {message.viewer}, but there are {len(message.seats)} seats")
    market = message.market
    fields: dict[str, Any] = {
        "players": message.ruleset.players,
        "expansions": tuple(message.ruleset.expansions),
        "round": message.round,
        "phase": PHASES.name(message.phase),
        "to_act": message.to_act or None,
        "ending": ENDINGS.name(message.ending),
        "columns": message.board.columns,
        "rows": message.board.rows,
        "tiles": MappingProxyType(tiles),
        "bag": decode_group(message.bag),
        "market": _decode_resources(market.row),
        "deck": _pile(market.cards_left, market.deck_known, _decode_resources(market.deck)),
        "discard": _decode_resources(market.discard),
        "djinns": tuple(message.djinns.row),
        "djinn_deck": _decode_cards(message.djinns.deck),
        "djinn_discard": tuple(message.djinns.discard),
        "palms": message.supply.palms,
        "palaces": message.supply.palaces,
        "bid_order": tuple(message.bid_order),
        "turn_track": tuple([seat or None for seat in message.turn_track]),
        "turn": _decode_turn(message.turn),
        "whim_deck": _decode_cards(message.whims) if message.HasField("whims") else (),
        "item_pile": _decode_cards(message.items.pile) if message.HasField("items") else (),
        "items_discarded": tuple(message.items.discard),
    }
    if message.HasField("viewer"):
        seats = tuple([_decode_seat(SeatView, number, seat) for number, seat in enumerate(message.seats, 1)])
        return View(seat=message.viewer, seats=seats, **fields)
    if any(isinstance(fields[pile], int) for pile in ("deck", "djinn_deck", "whim_deck", "item_pile")):
        raise CodecError("a pile is hidden, but the message has no viewer")
    whole = tuple([_decode_seat(FullSeat, number, seat) for number, seat in enumerate(message.seats, 1)])
    return Position(seats=whole, **fields)


def _pile(size: int, known: bool, cards: tuple[str, ...]) -> int | tuple[str, ...]:
    if len(cards) != (size if known else 0):
        raise CodecError(f"a pile of {size} cards names {len(cards)}")
    return cards if known else size


def _decode_cards(message: Cards) -> int | tuple[str, ...]:
    return _pile(message.size, message.known, tuple(message.ids))


def _decode_resources(cards: Iterable[int]) -> tuple[str, ...]:
    return tuple([RESOURCES.name(card) for card in cards])


@lru_cache(1 << 14)  # for the same reason as `_pack_tile`
def _decode_tile(payload: bytes) -> TileView:
    message = Tile.FromString(payload)
    return TileView(
        name=message.name,
        kind=KINDS.name(message.kind),
        value=message.value,
        colour=COLOURS.name(message.colour),
        meeples=decode_group(message.meeples),
        owner=message.owner or None,
        palms=message.palms,
        palaces=message.palaces,
        whim=message.whim or None,
        mountains=_decode_mountains(message.mountains),
        tent=message.tent,
    )


def _decode_mountains(sides: str) -> Mountains | None:
    if not sides:
        return None
    if sides not in get_args(Mountains):
        raise CodecError(f"{sides!r} is not a pair of sides with mountains")
    return cast(Mountains, sides)


def _decode_seat(make: type[S], number: int, message: Seat) -> S:
    hand = decode_hand(message.hand) if message.HasField("hand") else None
    seat = make(
        number=number,
        gold=message.gold if message.HasField("gold") else None,
        camels=message.camels,
        viziers=message.viziers,
        elders=message.elders,
        hand=None if hand is None else MappingProxyType(hand),
        cards=message.cards if hand is None else sum(hand.values()),
        djinns=tuple(message.djinns),
        used=tuple(message.used),
        artisans=message.artisans,
        tents=message.tent,
        items=_decode_cards(message.items) if message.HasField("items") else (),
        open_whims=_decode_cards(message.whims.open) if message.HasField("whims") else (),
        paid_whims=tuple(message.whims.paid),
    )
    if make is FullSeat and (
        seat.gold is None or hand is None or isinstance(seat.items, int) or isinstance(seat.open_whims, int)
    ):
        raise CodecError(f"seat {number} has something hidden, but the message has no viewer")
    return seat


def _decode_turn(message: Turn) -> TurnView:
    return TurnView(
        origin=message.origin or None,
        at=message.at or None,
        came_from=getattr(message, "from") or None,
        hand=decode_group(message.hand),
        lifted=decode_group(message.lifted),
        drawn=_decode_cards(message.drawn) if message.HasField("drawn") else (),
        back=PHASES.name(message.back) if message.back else None,
        target=message.target or None,
        pulls=message.pulls if message.HasField("pulls") else None,
        left=message.left if message.HasField("left") else None,
        next=PHASES.name(message.next) if message.next else None,
        doubled=tuple(message.doubled),
        item_used=message.item_used,
    )
