"""Current state of an event for its organisers: who is online, which games run, and which are late and why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any, Final

from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from arena.events import EventState, Pairing
from webui.bots import presence
from webui.bots.values import BotRef
from webui.events import facts
from webui.events.values import EventPage
from webui.events.words import place_words

MOST: Final = 40
"""Maximum number of games and bots listed."""


@dataclass(frozen=True)
class EventNow:
    """The current state of an event."""

    online: int | None
    """Number of entrants that are online. None while this is not known."""
    entrants: int
    offline: list[BotRef]
    playing: int
    """Number of games in progress."""
    late: list[tuple[str, str]]
    """Pending games, each with the reasons why it has not started."""
    more: int
    """Number of pending games that are not listed."""


def now(page: EventPage) -> EventNow | None:
    """Return the state of an event that is running or about to run. Return None for other events."""
    event = page.event
    if event.state not in (EventState.OPEN, EventState.FROZEN, EventState.RUNNING, EventState.PAUSED):
        return None
    sessions = presence.online()
    present = [page.bots[number] for number in sorted(event.present) if number in page.bots]
    offline = [] if sessions is None else [bot for bot in present if not sessions.get(bot.id)]
    waiting = [pairing for pairing in event.pairings() if not _plays(page, pairing)]
    declined = facts.declined_offers(page.line.slug) if waiting else {}
    return EventNow(
        online=None if sessions is None else len(present) - len(offline),
        entrants=len(present),
        offline=offline[:MOST],
        playing=sum(game.state == "RUNNING" for game in page.games.values()),
        late=[(place_words(event, pairing.key), _why(page, pairing, declined, sessions)) for pairing in waiting[:MOST]],
        more=max(0, len(waiting) - MOST),
    )


def _plays(page: EventPage, pairing: Pairing) -> bool:
    match = page.games.get(pairing.key)
    return match is not None and match.state == "RUNNING"


def _why(
    page: EventPage, pairing: Pairing, declined: Mapping[Any, int], sessions: Mapping[int, Sequence[object]] | None
) -> str:
    """Return the reasons why a game has not started, one sentence each."""
    sentences = []
    match = page.games.get(pairing.key)
    for number in pairing.seats:
        bot = page.bots[number]
        if times := declined.get((pairing.key, number), 0):
            words = ngettext("%(bot)s declined %(n)s offer.", "%(bot)s declined %(n)s offers.", times)
            sentences.append(words % {"bot": bot.name, "n": times})
        if number in page.away and number not in pairing.absent:
            since = page.away[number]
            until = since + timedelta(seconds=page.event.terms.course.no_show_s)
            words = _("Has waited for %(bot)s since %(since)s, and waits until %(until)s UTC.")
            sentences.append(words % {"bot": bot.name, "since": _hour(since), "until": _hour(until)})
        elif sessions is not None and not sessions.get(bot.id) and number not in pairing.absent:
            sentences.append(_("%(bot)s is not online.") % {"bot": bot.name})
    if page.event.state is EventState.PAUSED:
        sentences.append(_("The event is paused."))
    elif match is not None and match.state == "SCHEDULED":
        sentences.append(_("About to begin."))
    elif not sentences:
        sentences.append(_("Waits until its bots and the arena have a free slot."))
    return " ".join(sentences)


def _hour(when: Any) -> str:
    return date_format(when, "H:i")
