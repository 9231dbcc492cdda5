"""Hooks of pairing: what later subjects are told of it, and asked by it."""

from collections.abc import Collection
from typing import Final

from webui.core.subjects import Hook
from webui.matches.models import Match
from webui.pairing.models import Exclusion

version_taken_off: Final = Hook[[Exclusion], None]()
"""A version was taken off rated matches. Called in the transaction in which it is."""
examination_failed: Final = Hook[[Exclusion, Match], None]()
"""A version made a fault in this examination. Called in the transaction in which that ends."""
bots_awaited: Final = Hook[[Collection[int]], set[int]]()
"""Return those of these bots for which a match waits that goes before all others."""


def awaited_bots(bots: Collection[int]) -> set[int]:
    """Return those of these bots that play no other match now, because a match of an event waits for them."""
    return {bot for answer in bots_awaited(bots) for bot in answer}
