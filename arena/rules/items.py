"""Artisans of Naqala: the seven magic items (rules 6.4, 6.8, 8.22).

Each magic item is a row of `MAGIC`: its possible uses and its effect. At most one is used per player turn. The carpet
has a verb of its own, `fly`, for the last drop of a sowing (sowing.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from arena.rules import notation
from arena.rules.components import (
    DJINNS,
    FLUTE,
    HORN,
    ITEM_NUMBER,
    ITEMS,
    LAMP,
    PULLS,
    RESOURCE_ROW,
    RESOURCES,
    RING,
    SCIMITAR,
    SLAYS,
    TALISMAN,
    TRIBES,
)
from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.geometry import tiles_of
from arena.rules.groups import UNITS, bit, count, group_size, tribes_of
from arena.rules.notation import DONE, TILE_NAMES, Action, listing_order
from arena.rules.powers import empty_tiles
from arena.rules.seat import Seat
from arena.rules.tiles import gain_djinn
from arena.rules.workshop import gain_items


class Magic(NamedTuple):
    """The rules of one magic item.

    `uses(state)` returns every use that has an effect. `work(draft, action)` applies the effect, once the token is
    discarded.
    """

    uses: Callable[[Draft], Iterable[Action]]
    work: Callable[[Draft, Action], None]


def list_items(state: Draft) -> list[Action]:
    """Return every use of a magic item that is legal now."""
    seat: Seat = state.seats[state.to_act - 1]
    if not seat.items or state.item_used:
        return []
    return sorted(
        [use for item in set(seat.items) if item in MAGIC for use in MAGIC[item].uses(state)], key=listing_order
    )


def check_item(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless the seat may use an item that it holds, and the use has an effect (6.4, 6.8)."""
    item = int(action.args[0])
    if state.item_used:
        raise IllegalAction("USED", "only one item can be used in a player turn", "6.4")
    if item not in state.seats[state.to_act - 1].items:
        raise IllegalAction("NO_SUCH_ITEM", f"you hold no {ITEMS[item].id}", "6.4")
    uses = tuple(MAGIC[item].uses(state))
    if not uses:
        raise IllegalAction("NO_EFFECT", f"the {ITEMS[item].id} would have no effect", "6.8")
    if action not in uses:
        raise IllegalAction("WRONG_TARGET", f"the {ITEMS[item].id} cannot be used like this: {action}", "6.8")


def play_item(draft: Draft, action: Action) -> None:
    """Discard the token and apply its effect."""
    item = int(action.args[0])
    draft.item_used = True
    if item == RING:
        # Discard the ring last, so that it cannot fetch itself.
        MAGIC[item].work(draft, action)
        draft.discard_item(item)
    else:
        draft.discard_item(item)
        MAGIC[item].work(draft, action)


def _lamp_uses(state: Draft) -> Iterable[Action]:
    return (notation.item(LAMP, DJINNS[djinn].id) for djinn in state.djinn_row)


def _lamp(draft: Draft, action: Action) -> None:
    djinn = next(djinn for djinn in draft.djinn_row if DJINNS[djinn].id == action.args[1])
    draft.djinn_row = tuple(other for other in draft.djinn_row if other != djinn)
    gain_djinn(draft, djinn)


def _talisman_uses(state: Draft) -> Iterable[Action]:
    seat: Seat = state.seats[state.to_act - 1]
    empty = tiles_of(empty_tiles(state))
    return (
        notation.item(TALISMAN, TILE_NAMES[tile], TILE_NAMES[to])
        for tile in tiles_of(seat.owned)
        if tile != seat.camp
        for to in empty
    )


def _talisman(draft: Draft, action: Action) -> None:
    tile, to = (notation.TILE_NUMBER[str(name)] for name in action.args[1:3])
    seat = draft.own(draft.to_act)
    seat.owned ^= bit(tile) | bit(to)
    if not draft.palms[tile] and not draft.palaces[tile]:
        draft.pieces ^= bit(tile)
    draft.pieces |= bit(to)


def _ring_uses(state: Draft) -> Iterable[Action]:
    return (notation.item(RING, ITEMS[item].id) for item in set(state.item_discard))


def _ring(draft: Draft, action: Action) -> None:
    item = ITEM_NUMBER[str(action.args[1])]
    place = draft.item_discard.index(item)
    draft.item_discard = (*draft.item_discard[:place], *draft.item_discard[place + 1 :])
    gain_items(draft, item)


# The scimitar.


def _scimitar_uses(state: Draft) -> Iterable[Action]:
    return (notation.item(SCIMITAR),) if any(state.holds) else ()


def _scimitar(draft: Draft, action: Action) -> None:
    draft.back, draft.left = draft.phase, min(SLAYS, _meeples_on_board(draft))
    draft.agenda = (("slain", 0),)


def slain(draft: Draft, _: int) -> None:
    """Run the stage before and after each killing: continue while a killing is still to come (8.27)."""
    if draft.left:
        draft.phase = "scimitar"
    else:
        draft.left = 0
        draft.return_to_phase()


def list_slays(state: Draft) -> list[Action]:
    """Return the killings in phase `scimitar`: one meeple of any tribe on any tile."""
    slays = [
        notation.slay(tile, tribe) for tile, group in enumerate(state.meeples) if group for tribe in tribes_of(group)
    ]
    return sorted(slays, key=listing_order)


def check_slay(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless such a meeple stands on the tile (6.8)."""
    tile, tribe = int(action.args[0]), int(action.args[1])
    if tile >= len(state.meeples) or not count(state.meeples[tile], tribe):
        raise IllegalAction("NO_SUCH_VICTIM", f"no {TRIBES[tribe]} stands on {TILE_NAMES[tile]}", "6.8")


def play_slay(draft: Draft, action: Action) -> None:
    """Put the meeple in the bag. The seat may take an emptied tile."""
    tile, tribe = int(action.args[0]), int(action.args[1])
    draft.remove(tile, UNITS[tribe])
    draft.bag += UNITS[tribe]
    draft.left = min(draft.left - 1, _meeples_on_board(draft))
    draft.agenda = (("control", tile), ("slain", 0))


def _meeples_on_board(state: Draft) -> int:
    return sum(group_size(group) for group in state.meeples)


# The flute.


def _flute_uses(state: Draft) -> Iterable[Action]:
    if state.phase != "move":
        return ()
    steps = state.board.geometry.steps
    return (
        notation.item(FLUTE, TILE_NAMES[tile])
        for tile, around in enumerate(steps)
        if any(state.meeples[other] for other in around)
    )


def _flute(draft: Draft, action: Action) -> None:
    draft.phase, draft.target, draft.left = "flute", notation.TILE_NUMBER[str(action.args[1])], PULLS


def list_pulls(state: Draft) -> list[Action]:
    """Return the pulls in phase `flute`: one meeple of any tribe on a tile around the target."""
    pulls = [
        notation.pull(tile, tribe)
        for tile in state.board.geometry.steps[state.target]
        for tribe in tribes_of(state.meeples[tile])
    ]
    return sorted(pulls, key=listing_order)


def list_done(state: Draft) -> tuple[Action, ...]:
    """Return `done` if at least one meeple was pulled."""
    return (DONE,) if state.left < PULLS else ()


def check_pull(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless such a meeple stands one step from the target (6.8)."""
    tile, tribe = int(action.args[0]), int(action.args[1])
    if tile not in state.board.geometry.steps[state.target]:
        raise IllegalAction("NOT_ADJACENT", f"{TILE_NAMES[tile]} is not a step from {TILE_NAMES[state.target]}", "6.8")
    if not count(state.meeples[tile], tribe):
        raise IllegalAction("NO_SUCH_MEEPLE", f"no {TRIBES[tribe]} stands on {TILE_NAMES[tile]}", "6.8")


def check_done(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless at least one meeple was pulled (6.8)."""
    if state.left == PULLS:
        raise IllegalAction("MUST_PULL", "the flute moves at least one meeple", "6.8")


def play_pull(draft: Draft, action: Action) -> None:
    """Move the meeple to the target. After the last pull, the turn goes on."""
    tile, tribe = int(action.args[0]), int(action.args[1])
    draft.remove(tile, UNITS[tribe])
    draft.put(draft.target, tribe)
    draft.left -= 1
    if not draft.left:
        play_done(draft, DONE)


def play_done(draft: Draft, action: Action) -> None:
    """Put the flute away and return to phase `move`."""
    draft.phase, draft.target, draft.left = "move", -1, 0


# The horn.


def _horn_uses(state: Draft) -> Iterable[Action]:
    return (notation.item(HORN),) if state.row or state.deck or state.discard else ()


def _horn(draft: Draft, action: Action) -> None:
    draft.discard += draft.row
    draft.row = draft.drawn = ()
    draft.back = draft.phase
    draft.agenda = (("draw_row", RESOURCE_ROW), ("arrange", 0))


def arrange(draft: Draft, _: int) -> None:
    """Run the stage before and after each card of the new row is named. The last card follows without a decision."""
    if len(draft.drawn) > 1:
        draft.phase = "horn"
        return
    draft.row += draft.drawn
    draft.drawn = ()
    draft.return_to_phase()


def list_nexts(state: Draft) -> list[Action]:
    """Return the cards that were drawn, each kind once."""
    return sorted((notation.next_card(card) for card in set(state.drawn)), key=listing_order)


def check_next(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless the card is one of those drawn (6.8)."""
    if action.args[0] not in state.drawn:
        left = ", ".join(RESOURCES[card] for card in state.drawn)
        raise IllegalAction("NO_SUCH_CARD", f"the cards left are {left}", "6.8")


def play_next(draft: Draft, action: Action) -> None:
    """Put the card next in the row."""
    place = draft.drawn.index(int(action.args[0]))
    draft.row += (draft.drawn[place],)
    draft.drawn = (*draft.drawn[:place], *draft.drawn[place + 1 :])
    draft.agenda = (("arrange", 0),)


MAGIC = {
    LAMP: Magic(_lamp_uses, _lamp),
    TALISMAN: Magic(_talisman_uses, _talisman),
    RING: Magic(_ring_uses, _ring),
    SCIMITAR: Magic(_scimitar_uses, _scimitar),
    FLUTE: Magic(_flute_uses, _flute),
    HORN: Magic(_horn_uses, _horn),
}
