"""The state of an event, computed from its facts. This module knows no clock, no match and no database."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final

from arena.events.errors import FactRefused
from arena.events.facts import (
    TRANSITIONS,
    BotCheckedIn,
    BotDisqualified,
    BotEntered,
    BotWithdrawn,
    CourseChanged,
    EntrantAbsent,
    EventCancelled,
    EventCreated,
    EventFinished,
    EventPublished,
    EventState,
    Fact,
    FactKind,
    FieldFrozen,
    GameEnded,
    GameRuled,
    GamesRepeated,
    RoundDrawn,
    RoundsRevealed,
    TermsChanged,
)
from arena.events.fields import terms_of
from arena.events.standings import StandingLine, standings
from arena.events.terms import MAX_ENTRANTS, Terms
from arena.events.tiebreaks import lots
from arena.events.values import (
    Draw,
    Entrant,
    EventTable,
    GameKey,
    History,
    Round,
    TableGame,
    TieBreak,
    commitment_of,
    round_stream,
    seats_of_game,
    without,
)

MOST_ENTRIES: Final = 2 * MAX_ENTRANTS
"""Maximum number of entrants over the life of an event, including those that have left."""


@dataclass(frozen=True, slots=True)
class Pairing:
    """A game that has still to be played: its seats, and the entrants that are absent.

    >>> Pairing(key=(1, 2, 0), seats=(4, 2, 7), absent=frozenset({7}), attempt=0).seats
    (4, 2, 7)
    """

    key: GameKey
    seats: tuple[int, ...]
    absent: frozenset[int]
    attempt: int
    """Number of times the game was ordered to be played again; 0 for the first attempt."""


class Event:
    """The state of an event after a list of facts.

    `facts` are applied in order. Call `apply` to add the next one. `FactRefused` or `TermsError` is raised for a fact
    that cannot follow.

    >>> from arena.events import parse_terms
    >>> from arena.events.facts import EventStarted
    >>> terms = parse_terms({"name": "Duel", "format": {"kind": "knockout"}, "game": {"players": 2}})
    >>> event = Event(map(Fact, [
    ...     EventCreated(terms),
    ...     EventPublished(commitment_of(bytes(32))),
    ...     *[BotEntered(name, owner="ann") for name in ("ant", "bee")],
    ...     FieldFrozen(((1, "v1", 1500), (2, "v1", 1400))),
    ...     EventStarted(),
    ... ]))
    >>> [table.seats for table in event.draw(bytes(32)).tables]
    [(1, 2)]
    >>> event.apply(Fact(RoundDrawn((EventTable(1, (1, 2)),))))
    >>> [(pairing.key, pairing.seats) for pairing in event.pairings()]
    [((1, 1, 0), (1, 2))]
    >>> event.apply(Fact(GameEnded(round=1, table=1, placements=(2, 1))))
    >>> [(row.place, row.entrant, row.points) for row in event.standings(bytes(32))]
    [(1, 2, Fraction(1, 1)), (2, 1, Fraction(0, 1))]
    """

    def __init__(self, facts: Iterable[Fact] = ()) -> None:
        self.length = 0
        """Number of facts applied."""
        self.state = EventState.DRAFT
        self.commitment = ""
        self.seed: bytes | None = None
        """The event's seed; None until the event is finished or cancelled."""
        self.entrants: list[Entrant] = []
        self.left: set[int] = set()
        self.disqualified: set[int] = set()
        self.checked_in: set[int] = set()
        self.rounds: list[Draw] = []
        self.fields: list[frozenset[int]] = []
        """Entrants that were present when each round was drawn."""
        self.games: dict[GameKey, TableGame] = {}
        self.matches: dict[GameKey, str] = {}
        """Ids of the matches whose results count."""
        self.ruled: dict[GameKey, TableGame | None] = {}
        """Games decided by a ruling, each with the result that was played, if any."""
        self.absent: dict[tuple[int, int], set[int]] = {}
        """Absent entrants by (round, table)."""
        self.attempts: dict[GameKey, int] = {}
        self.revealed = 0
        self._terms: Terms | None = None
        self._unplayed: set[GameKey] = set()
        """Games without a result."""
        self._names: set[str] = set()
        """Names of the bots that are in the event."""
        self._old_numbers: dict[tuple[str, str], int] = {}
        """Numbers of the bots that have left, by name and owner."""
        self._known: dict[int, Round] = {}
        """Cache of rounds with their games. Most rounds never change again."""
        for fact in facts:
            self.apply(fact)

    @property
    def terms(self) -> Terms:
        """The terms of the event. Raise `FactRefused` if there is no fact yet."""
        if self._terms is None:
            raise FactRefused("NO_EVENT", "the first fact of an event must be `created`")
        return self._terms

    @property
    def tie_breaks(self) -> tuple[TieBreak, ...]:
        """The tie-breaks that apply, in order: the format's own if it has any, otherwise those of the terms."""
        return self.terms.format.TIE_BREAKS or self.terms.tie_breaks

    def apply(self, fact: Fact) -> None:
        """Add the next fact.

        Raise `FactRefused` or `TermsError` if it cannot follow; the event is unchanged then.
        """
        if (self.length == 0) != (fact.kind is FactKind.CREATED):
            raise FactRefused("BAD_ORDER", "`created` must be the first fact and cannot occur again")
        after: EventState | None = EventState.DRAFT
        if fact.kind is not FactKind.CREATED:
            before, after = TRANSITIONS[fact.kind]
            if self.state not in before:
                allowed = ", ".join(sorted(before))
                raise FactRefused("BAD_STATE", f"`{fact.kind}` needs an event in state {allowed}; it is {self.state}")
        if handler := _HANDLERS.get(fact.kind):
            handler(self, fact.data)
        if isinstance(fact.data, GameEnded):
            self._known.pop(fact.data.round, None)
        elif fact.kind in (FactKind.ABSENT, FactKind.AGAIN, FactKind.RULED, FactKind.DISQUALIFIED):
            self._known.clear()
        self.state = after or self.state
        self.length += 1

    # Queries

    @property
    def present(self) -> frozenset[int]:
        """Entrants that can be drawn: they have neither left nor been disqualified."""
        return frozenset(entrant.number for entrant in self.entrants) - self.left - self.disqualified

    def number_of_next(self, name: str, owner: str) -> int:
        """Return the number that this bot gets if it enters now: its old number if it has left, or the next one.

        A bot that was disqualified gets a new number.
        """
        return self._old_numbers.get((name, owner), len(self.entrants) + 1)

    def history(self, up_to: int | None = None, present: Iterable[int] | None = None) -> History:
        """Return the history that a format draws from.

        `up_to` limits it to the rounds up to this number. `present` replaces the set of entrants that can be drawn.
        """
        numbers = range(1, len(self.rounds) + 1 if up_to is None else min(up_to, len(self.rounds)) + 1)
        return History(
            players=self.terms.ruleset.players,
            unit=self.terms.unit,
            entrants=tuple(self.entrants),
            present=self.present if present is None else frozenset(present),
            rounds=tuple(self._round(number) for number in numbers),
            disqualified=frozenset(self.disqualified),
        )

    def pairings(self, number: int | None = None) -> list[Pairing]:
        """Return the games that still have to be played, of round `number` or of all rounds."""
        due = []
        for key in sorted(self._unplayed):
            table = self.rounds[key[0] - 1].tables[key[1] - 1]
            if (number is None or key[0] == number) and not self.is_decided(key[0], table):
                absent = frozenset(self.absent.get(key[:2], ()))
                seats = seats_of_game(table.seats, key[2], self.terms.unit)
                due.append(Pairing(key, seats, absent, self.attempts.get(key, 0)))
        return due

    def is_decided(self, number: int, table: EventTable) -> bool:
        """Return whether all entrants of a table but one, or all, are absent: its games are not played then."""
        return len(self.absent.get((number, table.number), ())) >= len(table.seats) - 1

    @property
    def is_between_rounds(self) -> bool:
        """Whether every table that was drawn has all its results."""
        return not self.pairings()

    def draw(self, seed: bytes, free: Iterable[int] | None = None) -> Draw | None:
        """Return the next round by the format of the terms.

        `free` are the entrants that can be drawn; by default all who are present. Return None if the event is over.
        For a continuous format, None means that no table can be drawn now.
        """
        return self.terms.format.draw(self.history(present=free), round_stream(seed, len(self.rounds) + 1))

    def standings(self, seed: bytes | None, up_to: int | None = None) -> list[StandingLine]:
        """Return the standings after round `up_to`, or after all rounds.

        Without the seed, lots are not drawn yet, and the tie-break `lot` is 0 for everybody.
        """
        history = self.history(up_to)
        order = self.terms.format.order(history)
        history = self.terms.format.counted(history)
        numbers = [entrant.number for entrant in self.entrants]
        drawn = {} if seed is None else lots(seed, numbers)
        return standings(history, self.tie_breaks, drawn, order)

    def _round(self, number: int) -> Round:
        if (known := self._known.get(number)) is not None:
            return known
        drawn = self.rounds[number - 1]
        tables = tuple(replace(table, games=self._games(number, table)) for table in drawn.tables)
        round_ = self._known[number] = Round(number, tables, self.fields[number - 1], drawn.byes, drawn.label)
        return round_

    def _games(self, number: int, table: EventTable) -> tuple[TableGame, ...]:
        absent = frozenset(self.absent.get((number, table.number), ()))
        is_decided = self.is_decided(number, table)
        games = []
        for game in range(self.terms.games_a_table):
            played = self.games.get((number, table.number, game))
            if played is None and is_decided:
                played = TableGame(
                    seats_of_game(table.seats, game, self.terms.unit), (1,) * len(table.seats), out=absent
                )
            if played is not None:
                games.append(without(played, self.disqualified))
        return tuple(games)

    # Handlers of facts

    def _created(self, fact: EventCreated) -> None:
        self._terms = fact.terms

    def _changed(self, fact: TermsChanged) -> None:
        if self.state is EventState.OPEN:
            declared = terms_of(Terms).items()
            if fixed := [
                each.key
                for name, each in declared
                if not each.may_change and getattr(self.terms, name) != getattr(fact.terms, name)
            ]:
                raise FactRefused("TERMS_FIXED", f"entry is open under these terms: {', '.join(fixed)} cannot change")
        self._terms = fact.terms

    def _published(self, fact: EventPublished) -> None:
        self.commitment = fact.commitment

    def _entered(self, fact: BotEntered) -> None:
        if fact.name in self._names:
            raise FactRefused("TWICE", f"{fact.name} has already entered")
        if self.state is EventState.OPEN and len(self._names) >= self.terms.entry.entrants:
            raise FactRefused("FULL", f"the event is full: {self.terms.entry.entrants} bots have entered")
        if self.state is not EventState.OPEN and not self.terms.format.admits(self.history()):
            raise FactRefused("TOO_LATE", "it is too late to enter: a bot that enters now would never be drawn")
        number = self.number_of_next(fact.name, fact.owner)
        if number > MOST_ENTRIES:
            raise FactRefused("FULL", f"entry is closed: all {MOST_ENTRIES} entrant numbers have been used")
        self._names.add(fact.name)
        entrant = Entrant(number, fact.name, fact.version, fact.owner, fact.strength or 0)
        self.entrants[number - 1 : number] = [entrant]
        self.left.discard(number)
        self._old_numbers.pop((fact.name, fact.owner), None)

    def _withdrawn(self, fact: BotWithdrawn) -> None:
        if not self._is_present(fact.entrant):
            raise FactRefused("NO_ENTRANT", f"there is no entrant {fact.entrant} in the event")
        entrant = self.entrants[fact.entrant - 1]
        self.left.add(fact.entrant)
        self.checked_in.discard(fact.entrant)
        self._names.discard(entrant.name)
        self._old_numbers[entrant.name, entrant.owner] = fact.entrant

    def _checked_in(self, fact: BotCheckedIn) -> None:
        if not self._is_present(fact.entrant) or fact.entrant in self.checked_in:
            raise FactRefused("NO_ENTRANT", f"there is no entrant {fact.entrant} to check in")
        self.checked_in.add(fact.entrant)

    def _is_present(self, number: int) -> bool:
        return 1 <= number <= len(self.entrants) and number not in self.left and number not in self.disqualified

    def _disqualified(self, fact: BotDisqualified) -> None:
        if not 1 <= fact.entrant <= len(self.entrants) or fact.entrant in self.disqualified:
            raise FactRefused("NO_ENTRANT", f"there is no entrant {fact.entrant} to disqualify")
        entrant = self.entrants[fact.entrant - 1]
        if fact.entrant not in self.left:
            self._names.discard(entrant.name)
        elif self._old_numbers.get((entrant.name, entrant.owner)) == fact.entrant:
            del self._old_numbers[entrant.name, entrant.owner]
        self.disqualified.add(fact.entrant)

    def _frozen(self, fact: FieldFrozen) -> None:
        if sorted(number for number, _, _ in fact.field) != sorted(self.present):
            raise FactRefused("BAD_FACT", "`field` must list every entrant present exactly once")
        self.terms.format.check(self.terms.ruleset.players, len(fact.field))
        self._set_versions({number: (version, strength) for number, version, strength in fact.field})

    def _set_versions(self, versions: Mapping[int, tuple[str, int]]) -> None:
        self.entrants = [
            replace(entrant, version=versions[entrant.number][0], strength=versions[entrant.number][1])
            if entrant.number in versions
            else entrant
            for entrant in self.entrants
        ]

    def _drawn(self, fact: RoundDrawn) -> None:
        if not self.terms.format.is_continuous and not self.is_between_rounds:
            raise FactRefused("ROUND_OPEN", f"round {len(self.rounds)} is not over")
        players, present = self.terms.ruleset.players, self.present
        for table in fact.tables:
            if len(table.seats) != players or len(set(table.seats)) != players:
                raise FactRefused("BAD_FACT", f"table {table.number} must have {players} different entrants")
        named = {seat for table in fact.tables for seat in table.seats}.union(fact.byes, dict(fact.versions))
        if strangers := sorted(named - present):
            raise FactRefused("BAD_FACT", f"entrant {strangers[0]} is not present in the event")
        if fact.versions and self.terms.versions != "free":
            raise FactRefused("BAD_FACT", "the versions of this event were frozen at its start")
        known = {entrant.number: entrant.strength for entrant in self.entrants}
        self._set_versions({number: (version, known[number]) for number, version in fact.versions})
        self.rounds.append(fact.draw)
        games = range(self.terms.games_a_table)
        self._unplayed |= {(len(self.rounds), table.number, game) for table in fact.tables for game in games}
        self.fields.append(present)

    def _table(self, number: int, at: int, game: int = 0) -> EventTable:
        """Return the table of a game. Raise `FactRefused` if there is none."""
        if 1 <= number <= len(self.rounds) and 0 <= game < self.terms.games_a_table:
            tables = self.rounds[number - 1].tables
            if 1 <= at <= len(tables):
                return tables[at - 1]
        raise FactRefused("NO_GAME", f"there is no game {game} at table {at} of round {number}")

    def _result(self, fact: GameEnded) -> None:
        table = self._table(*fact.key)
        if fact.key in self.games:
            raise FactRefused("TWICE", f"game {fact.game} at table {fact.table} of round {fact.round} has a result")
        if self.is_decided(fact.round, table):
            raise FactRefused("DECIDED", f"nobody is left to play at table {fact.table} of round {fact.round}")
        game = self._game(table, fact)
        if fact.scores is not None and len(fact.scores) != len(game.seats):
            raise FactRefused("BAD_FACT", "`scores` must be a number for each seat")
        self._unplayed.discard(fact.key)
        self.games[fact.key] = replace(game, scores=fact.scores)
        self.matches[fact.key] = fact.match

    def _ruled(self, fact: GameRuled) -> None:
        game = self._game(self._table(*fact.key), fact)
        self._unplayed.discard(fact.key)
        self.ruled.setdefault(fact.key, self.games.get(fact.key))
        self.games[fact.key] = game

    def _game(self, table: EventTable, fact: GameEnded | GameRuled) -> TableGame:
        """Return a decided game without its scores. Raise `FactRefused` for places or entrants that cannot be."""
        seats, places = seats_of_game(table.seats, fact.game, self.terms.unit), fact.placements
        if len(places) != len(seats) or any(place != 1 + sum(other < place for other in places) for place in places):
            raise FactRefused(
                "BAD_FACT",
                "`placements` must have a place for each seat, 1 for the best; tied seats share the better place",
            )
        if not set(fact.out) <= set(seats):
            raise FactRefused("BAD_FACT", "`out` must name entrants of this table")
        return TableGame(seats, places, out=frozenset(fact.out))

    def _absent(self, fact: EntrantAbsent) -> None:
        if fact.entrant not in self._table(fact.round, fact.table).seats:
            raise FactRefused(
                "NO_ENTRANT", f"entrant {fact.entrant} does not sit at table {fact.table} of round {fact.round}"
            )
        self.absent.setdefault((fact.round, fact.table), set()).add(fact.entrant)

    def _again(self, fact: GamesRepeated) -> None:
        if not fact.games:
            raise FactRefused("BAD_FACT", "`games` must not be empty")
        for key in fact.games:
            self._table(*key)
        for key in fact.games:
            self.games.pop(key, None)
            self.ruled.pop(key, None)
            self._unplayed.add(key)
            self.matches.pop(key, None)
            self.absent.pop(key[:2], None)
            self.attempts[key] = self.attempts.get(key, 0) + 1

    def _extended(self, fact: CourseChanged) -> None:
        self._terms = replace(self.terms, course=fact.course)

    def _revealed(self, fact: RoundsRevealed) -> None:
        if not 1 <= fact.round <= len(self.rounds):
            raise FactRefused("NO_ROUND", f"there is no round {fact.round}")
        self.revealed = max(self.revealed, fact.round)

    def _finished(self, fact: EventFinished) -> None:
        self._reveal(fact.seed)

    def _cancelled(self, fact: EventCancelled) -> None:
        if self.commitment:
            self._reveal(fact.seed)
        self.revealed = len(self.rounds)

    def _reveal(self, seed: bytes | None) -> None:
        if seed is None or commitment_of(seed) != self.commitment:
            raise FactRefused("BAD_SEED", "the seed does not match the published commitment")
        self.seed = seed
        self.revealed = len(self.rounds)


_HANDLERS: Final[Mapping[FactKind, Callable[[Event, Any], None]]] = {
    FactKind.CREATED: Event._created,
    FactKind.CHANGED: Event._changed,
    FactKind.PUBLISHED: Event._published,
    FactKind.ENTERED: Event._entered,
    FactKind.WITHDRAWN: Event._withdrawn,
    FactKind.CHECKED_IN: Event._checked_in,
    FactKind.FROZEN: Event._frozen,
    FactKind.DRAWN: Event._drawn,
    FactKind.RESULT: Event._result,
    FactKind.ABSENT: Event._absent,
    FactKind.AGAIN: Event._again,
    FactKind.RULED: Event._ruled,
    FactKind.DISQUALIFIED: Event._disqualified,
    FactKind.EXTENDED: Event._extended,
    FactKind.REVEALED: Event._revealed,
    FactKind.FINISHED: Event._finished,
    FactKind.CANCELLED: Event._cancelled,
}
"""Handler of each kind of fact. The other kinds change only the event's state."""
