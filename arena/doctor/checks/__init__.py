"""All checks, in the order in which they run."""

from collections.abc import Collection

from arena.doctor.check import DoctorCheck
from arena.doctor.checks.decisions import (
    DECISIONS,
    DJINN_CHECKS,
    ITEM_CHECKS,
    PHASE_CHECKS,
    RARE_CHECKS,
    WHIM_CHECKS,
)
from arena.doctor.checks.hello import HELLO
from arena.doctor.checks.leaving import LEAVING
from arena.doctor.checks.messages import MESSAGES
from arena.doctor.checks.offers import OFFERS
from arena.doctor.checks.streams import STREAMS

GROUPS = {
    "hello": HELLO,
    "offers": OFFERS,
    "decisions": DECISIONS,
    "phases": PHASE_CHECKS,
    "rare": RARE_CHECKS,
    "djinns": DJINN_CHECKS,
    "items": ITEM_CHECKS,
    "whims": WHIM_CHECKS,
    "messages": MESSAGES,
    "streams": STREAMS,
    "leaving": LEAVING,
}
"""The checks by topic."""
CHECKS = [check for checks in GROUPS.values() for check in checks]


def select(names: Collection[str]) -> list[DoctorCheck]:
    """Return the checks of these names, and all essential checks before the last of them."""
    last = max(place for place, check in enumerate(CHECKS) if check.name in names)
    return [check for check in CHECKS[: last + 1] if check.name in names or check.is_essential]


__all__ = ["CHECKS", "GROUPS", "select"]
