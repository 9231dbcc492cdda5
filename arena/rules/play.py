"""Playing: what an action does, and the stages that follow it by themselves (rules 3, 6.8, 8.7–8.9).

A player turn is the list of stages below. An action writes its effect and puts the stages that follow on the agenda;
they run until a seat must decide, or until chance is due, which then goes on with the rest of the agenda.

    next_turn     the marker moves to the bid-order track; end triggers            → phase move
      take, drop …, fly                                                            → phase sow
    control       a camel or the tent on the emptied tile                          → phase control, where both are left
    tribe         viziers, elders, merchants and artisans by themselves            → phase tribe
      build, kill, spare
    draw_card     Kandicha's cards                                                 (chance: !shuffle)
    draw_items    what artisans find, Kandicha's item                              (chance: !shuffle)
    offer_items   one item alone is kept, of several the seat keeps one            → phase item
    control       the same on the tile emptied by an assassination                 → phase control
    tile          the palm or the palace, a city's whim, or the offer of the tile  → phase tile
      craft       draw_items, offer_items
    end_turn      after the sales: end triggers, the next marker or the clean-up   → phase sell before it
    refill_…      the two rows and the whims                                       (chance: !shuffle)
    next_round    powers are fresh, bidding begins                                 → phase bid

What is used on the way has stages of its own, and the turn then goes on in the phase that it was used in:

    claim, back         Leta and Utug: a camel or the tent                         → phase control
    draw_djinns         Sibittis                                                   → phase choose (chance: !shuffle)
    draw_meeples        Anun-Nak                                                   (chance: !bag)
    draw_card           Sloar                                                      (chance: !shuffle)
    control, slain      the scimitar, after each killing                           → phases control, scimitar
    draw_row, arrange   the horn, after each card named                            → phase horn (chance: !shuffle)

The flute stays in its phase until `done`. After every action, and the chance that it caused, whims are fulfilled.
"""

from __future__ import annotations

from collections.abc import Callable

from arena.rules import bidding, control, items, powers, selling, sowing, tiles, tribes
from arena.rules.components import DJINN_ROW, DRAWN_BY_ANUN_NAK, RESOURCE_ROW
from arena.rules.errors import PositionError
from arena.rules.groups import CARDS, UNITS, group_size
from arena.rules.notation import Action
from arena.rules.state import Due, State
from arena.rules.whims import fulfil, place_whims


def play(state: State, action: Action) -> State:
    """The state after a legal action, or after the chance event that is due."""
    draft = state.copy()
    PLAYS[action.verb](draft, action)
    while draft.agenda and draft.due is None and draft.phase != "control":
        (stage, arg), draft.agenda = draft.agenda[0], draft.agenda[1:]
        STAGES[stage](draft, arg)
    if draft.board.has_whims and draft.due is None:
        fulfil(draft)
    return draft


# Stages.


def next_turn(draft: State, _: int) -> None:
    """The first marker of the turn-order track acts; where none is left the round is over."""
    for spot, seat in enumerate(draft.turn_track):
        if seat:
            draft.turn_track = (*draft.turn_track[:spot], 0, *draft.turn_track[spot + 1 :])
            draft.bid_order += (seat,)
            draft.to_act = seat
            draft.phase = "move"
            evaluate_end(draft)
            return
    if draft.ending:
        draft.phase = "over"
        draft.to_act = 0
    else:
        draft.agenda = (("refill_resources", 0), ("refill_djinns", 0), ("refill_whims", 0), ("next_round", 0))


def end_turn(draft: State, _: int) -> None:
    evaluate_end(draft)
    draft.origin = draft.at = draft.came = -1
    draft.doubled = 0
    draft.item_used = False
    next_turn(draft, 0)


def evaluate_end(draft: State) -> None:
    """Set the end trigger, once: a last camel placed, or no legal move on the board (rules 3.5, 8.8, 8.18)."""
    if draft.ending is None:
        if not all(seat.camels or seat.tents for seat in draft.seats):
            draft.ending = "camels"
        elif not sowing.has_move(draft):
            draft.ending = "no-moves"


def refill_resources(draft: State, _: int) -> None:
    missing = RESOURCE_ROW - len(draft.row)
    draft.row += draft.deck[:missing]
    draft.deck = draft.deck[missing:]
    if len(draft.row) < RESOURCE_ROW and draft.discard:
        _shuffle(draft, "resources", ("refill_resources", 0))


def refill_djinns(draft: State, _: int) -> None:
    missing = DJINN_ROW - len(draft.djinn_row)
    draft.djinn_row += draft.djinn_deck[:missing]
    draft.djinn_deck = draft.djinn_deck[missing:]
    if len(draft.djinn_row) < DJINN_ROW and draft.djinn_discard:
        _shuffle(draft, "djinns", ("refill_djinns", 0))


def refill_whims(draft: State, _: int) -> None:
    place_whims(draft)


def back(draft: State, _: int) -> None:
    """After a power that took control of a tile the turn goes on in the phase it was used in."""
    draft.phase, draft.back = draft.back, ""
    powers.lapse(draft)


def untold(draft: State, _: int) -> None:
    """Where a position document does not say what follows: inside another action, in phase `control`."""
    raise PositionError("INCOMPLETE", "a position in phase 'control' inside another action does not say where to go on")


def next_round(draft: State, _: int) -> None:
    draft.round += 1
    for number, seat in enumerate(draft.seats, 1):
        if seat.used:
            mine = draft.own(number)
            mine.used, mine.spent = (), 0
    draft.phase = "bid"
    draft.to_act = draft.bid_order[0]


def draw_card(draft: State, seat: int) -> None:
    """A seat draws the top resource card, if there is any (R25)."""
    if draft.deck:
        draft.own(seat).hand += CARDS[draft.deck[0]]
        draft.deck = draft.deck[1:]
    elif draft.discard:
        _shuffle(draft, "resources", ("draw_card", seat))


def draw_djinns(draft: State, wanted: int) -> None:
    """Sibittis draws up to that many more Djinns."""
    drawn, draft.djinn_deck = draft.djinn_deck[:wanted], draft.djinn_deck[wanted:]
    draft.drawn += drawn
    if len(drawn) < wanted and draft.djinn_discard:
        _shuffle(draft, "djinns", ("draw_djinns", wanted - len(drawn)))


def draw_row(draft: State, wanted: int) -> None:
    """The horn draws up to that many more cards."""
    drawn, draft.deck = draft.deck[:wanted], draft.deck[wanted:]
    draft.drawn += drawn
    if len(drawn) < wanted and draft.discard:
        _shuffle(draft, "resources", ("draw_row", wanted - len(drawn)))


def draw_items(draft: State, wanted: int) -> None:
    """Artisans draw items: what is left of the pile, which is made anew only if it is empty at first (8.22)."""
    if draft.item_pile:
        draft.drawn, draft.item_pile = draft.item_pile[:wanted], draft.item_pile[wanted:]
    elif draft.item_discard:
        _shuffle(draft, "items", ("draw_items", wanted))


def draw_meeples(draft: State, tile: int) -> None:
    """Anun-Nak draws meeples from the bag onto a tile."""
    draft.due = Due("bag", min(DRAWN_BY_ANUN_NAK, group_size(draft.bag)))
    draft.agenda = (("draw_meeples", tile), *draft.agenda)


STAGES: dict[str, Callable[[State, int], None]] = {
    "next_turn": next_turn,
    "control": control.control,
    "claim": control.claim,
    "back": back,
    "untold": untold,
    "tribe": tribes.act,
    "draw_card": draw_card,
    "draw_djinns": draw_djinns,
    "draw_items": draw_items,
    "draw_row": draw_row,
    "offer_items": items.offer_items,
    "slain": items.slain,
    "arrange": items.arrange,
    "draw_meeples": draw_meeples,
    "tile": tiles.visit,
    "end_turn": end_turn,
    "refill_resources": refill_resources,
    "refill_djinns": refill_djinns,
    "refill_whims": refill_whims,
    "next_round": next_round,
}


# Chance.


def _shuffle(draft: State, pile: str, then: tuple[str, int]) -> None:
    draft.due = Due("shuffle", len(draft.discard_of(pile)), pile)
    draft.agenda = (then, *draft.agenda)


def play_shuffle(draft: State, event: Action) -> None:
    pile, cards = event.args[0], tuple(int(card) for card in event.args[1:])
    if pile == "resources":
        draft.deck, draft.discard = cards, ()
    elif pile == "djinns":
        draft.djinn_deck, draft.djinn_discard = cards, ()
    else:
        draft.item_pile, draft.item_discard = cards, ()
    draft.due = None


def play_bag(draft: State, event: Action) -> None:
    (_, tile), draft.agenda = draft.agenda[0], draft.agenda[1:]
    for tribe in event.args:
        draft.put(tile, int(tribe))
        draft.bag -= UNITS[int(tribe)]
    draft.due = None


PLAYS: dict[str, Callable[[State, Action], None]] = {
    "bid": bidding.play_bid,
    "take": sowing.play_take,
    "skip": sowing.play_skip,
    "drop": sowing.play_drop,
    "build": tribes.play_build,
    "kill": tribes.play_kill,
    "spare": tribes.play_spare,
    "palm": tiles.play_place,
    "palace": tiles.play_place,
    "buy": tiles.play_buy,
    "summon": tiles.play_summon,
    "pass": tiles.play_pass,
    "use": powers.play_use,
    "keep": items.play_keep,
    "sell": selling.play_sell,
    "end": selling.play_end,
    "camel": control.play_piece,
    "tent": control.play_piece,
    "craft": items.play_craft,
    "item": items.play_item,
    "slay": items.play_slay,
    "pull": items.play_pull,
    "done": items.play_done,
    "next": items.play_next,
    "fly": sowing.play_fly,
    "!bag": play_bag,
    "!shuffle": play_shuffle,
}
