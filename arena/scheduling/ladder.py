"""Matchmaking on the ladders. The policy:

1. Look whether fewer matches are in flight (scheduled or running) than are wanted. If not, stop.
2. Every format has a share. Take the one with the fewest matches in flight for its share; of several, draw one, with
   twice the chance for twice the share; but as long as nobody online has played a game, take the first in the list,
   so that there is soon something to be seen. If no full table can be found for it, leave it out from here on and
   take the next; if none is left, stop.
3. First at the table is a bot of the owner who has waited longest, since one of the owner's bots, online now or not,
   was last seated in the format. Newcomers, which are versions with fewer than 30 games in the format, and other bots
   of an owner wait apart, and every fourth match of a format begins with a newcomer if there is one whose owner has
   waited for as many matches as an owner does on average. Of the owner's bots that have room the one that has waited
   longest sits down, of its versions the one with the fewest games in the format. Each bot of the house counts as an
   owner of its own. Of those who have waited equally long one is taken by chance.
4. Until the table is full: of every owner who may still join take the bot that has waited longest and is no newcomer,
   and of these bots the half that has waited longest, but at least three. Draw a quarter of them by chance, but two at
   least and four at most, perhaps the same one twice; seat the one with which the match is expected to tell most.
   Newcomers join in the same way where nobody else can. Nobody may join beside a bot of the same owner, or beside
   itself; bots of the house may sit with everybody. An owner has a seat in at most three quarters, rounded up, of the
   matches that are wanted.
5. Of all ways to seat them take the one in which the versions sit where they sat least often in this format; of
   several, one by chance. The places in the first bidding are drawn as the rules say, anew in every match: nobody can
   arrange them.
6. Count the match as in flight and go back to 1.

What a match is expected to tell is p (1 - p) for each two bots at the table, summed over all pairs, p being the
probability that one places before the other by their ratings so far. It is the Fisher information about their
difference: 1/4 for equals, 0.08 where the odds are ten to one.

A bot that is online with room, and does not rest, is seated within 4 m b matches that begin in a format where tables
can be filled: m is the number of owners who are online there, b that of bots of its owner.

Who declines an offer, or does not answer it, is left out for 15 seconds, and for twice as long with each further one
within a day, up to an hour. For a bot that has finished no match within the day all such offers to bots of its owner
count. Bot and owner also wait anew, as if the match had been played: to pick one's opponents costs a turn each time,
and others nothing. A seat that was declined was not sat in, and comes first again. An event's games in progress and its
offers are the event's, and count here for nothing; its rated games count once they are finished, for they told the
ladder as much as any other.

Why so: step 2 keeps every format going, however few matches there is room for, and none so long that the others wait
for it; step 3 gives every owner as many turns, however many bots and versions, and whether or not they leave in
between, and at most as many again for newcomers; of a bot's versions a new one has the first. Newcomers soon have games
enough, but not against each other: they could be one person's, made to lose. Step 4 prefers informative matches, but
the chance to be seated at a place is at most one in four where eight or more are kept, and less than three in five
where three are, so that rivals vary, nobody can arrange to meet somebody, and the ladder does not fall apart into
islands. Step 5 evens the seats out, in each format by itself. `docs/ratings.md` has measurements.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations
from math import ceil, exp, sqrt
from typing import NamedTuple, Protocol, TypeVar

from arena.ratings.model import BETA, MU

T = TypeVar("T")

NEWCOMER_GAMES = 30
"""Steps 3 and 4: a version with fewer games in a format is a newcomer there."""
NEWCOMERS_TURN = 4
"""Step 3: of so many matches of a format one begins with a newcomer."""
DRAWN_FROM = 3
"""Step 4: the draw is among at least so many, if there are."""
DRAWS = (2, 4)
"""Step 4: the fewest and the most who are drawn for a place at the table."""
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

    @property
    def party(self) -> int:
        """Whose interests it has: its owner's, or as a bot of the house its own."""
        return -self.bot if self.is_house else self.owner


@dataclass(frozen=True)
class Load:
    """What was scheduled so far."""

    in_flight: Mapping[Format, int] = field(default_factory=dict)
    """Matches scheduled or running."""
    made: Mapping[Format, int] = field(default_factory=dict)
    """Matches finished, scheduled or running."""
    seated: Mapping[tuple[Format, int], int] = field(default_factory=dict)
    """By format and bot: how many matches were `made` when it was last seated, or declined; missing if it never was."""
    waits: Mapping[tuple[Format, int, bool], int] = field(default_factory=dict)
    """The same by format, party and whether the version was a newcomer, of all bots of the candidates' owners, be they
    candidates or not."""
    games: Mapping[tuple[Format, int], int] = field(default_factory=dict)
    """By format and version: rated matches finished, scheduled or running."""
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


def information(one: float, other: float) -> float:
    """What a match is expected to tell about two bots with these mus, as the policy states it."""
    p = 1 / (1 + exp(-abs(one - other) / (sqrt(2) * BETA)))
    return p * (1 - p)


class _Draft:
    """The load and the candidates' room while matches are added."""

    def __init__(self, candidates: Iterable[Candidate], load: Load, wanted: int, chance: Chance) -> None:
        self.candidates = sorted(candidates, key=lambda candidate: candidate.version)
        self.chance = chance
        self.room = {candidate.version: candidate.room for candidate in self.candidates}
        self.most_of_owner = max(1, ceil(OWNER_SHARE * wanted))
        self.owners = dict(load.owners)
        self.in_flight = dict(load.in_flight)
        self.made = dict(load.made)
        self.last = dict(load.seated)
        self.waits = load.waits
        self.games = dict(load.games)
        self.seats = dict(load.seats)
        self.by_version = {candidate.version: candidate for candidate in self.candidates}
        lots: dict[int, tuple[int, int]] = {}
        for candidate in self.candidates:
            if candidate.bot not in lots:
                lots[candidate.bot] = chance.below(1 << 30), candidate.bot
        self.bots = sorted(lots, key=lots.__getitem__)
        """In an order of chance, which decides between equals."""
        self.versions: dict[Format, dict[int, list[Candidate]]] = {}
        """Of a format, once it was looked at: the versions of each bot that play it."""

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
        bots = self._bots(format)
        newcomers = self._queue(format, bots, of_newcomers=True)
        settled = self._queue(format, bots, of_newcomers=False)
        made, owners = self.made.get(format, 0), len({bot.party for bot in bots})
        is_newcomers_turn = (
            made % NEWCOMERS_TURN == 0
            and bool(newcomers)
            and (newcomers[0][0] < 0 or (made - newcomers[0][0]) * format.players >= owners)
        )
        heads = newcomers[:1] if is_newcomers_turn else [*newcomers[:1], *settled[:1]]
        if not heads:
            return None
        table = [min(heads, key=lambda head: head[0])[1]]
        for queue in (settled, newcomers):
            while len(table) < format.players:
                parties = {bot.party for bot in table}
                allowed = [bot for _, bot in queue if bot.party not in parties]
                if not allowed:
                    break
                few = allowed[: max(DRAWN_FROM, ceil(len(allowed) / 2))]
                drawn = [self.any_of(few) for _ in range(max(DRAWS[0], min(DRAWS[1], len(few) // 4)))]
                table.append(max(drawn, key=lambda bot: self._told(format, bot, table)))
        return table if len(table) == format.players else None

    def _bots(self, format: Format) -> list[Candidate]:
        """Of every bot that plays the format the version that would play: with room if any has, with few games."""
        if format not in self.versions:
            of_bot: dict[int, list[Candidate]] = {bot: [] for bot in self.bots}
            for candidate in self.candidates:
                if format in candidate.formats:
                    of_bot[candidate.bot].append(candidate)
            self.versions[format] = {bot: several for bot, several in of_bot.items() if several}

        def order(candidate: Candidate) -> tuple[bool, int]:
            return self.room[candidate.version] <= 0, self.games.get((format, candidate.version), 0)

        return [
            several[0] if len(several) == 1 else min(several, key=order) for several in self.versions[format].values()
        ]

    def _queue(self, format: Format, bots: Sequence[Candidate], *, of_newcomers: bool) -> list[tuple[int, Candidate]]:
        """Of the newcomers of every owner, or of the other bots, the one with room that has waited longest; the owner
        who has waited longest comes first, with the match since which that is. An owner waits since one of them was
        seated, room or not."""
        waits: dict[int, int] = {}
        found: dict[int, tuple[int, Candidate]] = {}
        for bot in bots:
            if self._is_newcomer(format, bot) is not of_newcomers:
                continue
            party = bot.party
            last = self.last.get((format, bot.bot), -1)
            waits[party] = max(waits.get(party, self.waits.get((format, party, of_newcomers), -1)), last)
            if self._is_free(bot) and (party not in found or last < found[party][0]):
                found[party] = last, bot
        return [(waits[party], found[party][1]) for party in sorted(found, key=waits.__getitem__)]

    def _is_free(self, bot: Candidate) -> bool:
        may_sit = bot.is_house or self.owners.get(bot.owner, 0) < self.most_of_owner
        return may_sit and self.room[bot.version] > 0

    def _is_newcomer(self, format: Format, bot: Candidate) -> bool:
        return self.games.get((format, bot.version), 0) < NEWCOMER_GAMES

    def _told(self, format: Format, bot: Candidate, table: Sequence[Candidate]) -> float:
        return sum(information(_strength(format, bot), _strength(format, other)) for other in table)

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
        self.made[format] = self.made.get(format, 0) + 1
        for seat, version in enumerate(pairing.versions, start=1):
            candidate = self.by_version[version]
            self.room[version] -= 1
            self.owners[candidate.owner] = self.owners.get(candidate.owner, 0) + 1
            self.last[format, candidate.bot] = self.made[format]
            self.games[format, version] = self.games.get((format, version), 0) + 1
            self.seats[format, version, seat] = self.seats.get((format, version, seat), 0) + 1


def _strength(format: Format, candidate: Candidate) -> float:
    return candidate.strength.get(format, MU)


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
