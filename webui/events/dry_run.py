"""Dry run of an event before it is published, in words."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Final

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.events import Terms, TermsError, parse_terms
from arena.events.plan import DryRun, Hint
from webui.events.refusals import terms_words

FIELD: Final = 16
"""Number of bots in a dry run by default, if more may enter."""
MOST: Final = 48
MINUTES: Final = 3.0
"""Approximate length of a match between house bots with the arena's own clock, in minutes."""


PROCESSOR_S: Final = 3
"""Limit of processor time for a dry run, in seconds. Some fields take very long to draw."""
SECONDS: Final = 10.0
"""Time limit of a dry run, in seconds. It has the lowest priority, so it waits while the machine is busy."""

_is_running = Lock()


@dataclass(frozen=True)
class DraftTrial:
    """The outcome of a dry run with a given number of bots."""

    entrants: int
    most: int
    lines: list[tuple[str, str]]
    """Rows of the outcome: label and value. Empty before a dry run is requested."""
    hints: list[str]
    refusal: str = ""


def trial(terms: Terms, text: str | None) -> DraftTrial:
    """Return the dry run with the requested number of bots."""
    most = min(MOST, terms.entry.entrants)
    number = int(text) if text and text.isascii() and text.isdigit() and len(text) < 5 else min(FIELD, most)
    entrants = max(2, min(number, most))
    if not text:
        return DraftTrial(entrants, most, [], [])
    try:
        result = _run(json.dumps(terms.document(), sort_keys=True), entrants)
    except TooLong:
        return DraftTrial(
            entrants, most, [], [], _("It takes too long here. Try fewer bots, or the command `arena event check`.")
        )
    except TermsError as error:
        return DraftTrial(entrants, most, [], [], f"{capfirst(terms_words(error))}.")
    return DraftTrial(entrants, most, _lines(result), [_hint(hint) for hint in result.hints])


class TooLong(Exception):
    """The dry run took too long, or another one is in progress."""


@lru_cache(maxsize=64)
def _run(document: str, entrants: int) -> DryRun:
    """Run in a separate process, which can be killed. Only one runs at a time."""
    terms = parse_terms(json.loads(document))
    terms.format.check(terms.ruleset.players, entrants)
    if not _is_running.acquire(blocking=False):
        raise TooLong
    try:
        command = [sys.executable, "-c", PROGRAM, str(entrants), str(MINUTES), str(PROCESSOR_S)]
        process = subprocess.run(  # noqa: S603 - our own program; the document goes through its input
            command, input=document.encode(), capture_output=True, timeout=SECONDS, check=True
        )
    except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
        raise TooLong from error
    finally:
        _is_running.release()
    fields = json.loads(process.stdout)
    return DryRun(**fields | {"hints": tuple(Hint(**hint) for hint in fields["hints"])})


PROGRAM: Final = """
import os
os.nice(19)
import json, math, resource, sys, time
from dataclasses import asdict
from arena.events import parse_terms
from arena.events.plan import dry_run
most = math.ceil(time.process_time()) + int(sys.argv[3])
resource.setrlimit(resource.RLIMIT_CPU, (most, most))
terms = parse_terms(json.load(sys.stdin))
print(json.dumps(asdict(dry_run(terms, int(sys.argv[1]), float(sys.argv[2])))))
"""


def _lines(result: DryRun) -> list[tuple[str, str]]:
    fewest, most = min(result.games_of), max(result.games_of)
    games = f"{fewest}" if fewest == most else f"{fewest}–{most}"
    met = f"{result.least_meetings}" if result.least_meetings == result.most_meetings else (
        f"{result.least_meetings}–{result.most_meetings}"
    )  # fmt: skip
    time = _("%(n)s h") % {"n": f"{result.hours:.1f}"}
    return [
        (_("Rounds"), str(result.rounds)),
        (
            _("Games"),
            ngettext("%(n)s, %(each)s a bot", "%(n)s, %(each)s a bot", result.games)
            % {"n": result.games, "each": games},
        ),
        (_("Time"), time if result.is_complete else _("more than %(time)s") % {"time": time}),
        (_("Games of two bots with each other"), met),
        (
            _("More often at one seat than at another"),
            ngettext("%(n)s time at most", "%(n)s times at most", result.seat_spread) % {"n": result.seat_spread},
        ),
        (_("Byes"), str(result.byes)),
        (_("Strength is known within"), _("± %(n)s points") % {"n": result.half_width}),
        (_("Tied among the leaders"), f"{result.ties:g}"),
    ]


def _hint(hint: Hint) -> str:
    values = {name: f"{value:g}" for name, value in hint.values.items()}
    if hint.code == "MORE_ROUNDS":
        sentence = ngettext(
            "%(rounds)s more round makes it ± %(after)s points, and leaves %(ties_after)s of the leaders tied.",
            "%(rounds)s more rounds make it ± %(after)s points, and leave %(ties_after)s of the leaders tied.",
            int(hint.values["rounds"]),
        )
        return sentence % values
    if hint.code == "BLOCKS":
        return _("Deal blocks would make the seats even; they now differ by %(spread)s.") % values
    return hint.code
