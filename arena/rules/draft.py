"""The data of a game, and the methods that write on it.

A `Draft` holds everything that a position consists of. A copy shares all unchanged parts with the original. Modules
that play actions write on a copy of their own. `State` (state.py) is the draft that callers get; it never changes.
"""

from __future__ import annotations

from typing import Literal, TypeVar

from arena.rules.board import Board
from arena.rules.components import ARTISAN, ELDER, FAKIR, TRIBES
from arena.rules.groups import CARDS, UNITS, bit, count, unit
from arena.rules.notation import Pile
from arena.rules.ruleset import Ruleset
from arena.rules.seat import Seat, parts_of

Phase = Literal[
    "bid", "move", "sow", "tribe", "tile", "choose", "sell", "over", "control", "item", "flute", "horn", "scimitar"
]
"""Kind of decision that is due (notation.md, Position)."""
Ending = Literal["camels", "no-moves"]
"""End triggers: a seat has placed its last camel (and tent), or no tile can be taken (rule 3.5)."""
Stage = Literal[
    "next_turn",
    "control",
    "claim",
    "back",
    "tribe",
    "draw_card",
    "draw_djinns",
    "draw_items",
    "draw_row",
    "draw_meeples",
    "offer_items",
    "slain",
    "arrange",
    "tile",
    "end_turn",
    "refill_resources",
    "refill_djinns",
    "refill_whims",
    "next_round",
]
"""Name of a step that follows an action without a decision; stages.py describes each."""

Steps = tuple[tuple[Stage, int], ...]
"""Stages to come, next first, each with its argument: a tile, a tribe, a seat or a number of cards (0 for none)."""
T = TypeVar("T")


class Due:
    """A chance event that must be given before any seat may act (9).

    `count` meeples are drawn from the bag, or the discard pile of `pile`, which has `count` cards, is shuffled.

    >>> from arena.rules import Due
    >>> str(Due(3)), Due(7, "resources").kind
    ('!bag with 3 meeples drawn from the bag', 'shuffle')
    """

    __slots__ = ("count", "pile")

    def __init__(self, count: int, pile: Pile | None = None) -> None:
        self.count = count
        """Number of meeples drawn from the bag, or number of cards in the discard pile."""
        self.pile = pile
        """Pile to shuffle; None for the bag."""

    @property
    def kind(self) -> Literal["bag", "shuffle"]:
        """Verb of the event, without its `!`."""
        return "bag" if self.pile is None else "shuffle"

    def __str__(self) -> str:
        if self.pile is None:
            return f"!bag with {self.count} meeple{'s' * (self.count != 1)} drawn from the bag"
        return f"!shuffle {self.pile} with the {self.count} card{'s' * (self.count != 1)} of the discard pile"


class Draft:
    """Everything that a position consists of, between two decisions or before a chance event that is `due`.

    Lists of tiles have one entry per tile number. Masks are sets of tiles. Cards, Djinns and tribes are numbers; groups
    and hands are packed (groups.py). `to_act` is a seat from 1, or 0 when the game is over. `turn_track` has 0 for a
    free spot. `agenda` holds the stages that run once the chance event is given, next first. Fields of the turn
    (`origin` … `left`) have a meaning only in the phases that write them.
    """

    # fmt: off
    __slots__ = (
        "agenda", "at", "back", "bag", "bid_order", "board", "came", "deck", "discard", "djinn_deck",
        "djinn_discard", "djinn_row", "doubled", "drawn", "due", "ending", "hand", "holds", "item_discard", "item_pile",
        "item_used", "left", "lifted", "meeples", "origin", "palaces", "palaces_left", "palms", "palms_left", "phase",
        "pieces", "round", "row", "seats", "target", "to_act", "turn_track", "whim_deck", "whims",
    )
    # fmt: on

    def __init__(self, board: Board) -> None:
        """Make a blank position on a board. Set-up and the reader of documents fill it."""
        self.board = board
        """The part of the board that never changes."""
        self.round = 1
        """Number of the round, from 1 (3)."""
        self.phase: Phase = "bid"
        """Kind of decision that is due (8)."""
        self.to_act = 0
        """Seat that decides, from 1; 0 when the game is over."""
        self.ending: Ending | None = None
        """Trigger that makes this round the last; None if there is none (3.5)."""
        self.meeples: tuple[int, ...] = (0,) * board.geometry.size
        """Group on each tile."""
        self.holds: tuple[int, ...] = (0,) * len(TRIBES)
        """Set of tiles that hold each tribe, by tribe."""
        self.pieces = 0
        """Set of tiles with an owner, a palm or a palace."""
        self.palms: tuple[int, ...] = (0,) * board.geometry.size
        """Number of palms on each tile."""
        self.palaces: tuple[int, ...] = (0,) * board.geometry.size
        """Number of palaces on each tile."""
        self.palms_left = 0
        """Number of palms left in the supply."""
        self.palaces_left = 0
        """Number of palaces left in the supply."""
        self.bag = 0
        """Group in the bag."""
        self.row: tuple[int, ...] = ()
        """Open resource cards, start of the line first."""
        self.deck: tuple[int, ...] = ()
        """Draw pile of resource cards, top first."""
        self.discard: tuple[int, ...] = ()
        """Discarded resource cards, oldest first (8.11)."""
        self.djinn_row: tuple[int, ...] = ()
        """Djinns that can be summoned."""
        self.djinn_deck: tuple[int, ...] = ()
        """Draw pile of Djinns, top first."""
        self.djinn_discard: tuple[int, ...] = ()
        """Discarded Djinns, oldest first."""
        self.seats: tuple[Seat, ...] = ()
        """Possessions of each seat; seat 1 is `seats[0]`."""
        self.bid_order: tuple[int, ...] = ()
        """Seats of the markers on the bid-order track, first to bid first."""
        self.turn_track: tuple[int, ...] = (0,) * len(board.ruleset.track.costs)
        """Seat of the marker on each spot, 0 for none; spot 1 is `turn_track[0]` (8.1)."""
        self.origin = self.at = self.came = -1
        """Tiles of a sowing: where it began, where the hand is, where the hand was before; -1 for none."""
        self.hand = 0
        """Group still to be dropped."""
        self.lifted = 0
        """Group of the tribe that acts, on its way to the bag (8.13)."""
        self.drawn: tuple[int, ...] = ()
        """Djinns, items or cards drawn, from which the seat chooses."""
        self.back: Phase | Literal[""] = ""
        """Phase to which the turn returns after `choose`, `horn`, `scimitar` or a power; otherwise empty."""
        self.doubled = 0
        """Echidna and Iblis in force until the turn ends, as a mask."""
        self.item_used = False
        """Whether an item was used this turn (6.4)."""
        self.target = -1
        """Tile that a camel or the tent is about to take, or to which the flute calls."""
        self.left = 0
        """Number of killings with the scimitar, or of pulls with the flute, still to come."""
        self.whims: tuple[int, ...] = (-1,) * board.geometry.size
        """Whim on each tile, -1 for none."""
        self.whim_deck: tuple[int, ...] = ()
        """Draw pile of whims, top first."""
        self.item_pile: tuple[int, ...] = ()
        """Face-down pile of items, top first."""
        self.item_discard: tuple[int, ...] = ()
        """Discarded items, oldest first."""
        self.agenda: Steps = ()
        """Stages that run once the chance event that is due is given, next first."""
        self.due: Due | None = None
        """Chance event that is due before any seat decides; None if none is due (9)."""

    def copy_to(self, twin: Draft) -> None:
        """Make `twin` a copy to write on. It shares everything that this draft refers to."""
        twin.board = self.board
        twin.round = self.round
        twin.phase = self.phase
        twin.to_act = self.to_act
        twin.ending = self.ending
        twin.meeples = self.meeples
        twin.holds = self.holds
        twin.pieces = self.pieces
        twin.palms = self.palms
        twin.palaces = self.palaces
        twin.palms_left = self.palms_left
        twin.palaces_left = self.palaces_left
        twin.bag = self.bag
        twin.row = self.row
        twin.deck = self.deck
        twin.discard = self.discard
        twin.djinn_row = self.djinn_row
        twin.djinn_deck = self.djinn_deck
        twin.djinn_discard = self.djinn_discard
        twin.seats = self.seats
        twin.bid_order = self.bid_order
        twin.turn_track = self.turn_track
        twin.origin = self.origin
        twin.at = self.at
        twin.came = self.came
        twin.hand = self.hand
        twin.lifted = self.lifted
        twin.drawn = self.drawn
        twin.back = self.back
        twin.doubled = self.doubled
        twin.item_used = self.item_used
        twin.target = self.target
        twin.left = self.left
        twin.whims = self.whims
        twin.whim_deck = self.whim_deck
        twin.item_pile = self.item_pile
        twin.item_discard = self.item_discard
        twin.agenda = self.agenda
        twin.due = self.due

    @property
    def ruleset(self) -> Ruleset:
        """Number of players, and the expansions in play."""
        return self.board.ruleset

    @property
    def is_over(self) -> bool:
        """Whether the game is over."""
        return self.phase == "over"

    @property
    def acting(self) -> Seat:
        """Possessions of the seat that is to act."""
        return self.seats[self.to_act - 1]

    def owner_of(self, tile: int) -> int:
        """Return the seat whose camel or tent stands on a tile; 0 for none."""
        number: int
        seat: Seat
        for number, seat in enumerate(self.seats, 1):
            if seat.owned >> tile & 1:
                return number
        return 0

    # Writing, on a copy.

    def return_to_phase(self) -> None:
        """Return to the phase in which a power or an item was used."""
        assert self.back != ""
        self.phase, self.back = self.back, ""

    def own(self, seat: int) -> Seat:
        """Replace a seat by a copy to write on, and return the copy."""
        mine: Seat = self.seats[seat - 1]
        mine = mine.copy()
        self.seats = replaced(self.seats, seat - 1, mine)
        return mine

    def earn(self, seat: int, gold: int) -> None:
        """Give a seat gold from the bank."""
        mine = self.own(seat)
        mine.gold += gold

    def put(self, tile: int, tribe: int) -> None:
        """Add one meeple to a tile."""
        here: int = self.meeples[tile]
        self.meeples = replaced(self.meeples, tile, here + unit(tribe))
        held: int = self.holds[tribe]
        if not held >> tile & 1:
            self.holds = replaced(self.holds, tribe, held | bit(tile))

    def remove(self, tile: int, group: int) -> None:
        """Take a group of meeples off a tile. The meeples must be there."""
        rest: int = self.meeples[tile]
        rest -= group
        self.meeples = replaced(self.meeples, tile, rest)
        tribe: int
        held: int
        holds = list(self.holds)
        for tribe, held in enumerate(self.holds):
            if held >> tile & 1 and not count(rest, tribe):
                holds[tribe] = held & ~bit(tile)
        self.holds = tuple(holds)

    def pay(self, seat: int, payment: str) -> None:
        """Pay a payment of a seat: Elders (`w`) and Artisans (`p`) go to the bag, Fakirs (`f`) to the discard."""
        mine = self.own(seat)
        elders, fakirs, artisans = parts_of(payment)
        mine.elders -= elders
        mine.artisans -= artisans
        self.bag += elders * UNITS[ELDER] + artisans * UNITS[ARTISAN]
        mine.hand -= fakirs * CARDS[FAKIR]
        self.discard += (FAKIR,) * fakirs

    def spend(self, seat: int, djinn: int) -> None:
        """Mark a Djinn's power as used this round."""
        mine = self.own(seat)
        mine.used += (djinn,)
        mine.spent |= bit(djinn)

    def discard_item(self, item: int) -> None:
        """Discard the acting seat's oldest token of a kind."""
        mine = self.own(self.to_act)
        place = mine.items.index(item)
        mine.items = (*mine.items[:place], *mine.items[place + 1 :])
        self.item_discard += (item,)

    def discard_of(self, pile: Pile) -> tuple[int, ...]:
        """Return the discard pile that becomes the draw pile when it is shuffled."""
        if pile == "resources":
            return self.discard
        return self.djinn_discard if pile == "djinns" else self.item_discard

    def reward(self, djinn: int, by: int, own: int, others: int) -> None:
        """Pay the owner of a passive Djinn: `own` GC if the seat `by` is the owner, otherwise `others` GC."""
        number: int
        seat: Seat
        for number, seat in enumerate(self.seats, 1):
            if seat.has >> djinn & 1:
                self.earn(number, own if number == by else others)


def replaced(values: tuple[T, ...], place: int, value: T) -> tuple[T, ...]:
    """Return the values with `value` at a place."""
    changed = list(values)
    changed[place] = value
    return tuple(changed)
