"""The player `greedy`, in several temperaments: a one-turn look-ahead over the complete sowings.

Every distinct way to land (origin, last tile, tribe lifted, how many, tile emptied) is played out on an imagined state
to the end of the turn, with the best tribe and tile action after it, and judged by what the position is then worth to
the seat. A bid is worth what moving earlier saves: the value of the landing still open at that place in the order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from arena.players.imagine import imagine
from arena.rules import Action, State, Stream, parse_action, score, settle
from arena.rules.components import ASSASSIN, BUILDER, ITEMS
from arena.rules.groups import count, goods_in, group_size
from arena.rules.moves import Result, results

MAGIC_ITEMS = tuple(number for number, item in enumerate(ITEMS) if not item.value)
MAX_RESULTS = 3000
"""Results looked at from one tile and hand; large hands have more than anybody can look at."""
MAX_LANDINGS = 120
"""Ways to land that are played out, the most promising first."""
MAX_VICTIMS = 20
"""Killings tried for each landing of assassins."""
CITY_PROMISE = 12.0
MAGIC_PROMISE = 2.0
WHIM_PROMISE = 4.0
"""VP that a city, a magic item or an open whim promises beyond what it is worth now."""
SUIT_WORTH_SELLING = 8
GOLD_TO_KEEP = 8
"""GC below which a seat sells what it has, to be able to bid."""


@dataclass(frozen=True)
class Temperament:
    """What a greedy player is fond of: factors on what each source of points is worth to it."""

    about: str
    viziers: float = 1.0
    elders: float = 1.0
    goods: float = 1.0
    land: float = 1.0
    djinns: float = 1.0
    gold: float = 1.0
    malice: float = 0.25
    """How much a point of the best other seat hurts."""


TEMPERAMENTS = {
    "greedy": Temperament("takes the turn that is worth most right away"),
    "greedy-vizier": Temperament("greedy, and fond of viziers", viziers=1.6),
    "greedy-mystic": Temperament("greedy, and fond of elders and Djinns", elders=1.7, djinns=1.5),
    "greedy-trader": Temperament("greedy, and fond of goods", goods=1.6),
    "greedy-settler": Temperament("greedy, and fond of land, palms and palaces", land=1.4),
    "greedy-builder": Temperament("greedy, and fond of gold", gold=1.3),
    "greedy-rival": Temperament("greedy, and minds what the others have", malice=0.7),
}


class Greedy:
    """Looks one turn ahead, on the seat's view alone."""

    def __init__(self, seed: bytes, temperament: Temperament) -> None:
        self._stream = Stream(seed)
        self._taste = temperament

    def choose(self, view: dict[str, Any], legal: Sequence[str]) -> str | list[str]:
        if len(legal) == 1:
            return legal[0]
        state = imagine(view, self._stream)
        if state.phase == "bid":
            return self._bid(state).text
        if state.phase in ("move", "sow"):
            landing = self._best_landing(state)
            if landing is not None:
                return [action.text for action in landing.actions]
        return self._best_action(state, [parse_action(text) for text in legal]).text

    # What a position is worth.

    def worth(self, state: State, seat: int) -> float:
        """VP now, by taste, with what the pieces promise, less what the best other seat has."""
        taste, mine, points = self._taste, state.seats[seat - 1], score(state, seat)
        kinds = goods_in(mine.hand).bit_count()
        worth = (
            taste.gold * points["gold"]
            + taste.viziers * points["viziers"]
            + taste.elders * (points["elders"] + 0.4 * min(mine.elders, 4))
            + taste.djinns * (points["djinns"] + 2.0 * len(mine.djinns))
            + taste.land * (points["tiles"] + points["palms"] + points["palaces"])
            + taste.goods * (points["goods"] + 1.2 * kinds)
            + points.get("artisans", 0)
            + points.get("items", 0)
            + MAGIC_PROMISE * sum(item in MAGIC_ITEMS for item in mine.items)
            + WHIM_PROMISE * len(mine.open)
            + 1.0 * min(mine.fakirs, 4)
            - 1.0 * (mine.pieces == 0)
        )
        others = [score(state, other)["total"] for other in range(1, len(state.seats) + 1) if other != seat]
        return worth - taste.malice * max(others)

    # Sowing.

    def _landings(self, state: State) -> list[tuple[float, Result]]:
        """One result for each way to land, with a quick estimate, best first."""
        ways: dict[tuple[int, int, int, int, bool], Result] = {}
        for result in islice(results(state), MAX_RESULTS):
            there = 0 if result.end == result.origin else state.meeples[result.end]
            group = there + result.dropped[-1][1]
            lifted = count(group, result.tribe)
            ways.setdefault((result.origin, result.end, result.tribe, lifted, lifted == group_size(group)), result)
        ranked = [(self._promise(state, *way[1:]), result) for way, result in ways.items()]
        ranked.sort(key=lambda pair: -pair[0])
        return ranked[:MAX_LANDINGS]

    def _promise(self, state: State, end: int, tribe: int, lifted: int, emptied: bool) -> float:
        worth = (2.5, 2.8, 3.2, 0.0, 2.5, 3.0)[tribe] * lifted
        if tribe == BUILDER:
            worth = lifted * state.board.blue_around[end]
        if emptied and not state.owner_of(end):
            worth += state.board.tiles[end].value + 3 * state.palms[end] + 5 * state.palaces[end]
            worth += CITY_PROMISE * (state.board.kind(end) == "city")
        return worth

    def _best_landing(self, state: State) -> Result | None:
        best, best_value = None, float("-inf")
        for _, result in self._landings(state):
            value = self._value_of(state, result)
            if value > best_value:
                best, best_value = result, value
        return best

    def _value_of(self, state: State, result: Result) -> float:
        """What the position is worth after the landing and the best that the rest of the turn offers."""
        seat = state.to_act
        for action in result.actions:
            state = state.play(action)
        while state.phase in ("control", "tribe", "item", "tile"):
            options = [action for action in state.legal if action.verb not in ("use", "item")]
            if state.phase == "tribe" and count(state.lifted, ASSASSIN):
                options = options[:MAX_VICTIMS]
            _, state = max(
                ((self.worth(after, seat), after) for after in (self._after(state, action) for action in options)),
                key=lambda pair: pair[0],
            )
        return self.worth(state, seat) + self._stream.below(100) / 1000

    # Everything else.

    def _best_action(self, state: State, actions: Sequence[Action]) -> Action:
        """The action after which the position is worth most; selling waits for a good suit."""
        seat = state.to_act
        if state.phase == "sell":
            return self._sale(state, actions)
        return max(actions, key=lambda action: self.worth(self._after(state, action), seat))

    def _after(self, state: State, action: Action) -> State:
        return settle(state.play(action), self._stream)

    def _sale(self, state: State, actions: Sequence[Action]) -> Action:
        mine = state.seats[state.to_act - 1]
        kinds = goods_in(mine.hand).bit_count()
        sales = [action for action in actions if action.verb == "sell"]
        uses = [action for action in actions if action.verb == "use"]
        if uses:
            best = max(uses, key=lambda action: self.worth(self._after(state, action), state.to_act))
            if self.worth(self._after(state, best), state.to_act) > self.worth(state, state.to_act):
                return best
        if sales and (kinds >= SUIT_WORTH_SELLING or (mine.gold < GOLD_TO_KEEP and kinds > 1)):
            return max(sales, key=lambda action: len(action.args))
        return actions[-1]

    # Bidding.

    def _bid(self, state: State) -> Action:
        """The bid whose place in the order is worth most after its price."""
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
            # A marker still to be placed comes before this one the more often the later this one stands.
            ahead_later = rivals * spot / len(state.turn_track)
            place = min(len(promises) - 1, round(ahead + ahead_later))
            price = gold - after.seats[seat - 1].gold
            fakirs = int(action.args[1])
            return promises[place] - price * self._taste.gold - 1.5 * fakirs

        return max(state.legal, key=value)


def _as_if_moving(state: State) -> State:
    """The same position with the bidder about to move, to look at what the board offers."""
    moving = state.copy()
    moving.phase = "move"
    return moving
