"""An event tried out before it is published, in words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.events import Terms, TermsError, parse_terms
from arena.events.plan import DryRun, Hint, dry_run

FIELD: Final = 16
"""Bots that are tried out where more may enter."""
MOST: Final = 48
MINUTES: Final = 3.0
"""Of a match of the house's bots with the arena's own clock, roughly."""


@dataclass(frozen=True)
class Trial:
    """What a draft would be with so many bots."""

    entrants: int
    most: int
    lines: list[tuple[str, str]]
    """What is said, and what about."""
    hints: list[str]
    refusal: str = ""


def trial(terms: Terms, asked: str | None) -> Trial:
    """The dry run with as many bots as are asked for, or as may enter."""
    most = min(MOST, terms.entry.entrants)
    number = int(asked) if asked and asked.isascii() and asked.isdigit() and len(asked) < 5 else min(FIELD, most)
    entrants = max(2, min(number, most))
    try:
        found = _run(json.dumps(terms.document(), sort_keys=True), entrants)
    except TermsError as error:
        return Trial(entrants, most, [], [], str(error))
    return Trial(entrants, most, _lines(found), [_hint(hint) for hint in found.hints])


@lru_cache(maxsize=64)
def _run(document: str, entrants: int) -> DryRun:
    return dry_run(parse_terms(json.loads(document)), entrants, MINUTES)


def _lines(found: DryRun) -> list[tuple[str, str]]:
    fewest, most = min(found.games_of), max(found.games_of)
    games = f"{fewest}" if fewest == most else f"{fewest}–{most}"
    met = f"{found.least_meetings}" if found.least_meetings == found.most_meetings else (
        f"{found.least_meetings}–{found.most_meetings}"
    )  # fmt: skip
    time = _("%(n)s h") % {"n": f"{found.hours:.1f}"}
    return [
        (_("Rounds"), str(found.rounds)),
        (
            _("Games"),
            ngettext("%(n)s, %(each)s a bot", "%(n)s, %(each)s a bot", found.games) % {"n": found.games, "each": games},
        ),
        (_("Time"), time if found.is_complete else _("more than %(time)s") % {"time": time}),
        (_("Games of two bots with each other"), met),
        (
            _("More often at one seat than at another"),
            ngettext("%(n)s time at most", "%(n)s times at most", found.seat_spread) % {"n": found.seat_spread},
        ),
        (_("Byes"), str(found.byes)),
        (_("Strength is known within"), _("± %(n)s points") % {"n": found.half_width}),
        (_("Level on points among the first"), f"{found.ties:g}"),
    ]


def _hint(hint: Hint) -> str:
    values = {name: f"{value:g}" for name, value in hint.values.items()}
    if hint.code == "MORE_ROUNDS":
        said = ngettext(
            "%(rounds)s more round makes it ± %(after)s points, and leaves %(ties_after)s of the first level.",
            "%(rounds)s more rounds make it ± %(after)s points, and leave %(ties_after)s of the first level.",
            int(hint.values["rounds"]),
        )
        return said % values
    if hint.code == "BLOCKS":
        return _("Deal blocks make the seats even, which now differ by %(spread)s.") % values
    return hint.code
