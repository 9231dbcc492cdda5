"""A house player's judgement of a position: each seat's chance to win, and the choices that look best."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from django.conf import settings
from django.core.cache import caches
from django.utils.translation import get_language

from arena.story import Option, chances, suggestions
from webui.analysis.addresses import Address
from webui.analysis.tables import Table
from webui.core.static_files import edition
from webui.replays.single import one_at_a_time
from webui.words.options import option_words

WAIT_S: Final = 5.0
"""Maximum number of seconds that a visitor waits for other computations."""


@dataclass(frozen=True)
class Suggestion:
    """A choice that looks good."""

    words: str
    route: str
    """First and last tile of a sowing. Empty if the choice is no sowing."""
    gain: float
    """Points more than the first choice promises."""
    error: float
    actions: tuple[str, ...]

    def address(self, address: Address) -> Address:
        """Return the address after this choice."""
        return address.open((*address.played, *self.actions))


@dataclass(frozen=True)
class HouseJudgement:
    """A judgement of one position."""

    chances: list[tuple[int, str, int]]
    """Number, name and chance to win, in percent, of each seat."""
    uncertainty: int
    """Largest standard error of the chances, in percent."""
    seat: int
    """Seat to act. 0 if the game is over."""
    suggestions: list[Suggestion]


def judgement(table: Table, visitor: str) -> HouseJudgement:
    """Return the judgement of the position shown. Raise `Busy` if other computations take too long.

    `visitor`: the network address of the visitor.
    """
    seed = sha256(f"judge {table.address.query} {table.address.at}".encode()).digest()
    store, key = caches["frames"], f"judge/{seed.hex()}/{get_language()}/{edition()}"
    known: HouseJudgement | None = store.get(key)
    if known is not None:
        return known
    with one_at_a_time(settings.PLACES.frames / "alternatives-lock", WAIT_S, visitor):
        made = _judged(table, seed)
    store.set(key, made)
    return made


def _judged(table: Table, seed: bytes) -> HouseJudgement:
    state, names = table.state, table.start.names
    means, error = chances(state, seed)
    return HouseJudgement(
        [(seat, names[seat - 1], round(100 * chance)) for seat, chance in enumerate(means, 1)],
        round(100 * error),
        0 if state.is_over else state.to_act,
        [_suggestion(table, option) for option in suggestions(state, seed)],
    )


def _suggestion(table: Table, option: Option) -> Suggestion:
    route, words = option_words(table.state, option.actions, table.start.names, table.start.ruleset)
    return Suggestion(words=words, route=route, gain=option.gain, error=option.error, actions=option.actions)
