"""The positions at which the doctor asks a bot: every phase, Djinn, item and whim, and large or rare ones.

All are made from one random game of a ruleset that the bot plays. The seat to act gets what a situation needs
(`positions.py`). The turn is then played at random until the wanted decision comes.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from typing import Final

from arena.doctor import positions
from arena.doctor.positions import Document
from arena.rules import (
    Event,
    Phase,
    RulesError,
    Ruleset,
    State,
    Stream,
    default_action,
    draw_chance,
    format_position,
    parse_position,
    start_with_stream,
    view_event,
)
from arena.rules.components import DJINNS, ITEMS, WHIMS
from arena.rules.game import CHANCE

# A game that continues from any position: its state, its chance and its events since then.


SEED = sha256(b"arena doctor").digest()
"""Seed of all positions, so that every run of the doctor shows the same ones."""


class DoctorLine:
    """Like `arena.rules.Game`, but it can begin at any position. `first` is the index of the next event."""

    def __init__(self, state: State, stream: Stream, first: int = 0) -> None:
        self.state = state
        self.first = first
        self.events: list[Event] = []
        self._stream = stream

    @classmethod
    def new_game(cls, ruleset: Ruleset, seed: bytes = SEED) -> DoctorLine:
        """Return a whole game."""
        return cls(*start_with_stream(ruleset, seed))

    @property
    def index(self) -> int:
        """The index of the next event."""
        return self.first + len(self.events)

    def play(self, text: str) -> int:
        """Play a decision of the seat to act, and the chance that follows. Return the number of events.

        Raises `ActionSyntaxError` or `IllegalAction`.
        """
        before = len(self.events)
        action = self.state.parse(text)
        self.events.append(Event(self.state.to_act, action.text))
        self.state = self.state.play(action)
        while self.state.due is not None:
            chance = draw_chance(self.state, self._stream)
            self.events.append(Event(CHANCE, chance.text))
            self.state = self.state.play(chance)
        return len(self.events) - before

    def play_at_random(self, seed: bytes = SEED) -> None:
        """Play a random legal action, which depends only on the seed and the index."""
        self.play(default_action(self.state, seed, self.index).text)

    def seen_events(self, seat: int, since: int) -> list[Event]:
        """Return the events from index `since` on, as a seat may see them."""
        return [view_event(event, seat) for event in self.events[since - self.first :]]


FIRST = 100
"""Index of a position's first event: the game began long ago, as for a restarted process."""
WALKS = 400
"""Number of random walks through a turn in search of a decision."""
GAMES = 20
"""Number of games that are searched for a situation."""
LARGE_HAND = 10

Build = Callable[["InterruptedGame"], State]


class InterruptedGame:
    """A random game of a ruleset, to be interrupted."""

    def __init__(self, ruleset: Ruleset, number: int) -> None:
        self._ruleset = ruleset
        self._seed = sha256(SEED + bytes([number])).digest()

    def interrupt(self, phase: Phase = "move") -> tuple[Document, int]:
        """Return a position with a decision in this phase, in the third round, and the seat to act. It may be
        changed."""
        document = deepcopy(_middle(self._ruleset, self._seed, phase))
        return document, document["to_act"]


@cache
def _middle(ruleset: Ruleset, seed: bytes, phase: Phase) -> Document:
    line = DoctorLine.new_game(ruleset, seed)
    while line.state.round < 3 or line.state.phase != phase:
        line.play_at_random(seed)
    return format_position(line.state)


@dataclass(frozen=True, slots=True)
class Situation:
    """A decision that is worth a check."""

    name: str
    what: str
    """The decision, as part of a sentence."""
    build: Build
    expansions: tuple[str, ...] = ()
    """Expansions that the situation needs."""

    def line(self, ruleset: Ruleset) -> DoctorLine:
        """Return the game from the situation on. The bot has the seat to act."""
        for number in range(GAMES):
            try:
                return DoctorLine(self.build(InterruptedGame(ruleset, number)), Stream(SEED), FIRST)
            except LookupError:
                continue
        raise AssertionError(f"{self.name} comes up in no game of {ruleset}")


# --- how they are found ---


def seek(state: State, is_wanted: Callable[[State], bool]) -> State:
    """Return a state of the turn that is wanted and has several legal actions, found by random play.

    Raises `LookupError` if there is none.
    """
    for walk in range(WALKS):
        seed = sha256(b"walk %d" % walk).digest()
        line = DoctorLine(state, Stream(seed), FIRST)
        while line.state.to_act == state.to_act and line.state.phase != "over":
            if is_wanted(line.state) and line.state.legal.sole is None:
                return line.state
            was_bid = line.state.phase == "bid"
            line.play_at_random(seed)
            if was_bid or line.state.phase == "bid":
                break
    raise LookupError


def _offers(words: str) -> Callable[[State], bool]:
    """Return a predicate: whether an action that begins with these words is legal."""
    return lambda state: any(f"{action.text} ".startswith(f"{words} ") for action in state.legal)


# --- phases ---


def _phase(phase: Phase) -> Build:
    def build(game: InterruptedGame) -> State:
        document, seat = game.interrupt("bid" if phase == "bid" else "move")
        if phase == "choose":
            positions.give_djinn(document, seat, "sibittis")
            positions.give_elders(document, seat, 2)
        elif phase in ("flute", "horn", "scimitar"):
            positions.give_item(document, seat, phase)
        return seek(parse_position(document), lambda state: state.phase == phase)

    return build


_PHASES: Final[dict[Phase, str]] = {
    "bid": "a spot of the turn order",
    "move": "the tile from which it takes the meeples",
    "sow": "where a meeple is dropped",
    "tribe": "what the builders or assassins do",
    "tile": "the action of a tile",
    "choose": "which Djinn of three to keep, with Sibittis",
    "sell": "sales, powers and the end of the turn",
    "control": "a camel or the tent for a tile",
    "item": "which item to keep",
    "flute": "the meeples that the Enchanting Flute moves",
    "horn": "the order of a new row, with the Horn of Plenty",
    "scimitar": "whom the Burning Scimitar kills",
}
_OF_ARTISANS = ("control", "item", "flute", "horn", "scimitar")
PHASES = [
    Situation(f"phase-{phase}", what, _phase(phase), ("artisans",) if phase in _OF_ARTISANS else ())
    for phase, what in _PHASES.items()
]

# --- cards ---


def _djinn(djinn: str, power: str) -> Build:
    """Build a position with the Djinn in hand. If its power costs something, the seat can pay it and use it."""

    def build(game: InterruptedGame) -> State:
        document, seat = game.interrupt("bid" if power == "bid" else "move")
        positions.give_djinn(document, seat, djinn)
        if power:
            positions.give_cards(document, seat, "fakir", 2)
            positions.give_elders(document, seat, 2)
        state = parse_position(document)
        if power == "use":
            return seek(state, _offers(f"use {djinn}"))
        if power in ("palm", "palace"):
            return seek(
                state, lambda position: any(a.text.startswith(power) and " " in a.text[7:] for a in position.legal)
            )
        return state

    return build


DJINN_SITUATIONS = [
    Situation(
        f"djinn-{djinn.id}",
        f"with {djinn.id} in hand" + (", whose power it can pay" if djinn.power else ""),
        _djinn(djinn.id, djinn.power),
        (djinn.expansion,) if djinn.expansion else (),
    )
    for djinn in DJINNS
]


def _item(item: str, is_magic: bool) -> Build:
    def build(game: InterruptedGame) -> State:
        document, seat = game.interrupt()
        positions.give_item(document, seat, item)
        state = parse_position(document)
        return seek(state, _offers(f"item {item}")) if is_magic and item != "carpet" else state

    return build


ITEM_SITUATIONS = [
    Situation(f"item-{item.id}", f"with the item {item.id}", _item(item.id, not item.value), ("artisans",))
    for item in ITEMS
]


def _whim(whim: str) -> Build:
    def build(game: InterruptedGame) -> State:
        document, seat = game.interrupt()
        positions.give_whim(document, seat, whim)
        return parse_position(document)

    return build


WHIM_SITUATIONS = [
    Situation(
        f"whim-{whim.id}",
        f"with the whim {whim.id}",
        _whim(whim.id),
        ("artisans", "whims") if whim.artisans else ("whims",),
    )
    for whim in WHIMS
]

# --- large or rare positions ---


def _large_hand(game: InterruptedGame) -> State:
    """Take ten meeples from one tile."""
    document, _ = game.interrupt()
    for tile in document["board"]["tiles"]:
        changed = deepcopy(document)
        positions.heap(changed, tile, LARGE_HAND)
        try:
            state = parse_position(changed)
            return state.play(state.parse(f"take {tile}"))
        except RulesError:  # nothing can be sown from there
            continue
    raise LookupError


def _poor(game: InterruptedGame) -> State:
    """Leave one coin; without any there would be no choice."""
    document, seat = game.interrupt("bid")
    positions.give_gold(document, seat, 1)
    return parse_position(document)


def _last_round(game: InterruptedGame) -> State:
    document, _ = game.interrupt()
    document["ending"] = "no-moves"
    return parse_position(document)


def _many_sales(game: InterruptedGame) -> State:
    """Give the seat nine different goods: hundreds of sets can be sold."""
    document, seat = game.interrupt()
    for good in ("ivory", "jewels", "gold", "papyrus", "silk", "spice", "fish", "wheat", "pottery"):
        positions.give_cards(document, seat, good, 1)
    return seek(parse_position(document), lambda state: state.phase == "sell")


RARE_SITUATIONS = [
    Situation("hand-of-ten", f"with {LARGE_HAND} meeples in hand", _large_hand),
    Situation("poor-bid", "a bid with one coin left", _poor),
    Situation("last-round", "in the last round", _last_round),
    Situation("long-legal-list", "with nine different goods to sell, in hundreds of sets", _many_sales),
]
