"""Matchmaking on the ladders. The policy:

1. Stop if as many matches are in flight (scheduled or running) as wanted.
2. Choose a format. Every format has a share; take the one with the fewest matches in flight relative to its share. If
   several are equal, draw one of them; twice the share means twice the chance. As long as nobody online has played a
   game, take the first in the list, so that there is soon something to watch. If no full table can be found for a
   format, leave it out from here on and take the next one. If none is left, stop.
3. Choose the first bot at the table. It belongs to the owner who has waited longest since one of the owner's bots,
   online now or not, was last seated in the format. Newcomers are versions with fewer than 30 games in the format. An
   owner's newcomers and other bots wait separately. Every fourth match of a format begins with a newcomer, if there is
   one whose owner has waited for as many matches as owners do on average. In a format with n seats, newcomers begin at
   most n of every four matches, if enough users have another bot waiting to fill the table. The owner's bot that can
   take a match and has waited longest sits down, with the version that has the fewest games in the format. Each house
   bot counts as an owner of its own. Ties are broken by chance.
4. Fill the table. From every owner who may still join, take the bot that has waited longest and is not a newcomer.
   Keep the half of these bots that has waited longest, but at least three. Draw a quarter of them by chance, but at
   least two and at most four; the same bot may be drawn twice. Seat the one with which the match is expected to be
   most informative. Newcomers join in the same way if nobody else can. No bot joins a table with a bot of the same
   owner, or with itself; house bots may sit with everybody. An owner has a seat in at most three quarters, rounded up,
   of the matches that are wanted. Some bots use quotas, such as the places of runners. They begin or join a table only
   while each of these quotas has enough left for all bots at the table.
5. Choose the seats. Take the order in which the versions have sat least often in this format; ties are broken by
   chance. The places in the first bidding are drawn by the rules, anew in every match, so nobody can arrange them.
6. Count the match as in flight and go back to 1.

The expected information of a match is p (1 - p), summed over all pairs of bots at the table. Here p is the probability
that one places above the other by their ratings so far. This is the Fisher information about their difference: 1/4 for
equal bots, 0.08 if the odds are ten to one.

A bot that is online, can take a match and does not rest is seated soon. It waits for at most 4 m b matches that begin
in a format where tables can be filled. Here m is the number of owners online in that format, and b is the number of
bots of its own owner.

A bot that declines an offer, or does not answer it, rests for 15 seconds. The rest doubles with each further such
offer within a day, up to an hour. An offer that does not reach the bot, because it went after the draw, counts in the
same way from the third one within a day. If two or more bots of an owner fail in these ways, all such offers count
for each of the owner's bots that has finished no match within the day. Bot and owner also wait anew, as if the match
had been played: picking one's opponents costs a turn each time, and costs others nothing. A seat that was declined or
missed does not count as taken, so it comes first again. An event's games in
progress and its offers do not count here. Its rated games count once they are finished, because they inform the ladder
as much as any other game.

These are the reasons. Step 2 keeps every format going, however few matches are wanted, and no format makes the others
wait long. Step 3 gives every owner as many turns, however many bots and versions, and whether or not they leave in
between. Newcomers get at most as many turns again; of a bot's versions, a new one has the first. New accounts cost
nothing: however many newcomers there are, they have at most a quarter of the seats while others could fill the tables.
They soon have enough games, but not against each other: they could belong to one person and be made to lose. Step 4
prefers informative matches, but limits the chance to be seated at a place. It is at most one in four if eight or more
bots are kept, and less than three in five if three are. Therefore rivals vary, nobody can arrange to meet somebody,
and the ladder does not fall apart into islands. Step 5 balances the seats, in each format by itself. `docs/ratings.md`
has measurements.
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
"""Steps 3 and 4: a version with fewer games than this in a format is a newcomer there."""
NEWCOMERS_TURN = 4
"""Step 3: one match in this many of a format begins with a newcomer, and newcomers have one seat in this many."""
DRAWN_FROM = 3
"""Step 4: minimum number of bots to draw from, if there are as many."""
DRAWS = (2, 4)
"""Step 4: minimum and maximum number of bots drawn for a place at the table."""
OWNER_SHARE = Fraction(3, 4)
"""Step 4: maximum share of the wanted matches in which one owner has a seat."""
SHORTEST_REST_S, LONGEST_REST_S = 15, 3600
FAILURES_COUNT_S = 24 * 3600
"""Time for which an offer that was declined or not answered counts."""


def rest_s(failures: int) -> int:
    """Return how long a bot rests after its last failed offer, in seconds.

    `failures` is the number of failed offers within `FAILURES_COUNT_S`.
    """
    return min(SHORTEST_REST_S << min(failures - 1, 16), LONGEST_REST_S) if failures else 0


class RandomNumbers(Protocol):
    """A stream of random numbers."""

    def below(self, n: int, /) -> int:
        """Return a number from 0 to n - 1, each equally likely."""
        ...


class TableFormat(NamedTuple):
    """Format of a table: the part of a ladder's ruleset that matters for pairing."""

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
    """Number of further matches that it can take now."""
    formats: frozenset[TableFormat]
    """Formats that it can play."""
    strength: Mapping[TableFormat, float] = field(default_factory=dict)
    """Mu of its rating by format; formats that it has not played are missing."""
    quotas: tuple[str, ...] = ()
    """Names of the quotas (`Load.quotas`) of which each of its matches takes one."""

    @property
    def party(self) -> int:
        """Party whose interests it has: its owner, or for a house bot the bot itself."""
        return -self.bot if self.is_house else self.owner


@dataclass(frozen=True)
class Load:
    """Matches scheduled so far."""

    in_flight: Mapping[TableFormat, int] = field(default_factory=dict)
    """Matches scheduled or running, by format."""
    made: Mapping[TableFormat, int] = field(default_factory=dict)
    """Matches finished, scheduled or running, by format."""
    seated: Mapping[tuple[TableFormat, int], int] = field(default_factory=dict)
    """By format and bot: value of `made` when the bot was last seated, declined, or was gone. Missing if it never was.
    """
    waits: Mapping[tuple[TableFormat, int, bool], int] = field(default_factory=dict)
    """By format, party and whether the version was a newcomer: value of `made` when one of the party's bots was last
    seated.

    It covers all bots of the candidates' owners, including those that are not candidates.
    """
    games: Mapping[tuple[TableFormat, int], int] = field(default_factory=dict)
    """By format and version: rated matches finished, scheduled or running."""
    owners: Mapping[int, int] = field(default_factory=dict)
    """By owner: seats in matches scheduled or running."""
    seats: Mapping[tuple[TableFormat, int, int], int] = field(default_factory=dict)
    """By format, version and seat: matches played or to be played there."""
    quotas: Mapping[str, int] = field(default_factory=dict)
    """By name: number of seats that may still be taken, by all candidates together that use the quota."""


@dataclass(frozen=True)
class LadderPairing:
    """A match to be scheduled."""

    format: TableFormat
    versions: tuple[int, ...]
    """Versions by seat, seat 1 first."""


def information(one: float, other: float) -> float:
    """Return the expected information of a match about two bots with these mus, as the policy defines it."""
    p = 1 / (1 + exp(-abs(one - other) / (sqrt(2) * BETA)))
    return p * (1 - p)


class _Draft:
    """The load and the candidates' capacity while matches are added."""

    def __init__(self, candidates: Iterable[Candidate], load: Load, wanted: int, chance: RandomNumbers) -> None:
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
        self.quotas = dict(load.quotas)
        self.by_version = {candidate.version: candidate for candidate in self.candidates}
        lots: dict[int, tuple[int, int]] = {}
        for candidate in self.candidates:
            if candidate.bot not in lots:
                lots[candidate.bot] = chance.below(1 << 30), candidate.bot
        self.bots = sorted(lots, key=lots.__getitem__)
        """Bots in random order, which decides between equals."""
        self.versions: dict[TableFormat, dict[int, list[Candidate]]] = {}
        """Versions of each bot that play a format, for the formats considered so far."""

    def any_of(self, choices: Sequence[T]) -> T:
        return choices[self.chance.below(len(choices))]

    def least_loaded(self, shares: Mapping[TableFormat, int]) -> TableFormat:
        """Step 2: choose a format."""
        if not self.games:
            return next(iter(shares))
        loads = {format: Fraction(self.in_flight.get(format, 0), share) for format, share in sorted(shares.items())}
        least = min(loads.values())
        return self.any_of([format for format, load in loads.items() if load == least for _ in range(shares[format])])

    def table(self, format: TableFormat) -> list[Candidate] | None:
        """Steps 3 and 4: choose the bots of a table; None if there are not enough that may sit together."""
        bots = self._bots(format)
        newcomers = self._queue(format, bots, of_newcomers=True)
        settled = self._queue(format, bots, of_newcomers=False)
        made, owners = self.made.get(format, 0), len({bot.party for bot in bots})
        is_newcomers_turn = (
            made % NEWCOMERS_TURN == 0
            and bool(newcomers)
            and (newcomers[0][0] < 0 or (made - newcomers[0][0]) * format.players >= owners)
        )
        users = sum(not bot.is_house for _, bot in settled)
        if is_newcomers_turn:
            heads = newcomers[:1]
        elif made % NEWCOMERS_TURN >= format.players <= users:
            heads = settled[:1]
        else:
            heads = [*newcomers[:1], *settled[:1]]
        if not heads:
            return None
        table = [min(heads, key=lambda head: head[0])[1]]
        for queue in (settled, newcomers):
            while len(table) < format.players:
                parties = {bot.party for bot in table}
                allowed = [bot for _, bot in queue if bot.party not in parties and self._is_within_quotas(bot, table)]
                if not allowed:
                    break
                few = allowed[: max(DRAWN_FROM, ceil(len(allowed) / 2))]
                drawn = [self.any_of(few) for _ in range(max(DRAWS[0], min(DRAWS[1], len(few) // 4)))]
                table.append(max(drawn, key=lambda bot: self._information(format, bot, table)))
        return table if len(table) == format.players else None

    def _bots(self, format: TableFormat) -> list[Candidate]:
        """Return, for every bot that plays the format, the version that would play: one with capacity, if any, and few
        games."""
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

    def _queue(
        self, format: TableFormat, bots: Sequence[Candidate], *, of_newcomers: bool
    ) -> list[tuple[int, Candidate]]:
        """Return (waiting since, bot) for each owner's newcomers, or for its other bots; the longest waiting owner
        first.

        The bot is the one with capacity that has waited longest. An owner waits since one of these bots was last
        seated, whether that bot has capacity or not.
        """
        waits: dict[int, int] = {}
        longest: dict[int, tuple[int, Candidate]] = {}
        for bot in bots:
            if self._is_newcomer(format, bot) is not of_newcomers:
                continue
            party = bot.party
            last = self.last.get((format, bot.bot), -1)
            waits[party] = max(waits.get(party, self.waits.get((format, party, of_newcomers), -1)), last)
            if self._is_free(bot) and (party not in longest or last < longest[party][0]):
                longest[party] = last, bot
        return [(waits[party], longest[party][1]) for party in sorted(longest, key=waits.__getitem__)]

    def _is_free(self, bot: Candidate) -> bool:
        may_sit = bot.is_house or self.owners.get(bot.owner, 0) < self.most_of_owner
        return may_sit and self.room[bot.version] > 0 and self._is_within_quotas(bot)

    def _is_within_quotas(self, bot: Candidate, table: Sequence[Candidate] = ()) -> bool:
        """Return whether a bot may join a table by its quotas, of which the others there take their part."""
        return all(self.quotas[name] > sum(name in other.quotas for other in table) for name in bot.quotas)

    def _is_newcomer(self, format: TableFormat, bot: Candidate) -> bool:
        return self.games.get((format, bot.version), 0) < NEWCOMER_GAMES

    def _information(self, format: TableFormat, bot: Candidate, table: Sequence[Candidate]) -> float:
        return sum(information(_strength(format, bot), _strength(format, other)) for other in table)

    def seated(self, format: TableFormat, table: Sequence[Candidate]) -> tuple[int, ...]:
        """Step 5: choose the seats.

        Squares make one version that sits badly twice count for more than two that do once.
        """
        versions = sorted(candidate.version for candidate in table)
        often = {v: [self.seats.get((format, v, seat), 0) for seat in range(1, len(versions) + 1)] for v in versions}
        costs = {
            order: sum((often[v][place] - min(often[v])) ** 2 for place, v in enumerate(order))
            for order in permutations(versions)
        }
        least = min(costs.values())
        return self.any_of([order for order, cost in costs.items() if cost == least])

    def add(self, pairing: LadderPairing) -> None:
        """Step 6: count the match as in flight."""
        format = pairing.format
        self.in_flight[format] = self.in_flight.get(format, 0) + 1
        self.made[format] = self.made.get(format, 0) + 1
        for seat, version in enumerate(pairing.versions, start=1):
            candidate = self.by_version[version]
            self.room[version] -= 1
            for name in candidate.quotas:
                self.quotas[name] -= 1
            self.owners[candidate.owner] = self.owners.get(candidate.owner, 0) + 1
            self.last[format, candidate.bot] = self.made[format]
            self.games[format, version] = self.games.get((format, version), 0) + 1
            self.seats[format, version, seat] = self.seats.get((format, version, seat), 0) + 1


def _strength(format: TableFormat, candidate: Candidate) -> float:
    return candidate.strength.get(format, MU)


def next_matches(
    candidates: Iterable[Candidate], load: Load, shares: Mapping[TableFormat, int], wanted: int, chance: RandomNumbers
) -> list[LadderPairing]:
    """Return the matches to schedule now, so that `wanted` are in flight. The policy is at the top of this module.

    `shares` are the formats that are played, the quickest first, each with its share of the matches in flight, from 1.
    """
    draft = _Draft(candidates, load, wanted, chance)
    fillable = dict(shares)
    pairings: list[LadderPairing] = []
    while fillable and sum(draft.in_flight.values()) < wanted:
        format = draft.least_loaded(fillable)
        table = draft.table(format)
        if table is None:
            del fillable[format]
            continue
        pairing = LadderPairing(format, draft.seated(format, table))
        draft.add(pairing)
        pairings.append(pairing)
    return pairings
