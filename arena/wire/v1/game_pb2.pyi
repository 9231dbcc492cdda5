# mypy: ignore-errors
# ruff: noqa
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Phase(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    PHASE_UNSPECIFIED: _ClassVar[Phase]
    PHASE_BID: _ClassVar[Phase]
    PHASE_MOVE: _ClassVar[Phase]
    PHASE_SOW: _ClassVar[Phase]
    PHASE_TRIBE: _ClassVar[Phase]
    PHASE_TILE: _ClassVar[Phase]
    PHASE_CHOOSE: _ClassVar[Phase]
    PHASE_SELL: _ClassVar[Phase]
    PHASE_OVER: _ClassVar[Phase]
    PHASE_CONTROL: _ClassVar[Phase]
    PHASE_ITEM: _ClassVar[Phase]
    PHASE_FLUTE: _ClassVar[Phase]
    PHASE_HORN: _ClassVar[Phase]
    PHASE_SCIMITAR: _ClassVar[Phase]

class TileKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TILE_KIND_UNSPECIFIED: _ClassVar[TileKind]
    TILE_KIND_VILLAGE: _ClassVar[TileKind]
    TILE_KIND_SACRED: _ClassVar[TileKind]
    TILE_KIND_OASIS: _ClassVar[TileKind]
    TILE_KIND_SMALL_MARKET: _ClassVar[TileKind]
    TILE_KIND_LARGE_MARKET: _ClassVar[TileKind]
    TILE_KIND_CITY: _ClassVar[TileKind]
    TILE_KIND_LAKE: _ClassVar[TileKind]
    TILE_KIND_WORKSHOP: _ClassVar[TileKind]
    TILE_KIND_SPECIAL_MARKET: _ClassVar[TileKind]
    TILE_KIND_CHASM: _ClassVar[TileKind]

class TileColour(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    TILE_COLOUR_UNSPECIFIED: _ClassVar[TileColour]
    TILE_COLOUR_RED: _ClassVar[TileColour]
    TILE_COLOUR_BLUE: _ClassVar[TileColour]

class EndTrigger(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    END_TRIGGER_UNSPECIFIED: _ClassVar[EndTrigger]
    END_TRIGGER_CAMELS: _ClassVar[EndTrigger]
    END_TRIGGER_NO_MOVES: _ClassVar[EndTrigger]

class Resource(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    RESOURCE_UNSPECIFIED: _ClassVar[Resource]
    RESOURCE_IVORY: _ClassVar[Resource]
    RESOURCE_JEWELS: _ClassVar[Resource]
    RESOURCE_GOLD: _ClassVar[Resource]
    RESOURCE_PAPYRUS: _ClassVar[Resource]
    RESOURCE_SILK: _ClassVar[Resource]
    RESOURCE_SPICE: _ClassVar[Resource]
    RESOURCE_FISH: _ClassVar[Resource]
    RESOURCE_WHEAT: _ClassVar[Resource]
    RESOURCE_POTTERY: _ClassVar[Resource]
    RESOURCE_FAKIR: _ClassVar[Resource]
PHASE_UNSPECIFIED: Phase
PHASE_BID: Phase
PHASE_MOVE: Phase
PHASE_SOW: Phase
PHASE_TRIBE: Phase
PHASE_TILE: Phase
PHASE_CHOOSE: Phase
PHASE_SELL: Phase
PHASE_OVER: Phase
PHASE_CONTROL: Phase
PHASE_ITEM: Phase
PHASE_FLUTE: Phase
PHASE_HORN: Phase
PHASE_SCIMITAR: Phase
TILE_KIND_UNSPECIFIED: TileKind
TILE_KIND_VILLAGE: TileKind
TILE_KIND_SACRED: TileKind
TILE_KIND_OASIS: TileKind
TILE_KIND_SMALL_MARKET: TileKind
TILE_KIND_LARGE_MARKET: TileKind
TILE_KIND_CITY: TileKind
TILE_KIND_LAKE: TileKind
TILE_KIND_WORKSHOP: TileKind
TILE_KIND_SPECIAL_MARKET: TileKind
TILE_KIND_CHASM: TileKind
TILE_COLOUR_UNSPECIFIED: TileColour
TILE_COLOUR_RED: TileColour
TILE_COLOUR_BLUE: TileColour
END_TRIGGER_UNSPECIFIED: EndTrigger
END_TRIGGER_CAMELS: EndTrigger
END_TRIGGER_NO_MOVES: EndTrigger
RESOURCE_UNSPECIFIED: Resource
RESOURCE_IVORY: Resource
RESOURCE_JEWELS: Resource
RESOURCE_GOLD: Resource
RESOURCE_PAPYRUS: Resource
RESOURCE_SILK: Resource
RESOURCE_SPICE: Resource
RESOURCE_FISH: Resource
RESOURCE_WHEAT: Resource
RESOURCE_POTTERY: Resource
RESOURCE_FAKIR: Resource

class Ruleset(_message.Message):
    __slots__ = ("players", "expansions")
    PLAYERS_FIELD_NUMBER: _ClassVar[int]
    EXPANSIONS_FIELD_NUMBER: _ClassVar[int]
    players: int
    expansions: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, players: _Optional[int] = ..., expansions: _Optional[_Iterable[str]] = ...) -> None: ...

class Meeples(_message.Message):
    __slots__ = ("viziers", "elders", "merchants", "builders", "assassins", "artisans")
    VIZIERS_FIELD_NUMBER: _ClassVar[int]
    ELDERS_FIELD_NUMBER: _ClassVar[int]
    MERCHANTS_FIELD_NUMBER: _ClassVar[int]
    BUILDERS_FIELD_NUMBER: _ClassVar[int]
    ASSASSINS_FIELD_NUMBER: _ClassVar[int]
    ARTISANS_FIELD_NUMBER: _ClassVar[int]
    viziers: int
    elders: int
    merchants: int
    builders: int
    assassins: int
    artisans: int
    def __init__(self, viziers: _Optional[int] = ..., elders: _Optional[int] = ..., merchants: _Optional[int] = ..., builders: _Optional[int] = ..., assassins: _Optional[int] = ..., artisans: _Optional[int] = ...) -> None: ...

class Tile(_message.Message):
    __slots__ = ("name", "kind", "value", "colour", "meeples", "owner", "palms", "palaces", "whim", "mountains", "tent")
    NAME_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    VALUE_FIELD_NUMBER: _ClassVar[int]
    COLOUR_FIELD_NUMBER: _ClassVar[int]
    MEEPLES_FIELD_NUMBER: _ClassVar[int]
    OWNER_FIELD_NUMBER: _ClassVar[int]
    PALMS_FIELD_NUMBER: _ClassVar[int]
    PALACES_FIELD_NUMBER: _ClassVar[int]
    WHIM_FIELD_NUMBER: _ClassVar[int]
    MOUNTAINS_FIELD_NUMBER: _ClassVar[int]
    TENT_FIELD_NUMBER: _ClassVar[int]
    name: str
    kind: TileKind
    value: int
    colour: TileColour
    meeples: Meeples
    owner: int
    palms: int
    palaces: int
    whim: str
    mountains: str
    tent: bool
    def __init__(self, name: _Optional[str] = ..., kind: _Optional[_Union[TileKind, str]] = ..., value: _Optional[int] = ..., colour: _Optional[_Union[TileColour, str]] = ..., meeples: _Optional[_Union[Meeples, _Mapping]] = ..., owner: _Optional[int] = ..., palms: _Optional[int] = ..., palaces: _Optional[int] = ..., whim: _Optional[str] = ..., mountains: _Optional[str] = ..., tent: _Optional[bool] = ...) -> None: ...

class Board(_message.Message):
    __slots__ = ("columns", "rows", "tiles")
    COLUMNS_FIELD_NUMBER: _ClassVar[int]
    ROWS_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    columns: int
    rows: int
    tiles: _containers.RepeatedCompositeFieldContainer[Tile]
    def __init__(self, columns: _Optional[int] = ..., rows: _Optional[int] = ..., tiles: _Optional[_Iterable[_Union[Tile, _Mapping]]] = ...) -> None: ...

class Market(_message.Message):
    __slots__ = ("row", "cards_left", "deck", "deck_known", "discard")
    ROW_FIELD_NUMBER: _ClassVar[int]
    CARDS_LEFT_FIELD_NUMBER: _ClassVar[int]
    DECK_FIELD_NUMBER: _ClassVar[int]
    DECK_KNOWN_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    row: _containers.RepeatedScalarFieldContainer[Resource]
    cards_left: int
    deck: _containers.RepeatedScalarFieldContainer[Resource]
    deck_known: bool
    discard: _containers.RepeatedScalarFieldContainer[Resource]
    def __init__(self, row: _Optional[_Iterable[_Union[Resource, str]]] = ..., cards_left: _Optional[int] = ..., deck: _Optional[_Iterable[_Union[Resource, str]]] = ..., deck_known: _Optional[bool] = ..., discard: _Optional[_Iterable[_Union[Resource, str]]] = ...) -> None: ...

class Cards(_message.Message):
    __slots__ = ("size", "ids", "known")
    SIZE_FIELD_NUMBER: _ClassVar[int]
    IDS_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    size: int
    ids: _containers.RepeatedScalarFieldContainer[str]
    known: bool
    def __init__(self, size: _Optional[int] = ..., ids: _Optional[_Iterable[str]] = ..., known: _Optional[bool] = ...) -> None: ...

class Djinns(_message.Message):
    __slots__ = ("row", "deck", "discard")
    ROW_FIELD_NUMBER: _ClassVar[int]
    DECK_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    row: _containers.RepeatedScalarFieldContainer[str]
    deck: Cards
    discard: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, row: _Optional[_Iterable[str]] = ..., deck: _Optional[_Union[Cards, _Mapping]] = ..., discard: _Optional[_Iterable[str]] = ...) -> None: ...

class Supply(_message.Message):
    __slots__ = ("palms", "palaces")
    PALMS_FIELD_NUMBER: _ClassVar[int]
    PALACES_FIELD_NUMBER: _ClassVar[int]
    palms: int
    palaces: int
    def __init__(self, palms: _Optional[int] = ..., palaces: _Optional[int] = ...) -> None: ...

class Hand(_message.Message):
    __slots__ = ("ivory", "jewels", "gold", "papyrus", "silk", "spice", "fish", "wheat", "pottery", "fakir")
    IVORY_FIELD_NUMBER: _ClassVar[int]
    JEWELS_FIELD_NUMBER: _ClassVar[int]
    GOLD_FIELD_NUMBER: _ClassVar[int]
    PAPYRUS_FIELD_NUMBER: _ClassVar[int]
    SILK_FIELD_NUMBER: _ClassVar[int]
    SPICE_FIELD_NUMBER: _ClassVar[int]
    FISH_FIELD_NUMBER: _ClassVar[int]
    WHEAT_FIELD_NUMBER: _ClassVar[int]
    POTTERY_FIELD_NUMBER: _ClassVar[int]
    FAKIR_FIELD_NUMBER: _ClassVar[int]
    ivory: int
    jewels: int
    gold: int
    papyrus: int
    silk: int
    spice: int
    fish: int
    wheat: int
    pottery: int
    fakir: int
    def __init__(self, ivory: _Optional[int] = ..., jewels: _Optional[int] = ..., gold: _Optional[int] = ..., papyrus: _Optional[int] = ..., silk: _Optional[int] = ..., spice: _Optional[int] = ..., fish: _Optional[int] = ..., wheat: _Optional[int] = ..., pottery: _Optional[int] = ..., fakir: _Optional[int] = ...) -> None: ...

class SeatWhims(_message.Message):
    __slots__ = ("open", "paid")
    OPEN_FIELD_NUMBER: _ClassVar[int]
    PAID_FIELD_NUMBER: _ClassVar[int]
    open: Cards
    paid: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, open: _Optional[_Union[Cards, _Mapping]] = ..., paid: _Optional[_Iterable[str]] = ...) -> None: ...

class Seat(_message.Message):
    __slots__ = ("gold", "camels", "viziers", "elders", "hand", "cards", "djinns", "used", "artisans", "tent", "items", "whims")
    GOLD_FIELD_NUMBER: _ClassVar[int]
    CAMELS_FIELD_NUMBER: _ClassVar[int]
    VIZIERS_FIELD_NUMBER: _ClassVar[int]
    ELDERS_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    DJINNS_FIELD_NUMBER: _ClassVar[int]
    USED_FIELD_NUMBER: _ClassVar[int]
    ARTISANS_FIELD_NUMBER: _ClassVar[int]
    TENT_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    WHIMS_FIELD_NUMBER: _ClassVar[int]
    gold: int
    camels: int
    viziers: int
    elders: int
    hand: Hand
    cards: int
    djinns: _containers.RepeatedScalarFieldContainer[str]
    used: _containers.RepeatedScalarFieldContainer[str]
    artisans: int
    tent: int
    items: Cards
    whims: SeatWhims
    def __init__(self, gold: _Optional[int] = ..., camels: _Optional[int] = ..., viziers: _Optional[int] = ..., elders: _Optional[int] = ..., hand: _Optional[_Union[Hand, _Mapping]] = ..., cards: _Optional[int] = ..., djinns: _Optional[_Iterable[str]] = ..., used: _Optional[_Iterable[str]] = ..., artisans: _Optional[int] = ..., tent: _Optional[int] = ..., items: _Optional[_Union[Cards, _Mapping]] = ..., whims: _Optional[_Union[SeatWhims, _Mapping]] = ...) -> None: ...

class Turn(_message.Message):
    __slots__ = ("origin", "at", "hand", "lifted", "drawn", "back", "target", "pulls", "left", "next", "doubled", "item_used")
    ORIGIN_FIELD_NUMBER: _ClassVar[int]
    AT_FIELD_NUMBER: _ClassVar[int]
    FROM_FIELD_NUMBER: _ClassVar[int]
    HAND_FIELD_NUMBER: _ClassVar[int]
    LIFTED_FIELD_NUMBER: _ClassVar[int]
    DRAWN_FIELD_NUMBER: _ClassVar[int]
    BACK_FIELD_NUMBER: _ClassVar[int]
    TARGET_FIELD_NUMBER: _ClassVar[int]
    PULLS_FIELD_NUMBER: _ClassVar[int]
    LEFT_FIELD_NUMBER: _ClassVar[int]
    NEXT_FIELD_NUMBER: _ClassVar[int]
    DOUBLED_FIELD_NUMBER: _ClassVar[int]
    ITEM_USED_FIELD_NUMBER: _ClassVar[int]
    origin: str
    at: str
    hand: Meeples
    lifted: Meeples
    drawn: Cards
    back: Phase
    target: str
    pulls: int
    left: int
    next: Phase
    doubled: _containers.RepeatedScalarFieldContainer[str]
    item_used: bool
    def __init__(self, origin: _Optional[str] = ..., at: _Optional[str] = ..., hand: _Optional[_Union[Meeples, _Mapping]] = ..., lifted: _Optional[_Union[Meeples, _Mapping]] = ..., drawn: _Optional[_Union[Cards, _Mapping]] = ..., back: _Optional[_Union[Phase, str]] = ..., target: _Optional[str] = ..., pulls: _Optional[int] = ..., left: _Optional[int] = ..., next: _Optional[_Union[Phase, str]] = ..., doubled: _Optional[_Iterable[str]] = ..., item_used: _Optional[bool] = ..., **kwargs) -> None: ...

class Items(_message.Message):
    __slots__ = ("pile", "discard")
    PILE_FIELD_NUMBER: _ClassVar[int]
    DISCARD_FIELD_NUMBER: _ClassVar[int]
    pile: Cards
    discard: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, pile: _Optional[_Union[Cards, _Mapping]] = ..., discard: _Optional[_Iterable[str]] = ...) -> None: ...

class GameView(_message.Message):
    __slots__ = ("viewer", "ruleset", "round", "phase", "to_act", "ending", "board", "bag", "market", "djinns", "supply", "seats", "bid_order", "turn_track", "turn", "whims", "items")
    VIEWER_FIELD_NUMBER: _ClassVar[int]
    RULESET_FIELD_NUMBER: _ClassVar[int]
    ROUND_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TO_ACT_FIELD_NUMBER: _ClassVar[int]
    ENDING_FIELD_NUMBER: _ClassVar[int]
    BOARD_FIELD_NUMBER: _ClassVar[int]
    BAG_FIELD_NUMBER: _ClassVar[int]
    MARKET_FIELD_NUMBER: _ClassVar[int]
    DJINNS_FIELD_NUMBER: _ClassVar[int]
    SUPPLY_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    BID_ORDER_FIELD_NUMBER: _ClassVar[int]
    TURN_TRACK_FIELD_NUMBER: _ClassVar[int]
    TURN_FIELD_NUMBER: _ClassVar[int]
    WHIMS_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    viewer: int
    ruleset: Ruleset
    round: int
    phase: Phase
    to_act: int
    ending: EndTrigger
    board: Board
    bag: Meeples
    market: Market
    djinns: Djinns
    supply: Supply
    seats: _containers.RepeatedCompositeFieldContainer[Seat]
    bid_order: _containers.RepeatedScalarFieldContainer[int]
    turn_track: _containers.RepeatedScalarFieldContainer[int]
    turn: Turn
    whims: Cards
    items: Items
    def __init__(self, viewer: _Optional[int] = ..., ruleset: _Optional[_Union[Ruleset, _Mapping]] = ..., round: _Optional[int] = ..., phase: _Optional[_Union[Phase, str]] = ..., to_act: _Optional[int] = ..., ending: _Optional[_Union[EndTrigger, str]] = ..., board: _Optional[_Union[Board, _Mapping]] = ..., bag: _Optional[_Union[Meeples, _Mapping]] = ..., market: _Optional[_Union[Market, _Mapping]] = ..., djinns: _Optional[_Union[Djinns, _Mapping]] = ..., supply: _Optional[_Union[Supply, _Mapping]] = ..., seats: _Optional[_Iterable[_Union[Seat, _Mapping]]] = ..., bid_order: _Optional[_Iterable[int]] = ..., turn_track: _Optional[_Iterable[int]] = ..., turn: _Optional[_Union[Turn, _Mapping]] = ..., whims: _Optional[_Union[Cards, _Mapping]] = ..., items: _Optional[_Union[Items, _Mapping]] = ...) -> None: ...

class Event(_message.Message):
    __slots__ = ("index", "seat", "text")
    INDEX_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    index: int
    seat: int
    text: str
    def __init__(self, index: _Optional[int] = ..., seat: _Optional[int] = ..., text: _Optional[str] = ...) -> None: ...

class Score(_message.Message):
    __slots__ = ("gold", "viziers", "elders", "djinns", "tiles", "palms", "palaces", "goods", "artisans", "items", "total")
    GOLD_FIELD_NUMBER: _ClassVar[int]
    VIZIERS_FIELD_NUMBER: _ClassVar[int]
    ELDERS_FIELD_NUMBER: _ClassVar[int]
    DJINNS_FIELD_NUMBER: _ClassVar[int]
    TILES_FIELD_NUMBER: _ClassVar[int]
    PALMS_FIELD_NUMBER: _ClassVar[int]
    PALACES_FIELD_NUMBER: _ClassVar[int]
    GOODS_FIELD_NUMBER: _ClassVar[int]
    ARTISANS_FIELD_NUMBER: _ClassVar[int]
    ITEMS_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    gold: int
    viziers: int
    elders: int
    djinns: int
    tiles: int
    palms: int
    palaces: int
    goods: int
    artisans: int
    items: int
    total: int
    def __init__(self, gold: _Optional[int] = ..., viziers: _Optional[int] = ..., elders: _Optional[int] = ..., djinns: _Optional[int] = ..., tiles: _Optional[int] = ..., palms: _Optional[int] = ..., palaces: _Optional[int] = ..., goods: _Optional[int] = ..., artisans: _Optional[int] = ..., items: _Optional[int] = ..., total: _Optional[int] = ...) -> None: ...

class GameResult(_message.Message):
    __slots__ = ("scores", "ranks", "reason")
    SCORES_FIELD_NUMBER: _ClassVar[int]
    RANKS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    scores: _containers.RepeatedCompositeFieldContainer[Score]
    ranks: _containers.RepeatedScalarFieldContainer[int]
    reason: EndTrigger
    def __init__(self, scores: _Optional[_Iterable[_Union[Score, _Mapping]]] = ..., ranks: _Optional[_Iterable[int]] = ..., reason: _Optional[_Union[EndTrigger, str]] = ...) -> None: ...
