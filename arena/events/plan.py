"""Dry runs: terms are tried out before they are published. The event is played once with random results, and counted.

The interval of a bot's strength is that of the Plackett-Luce model (R. L. Plackett, The analysis of permutations,
1975), which `arena/ratings` uses as well. A game of n equal bots carries information about the logarithm of one bot's
strength. The Fisher information is 1 - H(n) / n, with H(n) = 1 + 1/2 + … + 1/n. For when m bots are left, the bot is
among them with probability m / n. It is chosen next with probability 1 / m, whose variance is (1 / m)(1 - 1 / m). For
n = 2 the information is ¼, as in Elo.

After G games the standard error is therefore 1 / √(G (1 - H(n) / n)); multiplied by 400 / ln 10 it is in points of
Elo. This assumes known strengths of opponents and no ties, so it is a lower bound.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil, comb, log, sqrt
from typing import Final

from arena.events.errors import TermsError
from arena.events.formats.base import EventFormat
from arena.events.formats.marathon import Marathon
from arena.events.formats.swiss import Swiss
from arena.events.terms import Terms
from arena.events.values import Draw, Entrant, History, Round, TableGame, halves_of_bye, round_stream, seats_of_game
from arena.rules.chance import Stream

SEED: Final = bytes(32)
"""Seed of every dry run: equal terms give equal numbers."""
MOST_GAMES: Final = 20_000
"""Maximum number of games, or rounds, of a dry run. If it is reached, the run is not complete."""
MOST_ROUNDS: Final = 500
MOST_DRAWS: Final = 100
"""Maximum number of draws of a continuous format, each of which visits all games."""
MOST_TRIALS: Final = 100
SAMPLE: Final = 65
"""Number of entrants simulated when the field is larger than this and every entrant plays every round. Up to one table
is added."""
ALIKE: Final = (Swiss, Marathon)
"""Formats in which every entrant plays every round, however large the field is."""
TOP: Final = 8
MORE: Final = 2
"""Number of additional rounds that a hint proposes."""
_SIGMAS: Final = 1.96
_POINTS: Final = 400 / log(10)
"""Points of Elo for one unit of the logarithm of strength."""


@dataclass(frozen=True, slots=True)
class Hint:
    """A possible improvement of the terms.

    `MORE_ROUNDS`: with `rounds` more rounds the interval is ± `after` points instead of ± `before`. Among the first
    places, `ties_after` neighbours are tied instead of `ties_before`. `BLOCKS`: in single matches, an entrant sits
    `spread` times more often at one seat than at another; deal blocks make that even.
    """

    code: str
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class DryRun:
    """Numbers of a simulated event."""

    entrants: int
    sample: int
    """Number of entrants simulated. If it is less than `entrants`, `most_byes`, `games_of`, meetings and seats refer
    to these."""
    rounds: int
    tables: int
    games: int
    byes: int
    most_byes: int
    """Most byes of one entrant."""
    games_of: tuple[int, ...]
    """Games of each entrant, by number."""
    meetings: tuple[tuple[int, ...], ...]
    """Number of games of each pair; rows and columns are entrants by number."""
    least_meetings: int
    most_meetings: int
    """Most games of one pair."""
    seats: tuple[tuple[int, ...], ...]
    """Number of games of each entrant (row) at each seat (column)."""
    seat_spread: int
    """Greatest difference between two seats of one entrant."""
    hours: float
    half_width: int
    """Half of the 95 % interval of the entrant with the fewest games, in points of Elo."""
    ties: float
    """Mean number of neighbours among the first places with equal points, over random results at these tables."""
    is_complete: bool
    """False if the run was stopped before the event's end."""
    hints: tuple[Hint, ...] = ()


def dry_run(terms: Terms, entrants: int, minutes: float, at_once: int | None = None) -> DryRun:
    """Simulate the event once with random results.

    `minutes` is the length of a match. `at_once` is the number of simultaneous matches, by default that of the terms'
    course; a bot plays one match at a time. Raise `TermsError` if this number of entrants cannot play the event.

    >>> from arena.events import parse_terms
    >>> terms = parse_terms({"name": "Cup", "format": {"kind": "swiss", "rounds": 3}, "game": {"players": 4}})
    >>> run = dry_run(terms, entrants=16, minutes=10)
    >>> run.rounds, run.games, run.hours
    (3, 12, 0.5)
    """
    at_once = terms.course.matches_at_once if at_once is None else at_once
    terms.format.check(terms.ruleset.players, entrants)
    history, result = _count(terms, entrants, minutes, at_once)
    hints = []
    longer = _longer(terms.format)
    if longer is not None and result.is_complete:
        _, more = _count(replace(terms, format=longer), entrants, minutes, at_once, history)
        if more.rounds > result.rounds and more.ties < result.ties:
            widths = {"before": result.half_width, "after": more.half_width}
            ties = {"ties_before": result.ties, "ties_after": more.ties}
            hints.append(Hint("MORE_ROUNDS", {"rounds": more.rounds - result.rounds, **widths, **ties}))
    if terms.unit == "match" and result.seat_spread > 1:
        hints.append(Hint("BLOCKS", {"spread": result.seat_spread}))
    return replace(result, hints=tuple(hints))


def played_by_chance(terms: Terms, entrants: int) -> History:
    """Return the history of a simulated event, complete unless a limit stopped it.

    >>> from arena.events import parse_terms
    >>> terms = parse_terms({"name": "Duel", "format": {"kind": "knockout"}, "game": {"players": 2}})
    >>> [len(round.tables) for round in played_by_chance(terms, entrants=8).rounds]
    [4, 2, 1]
    """
    return _play(terms, entrants, minutes=1, at_once=1, scale=1)[0]


def half_width(players: int, games: int) -> float:
    """Return half of the 95 % interval of a bot's strength after `games` games of `players` seats, in points of Elo.

    >>> round(half_width(players=2, games=100))
    68
    """
    information = 1 - sum(Fraction(1, m) for m in range(1, players + 1)) / players
    return _SIGMAS * _POINTS / sqrt(games * information) if games else float("inf")


def _longer(format: EventFormat) -> Swiss | None:
    """Return the format with `MORE` more rounds; None if it has no number of rounds or would exceed its limit."""
    if not isinstance(format, Swiss):
        return None
    try:
        return Swiss.parse({"rounds": format.rounds + MORE})
    except TermsError:
        return None


def _sample(terms: Terms, entrants: int) -> int:
    """Return the number of entrants to simulate. As many are left over from full tables as in the whole field."""
    least = SAMPLE + (entrants - SAMPLE) % terms.ruleset.players
    return min(entrants, least) if isinstance(terms.format, ALIKE) else entrants


def _count(
    terms: Terms, entrants: int, minutes: float, at_once: int, begun: History | None = None
) -> tuple[History, DryRun]:
    """Return the simulated event and its numbers. `begun` is an event to continue."""
    players, sample = terms.ruleset.players, _sample(terms, entrants)
    scale = 1 if sample == entrants else Fraction(entrants // players, sample // players)
    history, hours, is_complete = _play(terms, sample, minutes, at_once, scale, begun)
    games = [game for round_ in history.rounds for table in round_.tables for game in table.games]
    met = Counter(pair for game in games for pair in combinations(sorted(game.seats), 2))
    seated = Counter((number, seat) for game in games for seat, number in enumerate(game.seats))
    numbers = range(1, sample + 1)
    seats = tuple(tuple(seated[number, seat] for seat in range(players)) for number in numbers)
    meetings = [[0] * sample for _ in numbers]
    for (one, other), count in met.items():
        meetings[one - 1][other - 1] = meetings[other - 1][one - 1] = count
    byes = Counter(number for round_ in history.rounds for number in round_.byes)
    games_of = tuple(map(sum, seats))
    return history, DryRun(
        entrants=entrants,
        sample=sample,
        rounds=len(history.rounds),
        tables=int(scale * sum(len(round_.tables) for round_ in history.rounds)),
        games=int(scale * len(games)),
        byes=byes.total(),
        most_byes=max(byes.values(), default=0),
        games_of=games_of,
        meetings=tuple(map(tuple, meetings)),
        least_meetings=min(met.values()) if len(met) == comb(sample, 2) else 0,
        most_meetings=max(met.values(), default=0),
        seats=seats,
        seat_spread=max(max(row) - min(row) for row in seats),
        hours=hours,
        half_width=round(half_width(players, max(1, min(games_of)))),
        ties=_ties(history, games, round(entrants / sample)),
        is_complete=is_complete,
    )


def _ties(history: History, games: Sequence[TableGame], copies: int) -> float:
    """Return the mean number of neighbours among the first places with equal points, in a field of `copies` such
    histories."""
    byes = Counter(number for round_ in history.rounds for number in round_.byes)
    numbers = [entrant.number for entrant in history.entrants]
    start = [0, *(halves_of_bye(history.players, history.unit) * byes[number] for number in numbers)]
    trials, ties = max(1, min(MOST_TRIALS, MOST_GAMES // max(1, copies * len(games)))), 0
    chance = Stream(SEED)
    for _ in range(trials):
        first: list[int] = []
        for _ in range(copies):
            points = start.copy()
            for game in games:
                for place, number in enumerate(chance.shuffle(game.seats), start=1):
                    points[number] += 2 * (history.players - place)
            first = sorted([*first, *points[1:]], reverse=True)[: TOP + 1]
        ties += sum(one == other for one, other in pairwise(first))
    return round(ties / trials, 1)


def _play(
    terms: Terms, entrants: int, minutes: float, at_once: int, scale: int | Fraction, begun: History | None = None
) -> tuple[History, float, bool]:
    """Simulate the event. Return its history, its hours, and whether it is complete.

    `scale` is the number of tables of the whole field for each one simulated.
    """
    field = tuple(Entrant(number, f"{number}", strength=-number) for number in range(1, entrants + 1))
    present = frozenset(range(1, entrants + 1))
    history = begun or History(terms.ruleset.players, terms.unit, field, present)
    chance = Stream(SEED)
    seconds, games = 0.0, 0
    ends, most = (terms.course.ends_after_s, MOST_DRAWS) if terms.format.is_continuous else (0, MOST_ROUNDS)
    while draw := terms.format.draw(history, round_stream(SEED, len(history.rounds) + 1)):
        if ends and seconds >= ends:
            return history, seconds / 3600, True
        count = int(scale * len(draw.tables)) * history.games_a_table
        games += len(draw.tables) * history.games_a_table
        if games > MOST_GAMES or len(history.rounds) >= most:
            return history, seconds / 3600, False
        waves = max(ceil(count / at_once), history.games_a_table)
        if history.rounds:
            seconds = max(seconds, len(history.rounds) * terms.course.round_every_s)
        seconds += waves * minutes * 60
        history = replace(history, rounds=(*history.rounds, _round(history, draw, chance)))
    return history, seconds / 3600, True


def _round(history: History, draw: Draw, chance: Stream) -> Round:
    tables = []
    for table in draw.tables:
        games = []
        for number in range(history.games_a_table):
            seats = seats_of_game(table.seats, number, history.unit)
            places = tuple(place + 1 for place in chance.shuffle(range(len(seats))))
            games.append(TableGame(seats, places))
        tables.append(replace(table, games=tuple(games)))
    return Round(len(history.rounds) + 1, tuple(tables), history.present, draw.byes, draw.label)
