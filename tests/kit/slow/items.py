"""The Artisans' own verbs: the texts worth testing, and when one is legal."""

from collections.abc import Callable, Iterator

from tests.kit.slow.board import (
    Position,
    can_pay,
    is_empty,
    is_passable,
    may_use_item,
    meeples_on,
    names,
    seat_of,
    steps,
    tile_of,
)
from tests.kit.slow.tables import LETTERS, MOST_PULLS

WINDOWS = ("move", "tribe", "tile", "sell")


def candidates(position: Position) -> Iterator[str]:
    phase, tiles = position["phase"], names(position)
    if phase == "control":
        yield from ("camel", "tent")
    elif phase == "tile":
        yield from ("craft p", "craft ff")
    elif phase == "scimitar":
        yield from (f"slay {tile} {colour}" for tile in tiles for colour in LETTERS)
    elif phase == "flute":
        yield from (f"pull {tile} {colour}" for tile in tiles for colour in LETTERS)
        yield "done"
    elif phase == "horn":
        yield from (f"next {kind}" for kind in position["turn"]["drawn"])
    elif phase == "sow" and may_use_item(position, "carpet"):
        yield from (f"fly {tile} {colour}" for tile in tiles for colour in LETTERS)
    if phase in WINDOWS and "artisans" in position["expansions"]:
        yield from ("item scimitar", "item horn")
        if may_use_item(position, "flute"):
            yield from (f"item flute {tile}" for tile in tiles)
        yield from (f"item lamp {djinn}" for djinn in position["djinns"]["row"])
        if may_use_item(position, "talisman"):
            yield from (f"item talisman {tile} {other}" for tile in tiles for other in tiles)
        yield from (f"item ring {kind}" for kind in position["items"]["discard"])


def camel(position: Position) -> bool:
    return bool(position["phase"] == "control")


def tent(position: Position) -> bool:
    return bool(position["phase"] == "control")


def craft(position: Position, payment: str) -> bool:
    if position["phase"] != "tile" or tile_of(position, position["turn"]["at"])["kind"] != "workshop":
        return False
    if not position["items"]["pile"] and not position["items"]["discard"]:
        return False
    seat = seat_of(position, position["to_act"])
    return bool(seat["artisans"] >= payment.count("p")) and can_pay(seat, payment)


def item(position: Position, kind: str, *args: str) -> bool:
    if position["phase"] not in WINDOWS or not may_use_item(position, kind):
        return False
    if kind == "scimitar":
        return any_meeple(position)
    if kind == "horn":
        return any(position["resources"][part] for part in ("row", "deck", "discard"))
    if kind == "flute":
        return position["phase"] == "move" and can_pull(position, args[0])
    if kind == "lamp":
        return args[0] in position["djinns"]["row"]
    if kind == "talisman":
        source = tile_of(position, args[0])
        own_camel = source["owner"] == position["to_act"] and "tent" not in source
        return bool(own_camel and is_empty(position, args[1]))
    return kind == "ring" and args[0] in position["items"]["discard"]


def any_meeple(position: Position) -> bool:
    return any(meeples_on(position, tile) for tile in names(position))


def can_pull(position: Position, target: str) -> bool:
    """Return whether a meeple stands on a tile from which it could step to the target."""
    return is_passable(position, target) and any(meeples_on(position, tile) for tile in steps(position)[target])


def slay(position: Position, tile: str, colour: str) -> bool:
    return position["phase"] == "scimitar" and colour in meeples_on(position, tile)


def pull(position: Position, tile: str, colour: str) -> bool:
    if position["phase"] != "flute":
        return False
    turn = position["turn"]
    near = tile in steps(position)[turn["target"]]
    return near and turn["pulls"] < MOST_PULLS and colour in meeples_on(position, tile)


def done(position: Position) -> bool:
    return bool(position["phase"] == "flute" and position["turn"]["pulls"] > 0)


def next_(position: Position, kind: str) -> bool:
    return position["phase"] == "horn" and kind in position["turn"]["drawn"]


def fly(position: Position, tile: str, colour: str) -> bool:
    """Return whether the last meeple in hand may fly to the tile: any tile that holds its colour."""
    if position["phase"] != "sow" or not may_use_item(position, "carpet"):
        return False
    return bool(position["turn"]["hand"] == colour) and colour in meeples_on(position, tile)


TESTS: dict[str, Callable[..., bool]] = {
    "camel": camel,
    "tent": tent,
    "craft": craft,
    "item": item,
    "slay": slay,
    "pull": pull,
    "done": done,
    "next": next_,
    "fly": fly,
}
