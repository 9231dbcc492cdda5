"""The tribe actions of the meeples lifted from the last tile (rules 3.2 T3, 4, 8.4, 8.5).

Viziers, Elders, Merchants and Artisans act without a decision. For Builders and Assassins the seat decides.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations_with_replacement

from arena.rules import notation
from arena.rules.components import (
    ARTISAN,
    ASSASSIN,
    BOAZ,
    BUILDER,
    ECHIDNA,
    ELDER,
    FAKIR,
    IBLIS,
    KANDICHA,
    MERCHANT,
    NEKIR,
    OTHERS_GAIN,
    OWN_GAIN,
    VIZIER,
)
from arena.rules.draft import Draft, Steps
from arena.rules.errors import IllegalAction
from arena.rules.groups import CARDS, UNITS, cards_of, count, format_group, group_size, hand_of, tribes_of, unit
from arena.rules.notation import KILL, SPARE, TILE_NAMES, TRIBES_BY_LETTER, Action, kill
from arena.rules.seat import Seat


def act(draft: Draft, tribe: int) -> None:
    """Run the stage of the tribe action: resolve it, or wait for a decision."""
    number = draft.to_act
    size = count(draft.lifted, tribe)
    if tribe in (BUILDER, ASSASSIN):
        draft.phase = "tribe"
        return
    seat = draft.own(number)
    if tribe == VIZIER:
        seat.viziers += size
    elif tribe == ELDER:
        seat.elders += size
    elif tribe == ARTISAN:
        seat.artisans += size
        draft.agenda = (("draw_items", size), ("offer_items", 0), *draft.agenda)
    elif tribe == MERCHANT:
        seat.hand += hand_of(draft.row[:size])
        draft.row = draft.row[size:]
        draft.bag += draft.lifted
    draft.lifted = 0
    draft.agenda = (*draft.agenda, ("tile", draft.at))


# Builders.


def earned(state: Draft, builders: int) -> int:
    """Return the GC for that many Builders (and Fakirs) on the tile of the last drop."""
    return builders * state.board.blue_around[state.at] * (2 if state.doubled >> ECHIDNA & 1 else 1)


@cache
def builds(fakirs: int) -> tuple[Action, ...]:
    """Return the choices of a seat with that many Fakirs."""
    return tuple(sorted([notation.build(number) for number in range(fakirs + 1)], key=notation.listing_order))


def list_builds(state: Draft) -> tuple[Action, ...]:
    """Return the choices with Builders lifted: any number of the Fakirs in hand."""
    if not count(state.lifted, BUILDER):
        return ()
    seat: Seat = state.seats[state.to_act - 1]
    return builds(cards_of(seat.hand, FAKIR))


def check_build(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless Builders are lifted and the Fakirs are in hand (3.2 T3)."""
    if not count(state.lifted, BUILDER):
        raise IllegalAction("WRONG_TRIBE", "the meeples lifted are not Builders", "3.2 T3")
    held = state.seats[state.to_act - 1].fakirs
    if int(action.args[0]) > held:
        raise IllegalAction("CANNOT_PAY", f"you hold {held} Fakirs, not {action.args[0]}", "3.2 T3")


def play_build(draft: Draft, action: Action) -> None:
    """Pay the seat its GC. Builders go to the bag, Fakirs to the discard."""
    fakirs = int(action.args[0])
    seat = draft.own(draft.to_act)
    seat.gold += earned(draft, count(draft.lifted, BUILDER) + fakirs)
    seat.hand -= fakirs * CARDS[FAKIR]
    draft.discard += (FAKIR,) * fakirs
    _finish(draft)


def _finish(draft: Draft) -> None:
    """Put the lifted meeples in the bag; the tile action follows."""
    draft.bag += draft.lifted
    draft.lifted = 0
    draft.agenda = (*draft.agenda, ("tile", draft.at))


# Assassins.


def list_kills(state: Draft) -> list[Action]:
    """Return every killing that the seat can pay for (8.5)."""
    assassins: int = count(state.lifted, ASSASSIN)
    if not assassins:
        return []
    kills = []
    pairs: bool = state.doubled >> IBLIS & 1 == 1
    for seat in range(1, len(state.seats) + 1):
        before = killable_before(state, seat)
        if before:
            for group in victims(before, pairs):
                kills.append(notation.kill_before(seat, group))
    distance: tuple[int, ...] = state.board.geometry.distance[state.at]
    acting: Seat = state.seats[state.to_act - 1]
    reach: int = assassins + cards_of(acting.hand, FAKIR)
    tile: int
    away: int
    meeples: int
    tribe: int
    for tile, meeples in enumerate(state.meeples):
        away = distance[tile]
        if meeples and away <= reach:
            if pairs and group_size(meeples) > 1:
                for group in victims(meeples, pairs):
                    kills.append(kill(tile, group))
            else:
                for tribe in TRIBES_BY_LETTER:
                    if count(meeples, tribe):
                        kills.append(KILL[tile][tribe])
    return kills


def list_spare(state: Draft) -> tuple[Action, ...]:
    """Return `spare` if no victim can be killed without spending Fakirs (R13, 8.5)."""
    assassins = count(state.lifted, ASSASSIN)
    return () if not assassins or must_kill(state, assassins) else (SPARE,)


def must_kill(state: Draft, assassins: int) -> bool:
    """Return whether that many assassins reach a victim without Fakirs."""
    if any([killable_before(state, seat) for seat in range(1, len(state.seats) + 1)]):  # noqa: C419 - no closure in C
        return True
    distance: tuple[int, ...] = state.board.geometry.distance[state.at]
    tile: int
    meeples: int
    for tile, meeples in enumerate(state.meeples):  # noqa: SIM110 - likewise
        if meeples and distance[tile] <= assassins:
            return True
    return False


def victims(group: int, pairs: bool) -> list[int]:
    """Return the groups that one action can kill out of a group: one meeple, or two with `pairs` if it has two (8.5).

    They are in the byte order of their letters, the order in which killings are listed.
    """
    if not pairs or group_size(group) < 2:
        return [UNITS[tribe] for tribe in TRIBES_BY_LETTER if count(group, tribe)]
    groups = [
        UNITS[one] + UNITS[two]
        for one, two in combinations_with_replacement(tribes_of(group), 2)
        if one != two or count(group, one) > 1
    ]
    return sorted(groups, key=format_group)


def killable_before(state: Draft, number: int) -> int:
    """Return the group in front of a seat from which the acting seat may kill.

    It is empty for the acting seat itself and for the owner of Boaz.
    """
    seat: Seat = state.seats[number - 1]
    if number == state.to_act or seat.has >> BOAZ & 1:
        return 0
    return seat.viziers * unit(VIZIER) + seat.elders * unit(ELDER) + seat.artisans * unit(ARTISAN)


def check_kill(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless Assassins are lifted and the victim is in range, unprotected (3.2 T3, R13, 8.5)."""
    tile, number, group = _kill_args(action)
    assassins = count(state.lifted, ASSASSIN)
    if not assassins:
        raise IllegalAction("WRONG_TRIBE", "the meeples lifted are not Assassins", "3.2 T3")
    if number:
        if not 1 <= number <= len(state.seats) or number == state.to_act:
            raise IllegalAction("NO_SUCH_VICTIM", f"seat {number} is not another seat of this game", "R13")
        if state.seats[number - 1].has >> BOAZ & 1:
            raise IllegalAction("PROTECTED", f"Boaz protects the meeples in front of seat {number}", "4 Boaz")
        present, where = killable_before(state, number), f"in front of seat {number}"
    else:
        if tile not in state.board.geometry.reading:
            raise IllegalAction("NO_SUCH_TILE", f"this board has no tile {TILE_NAMES[tile]}", "2.2")
        held = state.seats[state.to_act - 1].fakirs
        needed = state.board.geometry.distance[state.at][tile] - assassins
        if needed > held:
            raise IllegalAction(
                "OUT_OF_RANGE", f"{TILE_NAMES[tile]} is {needed} Fakirs out of range, but you hold {held}", "8.5"
            )
        present, where = state.meeples[tile], f"on {TILE_NAMES[tile]}"
    if group not in victims(present, state.doubled >> IBLIS & 1 == 1):
        raise IllegalAction(
            "NO_SUCH_VICTIM",
            f"{format_group(group)} cannot be killed {where}, where {format_group(present)} stand",
            "8.5",
        )


def check_spare(state: Draft, action: Action) -> None:
    """Raise `IllegalAction` unless Assassins are lifted and no victim is in range without Fakirs (R13)."""
    assassins = count(state.lifted, ASSASSIN)
    if not assassins:
        raise IllegalAction("WRONG_TRIBE", "the meeples lifted are not Assassins", "3.2 T3")
    if must_kill(state, assassins):
        raise IllegalAction("MUST_KILL", "a victim is in range without Fakirs, so killing is compulsory", "R13")


def play_spare(draft: Draft, action: Action) -> None:
    """Put the Assassins in the bag without killing."""
    _finish(draft)


def play_kill(draft: Draft, action: Action) -> None:
    """Put the victims in the bag, or where a Djinn of the seat sends them. The seat may take an emptied tile."""
    tile, number, group = _kill_args(action)
    killer = draft.to_act
    if number:
        victim = draft.own(number)
        victim.viziers -= count(group, VIZIER)
        victim.elders -= count(group, ELDER)
        victim.artisans -= count(group, ARTISAN)
    else:
        needed = max(0, draft.board.geometry.distance[draft.at][tile] - count(draft.lifted, ASSASSIN))
        if needed:
            draft.pay(killer, "f" * needed)
        draft.remove(tile, group)
        draft.agenda = (("control", tile),)
    seat: Seat = draft.seats[killer - 1]
    if seat.has >> KANDICHA & 1:
        group = _keep_by_kandicha(draft, tile, group)
    draft.bag += group
    draft.reward(NEKIR, killer, OWN_GAIN, OTHERS_GAIN)
    _finish(draft)


def _keep_by_kandicha(draft: Draft, tile: int, group: int) -> int:
    """Give Kandicha's gains for each victim. Return the victims that still go to the bag."""
    seat = draft.own(draft.to_act)
    viziers, elders, artisans = count(group, VIZIER), count(group, ELDER), count(group, ARTISAN)
    seat.viziers += viziers
    seat.elders += elders
    seat.artisans += artisans
    if builders := count(group, BUILDER):
        seat.gold += builders * draft.board.blue_around[tile]
    cards: Steps = (("draw_card", draft.to_act),) * count(group, MERCHANT)
    items: Steps = (("draw_items", 1), ("offer_items", 0)) * artisans
    draft.agenda = cards + items + draft.agenda
    return group - viziers * UNITS[VIZIER] - elders * UNITS[ELDER] - artisans * UNITS[ARTISAN]


def _kill_args(action: Action) -> tuple[int, int, int]:
    tile, number, group = action.args
    assert isinstance(tile, int)
    assert isinstance(number, int)
    assert isinstance(group, int)
    return tile, number, group
