"""What the seat of a decision could have done instead, in words: computed when somebody asks, and cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from django.utils.formats import number_format

from arena.rules import State, Stream, parse_action, position, settle
from arena.story import Option, alternatives, choice_of
from webui.matches.values import MatchLine
from webui.replays.cache import cached_once
from webui.replays.replay import FinishedReplay
from webui.words import decisions
from webui.words.titles import seat_names

WAIT_S = 5.0
"""A visitor waits at most this long while something else is being computed."""


@dataclass(frozen=True)
class Choice:
    """A choice in words, as `Option` has it."""

    way: str
    """The first and the last tile of a sowing; empty for what is none."""
    words: str
    text: str
    """In the notation."""
    gain: float
    error: float

    @property
    def points(self) -> str:
        """`+4.2`, `−0.5`: the gain, to be shown before its error."""
        gain = round(self.gain, 1)
        return ("+" if gain > 0 else "−" if gain else "±") + number_format(abs(gain), 1)

    @property
    def is_clear(self) -> bool:
        """Whether it is better than what was played by more than two standard errors, and a point at least."""
        return self.gain > max(1.0, 2 * self.error)


@dataclass(frozen=True)
class Alternatives:
    """What was played at a decision, and what might have been."""

    index: int
    seat: int
    bot: str
    played: Choice
    others: list[Choice]
    """Best first; none where there was no choice."""


def alternatives_at(line: MatchLine, replay: FinishedReplay, ply: int, address: str) -> Alternatives:
    """Those to the decision after a ply. `Busy` where too much is being computed; `address`: of the visitor."""

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
    before = after = state
    draws = Stream(bytes(32))  # what is drawn is not told: the words are of what the seat chose
    tiles = []
    for text in option.actions:
        before, after = after, settle(after.play(parse_action(text)), draws)
        verb, *args = text.split(" ")
        if verb in ("take", "drop", "fly"):
            tiles.append(args[0])
    last, around = option.actions[-1], (position(before), position(after))
    brief = decisions.brief_words(last, names, replay.ruleset, *around)
    return Choice(
        way=f"{tiles[0]} → {tiles[-1]}" if len(tiles) > 1 else "",
        words=brief or decisions.decision_words(last, names, replay.ruleset, *around),
        text=" · ".join(option.actions),
        gain=option.gain,
        error=option.error,
    )
