"""What a seat, or a spectator (seat 0), may see."""

from tests.kit.slow.board import Position, clone
from tests.kit.slow.tables import ITEMS


def view(position: Position, seat: int) -> Position:
    seen = clone(position)
    seen["view"] = seat
    if position["phase"] == "over":
        return seen
    for pile, part in (("resources", "deck"), ("djinns", "deck"), ("whims", "deck"), ("items", "pile")):
        if pile in seen:
            seen[pile][part] = len(seen[pile][part])
    for number, other in enumerate(seen["seats"], start=1):
        if number != seat:
            other["cards"] = sum(other["hand"].values())
            other["gold"] = other["hand"] = None
            if "items" in other:
                other["items"] = len(other["items"])
            if "whims" in other:
                other["whims"]["open"] = len(other["whims"]["open"])
    if position["phase"] in ("choose", "item") and position["to_act"] != seat:
        seen["turn"]["drawn"] = len(seen["turn"]["drawn"])
    return seen


def view_event(text: str, by: int = 0, seat: int = 0) -> str:
    """An event, a decision of seat `by` or chance, as `seat` may see it while the game runs."""
    words = text.split(" ")
    if words[0] == "!shuffle":
        return f"!shuffle {words[1]} {len(words) - 2}"
    if words[0] == "keep" and words[1] in ITEMS and by != seat:
        return "keep ?"
    return text
