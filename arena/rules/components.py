"""The contents of the box: every table of the rules, as data (rules 1 and 4).

The rules use numbers for names: a tribe is its place in `TRIBES`, a resource its place in `RESOURCES`, a Djinn its
place in `DJINNS`. Groups of meeples and hands of cards are packed into one integer each. A *group* holds one byte per
tribe, so groups add, subtract and compare as integers; at most 120 meeples exist. A *hand* holds six bits per resource;
at most 18 copies of one kind exist.
"""

from __future__ import annotations

from typing import Literal, NamedTuple

RULES = "naqala-rules/1"
"""Version of the rules; every replay names it."""
TRIBES = "ywgbrp"
"""Letters of the tribes; a tribe's number is its place here."""
VIZIER, ELDER, MERCHANT, BUILDER, ASSASSIN, ARTISAN = range(6)
MEEPLES = (16, 20, 18, 18, 18, 0)
MEEPLES_OF_WHIMS = (3, 3, 3, 3, 3, 0)
MEEPLES_OF_ARTISANS = (0, 0, 0, 0, 0, 15)
MEEPLES_PER_TILE = 3

GOODS = ("ivory", "jewels", "gold", "papyrus", "silk", "spice", "fish", "wheat", "pottery")
RESOURCES = (*GOODS, "fakir")
"""Names of the resource cards; a card's number is its place here."""
FAKIR = 9
RESOURCE_COPIES = (2, 2, 2, 4, 4, 4, 6, 6, 6, 18)
SUIT_VALUE = (0, 1, 3, 7, 13, 21, 30, 40, 50, 60)

START_GOLD = 50
PALMS = 12
PALACES = 10
RESOURCE_ROW = 9
DJINN_ROW = 3
PALM_VALUE = 3
PALACE_VALUE = 5
MAJORITY_VALUE = 10
"""VP for each opponent with strictly fewer Viziers (rule 3.6)."""
DRAWN_BY_ANUN_NAK = 3
DRAWN_BY_SIBITTIS = 3

CAMELS = {2: 11, 3: 8, 4: 8, 5: 8}
MARKERS = {2: 2, 3: 1, 4: 1, 5: 1}
TENTS = 1
"""Tents of each seat, with Artisans."""


KindOfTile = Literal[
    "village", "sacred", "oasis", "small-market", "large-market", "city", "lake", "workshop", "special-market", "chasm"
]
Colour = Literal["red", "blue"]
Mountains = Literal["NW", "SE"]
"""The two sides of a workshop that no meeple steps over (rule 6.1)."""


class TileKind(NamedTuple):
    """A row of table 1.1: a kind of tile with its colour, printed value (VP), copies, and sides with mountains."""

    kind: KindOfTile
    colour: Colour | None
    value: int
    copies: int
    mountains: Mountains | None = None


TILES = (
    TileKind("village", "blue", 5, 5),
    TileKind("sacred", "blue", 6, 4),
    TileKind("sacred", "blue", 10, 1),
    TileKind("sacred", "blue", 12, 1),
    TileKind("sacred", "blue", 15, 1),
    TileKind("oasis", "red", 8, 6),
    TileKind("small-market", "red", 6, 8),
    TileKind("large-market", "red", 4, 4),
)
TILES_OF_WHIMS = (TileKind("city", "blue", 5, 3), TileKind("city", "red", 5, 2), TileKind("lake", None, 0, 1))
TILES_OF_ARTISANS = (
    TileKind("workshop", "blue", 5, 1, "NW"),
    TileKind("workshop", "blue", 5, 2, "SE"),
    TileKind("special-market", "red", 10, 2),
    TileKind("chasm", None, 0, 1),
)
IMPASSABLE = ("lake", "chasm")
CITY_VALUE = (0, 5, 20, 45, 80, 125)
"""VP for 0, 1, 2, … great cities together (rule 5.2)."""
LAKE_FACTOR = 2
"""Factor for palms and palaces around the Great Lake (rule 5.1)."""


class Market(NamedTuple):
    """Offer of a market: `cards` of the first `reach` cards of the row for `price` GC (rule 3.2 T4)."""

    price: int
    cards: int
    reach: int


MARKETS = {
    "small-market": Market(3, 1, 3),
    "large-market": Market(6, 2, 6),
    "special-market": Market(4, 1, RESOURCE_ROW),
}
Piece = Literal["palm", "palace"]
PLACEMENTS: dict[KindOfTile, Piece] = {"village": "palace", "oasis": "palm"}
"""Piece that must be placed on a tile of each kind."""

ELDER_OR_FAKIR = ("w", "f")
TWO_ELDERS_OR_ONE_AND_FAKIR = ("ww", "wf")
SUMMONING = TWO_ELDERS_OR_ONE_AND_FAKIR
CRAFTING = ("ff", "p")
"""Payments: one letter for each Elder (`w`), Fakir (`f`) or Artisan (`p`)."""


class Djinn(NamedTuple):
    """A row of table 4. `costs` are the payments that its paid power accepts.

    `power` says when the power can be used: `use` in the owner's turn, `palm` or `palace` when that piece is placed
    (the Djinn diverts it), `bid` when the owner bids. It is empty if there is no paid power.
    """

    id: str
    value: int
    costs: tuple[str, ...] = ()
    power: str = ""
    expansion: str = ""


DJINNS = (
    Djinn("al-amin", 5),
    Djinn("anun-nak", 8, ELDER_OR_FAKIR, "use"),
    Djinn("baal", 6),
    Djinn("boaz", 6),
    Djinn("bouraq", 6, ELDER_OR_FAKIR, "use"),
    Djinn("echidna", 4, TWO_ELDERS_OR_ONE_AND_FAKIR, "use"),
    Djinn("enki", 8, ELDER_OR_FAKIR, "use"),
    Djinn("hagis", 10, ELDER_OR_FAKIR, "palace"),
    Djinn("haurvatat", 8),
    Djinn("iblis", 8, ELDER_OR_FAKIR, "use"),
    Djinn("jafaar", 6),
    Djinn("kandicha", 6),
    Djinn("kumarbi", 6, ("f",), "bid"),
    Djinn("lamia", 10, ELDER_OR_FAKIR, "palm"),
    Djinn("leta", 4, TWO_ELDERS_OR_ONE_AND_FAKIR, "use"),
    Djinn("marid", 6),
    Djinn("monkir", 6),
    Djinn("nekir", 6),
    Djinn("shamhat", 6),
    Djinn("sibittis", 4, TWO_ELDERS_OR_ONE_AND_FAKIR, "use"),
    Djinn("sloar", 8, ("f",), "use"),
    Djinn("utug", 4, TWO_ELDERS_OR_ONE_AND_FAKIR, "use"),
    # HOUSE: the value of these four.
    Djinn("geb", 6, expansion="artisans"),
    Djinn("ptah", 6, expansion="artisans"),
    Djinn("kali", 6, expansion="whims"),
    Djinn("ganesha", 6, expansion="whims"),
)
DJINN_NUMBER = {djinn.id: number for number, djinn in enumerate(DJINNS)}

AL_AMIN = DJINN_NUMBER["al-amin"]
ANUN_NAK = DJINN_NUMBER["anun-nak"]
BAAL = DJINN_NUMBER["baal"]
BOAZ = DJINN_NUMBER["boaz"]
BOURAQ = DJINN_NUMBER["bouraq"]
ECHIDNA = DJINN_NUMBER["echidna"]
ENKI = DJINN_NUMBER["enki"]
HAGIS = DJINN_NUMBER["hagis"]
HAURVATAT = DJINN_NUMBER["haurvatat"]
IBLIS = DJINN_NUMBER["iblis"]
JAFAAR = DJINN_NUMBER["jafaar"]
KANDICHA = DJINN_NUMBER["kandicha"]
KUMARBI = DJINN_NUMBER["kumarbi"]
LAMIA = DJINN_NUMBER["lamia"]
LETA = DJINN_NUMBER["leta"]
MARID = DJINN_NUMBER["marid"]
MONKIR = DJINN_NUMBER["monkir"]
NEKIR = DJINN_NUMBER["nekir"]
SHAMHAT = DJINN_NUMBER["shamhat"]
SIBITTIS = DJINN_NUMBER["sibittis"]
SLOAR = DJINN_NUMBER["sloar"]
UTUG = DJINN_NUMBER["utug"]
GEB = DJINN_NUMBER["geb"]
PTAH = DJINN_NUMBER["ptah"]
KALI = DJINN_NUMBER["kali"]
GANESHA = DJINN_NUMBER["ganesha"]
DIVERTS: dict[Piece, int] = {"palace": HAGIS, "palm": LAMIA}
"""Djinn that may put a piece on a surrounding tile instead."""
PLACES: dict[int, KindOfTile] = {BOURAQ: "village", ENKI: "oasis"}
"""Djinns that place a piece by a paid power, and the kind of tile that receives it."""

OWN_GAIN = 1
OTHERS_GAIN = 2
"""GC that a passive Djinn pays its owner for an action of the owner, and for an action of another seat (table 4)."""

JAFAAR_VALUE = 3
ELDER_VALUE = 2
SHAMHAT_VALUE = 4
HAURVATAT_VALUE = 5
FAKIRS_PER_WILD = 2
ARTISAN_VALUE = 2
ARTISAN_MAJORITY_VALUE = 3
"""VP of an Artisan, and of an Artisan of a seat with the most Artisans (rule 6.5)."""
PTAH_BONUS = 2
GEB_BONUS = 3


class Item(NamedTuple):
    """A kind of item token: `copies` exist (HOUSE), each worth `value` VP; a magic item is worth 0 (rule 6.4)."""

    id: str
    copies: int
    value: int = 0


ITEMS = (
    Item("jewelry", 4, 5),
    Item("treasure", 3, 7),
    Item("crown", 2, 9),
    Item("carpet", 2),
    Item("flute", 2),
    Item("lamp", 1),
    Item("scimitar", 1),
    Item("talisman", 1),
    Item("horn", 1),
    Item("ring", 1),
)
ITEM_NUMBER = {item.id: number for number, item in enumerate(ITEMS)}
CARPET, FLUTE, LAMP, SCIMITAR, TALISMAN, HORN, RING = range(3, 10)
PULLS = 5
"""Maximum number of meeples that a flute moves."""
SLAYS = 2
"""Maximum number of meeples that a scimitar kills."""


class Whim(NamedTuple):
    """A whim card (table 5.4, HOUSE). It pays `reward` GC once its owner has at least each number in `needs`.

    `needs` has pairs of a thing and a number. A thing is a kind of tile that the owner controls, or one of the names in
    `whims.measure`.
    """

    id: str
    reward: int
    needs: tuple[tuple[str, int], ...]
    artisans: bool = False


WHIMS = (
    Whim("h01", 15, (("djinns", 3),)),
    Whim("h02", 15, (("viziers", 7),)),
    Whim("h03", 10, (("elders", 5),)),
    Whim("h04", 10, (("viziers", 3), ("elders", 3))),
    Whim("h05", 15, (("kinds of goods", 5),)),
    Whim("h06", 20, (("kinds of goods", 7),)),
    Whim("h07", 10, (("fakirs", 4),)),
    Whim("h08", 10, (("goods of one kind", 3),)),
    Whim("h09", 10, (("oasis", 2),)),
    Whim("h10", 10, (("village", 2),)),
    Whim("h11", 15, (("small-market", 3),)),
    Whim("h12", 10, (("large-market", 2),)),
    Whim("h13", 15, (("sacred", 2),)),
    Whim("h14", 10, (("city", 2),)),
    Whim("h15", 15, (("palms", 4),)),
    Whim("h16", 15, (("palaces", 3),)),
    Whim("h17", 15, (("blue tiles", 4),)),
    Whim("h18", 15, (("red tiles", 5),)),
    Whim("h19", 10, (("tiles around the lake", 2),)),
    Whim("h20", 15, (("artisans", 4),), artisans=True),
    Whim("h21", 15, (("items", 3),), artisans=True),
    Whim("h22", 10, (("workshop", 1), ("special-market", 1)), artisans=True),
)
WHIM_NUMBER = {whim.id: number for number, whim in enumerate(WHIMS)}


class Track(NamedTuple):
    """A turn-order track: the cost of each spot, and its groups of spots. A marker enters a group at its first spot.

    A marker that enters a group pushes the markers already there one spot on (rules 3.1 and 5.5).
    """

    costs: tuple[int, ...]
    groups: tuple[tuple[int, ...], ...]

    @property
    def prices(self) -> tuple[int, ...]:
        """Distinct costs, highest first: the steps of Kumarbi (R16)."""
        return tuple(sorted(set(self.costs), reverse=True))


TRACK = Track((18, 12, 8, 5, 3, 1, 0, 0, 0), ((0,), (1,), (2,), (3,), (4,), (5,), (6, 7, 8)))


TRACK_OF_FIVE = Track((18, 12, 8, 5, 5, 3, 3, 1, 1, 0, 0, 0), ((0,), (1,), (2,), (3, 4), (5, 6), (7, 8), (9, 10, 11)))

EXPANSIONS = ("artisans", "whims")
