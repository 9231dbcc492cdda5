"""What a seat could have done instead: the alternatives to a decision of a match, by rollouts.

Each of the most promising choices is played on to the end of the next round, as often as what was played, with the same
draws; what counts is how much further ahead of the mean of the others the seat then stands. The best of several noisy
numbers looks better than it is: an alternative that is ahead by less than two standard errors may be none.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import sqrt
from statistics import fmean, stdev

from arena.players.outlook import margin
from arena.players.quick import Quick
from arena.rules import Action, State, parse_action
from arena.story.chances import to_round_end

MOST = 3
"""Alternatives that are told."""
TRIED = 5
"""The most promising, which are played out."""
SOWINGS = 30
"""Looked at before the most promising are played out."""
ROLLOUTS = 12
ROUNDS = 2
"""The one of the decision and the next: what the last seat of a round does has its consequences in the next one."""


@dataclass(frozen=True)
class Option:
    """A choice: one decision, or those of a whole sowing."""

    actions: tuple[str, ...]
    gain: float
    """VP by which the seat stands further ahead at the end of the next round than after what was played."""
    error: float
    """The standard error of that."""


def alternatives(state: State, played: Sequence[str], seed: bytes, rollouts: int = ROLLOUTS) -> list[Option]:
    """The best alternatives to what was played in a state, best first; none where there was no choice.

    `played` are the decisions of the match from this state on, of which those count that belong to the choice: of a
    sowing all until its last drop. The same state, decisions and seed give the same numbers.
    """
    own = choice_of(state, played)
    others = [choice for choice in _promising(state, seed) if not _is_same(state, choice, own)][:TRIED]
    if not others:
        return []
    base = _values(state, own, seed, rollouts)
    found = []
    for choice in others:
        gains = [value - than for value, than in zip(_values(state, choice, seed, rollouts), base, strict=True)]
        found.append(Option(choice, fmean(gains), stdev(gains) / sqrt(len(gains))))
    found.sort(key=lambda option: -option.gain)
    return found[:MOST]


def choice_of(state: State, played: Sequence[str]) -> tuple[str, ...]:
    """The decisions of a match that make up one choice, from the state in which it begins."""
    if state.phase not in ("move", "sow") or played[0].partition(" ")[0] not in ("take", "drop", "fly"):
        return (played[0],)
    choice: list[str] = []
    for text in played:
        if text.partition(" ")[0] not in ("take", "drop", "fly"):
            break
        choice.append(text)
        state = state.play(parse_action(text))
        if state.phase != "sow":
            break
    return tuple(choice)


def _promising(state: State, seed: bytes) -> Iterator[tuple[str, ...]]:
    """Choices, the most promising first. Of sowings one for each end and tribe."""
    player, seat = Quick(seed), state.to_act
    known = player.shuffled(state)
    if state.phase in ("move", "sow"):
        seen = set()
        for trial in player.sowings(known, SOWINGS):
            if (end := _end(trial.sowing.actions)) not in seen:
                seen.add(end)
                yield tuple([action.text for action in trial.sowing.actions])
        return
    ranked = sorted(state.legal, key=lambda action: -player.worth(_turn_end(player, known, action), seat))
    yield from ((action.text,) for action in ranked)


def _turn_end(player: Quick, state: State, action: Action) -> State:
    """The state at the end of the turn, or of the bid, if the seat plays this action."""
    seat = state.to_act
    after = player.after(state, action)
    while not after.is_over and after.to_act == seat and after.phase not in ("bid", "move", "sell"):
        after = player.advance(after)
    return after


def _values(state: State, choice: Iterable[str], seed: bytes, rollouts: int) -> list[float]:
    """How far the seat is ahead at the end of the next round, by rollout; the draws are those of other choices."""
    found = []
    for number in range(rollouts):
        player = Quick(sha256(seed + number.to_bytes(4, "big")).digest())
        after = player.shuffled(state)
        for text in choice:
            after = player.after(after, parse_action(text))
        for _ in range(ROUNDS):
            after = to_round_end(player, after)
        found.append(margin(after, state.to_act))
    return found


def _end(actions: Sequence[Action]) -> tuple[object, ...]:
    """The tile and the tribe of the last drop of a sowing."""
    return actions[-1].args


def _is_same(state: State, choice: Sequence[str], own: Sequence[str]) -> bool:
    """Whether two choices are one, or two ways to sow with the same end."""
    if state.phase in ("move", "sow") and choice[-1].split(" ")[0] == own[-1].split(" ")[0] == "drop":
        return choice[-1] == own[-1]
    return tuple(choice) == tuple(own)
