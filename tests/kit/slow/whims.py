"""The cards of the great cities: their conditions and their payment."""

from tests.kit.slow import tables
from tests.kit.slow.board import Position, fakirs, lakeside, seat_of


def measure(position: Position, number: int, what: str) -> int:
    """Return how much the seat has of a thing that a whim needs."""
    seat = seat_of(position, number)
    goods = [seat["hand"].get(kind, 0) for kind in tables.GOODS]
    own = {name: tile for name, tile in position["board"]["tiles"].items() if tile["owner"] == number}
    if what in ("viziers", "elders", "artisans"):
        return int(seat[what])
    if what in ("djinns", "items"):
        return len(list(seat[what]))
    if what == "kinds":
        return sum(count > 0 for count in goods)
    if what == "alike":
        return int(max(goods))
    if what == "fakirs":
        return fakirs(seat)
    if what in ("palms", "palaces"):
        return sum(tile[what] for tile in own.values())
    if what in ("blue", "red"):
        return sum(tile["colour"] == what and tile["kind"] != "city" for tile in own.values())
    if what == "lakeside":
        return sum(name in own for name in lakeside(position))
    return sum(tile["kind"] == what for tile in own.values())


def is_fulfilled(position: Position, number: int, whim: str) -> bool:
    _, wanted = tables.whims(position["expansions"])[whim]
    return all(measure(position, number, what) >= least for what, least in wanted.items())


def pay(position: Position) -> None:
    """Turn up and pay every open whim whose condition holds now, once."""
    if "whims" not in position["expansions"]:
        return
    for number, seat in enumerate(position["seats"], start=1):
        cards = seat["whims"]
        fulfilled = [whim for whim in cards["open"] if is_fulfilled(position, number, whim)]
        for whim in fulfilled:
            cards["open"].remove(whim)
            cards["paid"].append(whim)
            seat["gold"] += tables.whims(position["expansions"])[whim][0]
