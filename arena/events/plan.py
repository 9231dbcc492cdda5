"""Terms tried out before they are published: the event is played once with results by chance, and counted.

The interval of a bot's strength is that of the Plackett-Luce model (R. L. Plackett, The analysis of permutations,
1975), which arena/ratings uses, too. Among n equal bots a game's order tells of the logarithm of one bot's strength the
Fisher information 1 - H(n) / n, H(n) = 1 + 1/2 + … + 1/n: at the stage at which m bots are left, the bot is there with
probability m / n, and is the one that is chosen with 1 / m, of which the variance is (1 / m)(1 - 1 / m). For n = 2 that
is ¼, as in Elo. After G games the standard error is therefore 1 / √(G (1 - H(n) / n)), and in points of Elo 400 / ln 10
times that. Opponents' strengths are taken as known, and games as without ties: games cannot do better.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from itertools import combinations, pairwise
from math import ceil, comb, log, sqrt
from typing import Any, Final

from arena.events.formats.marathon import Marathon
from arena.events.formats.swiss import Swiss
from arena.events.formulas import round_stream
from arena.events.terms import Terms
from arena.events.values import Draw, Entrant, Format, Game, History, Round, halves_of_bye, seats_of_game
from arena.rules.chance import Stream

SEED: Final = bytes(32)
"""Of every dry run: equal terms give equal numbers."""
MOST_GAMES: Final = 20_000
"""After so many games that are played, or rounds, a dry run stops; it is not complete then."""
MOST_ROUNDS: Final = 500
MOST_DRAWS: Final = 100
"""Of a format that draws continuously, in which each looks through all games."""
MOST_TRIALS: Final = 100
SAMPLE: Final = 65
"""Entrants. Of a larger field in which everybody plays every round, so many are played, and up to a table more."""
ALIKE: Final = (Swiss, Marathon)
"""Formats in which everybody plays every round, however large the field is."""
TOP: Final = 8
MORE: Final = 2
"""Rounds that a hint proposes."""
_SIGMAS: Final = 1.96
_POINTS: Final = 400 / log(10)
"""Points of Elo of one unit of a logarithm of strength."""


@dataclass(frozen=True, slots=True)
class Hint:
    """What could be better. `MORE_ROUNDS`: `rounds` more make the interval ± `after` points instead of ± `before`, and
    leave `ties_after` instead of `ties_before` neighbours among the first places level. `BLOCKS`: in single matches
    somebody sits `spread` times more often at one seat than at another; deal blocks make that even."""

    code: str
    values: dict[str, float]


@dataclass(frozen=True, slots=True)
class DryRun:
    """What an event would be."""

    entrants: int
    sample: int
    """Entrants that were played. If they are fewer, `most_byes`, `games_of`, meetings and seats are theirs."""
    rounds: int
    tables: int
    games: int
    byes: int
    most_byes: int
    """Of one entrant."""
    games_of: tuple[int, ...]
    """Of each entrant, by number."""
    meetings: tuple[tuple[int, ...], ...]
    """How often each entrant plays each other: rows and columns by number, games."""
    least_meetings: int
    most_meetings: int
    """Of two entrants."""
    seats: tuple[tuple[int, ...], ...]
    """How often each entrant, by row, has each seat."""
    seat_spread: int
    """The greatest difference of one entrant between two seats."""
    hours: float
    half_width: int
    """Of the 95 % interval of who plays least, in points of Elo."""
    ties: float
    """How many neighbours among the first places have equal points: the mean over results by chance at these tables."""
    is_complete: bool
    """False if it was stopped before the event's end."""
    hints: tuple[Hint, ...] = ()


def dry_run(terms: Terms, entrants: int, minutes: float, at_once: int | None = None) -> DryRun:
    """Play the event once by chance; `TermsError` if these entrants cannot play it.

    `minutes`: of a match. `at_once`: matches at the same time, the course's number unless told otherwise; a bot plays
    one match at a time.
    """
    at_once = terms.course.matches_at_once if at_once is None else at_once
    terms.format.check(terms.ruleset.players, entrants)
    history, found = _count(terms, entrants, minutes, at_once)
    hints = []
    longer = _longer(terms.format)
    if longer is not None and found.is_complete:
        _, more = _count(replace(terms, format=longer), entrants, minutes, at_once, history)
        if more.rounds > found.rounds and more.ties < found.ties:
            widths = {"before": found.half_width, "after": more.half_width}
            ties = {"ties_before": found.ties, "ties_after": more.ties}
            hints.append(Hint("MORE_ROUNDS", {"rounds": more.rounds - found.rounds, **widths, **ties}))
    if terms.unit == "match" and found.seat_spread > 1:
        hints.append(Hint("BLOCKS", {"spread": found.seat_spread}))
    return replace(found, hints=tuple(hints))


def played_by_chance(terms: Terms, entrants: int) -> History:
    """The event as a dry run plays it, to its end or as far as that goes."""
    return _play(terms, entrants, minutes=1, at_once=1, scale=1)[0]


def half_width(players: int, games: int) -> float:
    """Half of the 95 % interval of a bot's strength after so many games of so many seats, in points of Elo."""
    information = 1 - sum(Fraction(1, m) for m in range(1, players + 1)) / players
    return _SIGMAS * _POINTS / sqrt(games * information) if games else float("inf")


def _longer(format: Format) -> Format | None:
    """The same format with a few rounds more; None if it has no number of rounds."""
    value: Any = format
    if not any(field.name == "rounds" for field in fields(value)) or not value.rounds:
        return None
    if value.rounds + MORE > format.LIMITS["rounds"][1]:
        return None
    longer: Format = replace(value, rounds=value.rounds + MORE)
    return longer


def _sample(terms: Terms, entrants: int) -> int:
    """How many entrants are played; as many are left over from full tables as of all."""
    least = SAMPLE + (entrants - SAMPLE) % terms.ruleset.players
    return min(entrants, least) if isinstance(terms.format, ALIKE) else entrants


def _count(
    terms: Terms, entrants: int, minutes: float, at_once: int, begun: History | None = None
) -> tuple[History, DryRun]:
    """The event as it was played, and its numbers. With `begun` it goes on from there."""
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


def _ties(history: History, games: Sequence[Game], copies: int) -> float:
    """Neighbours of the first places with equal points, on average; the field is that of the history so many times."""
    byes = Counter(number for round_ in history.rounds for number in round_.byes)
    numbers = [entrant.number for entrant in history.entrants]
    start = [0, *(halves_of_bye(history.players, history.unit) * byes[number] for number in numbers)]
    trials, found = max(1, min(MOST_TRIALS, MOST_GAMES // max(1, copies * len(games)))), 0
    chance = Stream(SEED)
    for _ in range(trials):
        first: list[int] = []
        for _ in range(copies):
            points = start.copy()
            for game in games:
                for place, number in enumerate(chance.shuffle(game.seats), start=1):
                    points[number] += 2 * (history.players - place)
            first = sorted([*first, *points[1:]], reverse=True)[: TOP + 1]
        found += sum(one == other for one, other in pairwise(first))
    return round(found / trials, 1)


def _play(
    terms: Terms, entrants: int, minutes: float, at_once: int, scale: int | Fraction, begun: History | None = None
) -> tuple[History, float, bool]:
    """The event played by chance, its hours, and whether it came to its end. `scale`: tables for each one played."""
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
            games.append(Game(seats, places))
        tables.append(replace(table, games=tuple(games)))
    return Round(len(history.rounds) + 1, tuple(tables), history.present, draw.byes, draw.label)
