"""Hints for a person at a table: the choices that a house player likes best, by what the person's seat sees."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Final, TypedDict

from django.conf import settings
from django.core.cache import caches
from django.utils.formats import number_format
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from arena.rules import Ruleset, view
from arena.story import Option, hints
from webui.board.choices import Path, path_of
from webui.core.static_files import edition
from webui.people.values import AskedSeat
from webui.replays.single import one_at_a_time
from webui.words.options import option_words

WAIT_S: Final = 5.0
"""Maximum number of seconds that a visitor waits for other computations."""


class TableHint(TypedDict):
    """A choice that looks good."""

    route: str
    """First and last tile of a sowing. Empty if the choice is no sowing."""
    words: str
    """The choice as a sentence without a subject."""
    points: str
    """How good the choice is, compared with the best one."""
    actions: list[str]
    """The decisions of the choice, in the notation."""
    path: Path
    """The steps of all these decisions (`webui.board.choices`), to be shown on the table."""


def known_hints(position: str) -> list[TableHint] | None:
    """Return the hints that were made for a position. None if there are none, or not any more."""
    known: list[TableHint] | None = caches["live-frames"].get(_key(position))
    return known


def _key(position: str) -> str:
    return f"hints/{position}/{get_language()}/{edition()}"


def hints_for(position: str, names: Sequence[str], asked: AskedSeat, visitor: str) -> list[TableHint]:
    """Return the best choices of the seat that is asked, best first. Raise `Busy` if others wait for too long.

    The list is empty if there is nothing to choose.

    `position`: a name of what the seat sees, under which its hints are kept.
    `names`: the names of the seats, seat 1 first.
    `visitor`: the network address of the visitor.
    """
    known = known_hints(position)
    if known is not None:
        return known
    seed = sha256(f"hints {asked.index}".encode()).digest()
    with one_at_a_time(settings.PLACES.frames / "alternatives-lock", WAIT_S, visitor):
        options = hints(asked.view, seed)
    made = [_hint(names, asked, option) for option in options]
    caches["live-frames"].set(_key(position), made)
    return made


def _hint(names: Sequence[str], asked: AskedSeat, option: Option) -> TableHint:
    state, ruleset = asked.state, Ruleset(asked.view.players, asked.view.expansions)
    seen = partial(view, seat=state.to_act)
    route, words = option_words(state, option.actions, names, ruleset, seen)
    return {
        "route": route,
        "words": words,
        "points": _points(option),
        "actions": list(option.actions),
        "path": [step for text in option.actions for step in path_of(text)],
    }


def _points(option: Option) -> str:
    less = {"points": number_format(-option.gain, 1), "error": number_format(option.error, 1)}
    if not option.gain:
        return _("looks best")
    if -option.gain <= 2 * option.error:
        return _("%(points)s ± %(error)s points less: perhaps as good") % less
    return _("%(points)s ± %(error)s points less") % less
