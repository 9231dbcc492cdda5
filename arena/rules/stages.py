"""The stages that follow an action without a decision (rules 3, 6.8, 8.7–8.9).

An action writes its effect and puts the stages that follow on the agenda. They run until a seat must decide or until
chance is due; after the chance event the rest of the agenda runs. A player turn is this list:

    next_turn     end triggers; the marker moves to the bid-order track            → phase move
      take, drop …, fly                                                            → phase sow
    control       a camel or the tent on the emptied tile                          → phase control, if both are left
    tribe         the effect of viziers, elders, merchants and artisans            → phase tribe, for others
      build, kill, spare
    draw_card     Kandicha's cards                                                 (chance: !shuffle)
    draw_items    the items of artisans, Kandicha's item                           (chance: !shuffle)
    offer_items   a single item is kept, of several the seat chooses one           → phase item
    control       the same on the tile emptied by an assassination                 → phase control
    tile          the palm or the palace, a city's whim, or the offer of the tile  → phase tile
      craft       draw_items, offer_items
    end_turn      after the sales: next_turn, or the clean-up of the round         → phase sell before it
    refill_…      the two rows and the whims                                       (chance: !shuffle)
    next_round    powers can be used again, bidding begins                         → phase bid

Powers and items have stages of their own, after which the turn goes on in the phase in which they were used:

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
from typing import Final

from arena.rules import control, draws, items, powers, tiles, tribes, whims, workshop
from arena.rules.draft import Draft, Stage, replaced
from arena.rules.seat import Seat
from arena.rules.sowing import has_move


def run_stages(draft: Draft) -> None:
    """Run the agenda until a seat must decide or chance is due. Then pay fulfilled whims."""
    agenda: tuple[tuple[Stage, int], ...] = draft.agenda
    while agenda and draft.due is None and draft.phase != "control":
        stage, arg = agenda[0]
        draft.agenda = agenda[1:]
        STAGES[stage](draft, arg)
        agenda = draft.agenda
    if draft.board.has_whims and draft.due is None:
        whims.fulfil(draft)


def next_turn(draft: Draft, _: int) -> None:
    """Evaluate the end triggers. Then the first marker on the turn-order track acts; without one, the round is over."""
    evaluate_end(draft)
    spot: int
    seat: int
    for spot, seat in enumerate(draft.turn_track):
        if seat:
            draft.turn_track = replaced(draft.turn_track, spot, 0)
            draft.bid_order += (seat,)
            draft.to_act = seat
            draft.phase = "move"
            return
    if draft.ending:
        draft.phase = "over"
        draft.to_act = 0
    else:
        draft.agenda = (("refill_resources", 0), ("refill_djinns", 0), ("refill_whims", 0), ("next_round", 0))


def end_turn(draft: Draft, _: int) -> None:
    """Clean up after the turn, then begin the next one."""
    draft.origin = draft.at = draft.came = -1
    draft.doubled = 0
    draft.item_used = False
    next_turn(draft, 0)


def has_pieces(draft: Draft) -> bool:
    """Return whether every seat has a camel or a tent left."""
    seat: Seat
    for seat in draft.seats:  # noqa: SIM110 - no closure in C
        if not seat.camels and not seat.tents:
            return False
    return True


def evaluate_end(draft: Draft) -> None:
    """Set the end trigger, once: a last camel placed, or no legal move on the board (rules 3.5, 8.8, 8.18)."""
    if draft.ending is None:
        if not has_pieces(draft):
            draft.ending = "camels"
        elif not has_move(draft):
            draft.ending = "no-moves"


def refill_whims(draft: Draft, _: int) -> None:
    """Put a whim on each city that has none, while the deck lasts (clean-up)."""
    whims.place_whims(draft)


def next_round(draft: Draft, _: int) -> None:
    """Make every power usable again, and let the first marker of the bid-order track bid."""
    draft.round += 1
    seat: Seat
    for number, seat in enumerate(draft.seats, 1):
        if seat.used:
            mine = draft.own(number)
            mine.used, mine.spent = (), 0
    draft.phase = "bid"
    draft.to_act = draft.bid_order[0]


STAGES: Final[dict[Stage, Callable[[Draft, int], None]]] = {
    "next_turn": next_turn,
    "control": control.control,
    "claim": control.claim,
    "back": powers.back,
    "tribe": tribes.act,
    "draw_card": draws.draw_card,
    "draw_djinns": draws.draw_djinns,
    "draw_items": draws.draw_items,
    "draw_row": draws.draw_row,
    "draw_meeples": draws.draw_meeples,
    "offer_items": workshop.offer_items,
    "slain": items.slain,
    "arrange": items.arrange,
    "tile": tiles.visit,
    "end_turn": end_turn,
    "refill_resources": draws.refill_resources,
    "refill_djinns": draws.refill_djinns,
    "refill_whims": refill_whims,
    "next_round": next_round,
}
