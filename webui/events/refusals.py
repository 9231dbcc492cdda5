"""Words for the refusals of events, in the reader's language. Commands print them in English, with all details."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from arena.events import EventError, TermsError
from webui.core.errors import LadderError, NotFound, TooMany
from webui.events.facts import EventMoved
from webui.events.values import EventRefusal

REFUSALS: Final[Mapping[str, Any]] = {
    "CLOSED": _("the event takes no more bots"),
    "FULL": _("the event is full: %(n)s bots have entered"),
    "PAUSED": _("%(bot)s is paused: let it play first"),
    "ENTERED": _("%(bot)s has entered"),
    "NO_HOUSE": _("bots of the arena cannot enter this event"),
    "NOT_INVITED": _("bots enter this event by invitation of its organiser alone"),
    "TOO_MANY_OWN": _("an owner may enter %(n)s at most, and %(owner)s has done so"),
    "GAMES": _("%(bot)s has played %(n)s rated games; the event wants %(wanted)s"),
    "RATING_LOW": _("%(bot)s has a rating of %(n)s; the event wants %(wanted)s at least"),
    "RATING_HIGH": _("%(bot)s has a rating of %(n)s; the event wants %(wanted)s at most"),
    "NO_VERSION": _("%(bot)s has never been online: it has no version that could play"),
    "TOO_MANY_EVENTS": _("an organiser has %(n)s events at most that have not ended"),
    "TOO_MANY_DECISIONS": _("organisers decide %(n)s things in an event at most"),
    "NO_CO_ORGANISER": _("an event is handed over to a co-organiser: share it first"),
    "BAD_STATE": _("the event is not in a state for that"),
    "ENTRIES": _("%(bot)s has entered and left %(n)s times"),
    "NOT_LATE": _("the event lets nobody in late"),
    "NO_CHECK_IN": _("check-in is not open"),
}
"""Words by the reason of an `EventRefusal`. Codes of an `EventError` are in `ERRORS`."""
ERRORS: Final[Mapping[str, Any]] = {
    "BAD_CHOICE": _("this choice does not exist"),
    "BAD_FACT": _("what was said of it is not complete or not possible"),
    "BAD_GAME": _("this game does not exist with so many seats and these expansions"),
    "BAD_NUMBER": _("a number is too small or too large here"),
    "BAD_ORDER": _("this cannot come next"),
    "BAD_SEED": _("the seed is not the one that was committed to"),
    "BAD_STATE": _("the event is not in a state for that"),
    "BAD_TEXT": _("a text is missing, too long, or has characters that cannot be seen"),
    "BAD_TIME": _("there is no such time"),
    "BAD_TYPE": _("a value of another kind belongs here"),
    "BAD_VALUE": _("this clock or policy cannot be set"),
    "DECIDED": _("nobody is left to play at this table"),
    "FULL": _("the event is full"),
    "MISSING_KEY": _("something is missing"),
    "NO_ENTRANT": _("there is no such entrant, or it is out already"),
    "NO_EVENT": _("there is no such event"),
    "NO_GAME": _("there is no such game"),
    "NO_ROUND": _("there is no such round"),
    "NO_START": _("check-in needs a time of the start, at which it ends"),
    "ROUND_OPEN": _("the round is not over"),
    "TERMS_FIXED": _("bots have entered by these terms: they cannot change any more"),
    "TOO_FEW": _("there are too few bots for these tables"),
    "TOO_LATE": _("it is too late: who enters now is drawn no more"),
    "TOO_MANY": _("there are too many bots for this format"),
    "TWICE": _("that is there already"),
    "UNKNOWN_FACT": _("nobody knows what that is"),
    "UNKNOWN_KEY": _("nobody knows what that is"),
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
        return str(_("the event has changed meanwhile: look again"))
    if isinstance(error, TooMany):
        return str(_("that is too often: wait"))
    return str(_("there is none of this name")) if isinstance(error, NotFound) else str(error).rstrip(".")


def terms_words(error: TermsError) -> str:
    """Return the fault in the terms, without the key in their document and without a full stop."""
    if get_language() == "en" and error.code not in ("TOO_FEW", "NO_START"):
        return str(error).removeprefix(f"{error.where}: ").rstrip(".")
    return str(ERRORS[error.code])
