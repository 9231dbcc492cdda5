"""The moments of a match at which its chances are looked at: before each round, before each turn, and at its end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.rules import Game, State, read_game
from arena.rules.replay import read_events


@dataclass(frozen=True)
class Decision:
    """A decision of a match and what it led to."""

    seat: int
    text: str
    after: State

    @property
    def ends_turn(self) -> bool:
        """A bid is a turn of its own."""
        return self.text == "end" or self.text.startswith("bid ")


@dataclass(frozen=True)
class Moment:
    """A state between two turns, and the decisions that led to it from the moment before."""

    index: int
    """Of the next event."""
    state: State
    decisions: tuple[Decision, ...]


def moments(record: Mapping[str, Any]) -> Iterator[Moment]:
    """The moments of a replay document, from the set-up to its last event. `RulesError` where it does not follow.

    All bids of a round lie between two moments, and each turn.
    """
    game: Game = read_game(dict(record), 0)
    index, decisions = 0, list[Decision]()
    yield Moment(0, game.state, ())
    for event in read_events(dict(record)):
        if not event.seat:
            continue  # follows from the decision before
        game.play(event.text)
        decisions.append(Decision(event.seat, event.text, game.state))
        index, state = len(game.events), game.state
        # A marker on the track while seats bid: not all have.
        if state.is_over or (decisions[-1].ends_turn and not (state.phase == "bid" and any(state.turn_track))):
            yield Moment(index, state, tuple(decisions))
            decisions = []
    if decisions:  # it ended in the middle of a turn
        yield Moment(index, game.state, tuple(decisions))
