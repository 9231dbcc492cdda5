"""The paid powers of the Djinns: `use`, and `keep` after Sibittis (rules 3.3, 4, 8.6, 8.13–8.17).

Each power is a row of `POWERS`: its possible targets, and its effect once it is paid.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from arena.rules import notation
from arena.rules.components import (
    ANUN_NAK,
    ASSASSIN,
    BOURAQ,
    BUILDER,
    DJINN_NUMBER,
    DJINNS,
    DRAWN_BY_SIBITTIS,
    ECHIDNA,
    ENKI,
    FAKIR,
    IBLIS,
    LETA,
    PLACEMENTS,
    PLACES,
    SIBITTIS,
    SLOAR,
    UTUG,
)
from arena.rules.draft import Draft
from arena.rules.errors import IllegalAction
from arena.rules.geometry import mask_of, tiles_of
from arena.rules.groups import bit, cards_of, count, group_size
from arena.rules.notation import Action
from arena.rules.seat import Seat
from arena.rules.sowing import has_move
from arena.rules.tiles import diversions, divert, gain_djinn, place_piece, supply
from arena.rules.tribes import killable_before

NOTHING = -1
"""Stands for the target of a power that needs none."""


class Power(NamedTuple):
    """The rules of one power.

    `targets(state, payment)` returns the tiles on which it can be used: `(NOTHING,)` if it needs none, and () if it
    would have no effect. `work(draft, action)` applies the effect.
    """

    targets: Callable[[Draft, str], Iterable[int]]
    work: Callable[[Draft, Action], None]


USABLE = mask_of(number for number, djinn in enumerate(DJINNS) if djinn.power == "use")
"""Djinns with a power to use, as a mask."""


def list_uses(state: Draft) -> list[Action]:
    """Return every use of a power that the acting seat can pay and that has an effect (R15)."""
    seat: Seat = state.seats[state.to_act - 1]
    usable: int = USABLE
    usable &= seat.has & ~seat.spent
    if not usable or not (seat.elders or cards_of(seat.hand, FAKIR)):
        return []
    djinn: int
    uses: list[Action] = []
    for djinn in seat.djinns:
        if usable >> djinn & 1:
            for payment in DJINNS[djinn].costs:
                if seat.can_pay(payment):
                    for target in POWERS[djinn].targets(state, payment):
                        uses.append(notation.use(djinn, payment, target))
                        if djinn in PLACES:
                            uses += [
                                notation.use(djinn, payment, target, diverted, to)
                                for diverted, to in diversions(state, PLACEMENTS[PLACES[djinn]], target, payment)
                            ]
    if uses:
        uses.sort(key=notation.listing_order)
    return uses


def check_use(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless the seat may use this power and can pay it, and it has an effect (3.3, 4, R15)."""
    djinn, payment, target, diverted, to = _use_args(action)
    name = DJINNS[djinn].id
    seat: Seat = state.seats[state.to_act - 1]
    if DJINNS[djinn].power != "use":
        raise IllegalAction("NO_POWER", f"{name} has no power to use", "8.6")
    if not seat.has >> djinn & 1:
        raise IllegalAction("NO_POWER", f"{name} is not yours", "3.3")
    if not seat.can_use(djinn):
        raise IllegalAction("USED", f"{name} was used this round", "3.3")
    if payment not in DJINNS[djinn].costs:
        raise IllegalAction("WRONG_PAYMENT", f"{name} takes {' or '.join(DJINNS[djinn].costs)}", "4")
    if not seat.can_pay(payment + diverted):
        raise IllegalAction("CANNOT_PAY", f"you cannot pay {payment + diverted} (w an Elder, f a Fakir)", "4")
    targets = tuple(POWERS[djinn].targets(state, payment))
    if not targets:
        raise IllegalAction("NO_EFFECT", f"{name} would have no effect", "R15")
    if target not in targets:
        raise IllegalAction("WRONG_TARGET", f"{name} cannot be used like this: {action}", "4")
    if to != NOTHING and (
        djinn not in PLACES or (diverted, to) not in diversions(state, PLACEMENTS[PLACES[djinn]], target, payment)
    ):
        raise IllegalAction("NO_POWER", f"the piece cannot be diverted like this: {action}", "8.4")


def play_use(draft: Draft, action: Action) -> None:
    """Pay, mark the Djinn as used and apply its power."""
    djinn, payment, _, _, _ = _use_args(action)
    draft.pay(draft.to_act, payment)
    draft.spend(draft.to_act, djinn)
    POWERS[djinn].work(draft, action)
    lapse(draft)


def lapse(draft: Draft) -> None:
    """Drop a compulsory placement if a power has taken the last piece of the supply (8.17)."""
    if draft.phase == "tile":
        piece = PLACEMENTS.get(draft.board.kind(draft.at))
        if piece is not None and not supply(draft, piece):
            draft.phase = "sell"


def back(draft: Draft, _: int) -> None:
    """Run the stage after Leta or Utug took control of a tile: return to the phase in which they were used."""
    draft.return_to_phase()
    lapse(draft)


def _use_args(action: Action) -> tuple[int, str, int, str, int]:
    djinn, payment, target, diverted, to = action.args
    return int(djinn), str(payment), int(target), str(diverted), int(to)


def empty_tiles(state: Draft) -> int:
    """Return the tiles with nothing on them: no camel, tent, meeple, palm or palace."""
    return state.board.geometry.passable & ~state.pieces & ~_peopled(state)


def _peopled(state: Draft) -> int:
    held = 0
    for tiles in state.holds:
        held |= tiles
    return held


def _anun_nak_targets(state: Draft, payment: str) -> Iterable[int]:
    return tiles_of(empty_tiles(state)) if state.bag else ()


def _anun_nak(draft: Draft, action: Action) -> None:
    draft.agenda = (("draw_meeples", _use_args(action)[2]),)


def _placing_targets(djinn: int) -> Callable[[Draft, str], Iterable[int]]:
    kind = PLACES[djinn]
    piece = PLACEMENTS[kind]
    return lambda state, payment: tiles_of(state.board.of_kind(kind)) if supply(state, piece) else ()


def _place(draft: Draft, action: Action) -> None:
    djinn, _, target, diverted, to = _use_args(action)
    piece = PLACEMENTS[PLACES[djinn]]
    if diverted:
        divert(draft, piece, diverted)
    place_piece(draft, piece, target if to == NOTHING else to)


def _echidna_targets(state: Draft, payment: str) -> Iterable[int]:
    if state.phase == "move":
        return (NOTHING,) if has_move(state) else ()
    builders = state.phase == "tribe" and count(state.lifted, BUILDER)
    return (NOTHING,) if builders and state.board.blue_around[state.at] else ()


def _iblis_targets(state: Draft, payment: str) -> Iterable[int]:
    if state.phase == "move":
        return (NOTHING,) if has_move(state) else ()
    assassins = count(state.lifted, ASSASSIN) if state.phase == "tribe" else 0
    return (NOTHING,) if assassins and _can_kill_two(state, assassins, payment.count("f")) else ()


def _can_kill_two(state: Draft, assassins: int, fakirs_paid: int) -> bool:
    reach = assassins + state.seats[state.to_act - 1].fakirs - fakirs_paid
    distance = state.board.geometry.distance[state.at]
    return any(group_size(killable_before(state, seat)) > 1 for seat in range(1, len(state.seats) + 1)) or any(
        group_size(meeples) > 1 and distance[tile] <= reach for tile, meeples in enumerate(state.meeples)
    )


def _double(draft: Draft, action: Action) -> None:
    draft.doubled |= bit(_use_args(action)[0])


def _leta_targets(state: Draft, payment: str) -> Iterable[int]:
    return tiles_of(empty_tiles(state)) if state.seats[state.to_act - 1].pieces else ()


def _utug_targets(state: Draft, payment: str) -> Iterable[int]:
    return tiles_of(_peopled(state) & ~state.pieces) if state.seats[state.to_act - 1].pieces else ()


def _take_control(draft: Draft, action: Action) -> None:
    draft.back = draft.phase
    draft.agenda = (("claim", _use_args(action)[2]), ("back", 0))


def _sibittis_targets(state: Draft, payment: str) -> Iterable[int]:
    return (NOTHING,) if state.djinn_deck or state.djinn_discard else ()


def _sibittis(draft: Draft, action: Action) -> None:
    draft.back, draft.phase = draft.phase, "choose"
    draft.agenda = (("draw_djinns", DRAWN_BY_SIBITTIS),)


def _sloar_targets(state: Draft, payment: str) -> Iterable[int]:
    return (NOTHING,) if state.deck or state.discard else ()


def _sloar(draft: Draft, action: Action) -> None:
    draft.agenda = (("draw_card", draft.to_act),)


POWERS = {
    ANUN_NAK: Power(_anun_nak_targets, _anun_nak),
    BOURAQ: Power(_placing_targets(BOURAQ), _place),
    ECHIDNA: Power(_echidna_targets, _double),
    ENKI: Power(_placing_targets(ENKI), _place),
    IBLIS: Power(_iblis_targets, _double),
    LETA: Power(_leta_targets, _take_control),
    SIBITTIS: Power(_sibittis_targets, _sibittis),
    SLOAR: Power(_sloar_targets, _sloar),
    UTUG: Power(_utug_targets, _take_control),
}


# Sibittis: choose which of the drawn Djinns to keep.


def list_kept_djinns(state: Draft) -> list[Action]:
    """Return a `keep` for each Djinn drawn."""
    return sorted((notation.keep(djinn) for djinn in state.drawn), key=notation.listing_order)


def keep_djinn(draft: Draft, name: str) -> None:
    """Give the seat the Djinn, and discard the others that were drawn."""
    djinn = DJINN_NUMBER[name]
    draft.djinn_discard += tuple(other for other in draft.drawn if other != djinn)
    draft.drawn = ()
    draft.return_to_phase()
    gain_djinn(draft, djinn)
