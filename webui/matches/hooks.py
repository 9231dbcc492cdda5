"""Hooks of matches: events that later subjects receive, and questions that they answer."""

from collections.abc import Sequence
from typing import Final

from django.conf import settings

from arena.referee import Verdict
from webui.core.subjects import Hook
from webui.matches.models import Match

match_finished: Final = Hook[[Match, Verdict, int | None], None]()
"""A match has ended with this verdict and this number on its ladder (None if it counts for no ladder).

It is called in the transaction that ends the match.
"""
match_replaced: Final = Hook[[Match, str], None]()
"""A match without a result is replaced by the match with this id. It is called in the transaction that schedules it."""
plays_again_by_itself: Final = Hook[[Match], bool]()
"""Return whether the subject that this match belongs to repeats it by itself."""
organises_match: Final = Hook[[str, int], bool]()
"""Return whether this user organises the event of this match, and may therefore see its hidden result."""
overload_known: Final = Hook[[], bool]()
"""Question: does the arena get too little of the processor for what it does already?"""
ratings_now: Final = Hook[[int, Sequence[int]], dict[int, dict[str, int]]]()
"""Return the published ratings of these versions on a ladder (an id), by version id, as columns of `Participant`."""


OVERLOADED_PART: Final = 4
"""An overloaded arena makes matches until this part of the usual number is in flight: a quarter."""


def is_overloaded() -> bool:
    """Return whether the arena has no processor time for more work. It then leaves out what nobody waits for."""
    return any(overload_known())


def match_capacity(*, overloaded: bool) -> int:
    """Return the number of matches that may be in flight now."""
    usual: int = settings.MATCHES_IN_FLIGHT
    return max(1, usual // OVERLOADED_PART) if overloaded else usual
