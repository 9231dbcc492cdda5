"""Artisans of Naqala: items drawn and kept, and the workshop (rules 6.2 and 6.4)."""

from __future__ import annotations

from arena.rules import notation
from arena.rules.components import CRAFTING, DJINNS, ITEM_NUMBER, ITEMS
from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.notation import TILE_NAMES, Action, listing_order
from arena.rules.powers import keep_djinn, list_kept_djinns
from arena.rules.seat import Seat

# Getting items.


def gain_items(draft: Draft, *items: int) -> None:
    """Give the acting seat item tokens."""
    seat = draft.own(draft.to_act)
    seat.items += items


def offer_items(draft: Draft, wanted: int) -> None:
    """Run the stage after items were drawn: keep a single one; of several, the seat chooses one."""
    if len(draft.drawn) > 1:
        # `play_keep` goes on to the tile action.
        draft.phase, draft.agenda = "item", ()
        return
    gain_items(draft, *draft.drawn)
    draft.drawn = ()


def list_keeps(state: Draft) -> list[Action]:
    """Return what was drawn in phases `choose` and `item`, each kind once."""
    if state.phase == "choose":
        return list_kept_djinns(state)
    return sorted((notation.keep_item(item) for item in set(state.drawn)), key=listing_order)


def check_keep(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless the item or Djinn was drawn."""
    kinds, code, rule = (
        (ITEMS, "NO_SUCH_ITEM", "6.4") if state.phase == "item" else (DJINNS, "NO_SUCH_DJINN", "4 Sibittis")
    )
    names = [kinds[number].id for number in state.drawn]
    if action.args[0] not in names:
        raise IllegalAction(code, f"keep one of those drawn: {', '.join(names)}", rule)


def play_keep(draft: Draft, action: Action) -> None:
    """Gain what was kept, and discard the rest."""
    if draft.phase == "choose":
        keep_djinn(draft, str(action.args[0]))
        return
    item = ITEM_NUMBER[str(action.args[0])]
    place = draft.drawn.index(item)
    draft.item_discard += (*draft.drawn[:place], *draft.drawn[place + 1 :])
    draft.drawn = ()
    gain_items(draft, item)
    draft.agenda = (("tile", draft.at),)


# The workshop.


def list_crafts(state: Draft) -> list[Action]:
    """Return the payments at a workshop that the seat has, while items are left."""
    if state.board.kind(state.at) != "workshop" or not (state.item_pile or state.item_discard):
        return []
    seat: Seat = state.seats[state.to_act - 1]
    return [notation.craft(payment) for payment in CRAFTING if seat.can_pay(payment)]


def check_craft(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless this is a workshop, the seat has the payment, and items are left (6.2, 6.8)."""
    if state.board.kind(state.at) != "workshop":
        raise IllegalAction("WRONG_TILE", f"{TILE_NAMES[state.at]} is not a workshop", "6.2")
    if not (state.item_pile or state.item_discard):
        raise IllegalAction("NO_EFFECT", "no item is left", "6.8")
    if not state.seats[state.to_act - 1].can_pay(str(action.args[0])):
        raise IllegalAction("CANNOT_PAY", f"you cannot pay {action.args[0]} (p an Artisan, f a Fakir)", "6.2")


def play_craft(draft: Draft, action: Action) -> None:
    """Pay and draw an item."""
    draft.pay(draft.to_act, str(action.args[0]))
    draft.phase = "sell"
    draft.agenda = (("draw_items", 1), ("offer_items", 1))
