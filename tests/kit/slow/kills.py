"""The victims that assassins may kill."""

from collections.abc import Iterator
from itertools import combinations

from tests.kit.slow.board import Position, distance, fakirs, group, letters, meeples_on, names, seat_of


def front(position: Position, number: int) -> str:
    """Return the meeples in front of a seat."""
    seat = seat_of(position, number)
    return "y" * int(seat["viziers"]) + "w" * int(seat["elders"]) + "p" * int(seat.get("artisans", 0))


def at_target(position: Position, target: str) -> str:
    """Return the meeples on a tile, or in front of a seat."""
    return front(position, int(target[1:])) if target.startswith("@") else meeples_on(position, target)


def fakirs_needed(position: Position, target: str) -> int:
    if target.startswith("@"):
        return 0
    turn = position["turn"]
    return max(0, distance(turn["at"], target) - len(turn["lifted"]))


def can_kill(position: Position, target: str, victims: str, spend: int, two: bool) -> bool:
    """Return whether the acting seat may kill exactly these, with at most `spend` Fakirs for the distance."""
    if target.startswith("@"):
        number = int(target[1:])
        if number == position["to_act"] or "boaz" in seat_of(position, number)["djinns"]:
            return False
    there = at_target(position, target)
    if any(victims.count(letter) > there.count(letter) for letter in victims):
        return False
    if len(victims) != (min(2, len(there)) if two else 1):
        return False
    return fakirs_needed(position, target) <= spend


def targets(position: Position) -> list[str]:
    return [*names(position), *(f"@{n}" for n in range(1, position["players"] + 1))]


def kills(position: Position) -> Iterator[tuple[str, str]]:
    """Yield, for every target, each single victim and each pair there, in the notation."""
    for target in targets(position):
        there = letters(group(at_target(position, target)))
        for victims in sorted({*there, *map("".join, combinations(there, 2))}):
            yield target, victims


def any_kill(position: Position, spend: int, two: bool, pairs_only: bool = False) -> bool:
    return any(
        can_kill(position, target, victims, spend, two)
        for target, victims in kills(position)
        if len(victims) == 2 or not pairs_only
    )


def iblis_has_effect(position: Position, payment: str) -> bool:
    """Return whether two victims could be killed after the payment."""
    left = fakirs(seat_of(position, position["to_act"])) - payment.count("f")
    return any_kill(position, left, two=True, pairs_only=True)
