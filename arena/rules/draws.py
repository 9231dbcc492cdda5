"""Drawing from piles and from the bag, refilling the rows, and the chance events this causes (rules 3.4, 8.9, 8.12).

A stage that needs chance sets `due` and puts itself back on the agenda; it runs again once the event is given.
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
    """Clean-up: the row of resources has nine cards again, as long as there are any."""
    draft.row += _draw(draft, "resources", RESOURCE_ROW - len(draft.row), "refill_resources")


def refill_djinns(draft: Draft, _: int) -> None:
    """Clean-up: the row of Djinns has three cards again, as long as there are any."""
    draft.djinn_row += _draw(draft, "djinns", DJINN_ROW - len(draft.djinn_row), "refill_djinns")


def draw_card(draft: Draft, seat: int) -> None:
    """A seat draws the top resource card, if there is any (R25)."""
    if draft.deck:
        mine = draft.own(seat)
        mine.hand += CARDS[draft.deck[0]]
        draft.deck = draft.deck[1:]
    elif draft.discard:
        _ask_shuffle(draft, "resources", "draw_card", seat)


def draw_djinns(draft: Draft, wanted: int) -> None:
    """Sibittis draws up to that many more Djinns."""
    draft.drawn += _draw(draft, "djinns", wanted, "draw_djinns")


def draw_row(draft: Draft, wanted: int) -> None:
    """The horn draws up to that many more cards."""
    draft.drawn += _draw(draft, "resources", wanted, "draw_row")


def draw_items(draft: Draft, wanted: int) -> None:
    """Artisans draw items: what is left of the pile. Only an empty pile is made from the discard (8.22)."""
    if draft.item_pile:
        draft.drawn, draft.item_pile = draft.item_pile[:wanted], draft.item_pile[wanted:]
    elif draft.item_discard:
        _ask_shuffle(draft, "items", "draw_items", wanted)


def draw_meeples(draft: Draft, tile: int) -> None:
    """Anun-Nak draws meeples from the bag onto a tile."""
    draft.due = Due(min(DRAWN_BY_ANUN_NAK, group_size(draft.bag)))
    draft.agenda = (("draw_meeples", tile), *draft.agenda)


def _draw(draft: Draft, pile: Literal["resources", "djinns"], wanted: int, stage: Stage) -> tuple[int, ...]:
    """Up to that many cards off the top; if the pile runs out, `stage` runs again for the rest after a shuffle."""
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
    """No action: a seat does not choose a chance event."""
    return ()


def check_bag(state: Draft, event: Action) -> None:
    """As many meeples as are due, all of them in the bag."""
    due = _due(state, event)
    drawn = Counter(event.args)
    if len(event.args) != due.count or any(number > count(state.bag, int(tribe)) for tribe, number in drawn.items()):
        held = "".join(TRIBES[int(tribe)] * count(state.bag, int(tribe)) for tribe in range(len(TRIBES)))
        raise IllegalAction("WRONG_CHANCE", f"draw {due.count} of the meeples in the bag, {held}", "4 Anun-Nak")


def check_shuffle(state: Draft, event: Action) -> None:
    """The cards of the discard pile that is due, in any order."""
    pile = _due(state, event).pile
    assert pile is not None
    discard = state.discard_of(pile)
    if sorted(int(card) for card in event.args[1:]) != sorted(discard):
        cards = " ".join(PILES[pile][card] for card in discard)
        raise IllegalAction("WRONG_CHANCE", f"shuffle exactly the discard pile: {cards}", "8.12")


def _due(state: Draft, event: Action) -> Due:
    due = state.due
    if due is None:
        raise IllegalAction("NO_CHANCE_DUE", "no chance is due: a decision is", "notation, Chance")
    if event.verb != f"!{due.kind}" or (due.pile is not None and event.args[0] != due.pile):
        raise IllegalAction("WRONG_CHANCE", f"the chance that is due is {due}", "notation, Chance")
    return due


def play_bag(draft: Draft, event: Action) -> None:
    """Put the drawn meeples on the tile that the agenda names."""
    (_, tile), draft.agenda = draft.agenda[0], draft.agenda[1:]
    for tribe in event.args:
        draft.put(tile, int(tribe))
        draft.bag -= UNITS[int(tribe)]
    draft.due = None


def play_shuffle(draft: Draft, event: Action) -> None:
    """The discard pile becomes the draw pile, top first."""
    pile, cards = event.args[0], tuple(int(card) for card in event.args[1:])
    if pile == "resources":
        draft.deck, draft.discard = cards, ()
    elif pile == "djinns":
        draft.djinn_deck, draft.djinn_discard = cards, ()
    else:
        draft.item_pile, draft.item_discard = cards, ()
    draft.due = None
