"""The player `greedy`, in several variants: a one-turn look-ahead over the complete sowings.

Every distinct way to land is played out on an imagined state to the end of the turn, with the best tribe and tile
action after it. Ways are distinct if they differ in origin, last tile, tribe lifted, how many, or whether the tile is
emptied. A way is judged by the position's worth to the seat. A bid is worth the estimated value of the landing still
open at that place in the order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from arena.players.base import imagine
from arena.players.worth import TENT_PROMISE, Weights, next_city, worth
from arena.rules import Action, State, Stream, View, parse_action, settle
from arena.rules.components import ASSASSIN, BUILDER
from arena.rules.groups import UNITS, count, goods_in, group_size, tribes_of
from arena.rules.moves import Result, results
from arena.rules.notation import CAMEL, END, TENT
from arena.rules.sowing import has_carpet

MAX_RESULTS = 3000
"""Maximum number of results examined; large hands have far too many to examine them all."""
MAX_LANDINGS = 120
"""Maximum number of landings played out, most promising first."""
MAX_VICTIMS = 20
"""Maximum number of killings tried for each landing of assassins."""
OF_THE_TURN = ("control", "tribe", "item", "tile")
"""Phases that follow a sowing."""
OF_AN_ACTION = ("control", "item", "scimitar", "horn", "choose")
"""Phases that other actions lead to, and that only complete these actions."""
SUIT_WORTH_SELLING = 8
GOLD_TO_KEEP = 8
"""GC below which a seat sells goods so that it can bid."""


class Greedy:
    """A player that looks one turn ahead, by the seat's view alone."""

    def __init__(self, seed: bytes, weights: Weights) -> None:
        self._stream = Stream(seed)
        self._weights = weights

    def choose(self, view: View, legal: Sequence[str]) -> str | list[str]:
        """Return the action with the best position after it, or the actions of a whole sowing (`Player`)."""
        if len(legal) == 1:
            return legal[0]
        state = imagine(view, self._stream)
        if state.phase == "bid":
            return self._bid(state).text
        if state.phase == "control":
            return self._piece(state).text
        if state.phase in ("move", "sow"):
            landing = self._best_landing(state)
            if landing is not None:
                return [action.text for action in landing.actions]
        return self._best_action(state, [parse_action(text) for text in legal]).text

    def worth(self, state: State, seat: int) -> float:
        """Return the worth of a position to a seat, in VP."""
        return worth(state, seat, self._weights)

    # Sowing.

    def _landings(self, state: State) -> list[tuple[float, Result]]:
        """Return one result for each way to land, with a quick estimate, best first."""
        result_of: dict[tuple[int, int, int, int, bool], Result] = {}
        meeples = state.meeples
        for result in chain(islice(results(state), MAX_RESULTS), _flights(state)):
            origin, end, tribe, dropped = result[:4]
            group = (0 if end == origin else meeples[end]) + dropped[-1][1]
            lifted = count(group, tribe)
            result_of.setdefault((origin, end, tribe, lifted, lifted == group_size(group)), result)
        ranked = [(self._promise(state, *landing[1:]), result) for landing, result in result_of.items()]
        ranked.sort(key=lambda pair: -pair[0])
        return ranked[:MAX_LANDINGS]

    def _promise(self, state: State, end: int, tribe: int, lifted: int, emptied: bool) -> float:
        worth = (2.5, 2.8, 3.2, 0.0, 2.5, 3.0)[tribe] * lifted
        if tribe == BUILDER:
            worth = lifted * state.board.blue_around[end]
        if emptied and not state.owner_of(end):
            worth += state.board.tiles[end].value + 3 * state.palms[end] + 5 * state.palaces[end]
            if state.board.kind(end) == "city":
                worth += next_city(state, state.seats[state.to_act - 1])
        return worth

    def _best_landing(self, state: State) -> Result | None:
        best, best_value = None, float("-inf")
        for _, result in self._landings(state):
            value = self._value_of(state, result)
            if value > best_value:
                best, best_value = result, value
        return best

    def _value_of(self, state: State, result: Result) -> float:
        """Return the position's worth after the landing and the best rest of the turn."""
        seat = state.to_act
        for action in result.actions:
            state = state.play(action)
        state = self._finished(state, seat, OF_THE_TURN)
        return self.worth(state, seat) + self._stream.below(100) / 1000

    def _finished(self, state: State, seat: int, phases: Sequence[str]) -> State:
        """Return the state after the choices of these phases, each made for the best position directly after it."""
        while state.phase in phases:
            options = [action for action in state.legal if action.verb not in ("use", "item")]
            if state.phase == "tribe" and count(state.lifted, ASSASSIN):
                options = options[:MAX_VICTIMS]
            after = [self._after(state, action) for action in options]
            state = max(after, key=lambda state: self.worth(state, seat)) if len(after) > 1 else after[0]
        return state

    # Everything else.

    def _best_action(self, state: State, actions: Sequence[Action]) -> Action:
        """Return the action that leads to the best position. Selling waits for a good suit."""
        if state.phase == "sell":
            return self._sale(state, actions)
        return max(actions, key=lambda action: self._outlook(state, action))

    def _outlook(self, state: State, action: Action) -> float:
        """Return the position's worth after an action and the choices that complete it."""
        after = self._finished(self._after(state, action), state.to_act, OF_AN_ACTION)
        return self.worth(after, state.to_act)

    def _after(self, state: State, action: Action) -> State:
        return settle(state.play(action), self._stream)

    def _piece(self, state: State) -> Action:
        """Choose the tent if it is worth more here than it promises elsewhere.

        This does not play the choice out, because what follows may be hidden.
        """
        promise = 0.0 if state.ending else TENT_PROMISE
        return TENT if state.board.red_around[state.target] > promise else CAMEL

    def _sale(self, state: State, actions: Sequence[Action]) -> Action:
        mine = state.seats[state.to_act - 1]
        kinds = goods_in(mine.hand).bit_count()
        sales = [action for action in actions if action.verb == "sell"]
        uses = [action for action in actions if action.verb in ("use", "item")]
        if uses:
            best = max(uses, key=lambda action: self._outlook(state, action))
            if self._outlook(state, best) > self.worth(state, state.to_act):
                return best
        if sales and (kinds >= SUIT_WORTH_SELLING or (mine.gold < GOLD_TO_KEEP and kinds > 1)):
            return max(sales, key=lambda action: len(action.args))
        return END

    # Bidding.

    def _bid(self, state: State) -> Action:
        """Return the bid whose place in the order is worth most, less its price."""
        seat = state.to_act
        gold = state.seats[seat - 1].gold
        promises: list[float] = []
        ends: set[int] = set()
        for promise, result in self._landings(_as_if_moving(state)):
            if result.end not in ends:
                ends.add(result.end)
                promises.append(promise)
        promises = promises or [0.0]
        rivals = len(state.bid_order) - 1

        def value(action: Action) -> float:
            after = state.play(action)
            spot = int(action.args[0])
            ahead = sum(1 for marker in state.turn_track[:spot] if marker)
            # The later this spot, the more of the markers still to be placed will act before it.
            ahead_later = rivals * spot / len(state.turn_track)
            place = min(len(promises) - 1, round(ahead + ahead_later))
            price = gold - after.seats[seat - 1].gold
            fakirs = int(action.args[1])
            return promises[place] - price * self._weights.gold - 1.5 * fakirs

        return max(state.legal, key=value)


def _as_if_moving(state: State) -> State:
    """Return the same position with the bidder about to move, to see what the board offers."""
    moving = state.copy()
    moving.phase = "move"
    return moving


def _flights(state: State) -> Iterator[Result]:
    """Yield sowings whose last meeple flies on a carpet: for each origin and tribe, one way to drop the others."""
    if state.phase != "move" or not has_carpet(state):
        return
    for take in state.legal:
        if take.verb == "take":
            origin = int(take.args[0])
            for tribe in tribes_of(state.meeples[origin]):
                drops, after = _all_but_one(state.play(take), tribe)
                for action in after.legal:
                    if action.verb == "fly" and action.args[1] == tribe:
                        end = int(action.args[0])
                        yield Result(origin, end, tribe, ((end, UNITS[tribe]),), (take, *drops, action))


def _all_but_one(state: State, tribe: int) -> tuple[tuple[Action, ...], State]:
    """Return drops that leave one meeple of a tribe in hand, as far as possible, and the state after them."""
    drops: tuple[Action, ...] = ()
    while group_size(state.hand) > 1:
        spare = [
            action
            for action in state.legal
            if action.verb == "drop" and (action.args[1] != tribe or count(state.hand, tribe) > 1)
        ]
        if not spare:
            break
        drops, state = (*drops, spare[0]), state.play(spare[0])
    return drops, state
