"""What assassins may kill."""

from itertools import combinations_with_replacement

from tests.kit.slow.board import Position, distance, fakirs, meeples_on, names, seat_of
from tests.kit.slow.tables import LETTERS


def front(position: Position, number: int) -> str:
    """The meeples in front of a seat."""
    seat = seat_of(position, number)
    return "y" * int(seat["viziers"]) + "w" * int(seat["elders"]) + "p" * int(seat.get("artisans", 0))


def fakirs_needed(position: Position, target: str) -> int:
    if target.startswith("@"):
        return 0
    turn = position["turn"]
    return max(0, distance(turn["at"], target) - len(turn["lifted"]))


def can_kill(position: Position, target: str, victims: str, spend: int, two: bool) -> bool:
    """May the acting seat kill exactly these, spending at most so many Fakirs on the distance?"""
    if target.startswith("@"):
        number = int(target[1:])
        if number == position["to_act"] or "boaz" in seat_of(position, number)["djinns"]:
            return False
        there = front(position, number)
    else:
        there = meeples_on(position, target)
    if any(victims.count(letter) > there.count(letter) for letter in victims):
        return False
    if len(victims) != (min(2, len(there)) if two else 1):
        return False
    return fakirs_needed(position, target) <= spend


def targets(position: Position) -> list[str]:
    return [*names(position), *(f"@{n}" for n in range(1, position["players"] + 1))]


def groups() -> list[str]:
    """Every way to write one or two victims."""
    return [*LETTERS, *("".join(pair) for pair in combinations_with_replacement(LETTERS, 2))]


def any_kill(position: Position, spend: int, two: bool, pairs_only: bool = False) -> bool:
    return any(
        can_kill(position, target, victims, spend, two)
        for target in targets(position)
        for victims in groups()
        if len(victims) == 2 or not pairs_only
    )


def iblis_has_effect(position: Position, payment: str) -> bool:
    """Is there a kill of two once the payment has left?"""
    left = fakirs(seat_of(position, position["to_act"])) - payment.count("f")
    return any_kill(position, left, two=True, pairs_only=True)
