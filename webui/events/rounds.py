"""Rounds of an event with their tables and games, for templates."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from fractions import Fraction
from typing import Final

from django.http import Http404

from arena.events import EventTable, GameKey, History, Pairing, TableGame
from arena.events.values import halves, seats_of_game
from webui.bots.values import BotRef
from webui.core.paging import ListPage, page_number
from webui.events.values import EventPage
from webui.events.words import group_name, number_words
from webui.stories import queries as story_queries
from webui.words.verdicts import verdict_of

TABLES_A_PAGE: Final = 24
"""Number of tables that fill a page of rounds."""


@dataclass(frozen=True)
class GameSeat:
    """An entrant at a game. Unknown values are None."""

    number: int
    """Number of the seat, from 1."""
    bot: BotRef
    entrant: int
    placement: int | None = None
    score: int | None = None
    points: str | None = None
    is_out: bool = False
    """Whether the entrant was absent or disqualified."""


@dataclass(frozen=True)
class GameView:
    """A game of a table."""

    number: int
    """Number of the game, from 1. It is 0 if a table plays only one."""
    status: str
    """Status: `played`, `live`, `soon` (scheduled), `waits` (for absent bots), `queued`, or `hidden`."""
    seats: Sequence[GameSeat]
    match: str = ""
    """Match of the game. Empty if there is none, or if it may not be shown."""
    is_ruled: bool = False
    """Whether the organiser ruled the result. Scores are those of the game that was played, if any."""
    away: Sequence[tuple[BotRef, datetime]] = ()
    """Bots for which the game waits, each with the time since when."""
    verdict: str = ""
    """Summary of the game, if its match has a story."""


@dataclass(frozen=True)
class TableView:
    """A table of a round."""

    number: int
    group: str
    games: Sequence[GameView]


@dataclass(frozen=True)
class RoundView:
    """A round. Its tables are empty while they would disclose hidden results."""

    number: int
    label: str
    tables: Sequence[TableView]
    byes: Sequence[BotRef]
    is_hidden: bool
    """Whether its results are hidden from others than the organisers."""


def rounds(page: EventPage, text: str | None) -> ListPage[RoundView]:
    """Return a page of the drawn rounds, newest first. Raise `Http404` for a page that does not exist."""
    number, chunk, has_more = _chunk(page, page_number(text))
    pending = {pairing.key: pairing for k in chunk for pairing in page.event.pairings(k)}
    history = page.event.history(page.shown)
    return ListPage(_with_verdicts([_round(page, k, history, pending) for k in chunk]), number, has_more)


def _with_verdicts(rounds: Sequence[RoundView]) -> list[RoundView]:
    """Add the summaries of the games to the rounds, with one query."""
    stories = story_queries.stories([game.match for each in rounds for table in each.tables for game in table.games])

    def with_verdict(game: GameView) -> GameView:
        story = stories.get(game.match)
        if story is None or game.status != "played" or game.is_ruled:
            return game
        return replace(game, verdict=verdict_of({seat.number: seat.bot.name for seat in game.seats}, story))

    return [
        replace(
            each, tables=[replace(table, games=[with_verdict(game) for game in table.games]) for table in each.tables]
        )
        for each in rounds
    ]


def _chunk(page: EventPage, number: int) -> tuple[int, list[int], bool]:
    """Return the numbers of the rounds on a page."""
    chunks: list[list[int]] = [[]]
    tables = 0
    for k in range(len(page.event.rounds), 0, -1):
        size = len(page.event.rounds[k - 1].tables)
        if chunks[-1] and tables + size > TABLES_A_PAGE:
            chunks.append([])
            tables = 0
        chunks[-1].append(k)
        tables += size
    if number > len(chunks):
        raise Http404("no such page")
    return number, chunks[number - 1], number < len(chunks)


def _round(page: EventPage, number: int, history: History, pending: Mapping[GameKey, Pairing]) -> RoundView:
    drawn = page.event.rounds[number - 1]
    is_hidden = page.event.terms.hidden and number > page.event.revealed
    if number > page.shown + 1:
        return RoundView(number, "", (), (), is_hidden)
    played: dict[tuple[int, tuple[int, ...]], TableGame] = {}
    if number <= page.shown:
        for table in history.rounds[number - 1].tables:
            played |= {(table.number, game.seats): game for game in table.games}
    count = history.games_a_table
    tables = [
        TableView(
            table.number,
            group_name(table.group),
            [_game(page, number, table, game, count > 1, played, pending) for game in range(count)],
        )
        for table in drawn.tables
    ]
    return RoundView(number, group_name(drawn.label), tables, [page.bots[entrant] for entrant in drawn.byes], is_hidden)


def games_of_round(page: EventPage, number: int) -> dict[GameKey, GameView]:
    """Return the games of a round that may be shown."""
    return dict(_games_of(page, number, page.event.history(page.shown)))


def shown_games(page: EventPage) -> dict[GameKey, GameView]:
    """Return the games of all rounds whose results are shown."""
    history = page.event.history(page.shown)
    return {key: game for number in range(1, page.shown + 1) for key, game in _games_of(page, number, history)}


def _games_of(page: EventPage, number: int, history: History) -> Iterator[tuple[GameKey, GameView]]:
    pending = {pairing.key: pairing for pairing in page.event.pairings(number)}
    for table in _round(page, number, history, pending).tables:
        yield from (((number, table.number, k), game) for k, game in enumerate(table.games))


def _game(
    page: EventPage,
    round: int,
    table: EventTable,
    number: int,
    is_numbered: bool,
    played: Mapping[tuple[int, tuple[int, ...]], TableGame],
    pending: Mapping[GameKey, Pairing],
) -> GameView:
    key = (round, table.number, number)
    seats = seats_of_game(table.seats, number, page.event.terms.unit)
    shown_number = number + 1 if is_numbered else 0
    match = page.games.get(key)
    # the same rule as for the match's own page
    is_public = page.is_organiser or not page.event.terms.hidden or round <= page.event.revealed
    link = match.match if match and is_public else ""
    if game := played.get((table.number, seats)):
        scores = (page.event.ruled.get(key) or game).scores
        return GameView(shown_number, "played", _seats_played(page, game, scores), link, key in page.event.ruled)
    plain = [GameSeat(k, page.bots[entrant], entrant) for k, entrant in enumerate(seats, start=1)]
    if key not in pending:
        return GameView(shown_number, "hidden", plain)
    if match and match.state in ("RUNNING", "SCHEDULED"):
        return GameView(shown_number, "live" if match.state == "RUNNING" else "soon", plain, link)
    away = [(page.bots[n], page.away[n]) for n in seats if n in page.away and n not in pending[key].absent]
    is_secret = not is_public and not page.is_organiser  # it may have been played
    return GameView(shown_number, "waits" if away else "hidden" if is_secret else "queued", plain, away=away)


def _seats_played(page: EventPage, game: TableGame, scores: Sequence[int] | None) -> list[GameSeat]:
    won = halves(game.placements)
    return [
        GameSeat(
            number=k + 1,
            bot=page.bots[entrant],
            entrant=entrant,
            placement=game.placements[k],
            score=scores[k] if scores else None,
            points="0" if entrant in game.out else number_words(Fraction(won[k], 2)),
            is_out=entrant in game.out,
        )
        for k, entrant in enumerate(game.seats)
    ]
