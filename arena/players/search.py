"""The search players: sowings are played out on an imagined state, and judged by what the round then still brings.

A decision has a fixed number of nodes, each a complete sowing played to the end of its turn. There is no clock: the
same seed and view give the same answer. Whatever the seat cannot know is imagined once for a decision (imagine.py).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from arena.players.auction import ahead, bids, picks
from arena.players.greedy import OF_THE_TURN, Greedy
from arena.players.outlook import margin, offers
from arena.players.worth import VARIANTS
from arena.rules import Action, State
from arena.rules.components import ASSASSIN
from arena.rules.geometry import NOWHERE, tiles_of
from arena.rules.groups import UNITS, count, profile, tribes_of
from arena.rules.moves import Result
from arena.rules.notation import DROP, END, TAKE


class Budget(NamedTuple):
    """What a search player looks at for one decision."""

    about: str
    """For people."""
    nodes: int
    """Sowings played out, for each seat of the game."""
    answered: int
    """After how many of the best sowings the best offers of every seat are played out."""
    replied: int = 0
    """After how many of these the next sowing is played."""


BUDGETS = {
    "search-1": Budget("looks at 3 sowings for each seat, and after 2 of them at what is left for the others", 3, 2),
    "search-2": Budget("looks at 8 sowings for each seat, and after 4 of them at what is left for the others", 8, 4),
    "search-3": Budget("as search-2, with 24 sowings and 6 of them, and plays on after the best 3", 24, 6, 3),
}
"""The search players by name."""
REPLY = 4
"""Sowings looked at for the next seat where it is played on."""
BEST = 6
"""Ways to sow that are tried more than once."""
LANDINGS = 6
"""Of each seat, how many ends of a sowing are played out where its offers count."""
VICTIMS = 4
"""Killings tried for a landing of assassins."""


class Target(NamedTuple):
    """A way to sow: from where, with what in hand, to end where and lift which tribe."""

    promise: float
    origin: int
    came: int
    hand: int
    end: int
    tribe: int
    before: tuple[Action, ...]


class Trial(NamedTuple):
    """A sowing played out, and its value in VP."""

    value: float
    sowing: Result
    target: Target
    after: State
    """At the end of the turn."""


class Search(Greedy):
    """Looks at as many sowings as its budget allows; what follows a sowing it decides as `Greedy`, by the margin."""

    def __init__(self, seed: bytes, budget: Budget) -> None:
        super().__init__(seed, VARIANTS["greedy"])
        self._budget = budget

    def worth(self, state: State, seat: int) -> float:
        """How far the seat stands above the others, in VP, at the end of the round if all goes on as estimated."""
        return self._ahead(state, seat, offers)

    # Sowing.

    def _best_landing(self, state: State) -> Result | None:
        """The best as estimated, of these the best with the offers played out, of these with the reply played."""
        seat, budget = state.to_act, self._budget
        tried = self._tried(state, budget.nodes * len(state.seats))
        if not tried:
            return super()._best_landing(state)
        answered = [
            trial._replace(value=self._ahead(trial.after, seat, self._offers)) for trial in tried[: budget.answered]
        ]
        answered.sort(key=lambda trial: -trial.value)
        if not budget.replied:
            return answered[0].sowing
        best = answered[: budget.replied]
        return max(best, key=lambda trial: trial.value + self._replied(trial.after, seat)).sowing

    def _tried(self, state: State, nodes: int) -> list[Trial]:
        """Two thirds are the ways to sow that promise most, the others the best of these with other drops."""
        first = (2 * nodes + 1) // 3
        tried = [self._try(state, target) for target in self._targets(state)[:first]]
        tried.sort(key=lambda trial: -trial.value)
        best = tried[:BEST]
        if best:
            tried += [self._try(state, best[number % len(best)].target) for number in range(nodes - first)]
            tried.sort(key=lambda trial: -trial.value)
        return tried

    def _try(self, state: State, target: Target) -> Trial:
        """One sowing of a target, played to the end of the turn."""
        sowing, seat = self._sowing(state, target), state.to_act
        for action in sowing.actions:
            state = state.play(action)
        state = self._finished(state, seat, OF_THE_TURN)
        return Trial(self.worth(state, seat), sowing, target, state)

    def _replied(self, state: State, seat: int) -> float:
        """What the position at the end of a turn is worth to a seat once the next sowing is played."""
        while state.phase == "sell":
            state = self._after(state, END)
        tried = self._tried(state, REPLY) if state.phase == "move" else []
        return self._ahead(tried[0].after if tried else state, seat, self._offers)

    def _ahead(self, state: State, seat: int, offered: Callable[[State, int], list[tuple[float, int, int]]]) -> float:
        """How far the seat stands above the others once the markers on the track have taken what they are offered."""
        value = margin(state, seat)
        if not state.is_over and state.phase != "bid":
            value += self._replies(state, seat, offered)
        return value

    def _replies(self, state: State, seat: int, offered: Callable[[State, int], list[tuple[float, int, int]]]) -> float:
        """What the markers still on the track promise the seat, less what they promise the others."""
        order = [other for other in state.turn_track if other]
        if not order:
            return 0.0
        found = [offered(state, number) if number in order else [] for number in range(1, len(state.seats) + 1)]
        return ahead(picks(order, found), seat)

    def _targets(self, state: State) -> list[Target]:
        """Every origin, end and tribe of a sowing whose last meeple finds its tribe there, most promising first."""
        geometry = state.board.geometry
        starts: list[tuple[int, int, int, tuple[Action, ...]]] = [(state.at, state.came, state.hand, ())]
        if state.phase == "move":
            starts = [(tile, NOWHERE, group, (TAKE[tile],)) for tile, group in enumerate(state.meeples) if group]
        promised = {(tile, tribe): gain for gain, tile, tribe in offers(state, state.to_act)}
        found = []
        for at, came, hand, before in starts:
            size, tribes, _ = profile(hand)
            ends = geometry.ends(at, came, size) & ~(1 << at if before else 0)
            for tribe in tribes:
                for end in tiles_of(ends & state.holds[tribe]):
                    found.append(Target(promised.get((end, tribe), 0.0), at, came, hand, end, tribe, before))
        found.sort(key=lambda target: -target.promise)
        return found

    def _sowing(self, state: State, target: Target) -> Result:
        """A walk to the end of a target, and what is dropped on it, at random."""
        geometry, hand = state.board.geometry, target.hand - UNITS[target.tribe]
        rest = self._stream.shuffle([tribe for tribe in tribes_of(hand) for _ in range(count(hand, tribe))])
        at, came, actions = target.origin, target.came, list(target.before)
        for left, tribe in zip(range(len(rest), -1, -1), [*rest, target.tribe], strict=True):
            steps = [to for to in geometry.steps[at] if to != came and geometry.ends(to, at, left) >> target.end & 1]
            at, came = steps[self._stream.below(len(steps))], at
            actions.append(DROP[at][tribe])
        return Result(target.origin, target.end, target.tribe, (), tuple(actions))

    def _finished(self, state: State, seat: int, phases: Sequence[str]) -> State:
        """As `Greedy`, with the killings that promise most."""
        while state.phase in phases:
            options = [action for action in state.legal if action.verb not in ("use", "item")]
            if state.phase == "tribe" and count(state.lifted, ASSASSIN):
                options = sorted(options, key=lambda action: -_killing(state, action))[:VICTIMS]
            after = [self._after(state, action) for action in options]
            state = max(after, key=lambda each: margin(each, seat)) if len(after) > 1 else after[0]
        return state

    # Bidding.

    def _bid(self, state: State) -> Action:
        return bids(state, [self._offers(state, seat) for seat in range(1, len(state.seats) + 1)])[0]

    def _offers(self, state: State, seat: int) -> list[tuple[float, int, int]]:
        """The best offers of a seat, played out."""
        before = margin(state, seat)
        found = [
            (self._landed(state, seat, tile, tribe) - before, tile, tribe)
            for _, tile, tribe in offers(state, seat)[:LANDINGS]
        ]
        found.sort(reverse=True)
        return found

    def _landed(self, state: State, seat: int, tile: int, tribe: int) -> float:
        """The margin of a seat after a sowing that ends so, whatever it leaves elsewhere."""
        draft = state.copy()
        draft.to_act, draft.phase, draft.hand, draft.origin, draft.at = seat, "sow", UNITS[tribe], tile, tile
        return margin(self._finished(draft.play(DROP[tile][tribe]), seat, OF_THE_TURN), seat)


def _killing(state: State, action: Action) -> float:
    """VP that a killing promises: a meeple in front of another seat, or a tile to be taken."""
    if action.verb != "kill":
        return 0.0
    tile, seat, group = action.args
    if seat:
        return 4.0
    assert isinstance(tile, int)
    if state.meeples[tile] != group or state.owner_of(tile):
        return 0.0
    return 1.0 + state.board.tiles[tile].value + 3 * state.palms[tile] + 5 * state.palaces[tile]
