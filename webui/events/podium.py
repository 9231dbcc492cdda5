"""Summary of a finished event, for templates: the podium, some figures, and the most remarkable games."""

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
    """A step of the podium. Tied bots have equal places."""

    place: int
    bot: BotRef
    points: str
    """Points in words."""


@dataclass(frozen=True)
class BestGame:
    """A game that stands out."""

    name: Any
    """Its distinction, such as `Highest score`."""
    value: str
    where: str
    bots: Sequence[BotRef]
    """Bots of the game, the winner first."""
    match: str
    """Match of the game. Empty if it has none."""


@dataclass(frozen=True)
class Podium:
    """The summary of a finished event."""

    steps: Sequence[PodiumStep]
    bots: int
    """Number of bots that played, including those that were disqualified or left later."""
    games: int
    mean_score: int | None
    """Mean score of a seat."""
    mean_time: timedelta | None
    """Mean duration of a game."""
    best: Sequence[BestGame]


Played = tuple[GameKey, TableGame]
Measure = Callable[[EventPage, GameKey, TableGame], float | None]
"""Function that measures a game. It returns None if the game has no such value."""


def podium(page: EventPage) -> Podium | None:
    """Return the summary of an event. Return None if it has not finished, or if nothing was played."""
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
    """Yield the games in which all entrants played."""
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
        value, key, game = max(measured, key=lambda item: item[0])
        ranked = sorted(zip(game.placements, game.seats, strict=True))
        match = page.games.get(key)
        bots = [page.bots[entrant] for _place, entrant in ranked]
        yield BestGame(name, words(value), place_words(page.event, key), bots, match.match if match else "")


def _highest(_page: EventPage, _key: GameKey, game: TableGame) -> float | None:
    return max(game.scores) if game.scores else None


def _closeness(_page: EventPage, _key: GameKey, game: TableGame) -> float | None:
    """Return the difference between the second and the first score, which is negative or 0."""
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
    """Return the lead in strength of the strongest entrant over the only winner. Return None if it won itself, or if
    several entrants won."""
    strengths = {entrant: page.event.entrants[entrant - 1].strength for entrant in game.seats}
    winners = [entrant for entrant, place in zip(game.seats, game.placements, strict=True) if place == 1]
    by = max(strengths.values()) - strengths[winners[0]] if winners else 0
    return by if len(winners) == 1 and by > 0 and min(strengths.values()) > 0 else None
