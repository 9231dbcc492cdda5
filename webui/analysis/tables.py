"""The table of an analysis: where its lines start, and the replay of a line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any

from django.utils.translation import gettext as _

from arena.rules import (
    Event,
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
    view,
    view_event,
)
from arena.rules.determinize import determinize
from arena.rules.open_score import OPEN_CATEGORIES
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
    seat: int = 0
    """Seat for which everything that it cannot know was drawn anew. 0 if nothing was."""

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


def drawn_anew(start: Start, seat: str, chance: str) -> Start:
    """Return the start with everything drawn anew that a seat cannot know: piles, and cards and tokens of other seats.

    Gold stays as it is, because everybody can count it (`arena.rules.counting`).

    `seat`: the number of the seat, as it stands in an address.
    `chance`: the name of the seed from which the cards are drawn.

    Raise `BadAddress` if there is no such seat, or if the position cannot occur in a game.
    """
    if seat not in map(str, range(1, start.ruleset.players + 1)):
        raise BadAddress(_("Choose a seat from 1 to %(n)d.") % {"n": start.ruleset.players})
    seen = view(start.state, int(seat))
    counted = [replace(each, gold=known.gold) for each, known in zip(seen.seats, start.state.seats, strict=True)]
    deal = Stream(sha256(b"deal " + seed_of(chance)).digest())
    try:
        state = determinize(replace(seen, seats=tuple(counted)), deal)
    except RulesError as error:
        raise BadAddress(_("This position is not valid: %(reason)s") % {"reason": error}) from None
    return replace(start, state=state, seats=_plain_seats(start.ruleset.players), seat=int(seat))


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


def seated(start: Start, house: str) -> Start:
    """Return the start with the visitor at its seat, and a house player at all others."""
    names = [f"{house} ({number})" for number in range(1, start.ruleset.players + 1)]
    names[start.seat - 1] = _("Visitor")
    return replace(start, seats=named_seats(names))


def _plain_seats(players: int) -> list[SeatLine]:
    """Return seats at which no bot sits."""
    return named_seats([_("Seat %(n)d") % {"n": number} for number in range(1, players + 1)])


def named_seats(names: Sequence[str]) -> list[SeatLine]:
    """Return seats with these names, seat 1 first, at which no bot sits."""
    bots = [BotRef(0, name, "", 0, "", is_house=False) for name in names]
    return [SeatLine(seat, VersionRef(0, "", bot), None, None, None, None, "") for seat, bot in enumerate(bots, 1)]


class LineReplay(Replay):
    """A line, after the decisions of the match that it starts from. Everything is open, or all that one seat sees.

    Chance is drawn from a stream of its own, and piles lie as they lie at the start.
    """

    def __init__(self, start: Start, line: Line, chance: str, seat: int = 0) -> None:
        """Play a line. Raise `BadAddress` at the first action that is not legal.

        `seat`: the seat whose view is shown; 0 shows everything. The replay of the match then has the same view.
        """
        super().__init__(start.ruleset, start.steps, is_over=False)
        self.first = len(self.steps)
        """Ply in which the line starts."""
        self._start = start
        self._states = [start.state]
        self._positions: dict[int, View] = {}
        self._stream, self._index = Stream(seed_of(chance)), start.index
        self._seat = seat
        self.line: list[str] = []
        """The actions of the line, also what the seat cannot know of them."""
        for text in line:
            self.play(text)
        self.is_over = self.last.is_over

    @property
    def last(self) -> State:
        """The whole state at the end of the line."""
        return self._states[-1]

    def play(self, text: str) -> None:
        """Play one more action, and the chance that follows it. Raise `BadAddress` if it is not legal."""
        before = self.last
        try:
            state = before.play(before.parse(text))
        except RulesError as error:
            values = {"n": len(self._states), "action": text[:80], "reason": error.message}
            raise BadAddress(_("Decision %(n)d, %(action)s, is not possible: %(reason)s") % values) from None
        drawn = []
        while state.due is not None:
            event = draw_chance(state, self._stream)
            drawn.append(self._seen(Event(0, event.text)))
            state = state.play(event)
        self._states.append(state)
        self.line.append(text)
        self.steps.append(Step(self._index, before.to_act, self._seen(Event(before.to_act, text)), {}, tuple(drawn)))
        self._index += 1 + len(drawn)
        self.is_over = state.is_over

    def _seen(self, event: Event) -> str:
        """Return the text of an event as it may be shown."""
        return view_event(event, self._seat).text if self._seat else event.text

    def state(self, ply: int) -> State:
        """Return the whole state at a ply of the line."""
        return self._states[ply - self.first]

    def position(self, ply: int) -> View:
        """Return what is shown of the position at a ply, also at one before the line."""
        if ply < self.first:
            assert self._start.replay is not None
            return self._start.replay.position(ply)
        if ply not in self._positions:
            state = self.state(ply)
            self._positions[ply] = view(state, self._seat) if self._seat else position(state)
        return self._positions[ply]

    def scores(self, ply: int) -> list[dict[str, int]] | None:
        """Return each seat's points by source and in total. Return None where the viewing seat cannot see them."""
        if ply < self.first:
            assert self._start.replay is not None
            return self._start.replay.scores(ply)
        return None if self._seat and not self.state(ply).is_over else self._whole(ply)

    def points(self, ply: int) -> list[dict[str, int]]:
        """Return all points. With a seat, the other seats have only their open points until the end."""
        if ply < self.first:
            assert self._start.replay is not None
            return self._start.replay.points(ply)
        whole = self._whole(ply)
        if not self._seat or self.state(ply).is_over:
            return whole
        return [
            points if seat == self._seat else {name: points[name] for name in OPEN_CATEGORIES if name in points}
            for seat, points in enumerate(whole, 1)
        ]

    def _whole(self, ply: int) -> list[dict[str, int]]:
        """Return the whole scores, hidden or not."""
        state = self.state(ply)
        return [score(state, seat) for seat in range(1, len(state.seats) + 1)]

    def index_of(self, ply: int) -> int:
        """Return the index of the event that follows a ply."""
        return self._start.index if ply == self.first else super().index_of(ply)

    def totals(self, ply: int) -> list[int]:
        """Return each seat's points at a ply of the line, hidden or not."""
        return [points["total"] for points in self._whole(ply)]


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
    return Table(address, start, replay, seats_at_end(start, replay))


def seats_at_end(start: Start, replay: LineReplay) -> list[SeatLine]:
    """Return the seats, with their places if the game is over at the end of the line."""
    outcome = replay.last.outcome
    return [replace(seat, placement=outcome.ranks[seat.seat - 1]) if outcome else seat for seat in start.seats]


def line_document(table: Table) -> dict[str, Any]:
    """Return the line up to the position shown: as a replay, or as a position with events if it starts from one."""
    start, actions = table.start, table.address.played
    if start.seat or (start.replay is None and start.seed is None):
        steps = table.replay.steps[table.replay.first : table.ply]
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
