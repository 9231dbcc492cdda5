"""Legal actions: every text of the vocabulary that could make sense is tested separately."""

from collections.abc import Iterator
from itertools import combinations

from tests.kit.slow import items, powers
from tests.kit.slow.board import (
    Position,
    can_pay,
    fakirs,
    is_around,
    may_use_item,
    names,
    ready,
    seat_of,
    steps,
    tile_of,
)
from tests.kit.slow.kills import any_kill, can_kill, kills
from tests.kit.slow.sowing import any_take, can_drop, can_take
from tests.kit.slow.tables import GOODS, PRICES, VERBS, entries, spot_costs

PLACING = {"oasis": ("palm", "palms", "lamia"), "village": ("palace", "palaces", "hagis")}


def legal(position: Position) -> list[str]:
    """Return the legal actions in the order of the notation."""
    found = {text for text in candidates(position) if allowed(position, text)}
    return sorted(found, key=lambda text: (VERBS.index(text.split(" ")[0]), text.encode()))


def candidates(position: Position) -> Iterator[str]:
    phase = position["phase"]
    if phase == "over":
        return
    held = fakirs(seat_of(position, position["to_act"]))
    if phase == "bid":
        for spot in range(1, len(position["turn_track"]) + 1):
            yield f"bid {spot}"
            yield from (f"bid {spot} f {k}" for k in range(1, held + 1))
    elif phase == "move":
        yield from (f"take {tile}" for tile in names(position))
        yield "skip"
    elif phase == "sow":
        turn = position["turn"]
        yield from (
            f"drop {tile} {colour}" for tile in steps(position)[turn["at"]] for colour in sorted(set(turn["hand"]))
        )
    elif phase == "tribe":
        yield from (f"build {k}" for k in range(held + 1))
        if position["turn"]["lifted"][0] == "r":
            yield from (f"kill {target} {victims}" for target, victims in kills(position))
        yield "spare"
    elif phase == "tile":
        if _kind_here(position) in PLACING:
            word = PLACING[_kind_here(position)][0]
            yield from (f"{word} {tile}" for tile in names(position))
            yield from (f"{word} {tile} {payment}" for tile in names(position) for payment in "wf")
        yield from (f"buy {i}" for i in range(1, 10))
        yield from (f"buy {i} {j}" for i in range(1, 10) for j in range(i + 1, 10))
        yield from (f"summon {djinn} {pay}" for djinn in position["djinns"]["row"] for pay in ("ww", "wf"))
        yield "pass"
    elif phase == "choose":
        yield from (f"keep {djinn}" for djinn in position["turn"]["drawn"])
    elif phase == "item":
        yield from (f"keep {item}" for item in position["turn"]["drawn"])
    elif phase == "sell":
        kinds = sorted(kind for kind in position["seats"][position["to_act"] - 1]["hand"] if kind in GOODS)
        for size in range(1, len(kinds) + 1):
            yield from ("sell " + " ".join(goods) for goods in combinations(kinds, size))
        yield "end"
    if phase in ("move", "tribe", "tile", "sell"):
        for djinn in seat_of(position, position["to_act"])["djinns"]:
            yield from powers.candidates(position, djinn)
    yield from items.candidates(position)


def allowed(position: Position, text: str) -> bool:
    """Return whether this well-formed candidate is legal here."""
    verb, *args = text.split(" ")
    if verb == "use":
        return powers.allowed(position, args[0], args[1:])
    test = items.TESTS.get(verb) or globals()[f"_{verb}"]
    return bool(test(position, *args))


def has_room(position: Position, spot: int) -> bool:
    cells = entries(position["players"]).get(spot, [])
    return any(position["turn_track"][cell - 1] is None for cell in cells)


def price(position: Position, spot: int, spent: int) -> int:
    """Return the spot's cost after `spent` Fakirs."""
    cost = spot_costs(position["players"])[spot - 1]
    return PRICES[min(PRICES.index(cost) + spent, len(PRICES) - 1)]


def _payable_bid(position: Position, spot: int, spent: int) -> bool:
    seat = seat_of(position, position["to_act"])
    if not has_room(position, spot) or seat["gold"] < price(position, spot, spent):
        return False
    if spent == 0:
        return True
    # every Fakir must make the spot cheaper than it is with one Fakir less
    if not ready(seat, "kumarbi") or spent > fakirs(seat):
        return False
    return price(position, spot, spent) < price(position, spot, spent - 1)


def _bid(position: Position, spot: str, _f: str = "f", spent: str = "0") -> bool:
    if position["phase"] != "bid":
        return False
    if _payable_bid(position, int(spot), int(spent)):
        return True
    if spent != "0":
        return False
    # a bidder that can pay for no spot takes the cheapest open one for all its gold
    opened = [s for s in entries(position["players"]) if has_room(position, s)]
    if int(spot) != min(opened, key=lambda s: price(position, s, 0)):
        return False
    return not any(_payable_bid(position, s, k) for s in opened for k in range(19))


def _take(position: Position, tile: str) -> bool:
    return position["phase"] == "move" and can_take(position, tile, may_use_item(position, "carpet"))


def _skip(position: Position) -> bool:
    return position["phase"] == "move" and not any_take(position)


def _drop(position: Position, tile: str, colour: str) -> bool:
    return position["phase"] == "sow" and can_drop(position, tile, colour, may_use_item(position, "carpet"))


def _build(position: Position, spent: str) -> bool:
    seat = seat_of(position, position["to_act"])
    return position["phase"] == "tribe" and position["turn"]["lifted"][0] == "b" and int(spent) <= fakirs(seat)


def _kill(position: Position, target: str, victims: str) -> bool:
    if position["phase"] != "tribe" or position["turn"]["lifted"][0] != "r":
        return False
    two = "iblis" in position["turn"].get("doubled", [])
    held = fakirs(seat_of(position, position["to_act"]))
    return can_kill(position, target, victims, held, two)


def _spare(position: Position) -> bool:
    if position["phase"] != "tribe" or position["turn"]["lifted"][0] != "r":
        return False
    return not any_kill(position, 0, two=False)


def _placement(position: Position, word: str, target: str, payment: str | None) -> bool:
    if position["phase"] != "tile":
        return False
    at = position["turn"]["at"]
    kind = tile_of(position, at)["kind"]
    if kind not in PLACING or PLACING[kind][0] != word or position["supply"][PLACING[kind][1]] == 0:
        return False
    if payment is None:
        return bool(target == at)
    seat = seat_of(position, position["to_act"])
    return ready(seat, PLACING[kind][2]) and can_pay(seat, payment) and is_around(position, at, target)


def _palm(position: Position, target: str, payment: str | None = None) -> bool:
    return _placement(position, "palm", target, payment)


def _palace(position: Position, target: str, payment: str | None = None) -> bool:
    return _placement(position, "palace", target, payment)


def _kind_here(position: Position) -> str:
    if position["phase"] != "tile":
        return ""
    kind: str = tile_of(position, position["turn"]["at"])["kind"]
    return kind


def _buy(position: Position, *places: str) -> bool:
    row = position["resources"]["row"]
    gold = seat_of(position, position["to_act"])["gold"]
    wanted = [int(p) for p in places]
    if _kind_here(position) == "small-market":
        return len(wanted) == 1 and gold >= 3 and wanted[0] <= min(3, len(row))
    if _kind_here(position) == "large-market":
        return len(wanted) == min(2, len(row)) and gold >= 6 and all(p <= min(6, len(row)) for p in wanted)
    if _kind_here(position) == "special-market":
        return len(wanted) == 1 and gold >= 4 and wanted[0] <= len(row)
    return False


def _summon(position: Position, djinn: str, payment: str) -> bool:
    if _kind_here(position) != "sacred" or djinn not in position["djinns"]["row"]:
        return False
    return can_pay(seat_of(position, position["to_act"]), payment)


def _pass(position: Position) -> bool:
    return _kind_here(position) in ("small-market", "large-market", "special-market", "sacred", "workshop")


def _keep(position: Position, kept: str) -> bool:
    return position["phase"] in ("choose", "item") and kept in position["turn"]["drawn"]


def _sell(position: Position, *goods: str) -> bool:
    hand = seat_of(position, position["to_act"])["hand"]
    return position["phase"] == "sell" and len(set(goods)) == len(goods) and all(hand.get(kind, 0) for kind in goods)


def _end(position: Position) -> bool:
    return bool(position["phase"] == "sell")
