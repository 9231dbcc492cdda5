"""Runs checks one after the other. A failed essential check skips the rest."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from pathlib import Path

from arena.doctor.check import CheckFinding, CheckOutcome, DoctorCheck, examine
from arena.doctor.process import Starter
from arena.doctor.session import open_session


async def diagnose(
    start: Starter, checks: Sequence[DoctorCheck], socket: Path | None = None
) -> AsyncIterator[CheckFinding]:
    """Yield the finding of each check, in order. The bot dials a free port, or the Unix socket `socket`.

    Raises OSError if the bot cannot be started.
    """
    async with open_session(start, socket) as session:
        broken: DoctorCheck | None = None
        for check in checks:
            if broken is not None:
                yield CheckFinding(check, CheckOutcome.SKIPPED, f"not checked, because {broken.name} has failed")
                continue
            finding = await examine(session, check)
            if check.is_essential and finding.outcome is CheckOutcome.FAILED:
                broken = check
            yield finding
