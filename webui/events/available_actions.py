"""Possible actions of the visitor at an event, for templates: owners act on their bots, organisers on the whole
event."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from arena.events import Event, EventState, GameKey
from arena.events.facts import TRANSITIONS, FactKind
from webui.bots.values import BotRef
from webui.events.eligibility import asking_bots, is_fixed, playing
from webui.events.facts import check_in_opens
from webui.events.now import EventNow, now
from webui.events.refusals import refusal_words
from webui.events.rounds import GameView, games_of_round
from webui.events.values import EventPage, OwnEntry
from webui.events.words import example_places, game_words, place_words
from webui.words.vocabulary import listed

MOST_GAMES: Final = 300
"""Maximum number of games listed for an organiser to rule or replay, newest first."""


@dataclass(frozen=True)
class OwnBotView:
    """A bot of the visitor."""

    entry: OwnEntry
    next: str
    """Sentence about its next game. Empty if it does not play."""
    refusal: str
    """Reason why it cannot enter. Empty if it can, or has."""
    can_check_in: bool
    is_checked_in: bool
    version: str
    """Version that would play if the event started now. Empty after the start, or if the bot has not entered."""


def own_bots(page: EventPage, entries: Sequence[OwnEntry]) -> list[OwnBotView]:
    """Return the visitor's bots, those in the event first."""
    opens = check_in_opens(page.event.terms.course)
    is_open = page.event.state is EventState.OPEN and opens is not None and opens <= timezone.now()
    versions = {} if is_fixed(page) else playing(page)
    views = [
        OwnBotView(
            entry,
            next_game(page, entry.number) if entry.number else "",
            refusal_words(entry.refusal) if entry.refusal else "",
            can_check_in=is_open and entry.number is not None and entry.number not in page.event.checked_in,
            is_checked_in=page.event.state is EventState.OPEN and entry.number in page.event.checked_in,
            version=versions.get(entry.number or 0, ""),
        )
        for entry in entries
    ]
    return sorted(views, key=lambda view: view.entry.number is None)


def next_game(page: EventPage, number: int) -> str:
    """Return a sentence about an entrant's next game. Return "" if it does not play."""
    for pairing in page.event.pairings():
        if number in pairing.seats and number not in pairing.absent and pairing.key[0] <= page.shown + 1:
            if page.event.terms.hidden and not page.is_organiser and pairing.key[0] > page.event.revealed:
                # Nothing here may disclose whether the game has been played.
                secret = _("It plays in round %(n)s, whose results are hidden until the organiser reveals them.")
                return secret % {"n": pairing.key[0]}
            view = games_of_round(page, pairing.key[0])[pairing.key]
            words = {"where": place_words(page.event, pairing.key), "state": _state(view)}
            return _("%(where)s: %(state)s.") % words
    if page.event.state is EventState.OPEN and (opens := check_in_opens(page.event.terms.course)):
        words = {"time": date_format(opens, "DATETIME_FORMAT")}
        return _("Check-in opens at %(time)s UTC.") % words if opens > timezone.now() else ""
    if page.event.state in (EventState.RUNNING, EventState.PAUSED):
        return _("Its next game has not been drawn yet.")
    return ""


def _state(view: GameView) -> str:
    if view.status == "live":
        return _("it is playing")
    if view.status == "soon":
        return _("about to begin")
    if view.away:
        return _("waits for %(bots)s") % {"bots": listed(bot.name for bot, _since in view.away)}
    return _("waits for free slots")


@dataclass(frozen=True)
class OrganiserActions:
    """The actions that an organiser has now."""

    can: frozenset[str]
    """Kinds of facts that the event's state allows."""
    rounds: list[int]
    """Rounds that can be revealed."""
    again: list[int]
    """Rounds that can be played again."""
    games: list[tuple[str, str]]
    """Games, newest first: `round-table-game`, and words with the names in the order of the seats."""
    tables: list[tuple[str, str]]
    """Tables, newest first: `round-table`, and words."""
    not_out: list[tuple[int, str]]
    """Entrants who are not disqualified."""
    late: list[BotRef]
    """Bots whose owners ask to let them in."""
    no_show: int
    """Time that a table waits for a bot, in minutes."""
    round_every: int
    """Time from round to round, in minutes."""
    starts_at: str
    """Time of the start for an input of a time in UTC. Empty if there is none."""
    next_round_at: str
    matches_at_once: int
    places: str
    """Example of placements, one for each seat."""
    now: EventNow | None


def organiser_actions(page: EventPage) -> OrganiserActions:
    """Return the actions that an organiser has."""
    event = page.event
    can = frozenset(str(kind) for kind, (before, _after) in TRANSITIONS.items() if event.state in before)
    names = [(entrant.number, entrant.name) for entrant in event.entrants]
    count = len(event.rounds)
    return OrganiserActions(
        can=can,
        rounds=list(range(event.revealed + 1, count + 1)) if event.terms.hidden else [],
        again=list(range(count, 0, -1))[:MOST_GAMES] if str(FactKind.AGAIN) in can else [],
        games=_games(event) if str(FactKind.RULED) in can else [],
        tables=_tables(event) if str(FactKind.AGAIN) in can else [],
        not_out=[(number, name) for number, name in names if number not in event.disqualified],
        late=asking_bots(page.line.slug) if str(FactKind.ENTERED) in can else [],
        no_show=max(1, event.terms.course.no_show_s // 60),
        round_every=event.terms.course.round_every_s // 60,
        starts_at=_input_time(event.terms.course.starts_at),
        next_round_at=_input_time(event.terms.course.next_round_at),
        matches_at_once=event.terms.course.matches_at_once,
        places=example_places(event.terms.ruleset.players),
        now=now(page),
    )


def _input_time(time: str) -> str:
    return f"{datetime.fromisoformat(time).astimezone(UTC):%Y-%m-%dT%H:%M}" if time else ""


def _newest(event: Event) -> list[GameKey]:
    """Return the games of all rounds, the newest round first."""
    return sorted(event.history().games_at(), key=lambda key: -key[0])


def _tables(event: Event) -> list[tuple[str, str]]:
    choices: list[tuple[str, str]] = []
    for round, table, _game in [key for key in _newest(event) if key[2] == 0][:MOST_GAMES]:
        names = ", ".join(event.entrants[seat - 1].name for seat in event.rounds[round - 1].tables[table - 1].seats)
        choices.append((f"{round}-{table}", f"{place_words(event, (round, table, 0), is_game=False)}: {names}"))
    return choices


def _games(event: Event) -> list[tuple[str, str]]:
    return [("-".join(map(str, key)), game_words(event, key)) for key in _newest(event)[:MOST_GAMES]]
