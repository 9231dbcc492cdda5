"""Draw from piles and from the bag, refill the rows, and ask for the chance events that this needs.

The rules are 3.4, 8.9 and 8.12. A stage that needs chance sets `due` and puts itself back on the agenda. It runs again
once the event is given.
"""

from __future__ import annotations

from collections import Counter
from typing import Literal

from arena.rules.components import DJINN_ROW, DRAWN_BY_ANUN_NAK, RESOURCE_ROW, TRIBES
from arena.rules.draft import Draft, Due, Stage
from arena.rules.errors import IllegalAction
from arena.rules.groups import CARDS, UNITS, count, group_size
from arena.rules.notation import PILES, Action, Pile

# Stages.


def refill_resources(draft: Draft, _: int) -> None:
    """Refill the row of resources to nine cards, as far as there are any (clean-up)."""
    draft.row += _draw(draft, "resources", RESOURCE_ROW - len(draft.row), "refill_resources")


def refill_djinns(draft: Draft, _: int) -> None:
    """Refill the row of Djinns to three cards, as far as there are any (clean-up)."""
    draft.djinn_row += _draw(draft, "djinns", DJINN_ROW - len(draft.djinn_row), "refill_djinns")


def draw_card(draft: Draft, seat: int) -> None:
    """Draw the top resource card for a seat, if there is one (R25)."""
    if draft.deck:
        mine = draft.own(seat)
        mine.hand += CARDS[draft.deck[0]]
        draft.deck = draft.deck[1:]
    elif draft.discard:
        _ask_shuffle(draft, "resources", "draw_card", seat)


def draw_djinns(draft: Draft, wanted: int) -> None:
    """Draw up to `wanted` more Djinns for Sibittis."""
    draft.drawn += _draw(draft, "djinns", wanted, "draw_djinns")


def draw_row(draft: Draft, wanted: int) -> None:
    """Draw up to `wanted` more cards for the horn."""
    draft.drawn += _draw(draft, "resources", wanted, "draw_row")


def draw_items(draft: Draft, wanted: int) -> None:
    """Draw up to `wanted` items for Artisans, from the pile alone.

    The discard is shuffled into a new pile only if the pile is empty (8.22).
    """
    if draft.item_pile:
        draft.drawn, draft.item_pile = draft.item_pile[:wanted], draft.item_pile[wanted:]
    elif draft.item_discard:
        _ask_shuffle(draft, "items", "draw_items", wanted)


def draw_meeples(draft: Draft, tile: int) -> None:
    """Ask for the meeples that Anun-Nak draws from the bag onto a tile."""
    draft.due = Due(min(DRAWN_BY_ANUN_NAK, group_size(draft.bag)))
    draft.agenda = (("draw_meeples", tile), *draft.agenda)


def _draw(draft: Draft, pile: Literal["resources", "djinns"], wanted: int, stage: Stage) -> tuple[int, ...]:
    """Draw up to `wanted` cards off the top. If the pile runs out, `stage` draws the rest after a shuffle."""
    if pile == "resources":
        drawn, draft.deck = draft.deck[:wanted], draft.deck[wanted:]
    else:
        drawn, draft.djinn_deck = draft.djinn_deck[:wanted], draft.djinn_deck[wanted:]
    if len(drawn) < wanted and draft.discard_of(pile):
        _ask_shuffle(draft, pile, stage, wanted - len(drawn))
    return drawn


def _ask_shuffle(draft: Draft, pile: Pile, then: Stage, arg: int) -> None:
    draft.due = Due(len(draft.discard_of(pile)), pile)
    draft.agenda = ((then, arg), *draft.agenda)


# Chance events.


def list_nothing(state: Draft) -> tuple[Action, ...]:
    """Return no action: no seat chooses a chance event."""
    return ()


def check_bag(state: Draft, event: Action) -> None:
    """Raise `IllegalAction` unless the event draws as many meeples as are due, all of them in the bag."""
    due = _due(state, event)
    drawn = Counter(event.args)
    if len(event.args) != due.count or any(number > count(state.bag, int(tribe)) for tribe, number in drawn.items()):
        held = "".join(TRIBES[int(tribe)] * count(state.bag, int(tribe)) for tribe in range(len(TRIBES)))
        raise IllegalAction(
            "WRONG_CHANCE", f"draw {due.count} of the meeples in the bag, which holds {held}", "4 Anun-Nak"
        )


def check_shuffle(state: Draft, event: Action) -> None:
    """Raise `IllegalAction` unless the event shuffles exactly the cards of the discard pile that is due."""
    pile = _due(state, event).pile
    assert pile is not None
    discard = state.discard_of(pile)
    if sorted(int(card) for card in event.args[1:]) != sorted(discard):
        cards = " ".join(PILES[pile][card] for card in discard)
        raise IllegalAction("WRONG_CHANCE", f"shuffle exactly the discard pile: {cards}", "8.12")


def _due(state: Draft, event: Action) -> Due:
    due = state.due
    if due is None:
        raise IllegalAction("NO_CHANCE_DUE", "no chance event is due: a seat must decide", "notation, Chance")
    if event.verb != f"!{due.kind}" or (due.pile is not None and event.args[0] != due.pile):
        raise IllegalAction("WRONG_CHANCE", f"the chance event that is due is {due}", "notation, Chance")
    return due


def play_bag(draft: Draft, event: Action) -> None:
    """Put the drawn meeples on the tile that the agenda names."""
    (_, tile), draft.agenda = draft.agenda[0], draft.agenda[1:]
    for tribe in event.args:
        draft.put(tile, int(tribe))
        draft.bag -= UNITS[int(tribe)]
    draft.due = None


def play_shuffle(draft: Draft, event: Action) -> None:
    """Make the shuffled discard pile the draw pile, top first."""
    pile, cards = event.args[0], tuple(int(card) for card in event.args[1:])
    if pile == "resources":
        draft.deck, draft.discard = cards, ()
    elif pile == "djinns":
        draft.djinn_deck, draft.djinn_discard = cards, ()
    else:
        draft.item_pile, draft.item_discard = cards, ()
    draft.due = None
