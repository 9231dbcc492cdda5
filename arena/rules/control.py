"""Take control of a tile with a camel or the tent (rules 3.2 T2, 6.6, 6.8)."""

from __future__ import annotations

from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.groups import bit
from arena.rules.notation import CAMEL, TENT, Action
from arena.rules.seat import Seat


def control(draft: Draft, tile: int) -> None:
    """Run the stage after a drop or a killing: take an empty, free tile if a piece is left (R7, R8, R34)."""
    if not draft.meeples[tile] and not draft.owner_of(tile):
        claim(draft, tile)


def claim(draft: Draft, tile: int) -> None:
    """Place the piece that is left, if any. If both are left, let the seat choose."""
    seat: Seat = draft.seats[draft.to_act - 1]
    if seat.camels and seat.tents:
        draft.phase, draft.target = "control", tile
    elif seat.camels or seat.tents:
        _place(draft, tile, is_tent=not seat.camels)


def _place(draft: Draft, tile: int, is_tent: bool) -> None:
    seat = draft.own(draft.to_act)
    if is_tent:
        seat.tents -= 1
        seat.camp = tile
    else:
        seat.camels -= 1
    seat.owned |= bit(tile)
    draft.pieces |= bit(tile)


def list_camel(state: Draft) -> tuple[Action, ...]:
    """Return `camel`. In phase `control` both pieces are left, or the seat would not be asked."""
    return (CAMEL,)


def list_tent(state: Draft) -> tuple[Action, ...]:
    """Return `tent`, for the same reason as `list_camel`."""
    return (TENT,)


def check_piece(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless a piece of this kind is left (6.6)."""
    seat = state.seats[state.to_act - 1]
    if not (seat.camels if action == CAMEL else seat.tents):
        raise IllegalAction("NO_SUCH_PIECE", f"no {action} is left", "6.6")


def play_piece(draft: Draft, action: Action) -> None:
    """Take control of the target with the camel or the tent, and let the agenda continue."""
    tile, draft.target = draft.target, -1
    # Leave phase `control`, so that the stages on the agenda run. They set the phase that follows.
    draft.phase = "tile"
    _place(draft, tile, is_tent=action == TENT)
