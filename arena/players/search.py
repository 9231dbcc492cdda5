"""The search players: they play sowings out on an imagined state and judge them by what the round still brings."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from arena.players.auction import ahead, bids, picks, ranked
from arena.players.greedy import OF_THE_TURN, Greedy
from arena.players.outlook import left, margin, offers, standing
from arena.players.rounds import acting, gains_by_place
from arena.players.worth import VARIANTS
from arena.rules import Action, State
from arena.rules.components import ASSASSIN
from arena.rules.geometry import NOWHERE, tiles_of
from arena.rules.groups import UNITS, count, profile, tribes_of
from arena.rules.moves import Result
from arena.rules.notation import DROP, TAKE


class Budget(NamedTuple):
    """The number of sowings and orders that a search player examines for one decision."""

    about: str
    """Description for people."""
    nodes: int
    """Number of sowings played out, for each seat of the game."""
    orders: int = 0
    """Minimum number of orders of the markers in which the round is played out before a bid; 0 for offers instead."""
    lines: int = 0
    """With two players, number of best sowings after which the round is played out before one is chosen."""


BUDGETS = {
    "search-1": Budget("looks at 5 sowings for each seat, and at what the markers still on the track can take", 5),
    "search-2": Budget("as search-1, with 32 sowings for each seat", 32),
    "search-3": Budget(
        "as search-1, with 72 sowings for each seat, and plays out the round before it bids; "
        "with two players also after its best sowings",
        72,
        30,
        12,
    ),
}
"""Budget of each search player, by name."""
TURN = 6
"""Number of sowings examined for each turn when a round is played out before a bid."""
REPLY = 10
"""Number of sowings examined for each turn when a round is played out after a sowing."""
ALIKE = 2
"""Maximum number of sowings of one target after which the round is played out."""
BEST = 6
"""Number of targets that are tried more than once."""
LANDINGS = 6
"""Number of ends of a sowing played out for each seat before a bid."""
VICTIMS = 4
"""Number of killings tried for a landing of assassins."""


class Target(NamedTuple):
    """A way to sow: the origin, the hand, the end, and the tribe lifted there."""

    promise: float
    origin: int
    came: int
    hand: int
    end: int
    tribe: int
    before: tuple[Action, ...]


class SowingTrial(NamedTuple):
    """A sowing played out, and its value in VP."""

    value: float
    sowing: Result
    target: Target
    after: State
    """State at the end of the turn."""


class Search(Greedy):
    """A player that examines as many sowings as its budget allows.

    Decisions after a sowing are those of `Greedy`, judged by the margin.
    """

    def __init__(self, seed: bytes, budget: Budget) -> None:
        super().__init__(seed, VARIANTS["greedy"])
        self._budget = budget

    def worth(self, state: State, seat: int) -> float:
        """Return the seat's lead in VP over the mean of the others, after markers on the track take their offers."""
        value = margin(state, seat)
        order = [] if state.is_over or state.phase == "bid" else [other for other in state.turn_track if other]
        if order:
            offers_of = [offers(state, number) if number in order else [] for number in range(1, len(state.seats) + 1)]
            value += ahead(picks(order, offers_of), seat)
        return value

    # Sowing.

    def _best_landing(self, state: State) -> Result | None:
        tried = self._tried(state, self._budget.nodes * len(state.seats))
        if not tried:
            return super()._best_landing(state)
        if not self._budget.lines or len(state.seats) > 2:
            return tried[0].sowing
        seat = state.to_act
        return max(self._different(tried), key=lambda trial: trial.value + self._played_out(trial.after, seat)).sowing

    def _different(self, tried: list[SowingTrial]) -> list[SowingTrial]:
        """Return the best trials, at most `ALIKE` of each target."""
        number = Counter[Target]()
        chosen = []
        for trial in tried:
            number[trial.target] += 1
            if number[trial.target] <= ALIKE:
                chosen.append(trial)
        return chosen[: self._budget.lines]

    def _played_out(self, state: State, seat: int) -> float:
        """Return the seat's margin after the turns of the markers on the track, with few sowings examined in each."""
        order = tuple([other for other in state.turn_track if other])
        for number, other in enumerate(order, start=1):
            if state.is_over:
                break
            tried = self._tried(acting(state, other, order[number:]), REPLY)
            if tried:
                state = tried[0].after
        return margin(state, seat)

    def _tried(self, state: State, nodes: int) -> list[SowingTrial]:
        """Return `nodes` trials, best first.

        Two thirds of them are the most promising targets. The rest repeat the best of these with other drops.
        """
        first = (2 * nodes + 1) // 3
        tried = [self._try(state, target) for target in self._targets(state)[:first]]
        tried.sort(key=lambda trial: -trial.value)
        best = tried[:BEST]
        if best:
            tried += [self._try(state, best[number % len(best)].target) for number in range(nodes - first)]
            tried.sort(key=lambda trial: -trial.value)
        return tried

    def _try(self, state: State, target: Target) -> SowingTrial:
        """Play one sowing of a target to the end of the turn."""
        sowing, seat = self._sowing(state, target), state.to_act
        for action in sowing.actions:
            state = self._after(state, action)
        state = self._finished(state, seat, OF_THE_TURN)
        return SowingTrial(self.worth(state, seat), sowing, target, state)

    def _targets(self, state: State) -> list[Target]:
        """Return every origin, end and tribe of a sowing whose end already holds that tribe, most promising first."""
        geometry = state.board.geometry
        starts: list[tuple[int, int, int, tuple[Action, ...]]] = [(state.at, state.came, state.hand, ())]
        if state.phase == "move":
            starts = [(tile, NOWHERE, group, (TAKE[tile],)) for tile, group in enumerate(state.meeples) if group]
        promised = {(tile, tribe): gain for gain, tile, tribe in offers(state, state.to_act)}
        targets = []
        for at, came, hand, before in starts:
            size, tribes, _ = profile(hand)
            ends = geometry.ends(at, came, size) & ~(1 << at if before else 0)
            for tribe in tribes:
                for end in tiles_of(ends & state.holds[tribe]):
                    targets.append(Target(promised.get((end, tribe), 0.0), at, came, hand, end, tribe, before))
        targets.sort(key=lambda target: -target.promise)
        return targets

    def _sowing(self, state: State, target: Target) -> Result:
        """Return a random walk to the end of a target, with random drops on the way."""
        geometry, hand = state.board.geometry, target.hand - UNITS[target.tribe]
        rest = self._stream.shuffle([tribe for tribe in tribes_of(hand) for _ in range(count(hand, tribe))])
        at, came, actions = target.origin, target.came, list(target.before)
        for more, tribe in zip(range(len(rest), -1, -1), [*rest, target.tribe], strict=True):
            steps = [to for to in geometry.steps[at] if to != came and geometry.ends(to, at, more) >> target.end & 1]
            at, came = steps[self._stream.below(len(steps))], at
            actions.append(DROP[at][tribe])
        return Result(target.origin, target.end, target.tribe, (), tuple(actions))

    def _finished(self, state: State, seat: int, phases: Sequence[str]) -> State:
        """Return the state after the choices of these phases, as `Greedy` does, with the most promising killings only.

        Killings take much from other seats, so the margin judges them. Elsewhere the seat's own standing is enough.
        """
        while state.phase in phases:
            options = [action for action in state.legal if action.verb not in ("use", "item")]
            if state.phase == "tribe" and count(state.lifted, ASSASSIN):
                options = sorted(options, key=lambda action: -_killing(state, action))[:VICTIMS]
            judge = margin if state.phase == "tribe" else _standing
            after = [self._after(state, action) for action in options]
            state = max(after, key=lambda each: judge(each, seat)) if len(after) > 1 else after[0]
        return state

    # Bidding.

    def _bid(self, state: State) -> Action:
        if self._budget.orders:
            return ranked(state, gains_by_place(state, self._turn, self._budget.orders))[0]
        return bids(state, [self._offers(state, seat) for seat in range(1, len(state.seats) + 1)])[0]

    def _turn(self, state: State) -> tuple[State, float] | None:
        """Return the state after a turn with few sowings examined, and the seat's gain in margin; None without one."""
        tried = self._tried(state, TURN)
        if not tried:
            return None
        after = tried[0].after
        return after, margin(after, state.to_act) - margin(state, state.to_act)

    def _offers(self, state: State, seat: int) -> list[tuple[float, int, int]]:
        """Return the best offers of a seat, played out."""
        before = margin(state, seat)
        ranked = [
            (self._landed(state, seat, tile, tribe) - before, tile, tribe)
            for _, tile, tribe in offers(state, seat)[:LANDINGS]
        ]
        ranked.sort(reverse=True)
        return ranked

    def _landed(self, state: State, seat: int, tile: int, tribe: int) -> float:
        """Return the seat's margin after a sowing that ends with `tribe` on `tile`, ignoring other tiles."""
        draft = state.copy()
        draft.to_act, draft.phase, draft.hand, draft.origin, draft.at = seat, "sow", UNITS[tribe], tile, tile
        return margin(self._finished(draft.play(DROP[tile][tribe]), seat, OF_THE_TURN), seat)


def _standing(state: State, seat: int) -> float:
    return standing(state, seat, left(state))


def _killing(state: State, action: Action) -> float:
    """Return the VP that a killing promises: a meeple in front of another seat, or a tile to be taken."""
    if action.verb != "kill":
        return 0.0
    tile, seat, group = action.args
    if seat:
        return 4.0
    assert isinstance(tile, int)
    if state.meeples[tile] != group or state.owner_of(tile):
        return 0.0
    return 1.0 + state.board.tiles[tile].value + 3 * state.palms[tile] + 5 * state.palaces[tile]
