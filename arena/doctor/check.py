"""A check, and its possible outcomes."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from inspect import cleandoc
from typing import Any

from arena.doctor.errors import Failed, Skipped
from arena.doctor.session import Session

Run = Callable[[Session], Awaitable[None]]


class CheckOutcome(StrEnum):
    """The outcome of a check."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """One thing that the doctor checks."""

    name: str
    what: str
    """A sentence about what a bot that passes does."""
    advice: str
    """One or two sentences about what to do if the check fails."""
    run: Run
    """Raises `Failed` or `Skipped`."""
    is_essential: bool = False
    """Whether a failure makes all later checks impossible."""


@dataclass(frozen=True, slots=True)
class CheckFinding:
    """The result of a check."""

    check: DoctorCheck
    outcome: CheckOutcome
    sentence: str = ""
    """A sentence about what the bot did, or why the check was skipped; empty if it passed."""
    output: tuple[str, ...] = ()
    """The last lines that the bot printed during the check, if it failed."""

    def document(self) -> dict[str, Any]:
        """Return the finding as JSON."""
        document: dict[str, Any] = {"check": self.check.name, "what": self.check.what, "outcome": self.outcome}
        if self.sentence:
            document["found"] = self.sentence
        if self.outcome is CheckOutcome.FAILED:
            document["advice"] = self.check.advice
            document["output"] = list(self.output)
        return document


class Checks(list[DoctorCheck]):
    """The checks of one topic, in the order in which they run."""

    def register(self, name: str, advice: str, *, is_essential: bool = False) -> Callable[[Run], Run]:
        """Add a function as a check. Its docstring becomes the check's sentence."""

        def add(run: Run) -> Run:
            what = " ".join(cleandoc(run.__doc__ or "").split())
            self.append(DoctorCheck(name, what, advice, run, is_essential))
            return run

        return add


async def examine(session: Session, check: DoctorCheck) -> CheckFinding:
    """Run a check, and abort all of its matches."""
    outcome, sentence = CheckOutcome.PASSED, ""
    try:
        await session.connected()
        await check.run(session)
        session.check_alive()
    except Failed as failed:
        outcome, sentence = CheckOutcome.FAILED, str(failed)
    except Skipped as skipped:
        outcome, sentence = CheckOutcome.SKIPPED, str(skipped)
    try:
        await session.tidy_up()
    except Failed as failed:
        if outcome is CheckOutcome.PASSED:
            outcome, sentence = CheckOutcome.FAILED, str(failed)
    output = await session.take_output()
    return CheckFinding(check, outcome, sentence, output if outcome is CheckOutcome.FAILED else ())
