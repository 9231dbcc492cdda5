"""Alternatives to a decision, in words. They are computed on request, and cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.utils.formats import number_format

from arena.rules import State
from arena.story import Option, alternatives, choice_of
from webui.matches.values import MatchLine
from webui.replays.cache import cached_once
from webui.replays.replay import FinishedReplay
from webui.words.options import option_words
from webui.words.titles import seat_names

WAIT_S = 5.0
"""Maximum number of seconds that a visitor waits for other computations."""


@dataclass(frozen=True)
class Choice:
    """An `Option` in words."""

    route: str
    """First and last tile of a sowing. Empty if the choice is no sowing."""
    words: str
    text: str
    """Actions in the notation."""
    gain: float
    error: float

    @property
    def points(self) -> str:
        """The gain as text, such as `+4.2` or `−0.5`, to be shown before its error."""
        gain = round(self.gain, 1)
        return ("+" if gain > 0 else "−" if gain else "±") + number_format(abs(gain), 1)

    @property
    def is_clear(self) -> bool:
        """Whether it beats the played choice by more than two standard errors, and by more than a point."""
        return self.gain > max(1.0, 2 * self.error)


@dataclass(frozen=True)
class Alternatives:
    """The played choice at a decision, and its alternatives."""

    index: int
    seat: int
    bot: str
    played: Choice
    others: list[Choice]
    """Other choices, best first. Empty if there was no choice."""


def alternatives_at(line: MatchLine, replay: FinishedReplay, ply: int, address: str) -> Alternatives:
    """Return the alternatives to the decision after a ply. Raise `Busy` if other computations take too long.

    `address`: the network address of the visitor.
    """

    def make() -> Alternatives:
        return _made(line, replay, ply)

    return cached_once(line, 0, f"alternatives-{ply}", make, address=address, wait_s=WAIT_S, lock="alternatives-lock")


def _made(line: MatchLine, replay: FinishedReplay, ply: int) -> Alternatives:
    state, names = replay.state(ply), seat_names(line)
    played = [step.text for step in replay.steps[ply:]]
    seed = sha256(f"{replay.record.get('seed')} alternatives {ply}".encode()).digest()
    step = replay.steps[ply]
    own = Option(choice_of(state, played), 0.0, 0.0)
    return Alternatives(
        index=step.index,
        seat=step.seat,
        bot=names[step.seat - 1],
        played=_choice(state, own, names, replay),
        others=[_choice(state, option, names, replay) for option in alternatives(state, played, seed)],
    )


def _choice(state: State, option: Option, names: Sequence[str], replay: FinishedReplay) -> Choice:
    route, words = option_words(state, option.actions, names, replay.ruleset)
    return Choice(
        route=route,
        words=words,
        text=" · ".join(option.actions),
        gain=option.gain,
        error=option.error,
    )
