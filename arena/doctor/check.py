"""A check, and how it can come out."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum
from inspect import cleandoc
from typing import Any

from arena.doctor.errors import Failed, Skipped
from arena.doctor.session import Session

Run = Callable[[Session], Awaitable[None]]


class Outcome(StrEnum):
    """How a check came out."""

    PASSED = "passed"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that the doctor looks at."""

    name: str
    what: str
    """A sentence: what a bot that passes does."""
    advice: str
    """A sentence or two: what to do if it fails."""
    run: Run
    """Raises `Failed` or `Skipped`."""
    is_essential: bool = False
    """Without it nothing else can be looked at."""


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check has found."""

    check: Check
    outcome: Outcome
    sentence: str = ""
    """What the bot did, or why the check was skipped; empty if it passed."""
    output: tuple[str, ...] = ()
    """The last lines that the bot printed meanwhile, if it failed."""

    def document(self) -> dict[str, Any]:
        """As JSON."""
        document: dict[str, Any] = {"check": self.check.name, "what": self.check.what, "outcome": self.outcome}
        if self.sentence:
            document["found"] = self.sentence
        if self.outcome is Outcome.FAILED:
            document["advice"] = self.check.advice
            document["output"] = list(self.output)
        return document


class Checks(list[Check]):
    """The checks of one topic, in the order in which they are made."""

    def register(self, name: str, advice: str, *, is_essential: bool = False) -> Callable[[Run], Run]:
        """Add a function; its docstring is the sentence that says what it checks."""

        def add(run: Run) -> Run:
            what = " ".join(cleandoc(run.__doc__ or "").split())
            self.append(Check(name, what, advice, run, is_essential))
            return run

        return add


async def examine(session: Session, check: Check) -> Finding:
    """Make a check, and leave no match behind."""
    outcome, sentence = Outcome.PASSED, ""
    try:
        await session.connected()
        await check.run(session)
        session.check_alive()
    except Failed as failed:
        outcome, sentence = Outcome.FAILED, str(failed)
    except Skipped as skipped:
        outcome, sentence = Outcome.SKIPPED, str(skipped)
    try:
        await session.tidy_up()
    except Failed as failed:
        if outcome is Outcome.PASSED:
            outcome, sentence = Outcome.FAILED, str(failed)
    output = await session.take_output()
    return Finding(check, outcome, sentence, output if outcome is Outcome.FAILED else ())
