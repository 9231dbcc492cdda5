"""Final scoring."""

from functools import cache
from itertools import combinations_with_replacement
from typing import Any

from tests.kit.slow import tables
from tests.kit.slow.board import Position, block, fakirs, lakeside, tile_of
from tests.kit.slow.tables import CITY_VALUE, GOODS, PRECIOUS, SUIT_VALUE


def suits(counts: tuple[int, ...]) -> int:
    """Return the value of goods split into sets: all kinds held once, then all held twice, and so on."""
    return sum(SUIT_VALUE[sum(count >= n for count in counts)] for n in range(1, max(counts) + 1))


@cache
def goods_value(counts: tuple[int, ...], wilds: int) -> int:
    """Return the best value over all choices for the wild cards."""
    best = 0
    for kinds in combinations_with_replacement(range(len(GOODS)), wilds):
        named = list(counts)
        for kind in kinds:
            named[kind] += 1
        best = max(best, suits(tuple(sorted(named))))
    return best


def tile_value(position: Position, own: dict[str, Any]) -> int:
    """Return the printed values, the value of the cities together, and a tent's red tiles."""
    cities = sum(tile["kind"] == "city" for tile in own.values())
    printed = sum(tile["value"] for tile in own.values() if tile["kind"] != "city")
    tents = [name for name, tile in own.items() if "tent" in tile]
    red = sum(tile_of(position, other)["colour"] == "red" for name in tents for other in block(position, name))
    return int(printed + CITY_VALUE[cities] + red)


def pieces_on(position: Position, own: dict[str, Any], pieces: str) -> int:
    """Return the number of palms or palaces on the seat's tiles; those beside the lake count twice."""
    lake = lakeside(position)
    return int(sum(tile[pieces] * (2 if name in lake else 1) for name, tile in own.items()))


def artisan_value(seat: dict[str, Any], others: list[dict[str, Any]]) -> int:
    most = all(other["artisans"] <= seat["artisans"] for other in others)
    each = (3 if most else 2) + (2 if "ptah" in seat["djinns"] else 0)
    return int(seat["artisans"] * each)


def score(position: Position) -> list[dict[str, int]]:
    """Return every seat's points by category, if the game ended now."""
    rows = []
    for number, seat in enumerate(position["seats"], start=1):
        djinns = seat["djinns"]
        others = [s for s in position["seats"] if s is not seat]
        own = {name: tile for name, tile in position["board"]["tiles"].items() if tile["owner"] == number}
        counts = tuple(sorted(seat["hand"].get(kind, 0) for kind in GOODS))
        row = {
            "gold": seat["gold"],
            "viziers": seat["viziers"] * (3 if "jafaar" in djinns else 1)
            + 10 * sum(other["viziers"] < seat["viziers"] for other in others),
            "elders": seat["elders"] * (4 if "shamhat" in djinns else 2),
            "djinns": sum(tables.djinns(position["expansions"])[djinn] for djinn in djinns),
            "tiles": tile_value(position, own),
            "palms": pieces_on(position, own, "palms") * (5 if "haurvatat" in djinns else 3),
            "palaces": pieces_on(position, own, "palaces") * 5,
            "goods": goods_value(counts, fakirs(seat) // 2 if "al-amin" in djinns else 0),
        }
        if "artisans" in position["expansions"]:
            row["artisans"] = artisan_value(seat, others)
            row["items"] = sum(PRECIOUS[i] + (3 if "geb" in djinns else 0) for i in seat["items"] if i in PRECIOUS)
        row["total"] = sum(row.values())
        rows.append(row)
    return rows


def result(position: Position) -> dict[str, Any]:
    """Return the result of a game that is over, in the form of a replay."""
    assert position["phase"] == "over"
    scores = score(position)
    totals = [row["total"] for row in scores]
    ranks = [1 + sum(other > total for other in totals) for total in totals]
    return {"scores": scores, "ranks": ranks, "reason": position["ending"]}
