"""The terms of an event as the arena reads them: those of the core, with the clock and policy of its matches."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from arena.events import Course, Terms, TermsError, parse_terms
from arena.events.fields import NumberRule, TermsTable, TextRule, term
from arena.referee import Policy
from webui.core.errors import BadRequest
from webui.ladders.values import LimitedClock


@dataclass(frozen=True, slots=True)
class EventPolicy(TermsTable):
    """Consequences for a seat that breaks the rules, within the limits of an event."""

    where: ClassVar[str] = "policy"
    strikes: int = term(NumberRule(1, 100), "Number of faults with which a seat forfeits.", default=Policy().strikes)
    grace_ms: int = term(
        NumberRule(0, 3_600_000, "ms"),
        "Maximum total absence of a seat during a match, in milliseconds.",
        default=Policy().grace_ms,
    )
    offer_ms: int = term(
        NumberRule(1, 300_000, "ms"), "Milliseconds to accept the match, and to reveal.", default=Policy().offer_ms
    )
    house: str = term(
        TextRule(most=40), "House player that plays on for a seat that has forfeited.", default=Policy().house
    )


def read_terms(document: Any) -> Terms:
    """Return the terms of a document, with all values of clock and policy. Raise `BadRequest` with what to change."""
    try:
        terms = parse_terms(document)
        check_times(terms.course)
        clock, policy = LimitedClock.parse(terms.clock), EventPolicy.parse(terms.policy)
    except TermsError as error:
        raise BadRequest(str(error)) from error
    return replace(terms, clock=clock.document(), policy=policy.document())


def check_times(course: Course) -> None:
    """Raise `TermsError` for a time that is well-formed but does not exist. The core knows no calendar."""
    for name, text in (("starts_at", course.starts_at), ("next_round_at", course.next_round_at)):
        try:
            if text:
                datetime.fromisoformat(text)
        except ValueError as error:
            raise TermsError("BAD_TIME", f"course.{name}", "this time does not exist") from error
