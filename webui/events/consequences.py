"""Consequences of a decision, computed before it is made."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final

from arena.events import Event, EventError, Fact
from arena.events.facts import BotDisqualified, BotWithdrawn, FactData, GameRuled, GamesRepeated
from webui.core.errors import BadRequest
from webui.events import facts
from webui.events.values import EventPage
from webui.events.words import game_words, number_words, place_words, result_words

MOST: Final = 64
"""Maximum number of entrants and games listed."""


@dataclass(frozen=True)
class Moved:
    """An entrant whose place or points change."""

    name: str
    place: int
    new_place: int
    points: str
    new_points: str


@dataclass(frozen=True)
class Consequences:
    """The consequences of a decision."""

    about: list[str]
    """Names of the bot or the games that the decision is about."""
    more_about: int
    """Number of further ones that are not listed."""
    moved: list[Moved]
    more: int
    """Number of further entrants that are not listed."""
    void: int
    """Number of results that no longer count."""
    again: int
    """Number of games that are played again."""
    decided: int
    """Number of pending games that are no longer played."""
    later: int
    """Number of rounds whose draw used results that change. They stay as they were drawn."""


def consequences(page: EventPage, data: FactData) -> Consequences:
    """Apply a fact to a copy, and return what it changes. Raise `BadRequest` if the fact is not possible."""
    before = Event(page.facts)
    after = Event(page.facts)
    try:
        after.apply(Fact(data))
        if isinstance(data, BotWithdrawn | BotDisqualified):
            for fact in facts.absences(before, data.entrant):
                after.apply(fact)
    except EventError as error:
        raise BadRequest(str(error)) from error
    old = {row.entrant: row for row in before.standings(before.seed)}
    new = {row.entrant: row for row in after.standings(after.seed)}
    moved = [
        Moved(
            before.entrants[number - 1].name,
            old[number].place,
            row.place,
            number_words(Fraction(old[number].halves, 2)),
            number_words(Fraction(row.halves, 2)),
        )
        for number, row in new.items()
        if (row.place, row.halves) != (old[number].place, old[number].halves)
    ]
    waited = {pairing.key for pairing in before.pairings()}
    left = {pairing.key for pairing in after.pairings()}
    about = _about(before, data)
    return Consequences(
        about[:MOST],
        max(0, len(about) - MOST),
        moved[:MOST],
        max(0, len(moved) - MOST),
        void=sum(after.games.get(key) != game for key, game in before.games.items()),
        again=len(left - waited),
        decided=len(waited - left),
        later=0 if before.terms.format.is_continuous else _later(before, data),
    )


def _about(event: Event, data: FactData) -> list[str]:
    match data:
        case GamesRepeated(games=games):
            return [game_words(event, key) for key in games]
        case GameRuled(key=key):
            return [f"{place_words(event, key)}: {result_words(event, data)}"]
        case BotWithdrawn(entrant=entrant) | BotDisqualified(entrant=entrant):
            return [event.entrants[entrant - 1].name]
    return []


def _later(event: Event, data: FactData) -> int:
    """Return the number of rounds after the first one whose results change."""
    match data:
        case GamesRepeated(games=games):
            return len(event.rounds) - min(round for round, _table, _game in games)
        case GameRuled(round=round):
            return len(event.rounds) - round
    return 0
