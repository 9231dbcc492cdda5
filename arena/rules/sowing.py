"""Sowing: take every meeple of a tile and drop them one by one along a walk (rules 3.2 T1, T2 and 10).

There are three movement rules. Each drop lies next to the last one. No step goes straight back. The last meeple must
find one of its own tribe on its tile.

Whether a sowing can still be completed is decided without enumeration: the tables of `Geometry` say where a walk of the
steps left can end. It can be completed if such a tile holds a tribe in hand. It can also be completed if the walk can
cross its own track while a pair is in hand. The first meeple of the pair then waits there for the second (R5).
"""

from __future__ import annotations

from arena.rules.components import CARPET, MARID, OTHERS_GAIN, OWN_GAIN
from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.geometry import NOWHERE, Geometry, tiles_of
from arena.rules.groups import bit, count, format_group, group_size, tribes_of, unit
from arena.rules.notation import DROP, SKIP, TAKE, TILE_NAMES, TRIBES_BY_LETTER, Action, fly
from arena.rules.seat import Seat


def can_take(state: Draft, tile: int, carpet: bool = False) -> bool:
    """Return whether a tile has meeples that can be sown. With a carpet, the last one may fly."""
    group: int = state.meeples[tile]
    if not group:
        return False
    return _can_finish(state, group, tile, NOWHERE, ~bit(tile), -1) or (
        carpet and _can_fly(state, group, tile, NOWHERE, ~bit(tile), -1)
    )


def can_drop(state: Draft, tile: int, tribe: int, carpet: bool = False) -> bool:
    """Return whether a drop of a tribe in hand on a neighbouring tile leaves a sowing that can be completed."""
    return _can_go_on(state, tile, tribe, state.board.geometry.ends(tile, state.at, group_size(state.hand) - 1), carpet)


def _can_go_on(state: Draft, tile: int, tribe: int, ends: int, carpet: bool) -> bool:
    """Return the same as `can_drop`. `ends` are the tiles on which the sowing can end."""
    rest: int = state.hand - unit(tribe)
    if not rest:
        held: int = state.holds[tribe]
        return held >> tile & 1 == 1
    return _can_match(state, rest, tile, state.at, ends, tribe) or (
        carpet and _can_fly(state, rest, tile, state.at, -1, tribe)
    )


def has_carpet(state: Draft) -> bool:
    """Return whether the acting seat may drop its last meeple with a Flying Carpet (rules 6.4, 6.8)."""
    seat: Seat = state.seats[state.to_act - 1]
    return CARPET in seat.items and not state.item_used


def _can_fly(state: Draft, hand: int, at: int, came: int, kept: int, dropped: int) -> bool:
    """Return whether a hand can be sown with a carpet: its last meeple may fly to any tile of its tribe (rule 10)."""
    size = group_size(hand)
    if not state.board.geometry.ends(at, came, size - 1):
        return False
    tribes = tribes_of(hand)
    if size > len(tribes):
        return True
    return any([state.holds[tribe] & kept or tribe == dropped for tribe in tribes])  # noqa: C419 - no closure in C


def _can_finish(state: Draft, hand: int, at: int, came: int, kept: int, dropped: int) -> bool:
    """Return whether a hand can be sown from `at` on.

    Tiles outside `kept` are empty, and `at` has just received a meeple of the tribe `dropped`.
    """
    geometry: Geometry = state.board.geometry
    return _can_match(state, hand, at, came, geometry.ends(at, came, group_size(hand)) & kept, dropped)


def _can_match(state: Draft, hand: int, at: int, came: int, ends: int, dropped: int) -> bool:
    """Return whether a hand can be sown from `at` on to end on one of these tiles, on a meeple of its own tribe."""
    size: int = group_size(hand)
    tribe: int
    held: int
    kinds: int = 0
    for tribe, held in enumerate(state.holds):
        if count(hand, tribe):
            if ends & held or (tribe == dropped and ends >> at & 1):
                return True
            kinds += 1
    return size > kinds and state.board.geometry.can_loop(at, came, size)


def has_move(state: Draft) -> bool:
    """Return whether any tile of the board can be taken: end trigger (b) and the test for `skip`."""
    tile: int
    group: int
    for tile, group in enumerate(state.meeples):
        if group and _can_finish(state, group, tile, NOWHERE, ~bit(tile), -1):
            return True
    return False


def list_takes(state: Draft) -> list[Action]:
    """Return a `take` for each tile that can be taken."""
    carpet: bool = has_carpet(state)
    tile: int
    group: int
    takes = []
    for tile, group in enumerate(state.meeples):
        if group and (
            _can_finish(state, group, tile, NOWHERE, ~bit(tile), -1) or (carpet and can_take(state, tile, carpet))
        ):
            takes.append(TAKE[tile])
    return takes


def list_skip(state: Draft) -> tuple[Action, ...]:
    """Return `skip` if no tile can be taken without a carpet (8.20)."""
    return () if has_move(state) else (SKIP,)


def list_drops(state: Draft) -> list[Action]:
    """Return the next drops after which the sowing can still be completed."""
    carpet: bool = has_carpet(state)
    tile: int
    tribe: int
    ends: int
    geometry: Geometry = state.board.geometry
    left: int = group_size(state.hand) - 1
    drops = []
    for tile in geometry.steps[state.at]:
        if tile != state.came:
            ends = geometry.ends(tile, state.at, left)
            for tribe in TRIBES_BY_LETTER:
                if count(state.hand, tribe) and _can_go_on(state, tile, tribe, ends, carpet):
                    drops.append(DROP[tile][tribe])
    return drops


def list_flights(state: Draft) -> list[Action]:
    """Return the flights: with one meeple in hand and a carpet, every tile that holds its tribe."""
    if group_size(state.hand) != 1 or not has_carpet(state):
        return []
    (tribe,) = tribes_of(state.hand)
    return [fly(tile, tribe) for tile in tiles_of(state.holds[tribe])]


def check_fly(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless the last meeple flies on a carpet to a tile that holds its tribe (6.4, 6.8)."""
    tile, tribe = int(action.args[0]), int(action.args[1])
    if not has_carpet(state):
        raise IllegalAction("NO_SUCH_ITEM", "you hold no carpet, or an item was used this turn", "6.4")
    if state.hand != unit(tribe):
        raise IllegalAction(
            "NOT_IN_HAND", f"only the last meeple can fly, but the hand holds {format_group(state.hand)}", "6.8"
        )
    if not state.holds[tribe] >> tile & 1:
        raise IllegalAction("NO_MATCH", f"{TILE_NAMES[tile]} holds no meeple of the last meeple's tribe", "6.8")


def check_take(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless the tile has meeples from which a sowing can be completed (3.2 T1)."""
    tile = int(action.args[0])
    name = TILE_NAMES[tile]
    if tile not in state.board.geometry.reading:
        raise IllegalAction("NO_SUCH_TILE", f"this board has no tile {name}", "2.2")
    if not state.meeples[tile]:
        raise IllegalAction("EMPTY_TILE", f"{name} has no meeples to take", "3.2 T1")
    if not can_take(state, tile, has_carpet(state)):
        raise IllegalAction("NO_LAST_DROP", f"no sowing from {name} ends on a meeple of its own tribe", "3.2 T1")


def check_skip(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` if any tile can be taken (R2)."""
    if has_move(state):
        raise IllegalAction("MUST_MOVE", "a tile can be taken, so moving is compulsory", "R2")


def check_drop(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless the step does not go back and leaves a sowing that can be completed (3.2 T1, R4)."""
    tile, tribe = int(action.args[0]), int(action.args[1])
    name = TILE_NAMES[tile]
    if tile not in state.board.geometry.steps[state.at]:
        raise IllegalAction("NOT_ADJACENT", f"{name} is not a step from {TILE_NAMES[state.at]}", "3.2 T1")
    if tile == state.came:
        raise IllegalAction("BACKTRACK", f"{name} is where the last step came from", "R4")
    if not count(state.hand, tribe):
        raise IllegalAction("NOT_IN_HAND", f"the hand holds {format_group(state.hand)}", "3.2 T1")
    if not can_drop(state, tile, tribe, has_carpet(state)):
        if state.hand == unit(tribe):
            raise IllegalAction("NO_MATCH", f"{name} holds no meeple of the last meeple's tribe", "3.2 T1")
        raise IllegalAction(
            "NO_LAST_DROP", "after this drop, the last meeple can no longer land on one of its own tribe", "8"
        )


def play_take(draft: Draft, action: Action) -> None:
    """Take all meeples of the tile in hand."""
    tile = int(action.args[0])
    draft.hand = draft.meeples[tile]
    draft.remove(tile, draft.hand)
    draft.origin = draft.at = tile
    draft.came = NOWHERE
    draft.phase = "sow"


def play_skip(draft: Draft, action: Action) -> None:
    """End the moves of the turn; only selling is left."""
    draft.phase = "sell"


def play_fly(draft: Draft, action: Action) -> None:
    """Play the drop, and discard the carpet."""
    draft.discard_item(CARPET)
    draft.item_used = True
    play_drop(draft, action)


def play_drop(draft: Draft, action: Action) -> None:
    """Drop the meeple. After the last one, lift those of its tribe."""
    tile: int = int(action.args[0])
    tribe: int = int(action.args[1])
    draft.hand -= unit(tribe)
    draft.came, draft.at = draft.at, tile
    owner = draft.owner_of(tile)
    if owner:
        seat: Seat = draft.seats[owner - 1]
        if seat.has >> MARID & 1:
            draft.earn(owner, OWN_GAIN if owner == draft.to_act else OTHERS_GAIN)
    if draft.hand:
        draft.put(tile, tribe)
        return
    # The last meeple is not put down first: it is lifted with those of its tribe that it finds.
    found: int = count(draft.meeples[tile], tribe)
    draft.lifted = (found + 1) * unit(tribe)
    draft.remove(tile, found * unit(tribe))
    draft.agenda = (("control", tile), ("tribe", tribe))
