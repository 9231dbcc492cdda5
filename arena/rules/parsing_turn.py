"""Read the phase of a position: markers, whose turn it is, and the state of the turn (notation.md, Position)."""

from __future__ import annotations

from typing import Any

from arena.rules.components import (
    ASSASSIN,
    BUILDER,
    DJINN_NUMBER,
    ECHIDNA,
    IBLIS,
    ITEM_NUMBER,
    MARKERS,
    PLACEMENTS,
    PULLS,
    SLAYS,
)
from arena.rules.errors import PositionError
from arena.rules.fields import (
    read_cards,
    read_group,
    read_list,
    read_number,
    read_object,
    read_one_of,
    read_seat,
    read_tile,
)
from arena.rules.groups import bit, group_size, tribes_of
from arena.rules.notation import RESOURCE_NUMBER
from arena.rules.state import State
from arena.rules.tiles import supply

_TURN_KEYS: dict[str, tuple[str, ...]] = {
    "move": (),
    "sell": (),
    "sow": ("origin", "at", "hand"),
    "tribe": ("at", "lifted"),
    "tile": ("at",),
    "item": ("at",),
    "flute": (),
}
"""Keys of `turn` that remain after a phase's own reader has removed its keys."""
_BACK = ("move", "tribe", "tile", "sell")


def _phases(state: State) -> tuple[str, ...]:
    base = ("bid", "move", "sow", "tribe", "tile", "choose", "sell", "over")
    return (*base, "control", "item", "flute", "horn", "scimitar") if state.ruleset.artisans else base


def read_phase(state: State, fields: dict[str, Any]) -> None:
    """Read the phase, seat to act, tracks and `turn` into a state. Raise `PositionError` if they cannot occur."""
    state.phase = read_one_of(fields["phase"], _phases(state), "phase")
    state.bid_order = tuple(
        read_seat(state, seat, "bid_order") for seat in read_list(fields["bid_order"], "bid_order", int)
    )
    track = read_list(fields["turn_track"], "turn_track", object)
    if len(track) != len(state.turn_track):
        raise PositionError("BAD_TRACK", f"`turn_track` must have {len(state.turn_track)} entries")
    state.turn_track = tuple(0 if seat is None else read_seat(state, seat, "turn_track") for seat in track)
    seats = len(state.seats)
    markers = sorted([*state.bid_order, *[seat for seat in state.turn_track if seat]])
    if markers != [seat for seat in range(1, seats + 1) for _ in range(MARKERS[seats])]:
        raise PositionError("BAD_TRACK", "`bid_order` and `turn_track` must hold every marker exactly once")
    if state.phase == "bid":
        if not state.bid_order:
            raise PositionError("BAD_TRACK", "in phase 'bid', a marker must be waiting in `bid_order`")
        for group in state.ruleset.track.groups:
            filled = [bool(state.turn_track[spot]) for spot in group]
            if filled != sorted(filled, reverse=True):
                raise PositionError(
                    "BAD_TRACK", "markers on spots of one price must fill them from the first, without a gap"
                )
        state.to_act = state.bid_order[0]
    elif state.phase == "over":
        if any(state.turn_track):
            raise PositionError("BAD_TRACK", "when the game is over, `turn_track` must have no marker")
    elif not state.bid_order:
        raise PositionError("BAD_TRACK", "in a player turn, `bid_order` must end with the acting marker")
    else:
        state.to_act = state.bid_order[-1]
    if fields["to_act"] != (state.to_act or None):
        raise PositionError("BAD_TRACK", f"the markers require `to_act` to be {state.to_act or 'null'}")
    spent_camels = not all(seat.pieces for seat in state.seats)
    if (state.phase == "bid" and (state.ending or spent_camels)) or (state.phase == "over" and not state.ending):
        raise PositionError("BAD_POSITION", f"phase {state.phase!r} does not go with `ending` {state.ending!r}")
    _read_turn(state, fields["turn"])


def _read_turn(state: State, value: Any) -> None:
    if state.phase in ("bid", "over"):
        if value is not None:
            raise PositionError("BAD_TURN", f"`turn` must be null in phase {state.phase!r}")
        return
    turn = dict(read_object(value, "turn", None))
    doubled = read_cards(turn.pop("doubled", []), "turn.doubled", DJINN_NUMBER, "Djinn")
    acting = state.acting
    if doubled not in ((), (ECHIDNA,), (IBLIS,), (ECHIDNA, IBLIS)) or any(
        djinn not in acting.used for djinn in doubled
    ):
        raise PositionError("BAD_TURN", "`doubled` may hold echidna and iblis, if the acting seat has used them")
    state.doubled = sum(bit(djinn) for djinn in doubled)
    if turn.pop("item_used", None) not in ((None, True) if state.ruleset.artisans else (None,)):
        raise PositionError("BAD_TURN", "`item_used` must be true or absent; without Artisans it must be absent")
    state.item_used = bool(value.get("item_used"))
    phase: str = state.phase
    if phase in _READERS:
        _READERS[phase](state, turn)
        phase = state.back or phase
    following = turn.pop("next", None) if phase == "control" else None
    if phase == "control":
        phase = read_one_of(following, ("tribe", "tile"), "turn.next")
    came = turn.pop("from", None) if phase == "sow" else None
    read_object(turn, "turn", _TURN_KEYS[phase])
    geometry = state.board.geometry
    if "at" in turn:
        state.at = read_tile(state, turn["at"], "turn.at")
    if phase == "sow":
        state.origin = read_tile(state, turn["origin"], "turn.origin")
        state.hand = read_group(turn["hand"], "turn.hand")
        if came is not None:
            state.came = read_tile(state, came, "turn.from")
        if state.came not in (*geometry.steps[state.at], *((-1,) if state.at == state.origin else ())):
            raise PositionError(
                "BAD_TURN", "`turn.from` must be the tile before `turn.at`; right after `take` it must be absent"
            )
    if phase == "tribe":
        state.lifted = read_group(turn["lifted"], "turn.lifted")
        tribes = tribes_of(state.lifted)
        if len(tribes) != 1 or group_size(state.lifted) < 2:
            raise PositionError("BAD_TURN", "`turn.lifted` must be two or more meeples of one tribe")
        if following is None and tribes[0] not in (BUILDER, ASSASSIN):
            raise PositionError("BAD_TURN", "`turn.lifted` must be builders or assassins in phase 'tribe'")
    if following is not None:
        _follow_control(state, phase)
        return
    if phase == "tile" and (piece := PLACEMENTS.get(state.board.kind(state.at))) and not supply(state, piece):
        raise PositionError("BAD_TURN", f"this cannot occur: no {piece} is left to place on {turn['at']}")
    if not state.legal or not len(state.legal):
        raise PositionError("BAD_TURN", f"this cannot occur: seat {state.to_act} has no legal action")


# Phases with keys of their own.


def _read_choose(state: State, turn: dict[str, Any]) -> None:
    state.back = read_one_of(turn.pop("back", None), _BACK, "turn.back")
    state.drawn = read_cards(turn.pop("drawn", None), "turn.drawn", DJINN_NUMBER, "Djinn")


def _read_item(state: State, turn: dict[str, Any]) -> None:
    state.drawn = read_cards(turn.pop("drawn", None), "turn.drawn", ITEM_NUMBER, "item")
    if len(state.drawn) < 2:
        raise PositionError(
            "BAD_TURN", "`turn.drawn` must have two or more items: a single one is kept without a decision"
        )


def _read_horn(state: State, turn: dict[str, Any]) -> None:
    state.back = read_one_of(turn.pop("back", None), _BACK, "turn.back")
    state.drawn = read_cards(turn.pop("drawn", None), "turn.drawn", RESOURCE_NUMBER, "resource")
    if len(state.drawn) < 2:
        raise PositionError(
            "BAD_TURN", "`turn.drawn` must have two or more cards: the last one follows without a decision"
        )


def _read_scimitar(state: State, turn: dict[str, Any]) -> None:
    state.back = read_one_of(turn.pop("back", None), _BACK, "turn.back")
    state.left = read_number(turn.pop("left", None), "turn.left", least=1, most=SLAYS)


def _read_flute(state: State, turn: dict[str, Any]) -> None:
    state.target = read_tile(state, turn.pop("target", None), "turn.target")
    state.left = PULLS - read_number(turn.pop("pulls", None), "turn.pulls", most=PULLS - 1)


def _read_control(state: State, turn: dict[str, Any]) -> None:
    state.target = read_tile(state, turn.pop("target", None), "turn.target")
    acting = state.acting
    if not acting.camels or not acting.tents or state.owner_of(state.target):
        raise PositionError(
            "BAD_TURN", "phase 'control' needs a free tile, and both a camel and the tent left to place"
        )
    if "back" in turn:
        state.back = read_one_of(turn.pop("back"), _BACK, "turn.back")
        state.agenda = (("back", 0),)
        if "left" in turn:
            state.left = read_number(turn.pop("left"), "turn.left", most=SLAYS - 1)
            state.agenda = (("slain", 0),)


def _follow_control(state: State, phase: str) -> None:
    """Put the stages after a `control` on the agenda, unless a power or an item caused it."""
    if phase == "tile":
        state.agenda = (("tile", state.at),)
        return
    if state.at != state.target:
        raise PositionError(
            "BAD_TURN", "before the tribe action, `turn.target` must be the tile of the last drop, `turn.at`"
        )
    state.agenda = (("tribe", tribes_of(state.lifted)[0]),)


_READERS = {
    "choose": _read_choose,
    "item": _read_item,
    "horn": _read_horn,
    "scimitar": _read_scimitar,
    "flute": _read_flute,
    "control": _read_control,
}
