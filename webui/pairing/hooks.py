"""Hooks of pairing: its events, which later subjects receive, and its questions, which they answer."""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from webui.core.subjects import Hook
from webui.matches.models import Match
from webui.pairing.models import Exclusion
from webui.pairing.sessions import OnlineSession

version_taken_off: Final = Hook[[Exclusion], None]()
"""Event: a version was taken off rated matches. Called in the same transaction."""
examination_failed: Final = Hook[[Exclusion, Match], None]()
"""Event: a version made a fault in this examination. Called in the transaction that ends the match."""
places_wanted: Final = Hook[[Sequence[OnlineSession], int], Counter[int]]()
"""Event: rated matches are about to be made for these sessions, up to a number of matches in flight.

Receivers make their own matches first. They return the places to reserve, by version. The entry `PLACES_OF_RUNNERS` is
the number of runner places that a receiver's next match needs. It is set only if it is the receiver's turn and nothing
else is missing.
"""
PLACES_OF_RUNNERS: Final = 0
bots_awaited: Final = Hook[[Collection[int]], set[int]]()
"""Question: for which of these bots does a match wait that has priority over all others?"""


def awaited_bots(bots: Collection[int]) -> set[int]:
    """Return the bots among `bots` that must not start another match, because an event's match waits for them."""
    return {bot for answer in bots_awaited(bots) for bot in answer}
