"""The moments at which a match's chances are estimated: before each round, before each turn, and at the end."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from arena.rules import Game, State, read_game
from arena.rules.replay import read_events


@dataclass(frozen=True)
class Decision:
    """A decision of a match and the state after it."""

    seat: int
    text: str
    after: State

    @property
    def ends_turn(self) -> bool:
        """Whether the decision ends a turn. A bid is a turn of its own."""
        return self.text == "end" or self.text.startswith("bid ")


@dataclass(frozen=True)
class Moment:
    """A state between two turns, and the decisions that led to it from the previous moment."""

    index: int
    """Index of the next event."""
    state: State
    decisions: tuple[Decision, ...]


def moments(record: Mapping[str, Any]) -> Iterator[Moment]:
    """Yield the moments of a replay document, from the set-up to the last event.

    All bids of a round lie between two moments; so does each turn. Raise `RulesError` at an event that does not follow.
    """
    game: Game = read_game(dict(record), 0)
    index, decisions = 0, list[Decision]()
    yield Moment(0, game.state, ())
    for event in read_events(dict(record)):
        if not event.seat:
            continue  # chance was drawn after the previous decision
        game.play(event.text)
        decisions.append(Decision(event.seat, event.text, game.state))
        index, state = len(game.events), game.state
        # While the phase is `bid` and the track has a marker, some seats have not bid yet.
        if state.is_over or (decisions[-1].ends_turn and not (state.phase == "bid" and any(state.turn_track))):
            yield Moment(index, state, tuple(decisions))
            decisions = []
    if decisions:  # the match ended in the middle of a turn
        yield Moment(index, game.state, tuple(decisions))
