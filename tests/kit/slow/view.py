"""The view of a seat, or of a spectator (seat 0)."""

from typing import Any

from tests.kit.slow.board import Position
from tests.kit.slow.tables import ITEMS


def view(position: Position, seat: int) -> Position:
    """Return the view of a seat. It shares its unchanged parts, such as the board, with the position."""
    seen = {**position, "view": seat}
    if position["phase"] == "over":
        return seen
    for pile, part in (("resources", "deck"), ("djinns", "deck"), ("whims", "deck"), ("items", "pile")):
        if pile in seen:
            seen[pile] = {**seen[pile], part: len(seen[pile][part])}
    seen["seats"] = [
        held if number == seat else _other_seat(held) for number, held in enumerate(position["seats"], start=1)
    ]
    if position["phase"] in ("choose", "item") and position["to_act"] != seat:
        seen["turn"] = {**seen["turn"], "drawn": len(seen["turn"]["drawn"])}
    return seen


def _other_seat(held: dict[str, Any]) -> dict[str, Any]:
    """Return the parts of a seat that the others see."""
    seen = {**held, "cards": sum(held["hand"].values()), "gold": None, "hand": None}
    if "items" in held:
        seen["items"] = len(held["items"])
    if "whims" in held:
        seen["whims"] = {**held["whims"], "open": len(held["whims"]["open"])}
    return seen


def view_event(text: str, by: int = 0, seat: int = 0) -> str:
    """Return an event, by seat `by` or by chance, as `seat` may see it while the game runs."""
    words = text.split(" ")
    if words[0] == "!shuffle":
        return f"!shuffle {words[1]} {len(words) - 2}"
    if words[0] == "keep" and words[1] in ITEMS and by != seat:
        return "keep ?"
    return text
