"""States, formats, numbers and facts of events in words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from fractions import Fraction
from typing import Any, Final

from django.utils.formats import date_format
from django.utils.translation import gettext, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from arena.events import Event, EventState, Fact, FactKind, GameKey
from arena.events.facts import (
    BotCheckedIn,
    BotDisqualified,
    BotEntered,
    BotWithdrawn,
    CourseChanged,
    EntrantAbsent,
    EventCreated,
    FieldFrozen,
    GameEnded,
    GameRuled,
    GamesRepeated,
    MessageSent,
    RoundDrawn,
    RoundsRevealed,
    TermsChanged,
)
from arena.events.values import seats_of_game
from webui.events.values import EventPage

STATES: Final[Mapping[str, Any]] = {
    EventState.DRAFT: _("draft"),
    EventState.OPEN: _("open for entries"),
    EventState.FROZEN: _("about to start"),
    EventState.RUNNING: _("running"),
    EventState.PAUSED: pgettext_lazy("an event", "paused"),
    EventState.FINISHED: pgettext_lazy("an event", "finished"),
    EventState.ARCHIVED: _("archived"),
    EventState.CANCELLED: _("cancelled"),
}
STATE_STYLES: Final[Mapping[str, str]] = {
    EventState.OPEN: "good",
    EventState.RUNNING: "live",
    EventState.PAUSED: "warning",
    EventState.CANCELLED: "bad",
}
FORMATS: Final[Mapping[str, Any]] = {
    "gauntlet": _("Gauntlet"),
    "knockout": _("Knockout"),
    "league": _("League"),
    "marathon": _("Marathon"),
    "round_robin": _("Round robin"),
    "swiss": _("Swiss system"),
}
GROUPS: Final[Mapping[str, Any]] = {
    "final": _("final"),
    "reset final": _("second final"),
    "semi-final": _("semi-final"),
    "lower": _("lower bracket"),
    "consolation": _("consolation"),
}
TIE_BREAKS: Final[Mapping[str, tuple[Any, Any, Any]]] = {
    "head_to_head": (
        _("H2H"),
        _("Head to head"),
        _("Points won against those with equal points, in games that they played together."),
    ),
    "buchholz": (_("BH"), _("Buchholz"), _("The sum of the points of all opponents.")),
    "sonneborn_berger": (
        _("SB"),
        _("Sonneborn-Berger"),
        _("The points of each opponent that was beaten, and half of those of each that was tied with."),
    ),
    "score_share": (
        _("Share"),
        _("Share of the score"),
        _("The mean share of a game's score: one's own score divided by the sum of all scores at the table."),
    ),
    "wins": (_("Wins"), _("Wins"), _("Games won outright.")),
    "best_game": (_("Best"), _("Best game"), _("The highest score in one game.")),
    "lot": (_("Lot"), _("Lot"), _("A lot drawn from the event's seed.")),
}
"""Abbreviation, name and meaning of each tie-break (`arena.events.tiebreaks`)."""


def format_name(kind: str) -> str:
    """Return a kind of format in words."""
    return str(FORMATS.get(kind, kind.replace("_", " ").capitalize()))


def format_words(event: Event) -> str:
    """Return the format in words, such as `Swiss system, 5 rounds`."""
    document = event.terms.format.document()
    words = [format_name(document["kind"])]
    if "rounds" in document:
        words.append(ngettext("%(n)s round", "%(n)s rounds", document["rounds"]) % {"n": document["rounds"]})
    if document.get("cycles", 1) > 1:
        words.append(ngettext("%(n)s cycle", "%(n)s cycles", document["cycles"]) % {"n": document["cycles"]})
    if "seasons" in document:
        words.append(ngettext("%(n)s season", "%(n)s seasons", document["seasons"]) % {"n": document["seasons"]})
        words.append(gettext("divisions of %(n)s") % {"n": document["size"]})
    if document.get("advance", 1) > 1:
        words.append(gettext("the best %(n)s of a table go on") % {"n": document["advance"]})
    if document.get("double"):
        words.append(gettext("out after two losses"))
    if document.get("consolation"):
        words.append(gettext("games for all places"))
    return ", ".join(words)


def in_short(page: EventPage) -> str:
    """Return an event in one line, for link previews: `Swiss system, 5 rounds · 4 players · 12 bots · running`."""
    line = page.line
    words = [
        format_words(page.event),
        ngettext("%(n)s player", "%(n)s players", line.players) % {"n": line.players},
        ngettext("%(n)s bot", "%(n)s bots", line.entrants) % {"n": line.entrants},
        str(STATES[line.state]),
    ]
    return " · ".join(words)


def course_words(event: Event) -> str:
    """Return the current round, such as `Round 3 of 5`. Return "" before the first round and for continuous formats."""
    drawn = len(event.rounds)
    if not drawn or event.terms.format.is_continuous:
        return ""
    number = event.terms.format.number_of_rounds(event.terms.ruleset.players, len(event.fields[0]))
    if number is None or number < drawn:
        return gettext("Round %(n)s") % {"n": drawn}
    return gettext("Round %(n)s of %(of)s") % {"n": drawn, "of": number}


def group_name(group: str) -> str:
    """Return the label of a round or the group of a table in words."""
    if match := re.fullmatch(r"round of (\d+)", group):
        return gettext("round of %(n)s") % {"n": match[1]}
    if match := re.fullmatch(r"division (\d+)", group):
        return gettext("division %(n)s") % {"n": match[1]}
    if match := re.fullmatch(r"season (\d+), round \d+", group):
        return gettext("season %(n)s") % {"n": match[1]}
    return str(GROUPS.get(group, group))


def number_words(value: Fraction) -> str:
    """Return a number of points, such as `0`, `½`, `2½`, `3¼` or `0.33`."""
    whole, part = divmod(value, 1)
    glyphs = {Fraction(0): "", Fraction(1, 4): "¼", Fraction(1, 2): "½", Fraction(3, 4): "¾"}
    if part not in glyphs:
        return f"{float(value):.2f}"
    return f"{whole or ''}{glyphs[part]}" or "0"


def length_words(seconds: int) -> str:
    """Return a duration, such as `20 s`, `5 min` or `1 min 20 s`."""
    whole, rest = divmod(seconds, 60)
    words = [gettext("%(n)s min") % {"n": whole}] if whole else []
    if rest or not whole:
        words.append(gettext("%(n)s s") % {"n": rest})
    return " ".join(words)


def moment_words(text: str) -> str:
    """Return a time of the terms (ISO 8601) in words, in UTC."""
    when = datetime.fromisoformat(text).astimezone(UTC)
    return gettext("%(time)s UTC") % {"time": date_format(when, "DATETIME_FORMAT")}


def points_words(points: Fraction) -> str:
    """Return points with their noun, such as `1 point` or `2½ points`."""
    # Halves and thirds take the plural form of two in the site's languages.
    count = int(points) if points.denominator == 1 else 2
    return ngettext("%(n)s point", "%(n)s points", count) % {"n": number_words(points)}


def tie_break_words(name: str, value: Fraction) -> str:
    """Return the value of a tie-break. A share is in per cent."""
    return f"{float(value * 100):.1f} %" if name == "score_share" else number_words(value)


@dataclass(frozen=True)
class LogLine:
    """A line of the audit log."""

    words: str
    by: str
    """Name of the user who caused the fact. Empty for the arena itself."""
    why: str
    at: datetime | None


def log_lines(event: Event, facts: Sequence[Fact]) -> list[LogLine]:
    """Return the facts in sentences, newest first."""
    lines, drawn = [], 0
    terms: Mapping[str, Any] = {}
    for fact in facts:
        drawn += fact.kind is FactKind.DRAWN
        at = datetime.fromisoformat(fact.at) if fact.at else None
        why = fact.why if fact.by else str(WHYS.get(fact.why, fact.why))
        lines.append(LogLine(fact_words(event, fact, drawn, terms), fact.by, why, at))
        if isinstance(fact.data, EventCreated | TermsChanged):
            terms = fact.data.terms.document()
        elif isinstance(fact.data, CourseChanged):
            terms = {**terms, "course": fact.data.course.document()}
    return lines[::-1]


WHYS: Final[Mapping[str, Any]] = {
    "neither checked in nor online at the start": _("neither checked in nor online at the start"),
}
"""Words for the arena's own reasons."""
SIMPLE: Final[Mapping[FactKind, Any]] = {
    FactKind.CREATED: _("The event was drafted."),
    FactKind.PUBLISHED: _("The event was published, with the commitment to its seed."),
    FactKind.STARTED: _("The event started."),
    FactKind.PAUSED: _("The event was paused: no new matches begin."),
    FactKind.RESUMED: _("The event goes on."),
    FactKind.FINISHED: _("The event is over, and its seed is revealed."),
    FactKind.ARCHIVED: _("The event was archived."),
    FactKind.CANCELLED: _("The event was cancelled. Matches that were not over ended without a result."),
}


def fact_words(event: Event, fact: Fact, drawn: int, terms: Mapping[str, Any]) -> str:
    """Return a fact in a sentence.

    `drawn` is the number of rounds drawn up to and including the fact. `terms` are the terms before it.
    """
    match fact.data:
        case BotEntered(name=name):
            return gettext("%(bot)s entered.") % {"bot": name}
        case FieldFrozen(field=field):
            n = len(field)
            return ngettext("The field was frozen: %(n)s bot.", "The field was frozen: %(n)s bots.", n) % {"n": n}
        case RoundDrawn(tables=tables):
            n = len(tables)
            words = ngettext("Round %(round)s was drawn: %(n)s table.", "Round %(round)s was drawn: %(n)s tables.", n)
            return words % {"round": drawn, "n": n}
        case GamesRepeated(games=games):
            return gettext("To be played again: %(games)s.") % {
                "games": "; ".join(place_words(event, key) for key in games)
            }
        case CourseChanged(course=course):
            return _changed_words(_course_changes(terms["course"], course.document()))
        case TermsChanged(terms=new):
            return _changed_words(_changes(terms, new.document()))
        case RoundsRevealed(round=number):
            return gettext("The results up to round %(n)s were revealed.") % {"n": number}
        case MessageSent(text=text):
            return gettext("Message: %(text)s") % {"text": text}
        case GameEnded(key=key):
            words = gettext("%(where)s: %(result)s.")
            return words % {"where": place_words(event, key), "result": result_words(event, fact.data)}
        case GameRuled(key=key):
            words = gettext("%(where)s, by decision: %(result)s.")
            return words % {"where": place_words(event, key), "result": result_words(event, fact.data)}
        case EntrantAbsent(round=round, table=table, entrant=entrant):
            where = place_words(event, (round, table, 0), is_game=False)
            words = gettext("%(where)s: %(bot)s did not come in time.")
            return words % {"where": where, "bot": event.entrants[entrant - 1].name}
        case BotWithdrawn(entrant=entrant):
            return gettext("%(bot)s left.") % {"bot": event.entrants[entrant - 1].name}
        case BotCheckedIn(entrant=entrant):
            return gettext("%(bot)s has checked in.") % {"bot": event.entrants[entrant - 1].name}
        case BotDisqualified(entrant=entrant):
            return gettext("%(bot)s was disqualified.") % {"bot": event.entrants[entrant - 1].name}
    return str(SIMPLE[fact.kind])


CHANGED: Final[Mapping[str, Any]] = {
    "name": _("name"),
    "summary": _("summary"),
    "format": _("format"),
    "game": _("game"),
    "unit": _("what a table plays"),
    "clock": _("clock"),
    "policy": _("faults"),
    "rated": _("whether it is rated"),
    "versions": _("versions"),
    "hidden": _("whether results are hidden"),
    "tie_breaks": _("tie-breaks"),
    "entry": _("who may enter"),
    "starts_at": _("start"),
    "starts_when_full": _("start"),
    "check_in_s": _("check-in"),
    "round_every_s": _("times of rounds"),
    "next_round_at": _("times of rounds"),
    "no_show_s": _("how long a table waits for a bot"),
    "matches_at_once": _("matches at a time"),
    "ends_after_s": _("end"),
}
"""Names of what can change, by their key in the terms or in their course."""


def _changed_words(keys: Iterable[str]) -> str:
    if names := dict.fromkeys(str(CHANGED[key]) for key in keys):
        return gettext("Changed: %(what)s.") % {"what": ", ".join(names)}
    return gettext("The terms were saved again without a change.")


def _changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    keys = [key for key in new if key != "course" and new[key] != old[key]]
    return keys + _course_changes(old["course"], new["course"])


def _course_changes(old: Mapping[str, Any], new: Mapping[str, Any]) -> list[str]:
    return [key for key in new if new[key] != old[key]]


def place_words(event: Event, key: GameKey, *, is_game: bool = True) -> str:
    """Return a place in words, such as `Round 2, table 3`. In a deal block it includes the game."""
    if event.terms.unit != "match" and is_game:
        words = gettext("Round %(round)s, table %(table)s, game %(game)s")
    else:
        words = gettext("Round %(round)s, table %(table)s")
    return words % {"round": key[0], "table": key[1], "game": key[2] + 1}


def game_words(event: Event, key: GameKey) -> str:
    """Return a game in words: `Round 2, table 3: ` and the names of the entrants, in the order of the seats."""
    seats = seats_of_game(event.rounds[key[0] - 1].tables[key[1] - 1].seats, key[2], event.terms.unit)
    names = ", ".join(event.entrants[number - 1].name for number in seats)
    return f"{place_words(event, key)}: {names}"


def example_places(players: int) -> str:
    """Return example placements for a number of seats, such as `1 2 2 4`. They include a tie if there are enough
    seats."""
    return " ".join(map(str, [1, 2] if players == 2 else [1, 2, 2, *range(4, players + 1)]))


def result_words(event: Event, game: GameEnded | GameRuled) -> str:
    """Return the placements of a result, such as `1. sand-fox, 2. greedy`."""
    table = event.rounds[game.round - 1].tables[game.table - 1]
    seats = seats_of_game(table.seats, game.game, event.terms.unit)
    placed = sorted(zip(game.placements, seats, strict=True))
    return ", ".join(f"{place}. {event.entrants[number - 1].name}" for place, number in placed)
