"""Tiles and groups of meeples of a position document."""

import marshal
from functools import cache, lru_cache
from typing import Any

from tests.kit.slow import tables
from tests.kit.slow.tables import LETTERS

Position = dict[str, Any]


def clone(position: Position) -> Position:
    """Return a deep copy; nothing in Python's library makes one faster."""
    copy: Position = marshal.loads(marshal.dumps(position))
    return copy


@cache
def place(tile: str) -> tuple[int, int]:
    return "ABCDEFG".index(tile[0]), int(tile[1:]) - 1


@cache
def distance(a: str, b: str) -> int:
    (ax, ay), (bx, by) = place(a), place(b)
    return abs(ax - bx) + abs(ay - by)


def names(position: Position) -> list[str]:
    """Return every tile in reading order."""
    return tables.names(position["board"]["columns"], position["board"]["rows"])


def block(position: Position, tile: str) -> list[str]:
    """Return the 3x3 block of a tile, itself included."""
    return _block(position["board"]["columns"], position["board"]["rows"], tile)


@cache
def _block(columns: int, rows: int, tile: str) -> list[str]:
    x, y = place(tile)
    return [n for n in tables.names(columns, rows) if abs(place(n)[0] - x) <= 1 and abs(place(n)[1] - y) <= 1]


def around(position: Position, tile: str) -> list[str]:
    return [n for n in block(position, tile) if n != tile]


def is_around(position: Position, tile: str, other: str) -> bool:
    """Return whether `other` is a surrounding tile that could hold a piece."""
    return other in around(position, tile) and is_passable(position, other)


def is_passable(position: Position, tile: str) -> bool:
    return tile_of(position, tile)["kind"] not in tables.IMPASSABLE


def steps(position: Position) -> dict[str, list[str]]:
    """Return, for each passable tile, the tiles to which a meeple can step."""
    tiles = position["board"]["tiles"]
    kinds = tuple([tile["kind"] for tile in tiles.values()])
    return _steps(tuple(tiles), kinds, tuple([tile.get("mountains", "") for tile in tiles.values()]))


@lru_cache
def _steps(tiles: tuple[str, ...], kinds: tuple[str, ...], closed: tuple[str, ...]) -> dict[str, list[str]]:
    ground = zip(tiles, kinds, closed, strict=True)
    mountains = {tile: sides for tile, kind, sides in ground if kind not in tables.IMPASSABLE}
    return {
        tile: [
            other
            for other in mountains
            if distance(tile, other) == 1
            and side_towards(tile, other) not in mountains[tile]
            and side_towards(other, tile) not in mountains[other]
        ]
        for tile in mountains
    }


def side_towards(tile: str, other: str) -> str:
    """Return the side of a tile on which the other one lies."""
    (x, y), (ox, oy) = place(tile), place(other)
    return {(0, -1): "N", (-1, 0): "W", (0, 1): "S", (1, 0): "E"}[ox - x, oy - y]


def letters(group: str) -> str:
    return "" if group == "-" else group


def group(meeples: str) -> str:
    return "".join(sorted(meeples, key=LETTERS.index)) or "-"


def without(meeples: str, gone: str) -> str:
    for letter in gone:
        assert letter in meeples, (meeples, gone)
        meeples = meeples.replace(letter, "", 1)
    return meeples


def tile_of(position: Position, name: str) -> dict[str, Any]:
    found: dict[str, Any] = position["board"]["tiles"][name]
    return found


def meeples_on(position: Position, name: str) -> str:
    return letters(tile_of(position, name)["meeples"])


def add_meeples(position: Position, name: str, more: str) -> None:
    tile_of(position, name)["meeples"] = group(meeples_on(position, name) + more)


def take_meeples(position: Position, name: str, gone: str) -> None:
    tile_of(position, name)["meeples"] = group(without(meeples_on(position, name), gone))


def add_to_bag(position: Position, more: str) -> None:
    position["bag"] = group(letters(position["bag"]) + more)


def is_empty(position: Position, name: str) -> bool:
    """Return whether a tile that could hold pieces has no camel, tent, meeple, palm or palace."""
    tile = tile_of(position, name)
    return (
        is_passable(position, name)
        and tile["owner"] is None
        and tile["meeples"] == "-"
        and tile["palms"] == 0
        and tile["palaces"] == 0
    )


def blue_around(position: Position, name: str) -> int:
    return sum(tile_of(position, n)["colour"] == "blue" for n in block(position, name))


def seat_of(position: Position, number: int) -> dict[str, Any]:
    seat: dict[str, Any] = position["seats"][number - 1]
    return seat


def fakirs(seat: dict[str, Any]) -> int:
    count: int = seat["hand"].get("fakir", 0)
    return count


def can_pay(seat: dict[str, Any], payment: str) -> bool:
    return bool(seat["elders"] >= payment.count("w") and fakirs(seat) >= payment.count("f"))


def ready(seat: dict[str, Any], djinn: str) -> bool:
    """Return whether the seat owns the Djinn and has not used it this round."""
    return djinn in seat["djinns"] and djinn not in seat["used"]


def may_use_item(position: Position, item: str) -> bool:
    """Return whether the seat that decides holds the item and has used none in this turn."""
    return item in seat_of(position, position["to_act"]).get("items", []) and "item_used" not in position["turn"]


def can_claim(seat: dict[str, Any]) -> bool:
    """Return whether a camel or the tent is left."""
    return bool(seat["camels"] > 0 or seat.get("tent", 0) > 0)


def lakeside(position: Position) -> list[str]:
    """Return the tiles that surround the Great Lake."""
    lakes = [name for name, tile in position["board"]["tiles"].items() if tile["kind"] == "lake"]
    return [tile for lake in lakes for tile in around(position, lake)]


def is_connected(position: Position) -> bool:
    """Return whether every passable tile can be reached from every other one."""
    graph = steps(position)
    reached: set[str] = set()
    waiting = [next(iter(graph))]
    while waiting:
        tile = waiting.pop()
        if tile not in reached:
            reached.add(tile)
            waiting += graph[tile]
    return reached == set(graph)
