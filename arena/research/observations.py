"""The observation of a seat: one vector of floats, made only from its `View`, so that it can hold nothing hidden.

It consists of sections, each with a fixed place and shape (`Observations.sections`). It has everything in the view,
except orders that no rule asks about: of discard piles, and of a seat's Djinns and tokens. Seats are counted from the
observing one: 0 is itself, 1 the next one, and so on, so that one policy serves every seat.

Facts about others that a seat does not know are 0 in their rows: gold, and the names of hands, tokens and open whims.
The numbers of their cards, tokens and whims are included.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from math import prod
from typing import NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from arena.research.arguments import ArgumentError
from arena.rules import RESOURCES, TILE_NAMES, TRIBES, Ruleset, SeatView, View
from arena.rules.components import (
    ARTISAN,
    DJINNS,
    ITEMS,
    MARKERS,
    RESOURCE_COPIES,
    RESOURCE_ROW,
    TILES_OF_ARTISANS,
    WHIMS,
    Colour,
    KindOfTile,
    Mountains,
)
from arena.rules.draft import Phase
from arena.rules.geometry import geometry
from arena.rules.view_parts import Pile, pile_size

Vector = NDArray[np.float32]
"""An observation: shape (size,)."""
HIGHEST = 10.0
"""Upper bound of every number of an observation; the lower bound is 0."""
PHASES: tuple[Phase, ...] = get_args(Phase)
ENDINGS = ("camels", "no-moves")
DOUBLED = ("echidna", "iblis")
# Divisors of numbers, so that most of them are between 0 and 1.
VALUE, ON_TILE, IN_BAG, COINS, PEOPLE, CARDS, TOKENS, ROUNDS, PULLS, LEFT = 15, 4, 20, 50, 10, 10, 4, 10, 5, 2
PILES = (54, 22, 22, 18, 12, 10)
"""Sizes of the draw piles of resources, Djinns, whims and items, and of the palms and palaces in the supply."""


class Section(NamedTuple):
    """A part of the observation: numbers of this shape, the last index fastest, from the place `start` on."""

    name: str
    start: int
    shape: tuple[int, ...]
    about: str

    @property
    def size(self) -> int:
        """Number of its numbers."""
        return prod(self.shape)


class Observations:
    """The observations of a ruleset. Call `observations`, which makes each once.

    >>> seen = view(start(Ruleset(2), bytes(32)), seat=1)
    >>> encoder = observations(Ruleset(2))
    >>> vector = encoder.of(seen)
    >>> vector.shape, vector.dtype, encoder.sections[0].name, encoder.sections[0].shape
    ((1021,), dtype('float32'), 'board', (5, 6, 17))

    >>> first = dict(zip(encoder.tile_names, encoder.part(vector, "board")[0, 0]))
    >>> {name: float(number) for name, number in first.items() if number}
    {'village': 1.0, 'value': 0.3333333432674408, 'blue': 1.0, 'y': 0.25, 'w': 0.25, 'r': 0.25}
    """

    def __init__(self, ruleset: Ruleset) -> None:
        self.ruleset = ruleset
        self.sections: list[Section] = []
        """All sections, in order."""
        self.size = 0
        """Number of numbers in an observation."""
        players, (columns, rows) = ruleset.players, ruleset.shape
        tribes = TRIBES if ruleset.artisans else TRIBES[:ARTISAN]
        tiles = (*ruleset.tiles, *(TILES_OF_ARTISANS if ruleset.artisans else ()))
        djinns = [DJINNS[number].id for number in ruleset.djinns]
        whims = [WHIMS[number].id for number in ruleset.whim_cards]
        items = [item.id for item in ITEMS] if ruleset.artisans else []
        relative = [f"seat +{number}" for number in range(players)]
        kinds = list(dict.fromkeys(tile.kind for tile in tiles))
        self.tile_names = (
            *kinds, "value", "red", "blue", *tribes, *relative, "palms", "palaces",
            *(["NW", "SE", "tent"] if ruleset.artisans else ()), *whims,
        )  # fmt: skip
        """Names of a tile's numbers, in order; `seat +0` is the observing seat."""
        self.seat_names = (
            "coins", "camels", "viziers", "elders", "cards", *RESOURCES,
            *djinns, *(f"{djinn} used" for djinn in djinns),
            *(["artisans", "tents", "number of items", *items] if ruleset.artisans else ()),
            *(["number of open whims", *(f"{whim} open" for whim in whims), *(f"{whim} paid" for whim in whims)]
              if ruleset.whims else ()),
        )  # fmt: skip
        """Names of a seat's numbers, in order; `gold` is the good, `coins` are its GC."""
        self._tribe = _places(tribes)
        self._in_tile, self._in_seat = _places(self.tile_names), _places(self.seat_names)
        self._djinn, self._item, self._resource = _places(djinns), _places(items), _places(RESOURCES)
        self._tile = _places(TILE_NAMES[tile] for tile in geometry(columns, rows).reading)

        self._board = self._add("board", (rows, columns, len(self.tile_names)), "tiles row by row, A1 first")
        self._tiles_of_turn = self._add(
            "turn tiles",
            (4, rows, columns),
            "1 on: where the sowing began, the present tile, the one before, the target",
        )
        self._phases = self._add("phases", (3, len(PHASES)), "1 at: the phase, the one to return to, the one after")
        self._to_act = self._add("to act", (players,), "1 at the seat that decides")
        self._ending = self._add("ending", (len(ENDINGS),), "1 at what makes this round the last")
        self._round = self._add("round", (1,), "number of the round")
        self._meeples = self._add("meeples", (3, len(tribes)), "by tribe: in the bag, to be dropped, lifted")
        self._row = self._add("row", (RESOURCE_ROW, len(RESOURCES)), "1 at the card of each place of the open row")
        self._cards = self._add("cards", (2, len(RESOURCES)), "by card: discarded, drawn for the row")
        self._djinns = self._add("djinns", (3, len(djinns)), "1 at Djinns in the open row, discarded, drawn")
        self._items = self._add("items", (2, len(items)), "by token: discarded, drawn")
        self._piles = self._add("piles", (len(PILES),), "size of: cards, Djinns, whims, items, palms, palaces")
        markers = players * MARKERS[players]
        self._bid_order = self._add("bid order", (markers, players), "1 at the seat of each marker that waits")
        self._track = self._add(
            "turn track", (len(ruleset.track.costs), players), "1 at the seat of each spot's marker"
        )
        self._turn = self._add(
            "turn", (6,), "cards drawn, meeples pulled, killings left; 1 for: Echidna, Iblis in force, item used"
        )
        self._seats = self._add("seats", (players, len(self.seat_names)), "what each seat has, the observing one first")
        self._tile_bytes = lru_cache(1 << 14)(self._encoded_tile)  # many tiles are equal

    def _add(self, name: str, shape: tuple[int, ...], about: str) -> int:
        """Append a section and return its start."""
        section = Section(name, self.size, shape, about)
        if section.size:
            self.sections.append(section)
        self.size += section.size
        return section.start

    def part(self, vector: Vector, name: str) -> Vector:
        """Return a section of an observation in its shape, as a view of the same memory.

        Raises `KeyError` if there is no such section.
        """
        section = {section.name: section for section in self.sections}[name]
        return vector[..., section.start : section.start + section.size].reshape(*vector.shape[:-1], *section.shape)

    def of(self, view: View) -> Vector:
        """Return the observation of a seat.

        Raises `ArgumentError` for a spectator's view, or a view of another ruleset.
        """
        vector = np.zeros(self.size, np.float32)
        self.write(view, vector)
        return vector

    def write(self, view: View, vector: Vector) -> None:
        """Write the observation of a seat into a vector of zeros."""
        if not view.seat or (view.players, view.expansions) != self.ruleset:
            raise ArgumentError("view", f"the view of a seat in a game of {self.ruleset}", view)
        self._write_tiles(view, vector)
        self._write_turn(view, vector)
        self._write_piles(view, vector)
        for held in view.seats:
            relative = (held.number - view.seat) % view.players
            self._write_seat(vector, self._seats + relative * len(self.seat_names), held, is_own=not relative)

    def _write_tiles(self, view: View, vector: Vector) -> None:
        # Tiles are kept as bytes: joining these is much faster than writing their numbers.
        tile_bytes, players, seat = self._tile_bytes, view.players, view.seat
        joined = b"".join(
            [
                tile_bytes(
                    t.kind, t.value, t.colour, t.meeples, None if t.owner is None else (t.owner - seat) % players,
                    t.palms, t.palaces, t.whim, t.mountains, t.tent,
                )
                for t in view.tiles.values()
            ]
        )  # fmt: skip
        vector[: len(joined) // vector.itemsize] = np.frombuffer(joined, np.float32)

    def _write_turn(self, view: View, vector: Vector) -> None:
        players, turn = view.players, view.turn
        for n, name in enumerate((turn.origin, turn.at, turn.came_from, turn.target)):
            if name is not None:
                vector[self._tiles_of_turn + n * len(self._tile) + self._tile[name]] = 1
        for n, phase in enumerate((view.phase, turn.back, turn.next)):
            if phase:
                vector[self._phases + n * len(PHASES) + PHASES.index(phase)] = 1
        if view.to_act is not None:
            vector[self._to_act + (view.to_act - view.seat) % players] = 1
        if view.ending is not None:
            vector[self._ending + ENDINGS.index(view.ending)] = 1
        vector[self._round] = min(view.round / ROUNDS, HIGHEST)
        for n, seat in enumerate(view.bid_order):
            vector[self._bid_order + n * players + (seat - view.seat) % players] = 1
        for n, marker in enumerate(view.turn_track):
            if marker is not None:
                vector[self._track + n * players + (marker - view.seat) % players] = 1
        vector[self._turn : self._turn + 6] = (
            pile_size(turn.drawn) / CARDS,
            (turn.pulls or 0) / PULLS,
            (turn.left or 0) / LEFT,
            *(djinn in turn.doubled for djinn in DOUBLED),
            turn.item_used,
        )

    def _write_piles(self, view: View, vector: Vector) -> None:
        turn, drawn = view.turn, _names(view.turn.drawn)
        for n, (group, scale) in enumerate(((view.bag, IN_BAG), (turn.hand, ON_TILE), (turn.lifted, ON_TILE))):
            if group:
                for tribe, place in self._tribe.items():
                    vector[self._meeples + n * len(self._tribe) + place] = group.count(tribe) / scale
        for n, name in enumerate(view.market):
            vector[self._row + n * len(RESOURCES) + self._resource[name]] = 1
        for n, cards in enumerate((view.discard, drawn if view.phase == "horn" else ())):
            if cards:
                for card, (name, copies) in enumerate(zip(RESOURCES, RESOURCE_COPIES, strict=True)):
                    vector[self._cards + n * len(RESOURCES) + card] = cards.count(name) / copies
        for n, djinns in enumerate((view.djinns, view.djinn_discard, drawn if view.phase == "choose" else ())):
            for name in djinns:
                vector[self._djinns + n * len(self._djinn) + self._djinn[name]] = 1
        for n, items in enumerate((view.items_discarded, drawn if view.phase == "item" else ())):
            for name in items:
                vector[self._items + n * len(self._item) + self._item[name]] += 1 / TOKENS
        vector[self._piles : self._piles + len(PILES)] = (
            pile_size(view.deck) / PILES[0],
            pile_size(view.djinn_deck) / PILES[1],
            pile_size(view.whim_deck) / PILES[2],
            pile_size(view.item_pile) / PILES[3],
            view.palms / PILES[4],
            view.palaces / PILES[5],
        )

    def _encoded_tile(
        self, kind: KindOfTile, value: int, colour: Colour | None, meeples: str, owner: int | None, palms: int,
        palaces: int, whim: str | None, mountains: Mountains | None, has_tent: bool,
    ) -> bytes:  # fmt: skip
        """Return the numbers of a tile, without its name. `owner` is a seat counted from the observing one."""
        numbers = np.zeros(len(self.tile_names), np.float32)
        place = self._in_tile
        numbers[place[kind]] = 1
        numbers[place["value"]] = value / VALUE
        for tribe in meeples:
            numbers[place[tribe]] += 1 / ON_TILE
        numbers[place["palms"]] = palms / ON_TILE
        numbers[place["palaces"]] = palaces / ON_TILE
        whose = None if owner is None else f"seat +{owner}"
        for name in (colour, whose, mountains, "tent" if has_tent else None, whim):
            if name:
                numbers[place[name]] = 1
        return numbers.tobytes()

    def _write_seat(self, vector: Vector, start: int, seat: SeatView, *, is_own: bool) -> None:
        place = self._in_seat
        vector[start : start + 5] = (
            min((seat.gold or 0) / COINS, HIGHEST) if is_own else 0,
            seat.camels / PEOPLE,
            seat.viziers / PEOPLE,
            seat.elders / PEOPLE,
            seat.cards / CARDS,
        )
        if is_own and seat.hand is not None:
            for name, number in seat.hand.items():
                vector[start + place[name]] = number / RESOURCE_COPIES[self._resource[name]]
        for name in seat.djinns:
            vector[start + place[name]] = 1
        for name in seat.used:
            vector[start + place[f"{name} used"]] = 1
        if self.ruleset.artisans:
            vector[start + place["artisans"]] = seat.artisans / PEOPLE
            vector[start + place["tents"]] = seat.tents
            vector[start + place["number of items"]] = pile_size(seat.items) / TOKENS
            if is_own:
                for name in _names(seat.items):
                    vector[start + place[name]] += 1 / TOKENS
        if self.ruleset.whims:
            vector[start + place["number of open whims"]] = pile_size(seat.open_whims) / TOKENS
            for name in seat.paid_whims:
                vector[start + place[f"{name} paid"]] = 1
            if is_own:
                for name in _names(seat.open_whims):
                    vector[start + place[f"{name} open"]] = 1


@lru_cache
def observations(ruleset: Ruleset) -> Observations:
    """Return the observations of a ruleset: 1,021 numbers with two players, 3,305 with five and both expansions."""
    return Observations(ruleset)


def _places(names: Iterable[str]) -> Mapping[str, int]:
    return {name: place for place, name in enumerate(names)}


def _names(pile: Pile) -> Sequence[str]:
    return () if isinstance(pile, int) else pile
