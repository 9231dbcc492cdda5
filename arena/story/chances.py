"""Estimate the seats' chances to win at a moment, by rollouts to the end of the round.

A rollout begins with the true state: hands are public once the match is over. Every draw pile is shuffled, because what
was drawn later is not known yet. A quick player decides for every seat until the round is over. The chances then follow
from the position's worth to each seat (`arena.players.outlook.standing`): a softmax whose width grows with the share of
the game that is left. `python -m tests.bench.story` measures how good the chances are.
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
"""Rollouts from each moment."""
WIDTH_AT_END, WIDTH_BEFORE, WIDTH_LEFT = 4.0, 8.0, 8.0
"""Width of the softmax in VP: a lead of this size counts e times as much.

The first is for a rollout that ends the game; it is not 0 because real players choose differently from the rollout. The
second is for other rollouts, and the third is added to it in proportion to the share of the game that is left. Fitted
to 64 games of house players with every number of seats and expansions.
"""
MOST_STEPS = 200
"""Maximum number of parts of turns in a rollout; a round has far fewer."""


def chances(
    state: State, seed: bytes, *, out: Collection[int] = (), rollouts: int = ROLLOUTS
) -> tuple[tuple[float, ...], float]:
    """Return each seat's chance to win, and the largest of their standard errors.

    Seats in `out` have forfeited and get chance 0. The same state and seed give the same numbers.
    """
    outcomes = [judged(rolled(state, seed, number), out) for number in range(rollouts)]
    means = tuple([fmean(chance) for chance in zip(*outcomes, strict=True)])
    return means, max([_error(chance) for chance in zip(*outcomes, strict=True)])


def rolled(state: State, seed: bytes, number: int) -> State:
    """Return the state at the end of the round in rollout `number`."""
    player = Quick(sha256(seed + number.to_bytes(4, "big")).digest())
    return to_round_end(player, player.shuffled(state))


def to_round_end(player: Quick, state: State) -> State:
    """Play on until another round begins or the game is over, and return the state."""
    number = state.round
    for _ in range(MOST_STEPS):
        if state.is_over or state.round != number:
            break
        state = player.advance(state)
    return state


def judged(state: State, out: Collection[int] = ()) -> list[float]:
    """Return each seat's chance by this position alone, without playing on. Seats in `out` get 0."""
    seats = range(1, len(state.seats) + 1)
    x = 0.0 if state.is_over else left(state)
    width = WIDTH_AT_END if state.is_over else WIDTH_BEFORE + WIDTH_LEFT * x
    shares = weights([standing(state, seat, x) for seat in seats], width, out)
    return [share / sum(shares) for share in shares]


def weights(worths: Sequence[float], width: float, out: Collection[int] = ()) -> list[float]:
    """Return e to the power of each seat's distance from the best worth, in units of `width`. Seats in `out` get 0."""
    best = max([worth for seat, worth in enumerate(worths, 1) if seat not in out])
    return [0.0 if seat in out else exp((worth - best) / width) for seat, worth in enumerate(worths, 1)]


def _error(sample: Sequence[float]) -> float:
    """Return the standard error of a sample's mean; 0 for a single number, whose error cannot be estimated."""
    if len(sample) < 2:
        return 0.0
    mean = fmean(sample)
    return sqrt(sum([(value - mean) ** 2 for value in sample]) / (len(sample) - 1) / len(sample))
