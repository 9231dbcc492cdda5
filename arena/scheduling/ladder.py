"""Matchmaking on the ladders. The policy:

1. Look whether fewer matches are in flight (scheduled or running) than are wanted. If not, stop.
2. Every format has a share. Take the one with the fewest matches in flight for its share; of several, draw one, with
   twice the chance for twice the share; but as long as nobody online has played a game, take the first in the list,
   so that there is soon something to be seen. If no full table can be found for it, leave it out from here on and
   take the next; if none is left, stop.
3. First at the table is, of the bots that say that they play the format and have room for a match, the one with the
   fewest games in it, over all its versions; of several, one by chance. Of its versions the one with the fewest games
   in the format plays.
4. Until the table is full: of those that may still join, keep the bots within two games of the least played one;
   draw one of them by chance, and again one of them all; seat the one whose rating is nearer to the first one's.
   Nobody may join beside a bot of the same owner, or beside itself; bots of the house may sit with everybody.
   An owner has a seat in at most three quarters of the matches that are wanted.
5. Of all ways to seat them take the one in which the versions sit where they sat least often in this format; of
   several, one by chance.
6. Count the match as in flight and go back to 1.

Who declines an offer, or does not answer it, is left out for 15 seconds, and for twice as long with each further one
within a day, up to an hour. For a bot that has finished no match within the day all such offers to bots of its owner
count. Games are rated matches that were finished or are being played, and of a bot also those that it declined or did
not answer: to pick one's opponents costs a game each time, and others nothing. A seat that was declined was not sat in,
and comes first again. An event's games in progress, seats and offers are the event's, and count here for nothing; its
rated games count once they are finished, for they told the ladder as much as any other.

Why so: step 2 keeps every format going, however few matches there is room for, and none so long that the others wait
for it; step 3 gives every bot as many games, however many versions it has, and a new version the first of its bot's;
step 4 prefers informative matches, but lets far rivals meet often enough that the ladder does not fall apart into
islands; step 5 evens the seats out, in each format by itself.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from math import ceil
from typing import NamedTuple, Protocol, TypeVar

T = TypeVar("T")

GAMES_APART = 2
"""Step 4: so many more games than the least played one are still `few`."""


OWNER_SHARE = Fraction(3, 4)
"""Step 4: the most of the matches wanted that one owner may sit in."""
SHORTEST_REST_S, LONGEST_REST_S = 15, 3600
FAILURES_COUNT_S = 24 * 3600
"""So long an offer that was declined or not answered counts."""


def rest_s(failures: int) -> int:
    """How long a bot is left out after its last failed offer, in seconds, with so many within `FAILURES_COUNT_S`."""
    return min(SHORTEST_REST_S << min(failures - 1, 16), LONGEST_REST_S) if failures else 0


class Chance(Protocol):
    """A stream of chance."""

    def below(self, n: int, /) -> int:
        """A number of 0 … n - 1, all equally likely."""
        ...


class Format(NamedTuple):
    """What is played at a table: a ladder's ruleset, as far as pairing sees it."""

    players: int
    expansions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Candidate:
    """A bot version that is online."""

    version: int
    bot: int
    owner: int
    is_house: bool
    room: int
    """How many more matches it can take now."""
    formats: frozenset[Format]
    """What it can play."""
    strength: Mapping[Format, float] = field(default_factory=dict)
    """Its rating's mu, by format; a format it has not played is missing."""


@dataclass(frozen=True)
class Load:
    """What was scheduled so far."""

    in_flight: Mapping[Format, int] = field(default_factory=dict)
    """Matches scheduled or running."""
    games: Mapping[tuple[Format, int], int] = field(default_factory=dict)
    """By format and bot: matches finished, scheduled, running or declined, of all its versions."""
    version_games: Mapping[tuple[Format, int], int] = field(default_factory=dict)
    """The same by format and version."""
    owners: Mapping[int, int] = field(default_factory=dict)
    """By owner: seats in matches scheduled or running."""
    seats: Mapping[tuple[Format, int, int], int] = field(default_factory=dict)
    """By format, version and seat: matches that were or will be played there."""


@dataclass(frozen=True)
class Pairing:
    """A match to be scheduled."""

    format: Format
    versions: tuple[int, ...]
    """Seat 1 first."""


DEFAULT_STRENGTH = 25.0


class _Draft:
    """The load and the candidates' room while matches are added."""

    def __init__(self, candidates: Iterable[Candidate], load: Load, wanted: int, chance: Chance) -> None:
        self.candidates = sorted(candidates, key=lambda candidate: candidate.version)
        self.chance = chance
        self.room = {candidate.version: candidate.room for candidate in self.candidates}
        self.most_of_owner = max(1, ceil(OWNER_SHARE * wanted))
        self.owners = dict(load.owners)
        self.in_flight = dict(load.in_flight)
        self.games = dict(load.games)
        self.seats = dict(load.seats)
        self.version_games = dict(load.version_games)
        self.by_version = {candidate.version: candidate for candidate in self.candidates}

    def any_of(self, choices: Sequence[T]) -> T:
        return choices[self.chance.below(len(choices))]

    def least_loaded(self, shares: Mapping[Format, int]) -> Format:
        """Step 2."""
        if not self.games:
            return next(iter(shares))
        loads = {format: Fraction(self.in_flight.get(format, 0), share) for format, share in sorted(shares.items())}
        least = min(loads.values())
        return self.any_of([format for format, load in loads.items() if load == least for _ in range(shares[format])])

    def table(self, format: Format) -> list[Candidate] | None:
        """Steps 3 and 4; None if not enough may sit together."""
        able = self._able(format)
        if not able:
            return None
        fewest = min(self._games(format, candidate) for candidate in able)
        first = self.any_of([candidate for candidate in able if self._games(format, candidate) == fewest])
        table = [first]
        while len(table) < format.players:
            allowed = [candidate for candidate in able if all(_may_meet(candidate, other) for other in table)]
            if not allowed:
                return None
            fewest = min(self._games(format, candidate) for candidate in allowed)
            few = [candidate for candidate in allowed if self._games(format, candidate) <= fewest + GAMES_APART]
            drawn = [self.any_of(few), self.any_of(few)]
            table.append(min(drawn, key=lambda candidate: abs(_strength(format, candidate) - _strength(format, first))))
        return table

    def _able(self, format: Format) -> list[Candidate]:
        """Of every bot that plays the format and has room the version with the fewest games in it."""
        versions: dict[int, list[Candidate]] = {}
        for candidate in self.candidates:
            is_free = candidate.is_house or self.owners.get(candidate.owner, 0) < self.most_of_owner
            if format in candidate.formats and self.room[candidate.version] > 0 and is_free:
                versions.setdefault(candidate.bot, []).append(candidate)
        return [
            min(several, key=lambda candidate: self.version_games.get((format, candidate.version), 0))
            for several in versions.values()
        ]

    def seated(self, format: Format, table: Sequence[Candidate]) -> tuple[int, ...]:
        """Step 5: one that sits badly twice counts for more than two that sit badly once, hence the squares."""
        versions = sorted(candidate.version for candidate in table)
        often = {v: [self.seats.get((format, v, seat), 0) for seat in range(1, len(versions) + 1)] for v in versions}
        costs = {
            order: sum((often[v][place] - min(often[v])) ** 2 for place, v in enumerate(order))
            for order in permutations(versions)
        }
        least = min(costs.values())
        return self.any_of([order for order, cost in costs.items() if cost == least])

    def add(self, pairing: Pairing) -> None:
        """Step 6."""
        format = pairing.format
        self.in_flight[format] = self.in_flight.get(format, 0) + 1
        for seat, version in enumerate(pairing.versions, start=1):
            candidate = self.by_version[version]
            self.room[version] -= 1
            self.owners[candidate.owner] = self.owners.get(candidate.owner, 0) + 1
            self.games[format, candidate.bot] = self._games(format, candidate) + 1
            self.version_games[format, version] = self.version_games.get((format, version), 0) + 1
            self.seats[format, version, seat] = self.seats.get((format, version, seat), 0) + 1

    def _games(self, format: Format, candidate: Candidate) -> int:
        return self.games.get((format, candidate.bot), 0)


def _may_meet(one: Candidate, other: Candidate) -> bool:
    if one.bot == other.bot:
        return False
    return one.owner != other.owner or one.is_house or other.is_house


def _strength(format: Format, candidate: Candidate) -> float:
    return candidate.strength.get(format, DEFAULT_STRENGTH)


def next_matches(
    candidates: Iterable[Candidate], load: Load, shares: Mapping[Format, int], wanted: int, chance: Chance
) -> list[Pairing]:
    """The matches to schedule now, so that `wanted` are in flight: the policy at the top of this module.

    `shares`: the formats that are played, the quickest first, each with its share of the matches in flight, from 1.
    """
    draft = _Draft(candidates, load, wanted, chance)
    fillable = dict(shares)
    pairings: list[Pairing] = []
    while fillable and sum(draft.in_flight.values()) < wanted:
        format = draft.least_loaded(fillable)
        table = draft.table(format)
        if table is None:
            del fillable[format]
            continue
        pairing = Pairing(format, draft.seated(format, table))
        draft.add(pairing)
        pairings.append(pairing)
    return pairings
