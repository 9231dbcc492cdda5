"""The public part of a score: everything that any player can add up while the game runs (rules 3.6, 4)."""

from __future__ import annotations

from collections.abc import Iterable

from arena.rules.components import (
    ARTISAN_MAJORITY_VALUE,
    ARTISAN_VALUE,
    CITY_VALUE,
    DJINN_NUMBER,
    DJINNS,
    ELDER_VALUE,
    HAURVATAT_VALUE,
    JAFAAR_VALUE,
    LAKE_FACTOR,
    MAJORITY_VALUE,
    PALACE_VALUE,
    PALM_VALUE,
    PTAH_BONUS,
    SHAMHAT_VALUE,
)
from arena.rules.view import View
from arena.rules.view_parts import TileView

OPEN_CATEGORIES = ("viziers", "elders", "djinns", "tiles", "palms", "palaces", "artisans")
"""Categories of a score that no view hides. Gold, goods and items are secret until the end (2.3)."""


def open_score(view: View, number: int) -> dict[str, int]:
    """Return the VP of a seat (from 1) by public category, as if the game ended now (3.6).

    All views of a state give the same result.
    """
    seat = view.seats[number - 1]
    owned = [tile for tile in view.tiles.values() if tile.owner == number]
    lakeside = {near.name for tile in view.tiles.values() if tile.kind == "lake" for near in view.around(tile.name)}
    outdone = sum(other.viziers < seat.viziers for other in view.seats)

    def twice_by_the_lake(numbers: Iterable[tuple[TileView, int]]) -> int:
        return sum(pieces * (LAKE_FACTOR if tile.name in lakeside else 1) for tile, pieces in numbers)

    score = {
        "viziers": seat.viziers * (JAFAAR_VALUE if "jafaar" in seat.djinns else 1) + MAJORITY_VALUE * outdone,
        "elders": seat.elders * (SHAMHAT_VALUE if "shamhat" in seat.djinns else ELDER_VALUE),
        "djinns": sum(DJINNS[DJINN_NUMBER[djinn]].value for djinn in seat.djinns),
        "tiles": _tiles(view, owned),
        "palms": twice_by_the_lake((tile, tile.palms) for tile in owned)
        * (HAURVATAT_VALUE if "haurvatat" in seat.djinns else PALM_VALUE),
        "palaces": twice_by_the_lake((tile, tile.palaces) for tile in owned) * PALACE_VALUE,
    }
    if "artisans" in view.expansions:
        most = seat.artisans == max(other.artisans for other in view.seats)
        each = ARTISAN_MAJORITY_VALUE if most else ARTISAN_VALUE
        score["artisans"] = seat.artisans * (each + (PTAH_BONUS if "ptah" in seat.djinns else 0))
    return score


def _tiles(view: View, owned: list[TileView]) -> int:
    """Return the printed values, the value of the cities together, and 1 for each red tile around the tent (6.6)."""
    printed = sum(tile.value for tile in owned if tile.kind != "city")
    around = [near for tile in owned if tile.tent for near in view.around(tile.name)]
    return (
        printed + CITY_VALUE[sum(tile.kind == "city" for tile in owned)] + sum(tile.colour == "red" for tile in around)
    )
