"""The chances of the seats at a moment: rollouts to the end of the round, judged by what the seats then stand for.

A rollout begins with the true state, whose hands are public once the match is over, but with every draw pile in another
order: what was drawn later is not known yet. A quick player decides for every seat until the round is over. Then the
chances follow from what the position is worth to each seat (`arena.players.outlook.standing`): as if the rest of the
game added a draw to each, the wider the more of it is left. `python -m tests.bench.story` tells how good that is.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from hashlib import sha256
from math import exp, sqrt
from statistics import fmean

from arena.players.outlook import left, standing
from arena.players.quick import Quick
from arena.rules import State

ROLLOUTS = 12
"""From each moment."""
WIDTH_AT_END, WIDTH_BEFORE, WIDTH_LEFT = 4.0, 8.0, 8.0
"""VP by which a lead counts e times as much: at the end of a rollout that ends the game, for players play otherwise
than it does; of one that does not; and what is added to that while the whole game is left. Fitted to 64 games of house
players with every number of seats and expansions."""
MOST_STEPS = 200
"""Parts of turns in a rollout; a round has far fewer."""


def chances(
    state: State, seed: bytes, *, out: Collection[int] = (), rollouts: int = ROLLOUTS
) -> tuple[tuple[float, ...], float]:
    """The chance of each seat to win, and the standard error of the least certain of them. Seats in `out` have none.

    The same state and seed give the same numbers.
    """
    found = [judged(rolled(state, seed, number), out) for number in range(rollouts)]
    means = tuple([fmean(chance) for chance in zip(*found, strict=True)])
    return means, max([_error(chance) for chance in zip(*found, strict=True)])


def rolled(state: State, seed: bytes, number: int) -> State:
    """The state at the end of the round in rollout `number`."""
    player = Quick(sha256(seed + number.to_bytes(4, "big")).digest())
    return to_round_end(player, player.shuffled(state))


def to_round_end(player: Quick, state: State) -> State:
    """Play on until another round begins or the game is over."""
    number = state.round
    for _ in range(MOST_STEPS):
        if state.is_over or state.round != number:
            break
        state = player.advance(state)
    return state


def judged(state: State, out: Collection[int] = ()) -> list[float]:
    """The chances that a position gives, without playing on."""
    seats = range(1, len(state.seats) + 1)
    x = 0.0 if state.is_over else left(state)
    width = WIDTH_AT_END if state.is_over else WIDTH_BEFORE + WIDTH_LEFT * x
    shares = weights([standing(state, seat, x) for seat in seats], width, out)
    return [share / sum(shares) for share in shares]


def weights(worths: Sequence[float], width: float, out: Collection[int] = ()) -> list[float]:
    """e to the power of what each seat stands for, in widths below the best of them."""
    best = max([worth for seat, worth in enumerate(worths, 1) if seat not in out])
    return [0.0 if seat in out else exp((worth - best) / width) for seat, worth in enumerate(worths, 1)]


def _error(sample: Sequence[float]) -> float:
    """The standard error of the mean of a sample; 0 for a single number, of which nothing is known."""
    if len(sample) < 2:
        return 0.0
    mean = fmean(sample)
    return sqrt(sum([(value - mean) ** 2 for value in sample]) / (len(sample) - 1) / len(sample))
