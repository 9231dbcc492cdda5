"""Set-up from a seed, with or without a deal."""

from collections.abc import Sequence
from typing import Any

from tests.kit.slow import tables
from tests.kit.slow.board import Position, group, is_connected, is_passable, names, tile_of
from tests.kit.slow.stream import Stream

Kind = tuple[str, str | None, int, str | None]  # kind, colour, value, mountains


def written_tiles(expansions: list[str]) -> list[Kind]:
    """Return the tiles in the order in which they are written before the shuffle, without those of the inner block."""
    written = [*tables.TILES, *(tables.WHIMS_TILES if "whims" in expansions else [])]
    return [(kind, colour, value, None) for kind, colour, value, copies in written for _ in range(copies)]


def tile_document(laid: Kind) -> dict[str, Any]:
    kind, colour, value, mountains = laid
    tile = {"kind": kind, "value": value, "colour": colour, "meeples": "-", "owner": None, "palms": 0, "palaces": 0}
    if kind == "city":
        tile["whim"] = None
    if mountains:
        tile["mountains"] = mountains
    return tile


def lay_tiles(position: Position, stream: Stream) -> None:
    expansions = position["expansions"]
    columns, rows = position["board"]["columns"], position["board"]["rows"]
    inner = [n for n in names(position) if n[0] not in ("A", "ABCDEFG"[columns - 1]) and n[1] not in ("1", str(rows))]
    while True:
        tiles = written_tiles(expansions)
        stream.shuffle(tiles)
        if "artisans" in expansions:
            taken = len(inner) - len(tables.INNER_TILES)
            middle = [*tiles[:taken], *tables.INNER_TILES]
            stream.shuffle(middle)
            border = tiles[taken:]
            tiles = [middle.pop(0) if name in inner else border.pop(0) for name in names(position)]
        position["board"]["tiles"] = {
            name: tile_document(tile) for name, tile in zip(names(position), tiles, strict=True)
        }
        if is_connected(position):
            return


def repeated(copies: dict[str, int], stream: Stream) -> list[str]:
    """Return each thing as often as it has copies, shuffled."""
    things = [thing for thing, count in copies.items() for _ in range(count)]
    stream.shuffle(things)
    return things


def new_seat(players: int, expansions: list[str]) -> dict[str, Any]:
    seat: dict[str, Any] = {
        "gold": tables.START_GOLD,
        "camels": tables.CAMELS[players],
        "viziers": 0,
        "elders": 0,
        "hand": {},
        "djinns": [],
        "used": [],
    }
    if "artisans" in expansions:
        seat |= {"artisans": 0, "tent": 1, "items": []}
    if "whims" in expansions:
        seat["whims"] = {"open": [], "paid": []}
    return seat


def new_position(
    players: int, seed: bytes, deal: bytes | None = None, expansions: Sequence[str] = ()
) -> tuple[Position, Stream]:
    """Return the position before the first bid, and the stream from which all later chance comes."""
    stream = Stream(seed)
    drawing = stream if deal is None else Stream(deal)
    columns, rows = tables.GRIDS[tuple(expansions)]
    position: Position = {
        "format": "naqala/position/1",
        "players": players,
        "expansions": list(expansions),
        "round": 1,
        "phase": "bid",
        "to_act": None,
        "ending": None,
        "board": {"columns": columns, "rows": rows, "tiles": {}},
        "bag": "-",
        "resources": {},
        "djinns": {},
        "supply": {"palms": tables.PALMS, "palaces": tables.PALACES},
        "seats": [new_seat(players, list(expansions)) for _ in range(players)],
        "bid_order": list(tables.MARKERS[players]),
        "turn_track": [None] * len(tables.spot_costs(players)),
        "turn": None,
    }
    lay_tiles(position, drawing)
    meeples = repeated(tables.meeples(position["expansions"]), drawing)
    drawing.shuffle(position["bid_order"])
    resources = repeated(tables.RESOURCES, drawing)
    djinns = list(tables.djinns(position["expansions"]))
    drawing.shuffle(djinns)
    whims = list(tables.whims(position["expansions"]))
    drawing.shuffle(whims)
    items = repeated(tables.ITEMS, drawing) if "artisans" in expansions else []

    for name in filter(lambda name: is_passable(position, name), names(position)):
        tile = tile_of(position, name)
        tile["meeples"] = group("".join(meeples[:3]))
        del meeples[:3]
        if "whim" in tile:
            tile["whim"] = whims.pop(0)
    assert not meeples
    position["to_act"] = position["bid_order"][0]
    for pile, cards, row in (
        ("resources", resources, tables.RESOURCE_ROW),
        ("djinns", djinns, tables.DJINN_ROW),
    ):
        position[pile] = {"row": cards[:row], "deck": cards[row:], "discard": []}
    if "whims" in expansions:
        position["whims"] = {"deck": whims}
    if "artisans" in expansions:
        position["items"] = {"pile": items, "discard": []}
    if deal is not None:
        hidden = [position["resources"]["deck"], position["djinns"]["deck"], whims, items]
        for deck in hidden:
            stream.shuffle(deck)
    return position, stream
