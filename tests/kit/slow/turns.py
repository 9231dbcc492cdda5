"""Everything between decisions: the next marker, the end triggers, the clean-up."""

from collections.abc import Callable

from tests.kit.slow.board import Position, can_claim, names, tile_of
from tests.kit.slow.sowing import any_take
from tests.kit.slow.tables import DJINN_ROW, RESOURCE_ROW


def set_ending(position: Position) -> None:
    """Evaluate the end triggers. Once one is set, it stays."""
    if position["ending"] is not None:
        return
    if any(not can_claim(seat) for seat in position["seats"]):
        position["ending"] = "camels"
    elif not any_take(position):
        position["ending"] = "no-moves"


def begin_turn(position: Position) -> None:
    """Move the first marker of the turn track to the end of the bid order; its owner acts."""
    track = position["turn_track"]
    spot = min(i for i, marker in enumerate(track) if marker is not None)
    marker, track[spot] = track[spot], None
    position["bid_order"].append(marker)
    set_ending(position)
    position["phase"] = "move"
    position["to_act"] = marker
    position["turn"] = {}


def finish(position: Position) -> None:
    position["phase"] = "over"
    position["to_act"] = None
    position["turn"] = None


def clean_up(position: Position, draw: Callable[[str], str | None]) -> None:
    """Fill both rows and the cities, and begin the next round. `draw` takes the top card of a pile, if there is one."""
    for pile, full in (("resources", RESOURCE_ROW), ("djinns", DJINN_ROW)):
        row = position[pile]["row"]
        while len(row) < full:
            card = draw(pile)
            if card is None:
                break
            row.append(card)
    for name in names(position):
        tile = tile_of(position, name)
        if tile.get("whim", "") is None and position["whims"]["deck"]:
            tile["whim"] = position["whims"]["deck"].pop(0)
    for seat in position["seats"]:
        seat["used"] = []
    position["round"] += 1
    position["phase"] = "bid"
    position["to_act"] = position["bid_order"][0]
    position["turn"] = None
