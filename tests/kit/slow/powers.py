"""The Djinns' paid powers: the texts worth testing, and when one is legal."""

from collections.abc import Iterator

from tests.kit.slow.board import (
    Position,
    blue_around,
    can_claim,
    can_pay,
    is_around,
    is_empty,
    names,
    ready,
    seat_of,
    tile_of,
)
from tests.kit.slow.kills import iblis_has_effect
from tests.kit.slow.sowing import any_take

# Djinn: its cost, and whether a tile is named
POWERS = {
    "anun-nak": (["w", "f"], True),
    "bouraq": (["w", "f"], True),
    "echidna": (["ww", "wf"], False),
    "enki": (["w", "f"], True),
    "iblis": (["w", "f"], False),
    "leta": (["ww", "wf"], True),
    "sibittis": (["ww", "wf"], False),
    "sloar": (["f"], False),
    "utug": (["ww", "wf"], True),
}
# Djinn that places a piece: the kind of tile, the piece in the supply, the Djinn that may divert it
PLACERS = {"enki": ("oasis", "palms", "lamia"), "bouraq": ("village", "palaces", "hagis")}


def candidates(position: Position, djinn: str) -> Iterator[str]:
    seat = seat_of(position, position["to_act"])
    if djinn not in POWERS or not ready(seat, djinn):
        return
    payments, names_tile = POWERS[djinn]
    for payment in payments:
        if not can_pay(seat, payment):
            continue
        if not names_tile:
            yield f"use {djinn} {payment}"
            continue
        for tile in names(position):
            yield f"use {djinn} {payment} {tile}"
            if djinn in PLACERS and tile_of(position, tile)["kind"] == PLACERS[djinn][0]:
                for second in "wf":
                    yield from (f"use {djinn} {payment} {tile} {second} {other}" for other in names(position))


def allowed(position: Position, djinn: str, args: list[str]) -> bool:
    if position["phase"] not in ("move", "tribe", "tile", "sell"):
        return False
    seat = seat_of(position, position["to_act"])
    if not ready(seat, djinn) or not can_pay(seat, args[0]):
        return False
    payment, *rest = args
    if djinn in PLACERS:
        return _placer(position, djinn, payment, *rest)
    if djinn == "anun-nak":
        return position["bag"] != "-" and is_empty(position, rest[0])
    if djinn == "leta":
        return bool(can_claim(seat) and is_empty(position, rest[0]))
    if djinn == "utug":
        tile = tile_of(position, rest[0])
        bare = tile["owner"] is None and tile["palms"] == 0 and tile["palaces"] == 0
        return bool(can_claim(seat) and bare and tile["meeples"] != "-")
    if djinn == "sibittis":
        return bool(position["djinns"]["deck"] or position["djinns"]["discard"])
    if djinn == "sloar":
        return bool(position["resources"]["deck"] or position["resources"]["discard"])
    return _doubler(position, djinn, payment)


def _doubler(position: Position, djinn: str, payment: str) -> bool:
    """Return whether Echidna or Iblis may be used."""
    if position["phase"] == "move":
        return any_take(position)
    if position["phase"] != "tribe":
        return False
    tribe = position["turn"]["lifted"][0]
    if djinn == "echidna":
        return tribe == "b" and blue_around(position, position["turn"]["at"]) > 0
    return tribe == "r" and iblis_has_effect(position, payment)


def _placer(
    position: Position, djinn: str, payment: str, tile: str, second: str | None = None, other: str | None = None
) -> bool:
    kind, supply, mover = PLACERS[djinn]
    if tile_of(position, tile)["kind"] != kind or position["supply"][supply] == 0:
        return False
    if second is None or other is None:
        return True
    seat = seat_of(position, position["to_act"])
    return ready(seat, mover) and can_pay(seat, payment + second) and is_around(position, tile, other)
