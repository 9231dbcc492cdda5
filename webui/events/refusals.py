"""Words for the refusals of events, in the reader's language. Commands print them in English, with all details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import get_language, gettext
from django.utils.translation import gettext_lazy as _

from arena.events import EventError, TermsError
from webui.core.errors import LadderError, NotFound, TooMany
from webui.events.facts import EventMoved
from webui.events.values import EventRefusal
from webui.events.words import example_places

REFUSALS: Final[Mapping[str, Any]] = {
    "CLOSED": _("the event takes no more bots"),
    "FULL": _("the event is full: %(n)s bots have entered"),
    "PAUSED": _("%(bot)s is paused: let it play first"),
    "ENTERED": _("%(bot)s has entered"),
    "NO_HOUSE": _("bots of the arena cannot enter this event"),
    "NOT_HOSTED": _("the arena runs no version of %(bot)s: hand one in first"),
    "NOT_INVITED": _("only bots that the organiser has invited can enter this event"),
    "TOO_MANY_OWN": _("an owner may enter at most %(n)s, and %(owner)s has entered that many"),
    "GAMES": _("%(bot)s has played %(n)s rated games; the event requires %(wanted)s"),
    "RATING_LOW": _("%(bot)s has a rating of %(n)s; the event requires at least %(wanted)s"),
    "RATING_HIGH": _("%(bot)s has a rating of %(n)s; the event requires at most %(wanted)s"),
    "NO_VERSION": _("%(bot)s has never been online: it has no version that could play"),
    "TOO_MANY_EVENTS": _("an organiser may have at most %(n)s events that have not ended"),
    "TOO_MANY_DECISIONS": _("organisers may make at most %(n)s decisions in an event"),
    "NO_CO_ORGANISER": _("an event can only be handed over to a co-organiser: share it first"),
    "BAD_STATE": _("this is not possible in the event's present state"),
    "ENTRIES": _("%(bot)s has entered and left %(n)s times"),
    "NOT_LATE": _("the event accepts no late entries"),
    "NO_CHECK_IN": _("check-in is not open"),
    "NO_GAME": _("there is no such game"),
}
"""Words by the reason of an `EventRefusal`. Codes of an `EventError` are in `ERRORS`."""
ERRORS: Final[Mapping[str, Any]] = {
    "BAD_CHOICE": _("this choice does not exist"),
    "BAD_FACT": _("the details are incomplete or impossible"),
    "BAD_GAME": _("this game does not exist with so many seats and these expansions"),
    "BAD_NUMBER": _("a number is too small or too large here"),
    "BAD_ORDER": _("this step is not possible now"),
    "BAD_SEED": _("the seed does not match the published commitment"),
    "BAD_STATE": _("this is not possible in the event's present state"),
    "BAD_TEXT": _("a text is missing, too long, or has invisible characters"),
    "BAD_TIME": _("this time does not exist"),
    "BAD_TYPE": _("this value has the wrong type"),
    "DECIDED": _("nobody is left to play at this table"),
    "FULL": _("the event is full"),
    "MISSING_KEY": _("something is missing"),
    "NO_ENTRANT": _("there is no such entrant, or it is out already"),
    "NO_EVENT": _("there is no such event"),
    "NO_GAME": _("there is no such game"),
    "NO_ROUND": _("there is no such round"),
    "NO_START": _("check-in needs a start time, because it ends then"),
    "ROUND_OPEN": _("the round is not over"),
    "TERMS_FIXED": _("bots have entered under these terms: they can no longer change"),
    "TOO_FEW": _("there are too few bots for these tables"),
    "TOO_LATE": _("it is too late: a bot that enters now can no longer be drawn"),
    "TOO_MANY": _("there are too many bots for this format"),
    "TWICE": _("it exists already"),
    "UNKNOWN_FACT": _("this is unknown"),
    "UNKNOWN_KEY": _("this is unknown"),
}
"""Words by the code of an `EventError`, for readers of other languages than English."""


def refusal_words(error: LadderError) -> str:
    """Return the reason for a refusal, without a full stop."""
    cause = error.__cause__
    if isinstance(error, EventRefusal) and not isinstance(cause, EventError):
        return str(REFUSALS[error.reason]) % error.values
    if isinstance(cause, TermsError):
        return terms_words(cause)
    if get_language() == "en":
        return str(error).rstrip(".")
    if isinstance(cause, EventError) and cause.code in ERRORS:
        return str(ERRORS[cause.code])
    if isinstance(error, EventMoved):
        return str(_("the event has changed in the meantime: load the page again"))
    if isinstance(error, TooMany):
        return str(_("this was tried too often: wait a while"))
    return str(_("nothing has this name")) if isinstance(error, NotFound) else str(error).rstrip(".")


def terms_words(error: TermsError) -> str:
    """Return the fault in the terms, without the key in their document and without a full stop."""
    if get_language() == "en" and error.code not in ("TOO_FEW", "NO_START"):
        return str(error).removeprefix(f"{error.where}: ").rstrip(".")
    return str(ERRORS[error.code])


def argument_words(argument: str, players: int, *, is_given: bool) -> str:
    """Return what is wrong with an argument of an organiser's decision. `players` is the number of seats at a table,
    and `is_given` whether the argument has a value.
    """
    if argument == "why" and not is_given:
        return gettext("give a reason: it is published in the log")
    if argument == "placements":
        wanted = gettext("enter a place for each of the %(n)s seats, for instance %(example)s")
        return wanted % {"n": players, "example": example_places(players)}
    codes = {
        "starts_at": "BAD_TIME",
        "next_round_at": "BAD_TIME",
        "text": "BAD_TEXT",
        "why": "BAD_TEXT",
        "bot": "MISSING_KEY",
        "user": "MISSING_KEY",
        "": "UNKNOWN_FACT",
    }
    return str(ERRORS[codes.get(argument, "BAD_NUMBER")])
