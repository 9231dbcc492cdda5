"""Makes checks one after the other; what is essential and fails ends it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence

from arena.doctor.check import Check, Finding, Outcome, examine
from arena.doctor.process import Starter
from arena.doctor.session import open_session


async def diagnose(start: Starter, checks: Sequence[Check]) -> AsyncIterator[Finding]:
    """The finding of each check, in their order.

    `OSError` if the bot cannot be started.
    """
    async with open_session(start) as session:
        broken: Check | None = None
        for check in checks:
            if broken is not None:
                yield Finding(check, Outcome.SKIPPED, f"not looked at, because {broken.name} has failed")
                continue
            finding = await examine(session, check)
            if check.is_essential and finding.outcome is Outcome.FAILED:
                broken = check
            yield finding
