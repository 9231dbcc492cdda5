"""What is left of an event that is over: the first three, numbers, and games that are worth a look; for templates."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from arena.events import EventState, GameKey, TableGame
from webui.bots.values import BotRef
from webui.events.values import EventPage
from webui.events.words import place_words, points_words


@dataclass(frozen=True)
class PodiumStep:
    """A place on the podium; equal ones share it."""

    place: int
    bot: BotRef
    points: str
    """In words."""


@dataclass(frozen=True)
class BestGame:
    """A game that stands out."""

    name: Any
    """As what: `Highest score`."""
    value: str
    where: str
    bots: Sequence[BotRef]
    """The first one first."""
    match: str
    """Empty where it has none."""


@dataclass(frozen=True)
class Podium:
    """The end of an event."""

    steps: Sequence[PodiumStep]
    bots: int
    """Who played, those who were disqualified or left later included."""
    games: int
    mean_score: int | None
    """Of a seat."""
    mean_time: timedelta | None
    """Of a game."""
    best: Sequence[BestGame]


Played = tuple[GameKey, TableGame]
Measure = Callable[[EventPage, GameKey, TableGame], float | None]
"""Of a game; None where it has none."""


def podium(page: EventPage) -> Podium | None:
    """The end of an event; None before it, and where nothing was played."""
    if page.event.state not in (EventState.FINISHED, EventState.ARCHIVED) or not page.event.games:
        return None
    steps = [
        PodiumStep(line.place, page.bots[line.entrant], points_words(line.points))
        for line in page.standings[:5]
        if line.place <= 3 and line.games + line.byes
    ]
    played = list(_played(page))
    scores = [score for _key, game in played for score in game.scores or ()]
    times = [took for key, game in played if (took := _seconds(page, key, game)) is not None]
    return Podium(
        steps,
        len({number for game in page.event.games.values() for number in game.seats}),
        len(page.event.games),
        round(sum(scores) / len(scores)) if scores else None,
        timedelta(seconds=round(sum(times) / len(times))) if times else None,
        list(_best(page, played)),
    )


def _played(page: EventPage) -> Iterator[Played]:
    """The games in which everybody played."""
    for key, game in sorted(page.event.games.items()):
        if not game.out and not page.event.disqualified.intersection(game.seats):
            yield key, game


def _best(page: EventPage, played: Sequence[Played]) -> Iterator[BestGame]:
    kinds: list[tuple[Any, Measure, Callable[[float], str]]] = [
        (_("Highest score"), _highest, lambda value: str(round(value))),
        (_("Closest game"), _closeness, lambda value: gettext("by %(n)s") % {"n": round(-value)}),
        (_("Longest game"), _seconds, lambda value: str(timedelta(seconds=round(value)))),
        (_("Biggest upset, in rating points"), _upset, lambda value: str(round(value))),
    ]
    for name, measure, words in kinds:
        measured = [(value, key, game) for key, game in played if (value := measure(page, key, game)) is not None]
        if not measured:
            continue
        value, key, game = max(measured, key=lambda one: one[0])
        ranked = sorted(zip(game.placements, game.seats, strict=True))
        match = page.games.get(key)
        bots = [page.bots[entrant] for _place, entrant in ranked]
        yield BestGame(name, words(value), place_words(page.event, key), bots, match.match if match else "")


def _highest(_page: EventPage, _key: GameKey, game: TableGame) -> float | None:
    return max(game.scores) if game.scores else None


def _closeness(_page: EventPage, _key: GameKey, game: TableGame) -> float | None:
    """How far the second is behind the first, negative."""
    if not game.scores:
        return None
    first, second = sorted(game.scores, reverse=True)[:2]
    return second - first


def _seconds(page: EventPage, key: GameKey, _game: TableGame) -> float | None:
    match = page.games.get(key)
    if match is None or match.started_at is None or match.finished_at is None:
        return None
    return (match.finished_at - match.started_at).total_seconds()


def _upset(page: EventPage, _key: GameKey, game: TableGame) -> float | None:
    """How much stronger the strongest was than the only winner; None where no weaker one won."""
    strengths = {entrant: page.event.entrants[entrant - 1].strength for entrant in game.seats}
    winners = [entrant for entrant, place in zip(game.seats, game.placements, strict=True) if place == 1]
    by = max(strengths.values()) - strengths[winners[0]] if winners else 0
    return by if len(winners) == 1 and by > 0 and min(strengths.values()) > 0 else None
