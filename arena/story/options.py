"""Find what a seat could have done instead: alternatives to a decision of a match, judged by rollouts.

The most promising choices and the actual one are each played on to the end of the next round, equally often and with
the same draws. A choice is judged by how much further ahead of the mean of the others the seat then stands. The best of
several noisy numbers looks better than it is. An alternative that is ahead by less than two standard errors may be no
better.

A player in a running game knows less than the whole state. `hints` plays each choice on from states that fit the view.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import islice, repeat
from math import sqrt
from statistics import fmean, stdev

from arena.players.outlook import margin
from arena.players.quick import Quick
from arena.rules import Action, State, Stream, View, parse_action
from arena.rules.determinize import determinizations
from arena.story.chances import to_round_end

MOST = 3
"""Maximum number of alternatives reported."""
TRIED = 5
"""Number of alternatives played out, most promising first."""
SOWINGS = 30
"""Number of sowings considered when the most promising are chosen."""
ROLLOUTS = 12
ROUNDS = 2
"""Rounds played on: the current one and the next, where the last turns of a round take effect."""


@dataclass(frozen=True)
class Option:
    """A choice: one decision, or the decisions of a whole sowing."""

    actions: tuple[str, ...]
    gain: float
    """VP gained over the choice it is compared with, as the lead over the mean of the others after the next round."""
    error: float
    """Standard error of `gain`."""


def alternatives(state: State, played: Sequence[str], seed: bytes, rollouts: int = ROLLOUTS) -> list[Option]:
    """Return the best alternatives to the choice played in a state, best first; none if there was no choice.

    `played` are the decisions of the match from this state on. Only those of the first choice are used: for a sowing,
    all until its last drop. The same state, decisions and seed give the same numbers.
    """
    own = choice_of(state, played)
    others = [choice for choice in promising(state, seed) if not is_same(state, choice, own)][:TRIED]
    if not others:
        return []
    states = list(repeat(state, rollouts))
    base = leads_of(states, own, seed)
    options = []
    for choice in others:
        gains = [value - than for value, than in zip(leads_of(states, choice, seed), base, strict=True)]
        options.append(Option(choice, fmean(gains), stdev(gains) / sqrt(len(gains))))
    options.sort(key=lambda option: -option.gain)
    return options[:MOST]


def suggestions(state: State, seed: bytes, rollouts: int = ROLLOUTS) -> list[Option]:
    """Return the most promising choices in a state, best first; none if the game is over.

    The gain of a choice is compared with the one that looks best before any is played on. The same state and seed give
    the same numbers.
    """
    first = next(promising(state, seed), None) if not state.is_over else None
    if first is None:
        return []
    options = [Option(first, 0.0, 0.0), *alternatives(state, first, seed, rollouts)]
    return sorted(options, key=lambda option: -option.gain)


def hints(view: View, seed: bytes, rollouts: int = ROLLOUTS) -> list[Option]:
    """Return the best choices of the seat to act, best first. Nothing that is hidden from the seat is used.

    `view` is what this seat sees. Each rollout begins with another state that fits it. The gain of a choice is compared
    with the best choice: it is 0 for the best, and negative for the others. The list is empty if it can only pass.
    The same view and seed give the same numbers.
    """
    states = list(islice(determinizations(view, Stream(seed)), rollouts))
    tried = list(islice(promising(states[0], seed), TRIED))
    if len(tried) < 2:  # nothing to compare
        return [Option(choice, 0.0, 0.0) for choice in tried]
    values = sorted([(leads_of(states, choice, seed), choice) for choice in tried], key=lambda each: -fmean(each[0]))
    best, options = values[0][0], []
    for own, choice in values[:MOST]:
        gains = [value - than for value, than in zip(own, best, strict=True)]
        options.append(Option(choice, fmean(gains), stdev(gains) / sqrt(len(gains))))
    return options


def choice_of(state: State, played: Sequence[str]) -> tuple[str, ...]:
    """Return the decisions at the start of `played` that make up one choice. `state` is the state before them."""
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


def promising(state: State, seed: bytes) -> Iterator[tuple[str, ...]]:
    """Yield choices, most promising first. If several sowings share an end and tribe, only the best is yielded."""
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
    """Return the state at the end of the turn, or of the bid, if the seat plays this action."""
    seat = state.to_act
    after = player.after(state, action)
    while not after.is_over and after.to_act == seat and after.phase not in ("bid", "move", "sell"):
        after = player.advance(after)
    return after


def leads_of(states: Iterable[State], choice: Iterable[str], seed: bytes, rounds: int = ROUNDS) -> list[float]:
    """Return the seat's lead after `rounds` rounds, the current one included, in a rollout from each state.

    All choices get the same draws.
    """
    leads = []
    for number, state in enumerate(states):
        player = Quick(sha256(seed + number.to_bytes(4, "big")).digest())
        after = player.shuffled(state)
        for text in choice:
            after = player.after(after, parse_action(text))
        for _ in range(rounds):
            after = to_round_end(player, after)
        leads.append(margin(after, state.to_act))
    return leads


def _end(actions: Sequence[Action]) -> tuple[object, ...]:
    """Return the tile and the tribe of a sowing's last drop."""
    return actions[-1].args


def is_same(state: State, choice: Sequence[str], own: Sequence[str]) -> bool:
    """Return whether two choices are the same. Two sowings are the same if their last drops are."""
    if state.phase in ("move", "sow") and choice[-1].split(" ")[0] == own[-1].split(" ")[0] == "drop":
        return choice[-1] == own[-1]
    return tuple(choice) == tuple(own)
