"""The table of an analysis: where its lines start, and the replay of a line."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext as _

from arena.rules import (
    Game,
    Reseed,
    RulesError,
    Ruleset,
    State,
    Stream,
    View,
    draw_chance,
    format_position,
    parse_position,
    position,
    read_game,
    replay_document,
    score,
    start,
)
from arena.rules.replay import read_events
from arena.rules.setup import check_ruleset
from webui.analysis.addresses import Address, BadAddress, Line, unpack_position
from webui.bots.values import BotRef, VersionRef
from webui.matches.values import MatchLine, SeatLine
from webui.replays.replay import FinishedReplay, Replay, Step

SEED_DIGITS = 64


@dataclass(frozen=True)
class Start:
    """The position in which all lines of an analysis start."""

    ruleset: Ruleset
    state: State
    seats: list[SeatLine]
    match: MatchLine | None = None
    replay: FinishedReplay | None = None
    """The match that the position is from, and its ply there."""
    ply: int = 0
    seed: bytes | None = None
    """Seed of a new deal."""

    @property
    def steps(self) -> list[Step]:
        """The decisions of the match before the position."""
        return self.replay.steps[: self.ply] if self.replay else []

    @property
    def index(self) -> int:
        """Index of the event that follows the position."""
        return self.replay.index_of(self.ply) if self.replay else 0

    @property
    def names(self) -> list[str]:
        """The names of the seats, seat 1 first."""
        return [seat.version.bot.name for seat in self.seats]


def start_from_match(line: MatchLine, played: FinishedReplay, ply: int) -> Start:
    """Return the start at a ply of a finished match. Its result is not part of the seats."""
    seats = [
        replace(seat, placement=None, rank=None, score=None, forfeited_at=None, forfeit_reason="")
        for seat in line.seats
    ]
    return Start(played.ruleset, played.state(ply), seats, line, played, ply)


def start_from_deal(address: Address) -> Start:
    """Return the start before the first bid of a new deal. Raise `BadAddress` if there is no such game."""
    players = address.value("players")
    expansions = tuple(sorted({value for name, value in address.start if name == "expansions"}))
    ruleset = Ruleset(int(players) if players in ("2", "3", "4", "5") else 0, expansions)
    try:
        check_ruleset(ruleset)
    except RulesError as error:
        raise BadAddress(error.message) from None
    seed = seed_of(address.value("seed"))
    return Start(ruleset, start(ruleset, seed), _plain_seats(ruleset.players), seed=seed)


def start_from_position(packed: str) -> Start:
    """Return the start at a position in an address. Raise `BadAddress` with the reason if it is not valid."""
    state = checked_position(unpack_position(packed))
    shown = position(state)
    ruleset = Ruleset(shown.players, shown.expansions)
    return Start(ruleset, state, _plain_seats(ruleset.players))


def checked_position(document: Any) -> State:
    """Return the state of a position document. Raise `BadAddress` with the reason if it is not valid."""
    try:
        return parse_position(document)
    except RulesError as error:
        raise BadAddress(_("This position is not valid: %(reason)s") % {"reason": error}) from None


def seed_of(word: str) -> bytes:
    """Return the 32 bytes of a seed: 64 hex digits, or the digest of any other text."""
    try:
        if len(word) == SEED_DIGITS:
            return bytes.fromhex(word)
    except ValueError:
        pass  # a text of the same length
    return sha256(word.encode()).digest()


def _plain_seats(players: int) -> list[SeatLine]:
    """Return seats at which no bot sits."""
    seats = []
    for number in range(1, players + 1):
        bot = BotRef(0, _("Seat %(n)d") % {"n": number}, "", 0, "", is_house=False)
        seats.append(SeatLine(number, VersionRef(0, "", bot), None, None, None, None, ""))
    return seats


class LineReplay(Replay):
    """A line, after the decisions of the match that it starts from. Everything is open.

    Chance is drawn from a stream of its own, and piles lie as they lay. Raise `BadAddress` at the first action that is
    not legal.
    """

    def __init__(self, start: Start, line: Line, chance: str) -> None:
        super().__init__(start.ruleset, start.steps, is_over=False)
        self.first = len(self.steps)
        """Ply in which the line starts."""
        self._start = start
        self._states = [start.state]
        self._positions: dict[int, View] = {}
        stream, index = Stream(seed_of(chance)), start.index
        for number, text in enumerate(line, 1):
            before = self._states[-1]
            try:
                state = before.play(before.parse(text))
            except RulesError as error:
                values = {"n": number, "action": text[:80], "reason": error.message}
                raise BadAddress(_("Decision %(n)d, %(action)s, is not possible: %(reason)s") % values) from None
            drawn = []
            while state.due is not None:
                event = draw_chance(state, stream)
                drawn.append(event.text)
                state = state.play(event)
            self._states.append(state)
            self.steps.append(Step(index, before.to_act, text, {}, tuple(drawn)))
            index += 1 + len(drawn)
        self.is_over = self._states[-1].is_over

    def state(self, ply: int) -> State:
        """Return the whole state at a ply of the line."""
        return self._states[ply - self.first]

    def position(self, ply: int) -> View:
        """Return the whole position at a ply, also at one before the line."""
        if ply < self.first:
            assert self._start.replay is not None
            return self._start.replay.position(ply)
        if ply not in self._positions:
            self._positions[ply] = position(self.state(ply))
        return self._positions[ply]

    def scores(self, ply: int) -> list[dict[str, int]]:
        """Return each seat's points by source and in total."""
        if ply < self.first:
            assert self._start.replay is not None
            return self._start.replay.scores(ply) or []
        state = self.state(ply)
        return [score(state, seat) for seat in range(1, len(state.seats) + 1)]

    def points(self, ply: int) -> list[dict[str, int]]:
        """Return all points, because everything is open."""
        return self.scores(ply)

    def index_of(self, ply: int) -> int:
        """Return the index of the event that follows a ply."""
        return self._start.index if ply == self.first else super().index_of(ply)

    def totals(self, ply: int) -> list[int]:
        """Return each seat's points at a ply of the line."""
        return [points["total"] for points in self.scores(ply)]


@dataclass(frozen=True)
class Table:
    """An analysis: its start, the line that is shown, and its place in it."""

    address: Address
    start: Start
    replay: LineReplay
    seats: list[SeatLine] = field(default_factory=list)
    """Seats, with their places if the game is over at the end of the line."""

    @property
    def ply(self) -> int:
        """Ply of the position shown."""
        return self.replay.first + self.address.at

    @property
    def state(self) -> State:
        """State of the position shown."""
        return self.replay.state(self.ply)


def table_at(address: Address, start: Start) -> Table:
    """Return the table of an address. Raise `BadAddress` if its line is not legal."""
    replay = LineReplay(start, address.line, address.chance)
    outcome = replay.state(len(replay.steps)).outcome
    seats = [replace(seat, placement=outcome.ranks[seat.seat - 1]) if outcome else seat for seat in start.seats]
    return Table(address, start, replay, seats)


def line_document(table: Table) -> dict[str, Any]:
    """Return the line up to the position shown: as a replay, or as a position with events if it starts from one."""
    start, actions = table.start, table.address.played
    if start.replay is None and start.seed is None:
        steps = table.replay.steps[: table.ply]
        events = [event for step in steps for event in ([step.seat, step.text], *([0, text] for text in step.chance))]
        return {"setup": format_position(start.state), "events": events}
    seats = [{"name": seat.version.bot.name, "version": seat.version.name or "1"} for seat in start.seats]
    reseed = Reseed(start.index, seed_of(table.address.chance))
    if start.replay is not None:
        record = dict(start.replay.record)
        known = read_game(record, 0)
        game = Game(known.ruleset, known.seed, known.deal, reseed)
        game.fold(event._replace(facts=None) for event in read_events(record)[: start.index])
    else:
        assert start.seed is not None
        game = Game(start.ruleset, start.seed, None, reseed)
    for text in actions:
        game.play(text)
    return replay_document(game, match="analysis", seats=seats)
