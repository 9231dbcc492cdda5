"""The action space of a ruleset: one index for each action of the notation, such as `bid 3` or `drop B2 r`.

There are only some thousand actions, so nothing is factored, sampled or cut off. A sowing is already a chain of
decisions, as in every match: a tile to take, and a meeple for each drop. An action has the same index in every game of
a ruleset. The indices are in the order of the notation, in which legal actions are listed.

The table has every action that is legal in some position of the ruleset. A board is laid at random, so every verb has
every tile. On a given board some actions are therefore never legal, for example a drop on the lake.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import combinations, combinations_with_replacement, permutations, product

import numpy as np
from numpy.typing import NDArray

from arena.rules import RESOURCES, TRIBES, Ruleset, State, parse_action
from arena.rules.components import (
    ANUN_NAK,
    ARTISAN,
    CRAFTING,
    DIVERTS,
    DJINNS,
    ELDER,
    FAKIR,
    GOODS,
    ITEMS,
    LETA,
    MARKETS,
    PLACEMENTS,
    PLACES,
    RESOURCE_COPIES,
    RING,
    SUMMONING,
    UTUG,
    VIZIER,
)
from arena.rules.geometry import geometry, tiles_of
from arena.rules.notation import TILE_NAMES, VERBS

Mask = NDArray[np.bool_]
"""Mask of the legal actions: shape (size,), indexed by action."""
ON_TILES = (ANUN_NAK, LETA, UTUG)
"""Djinns whose power is used on any tile."""


class ActionSpace:
    """The actions of a ruleset by index. Call `action_space`, which makes each table once.

    >>> space = action_space(Ruleset(2))
    >>> space.size, space.texts[0], space.index["take A1"], space.actions[28]
    (3347, 'bid 1', 28, parse_action('take A1'))
    """

    def __init__(self, ruleset: Ruleset) -> None:
        every = map(parse_action, _texts(ruleset))
        self.actions = tuple(sorted(every, key=lambda each: (VERBS.index(each.verb), each.text)))
        """The actions by index."""
        self.texts = tuple(action.text for action in self.actions)
        """The texts of the actions by index."""
        self.index = {text: index for index, text in enumerate(self.texts)}
        """The index of each text."""
        self.size = len(self.actions)
        """Number of actions."""

    def legal(self, state: State) -> list[int]:
        """Return the indices of the legal actions of a state, ascending.

        The list is empty while chance is due, and when the game is over.

        >>> action_space(Ruleset(2)).legal(start(Ruleset(2), bytes(32)))
        [0, 7, 13, 18, 22, 25, 27]
        """
        index = self.index
        return [index[action.text] for action in state.legal]

    def mask(self, state: State) -> Mask:
        """Return the mask of the legal actions of a state.

        >>> mask = action_space(Ruleset(2)).mask(start(Ruleset(2), bytes(32)))
        >>> mask.shape, mask.dtype, mask.sum()
        ((3347,), dtype('bool'), np.int64(7))
        """
        mask = np.zeros(self.size, np.bool_)
        mask[self.legal(state)] = True
        return mask

    def parts(self) -> list[tuple[str, int, int, str]]:
        """Return the verbs in order: each with its first index, its number of actions and its first action."""
        first: dict[str, int] = {}
        for index, action in enumerate(self.actions):
            first.setdefault(action.verb, index)
        starts = [*first.values(), self.size]
        return [
            (verb, start, end - start, self.texts[start])
            for verb, start, end in zip(first, starts, starts[1:], strict=False)
        ]


@lru_cache
def action_space(ruleset: Ruleset) -> ActionSpace:
    """Return the action space of a ruleset: about 3,350 actions in the base game, 7,500 with both expansions."""
    return ActionSpace(ruleset)


def _texts(ruleset: Ruleset) -> Iterator[str]:
    """Yield every action of a ruleset, by verbs (notation.md, Actions; rules 8 and 6.8)."""
    tiles = [TILE_NAMES[tile] for tile in geometry(*ruleset.shape).reading]
    tribes = TRIBES if ruleset.artisans else TRIBES.replace(TRIBES[ARTISAN], "")
    in_front = [TRIBES[tribe] for tribe in (VIZIER, ELDER, ARTISAN) if TRIBES[tribe] in tribes]
    yield from _bids(ruleset)
    yield from (f"take {tile}" for tile in tiles)
    yield from (f"drop {tile} {tribe}" for tile in tiles for tribe in tribes)
    yield from ("skip", "spare", "pass", "end")
    yield from (f"build {fakirs}" for fakirs in range(RESOURCE_COPIES[FAKIR] + 1))
    yield from (f"kill {tile} {group}" for tile in tiles for group in _groups(tribes))
    yield from (f"kill @{seat + 1} {group}" for seat in range(ruleset.players) for group in _groups(in_front))
    for piece in PLACEMENTS.values():
        payments = DJINNS[DIVERTS[piece]].costs
        yield from (f"{piece} {tile}{paid}" for tile in tiles for paid in ("", *(f" {paid}" for paid in payments)))
    yield from _buys(ruleset)
    yield from (f"summon {DJINNS[djinn].id} {paid}" for djinn in ruleset.djinns for paid in SUMMONING)
    yield from _uses(ruleset, tiles)
    yield from (f"keep {DJINNS[djinn].id}" for djinn in ruleset.djinns)
    yield from ("sell " + " ".join(goods) for n in range(len(GOODS)) for goods in combinations(sorted(GOODS), n + 1))
    if ruleset.artisans:
        yield from _of_artisans(ruleset, tiles, tribes)


def _bids(ruleset: Ruleset) -> Iterator[str]:
    """Yield the bids. Kumarbi accepts no more Fakirs than are needed to make a spot free (8.2)."""
    track = ruleset.track
    for group in track.groups:
        spot = group[0]
        yield f"bid {spot + 1}"
        most = len(track.prices) - 1 - track.prices.index(track.costs[spot])
        yield from (f"bid {spot + 1} f {fakirs + 1}" for fakirs in range(most))


def _groups(tribes: Iterable[str]) -> list[str]:
    """Return all groups of one or two meeples."""
    tribes = list(tribes)
    return [*tribes, *map("".join, combinations_with_replacement(tribes, 2))]


def _buys(ruleset: Ruleset) -> set[str]:
    """Return the purchases. Places of the row may be empty, and a market then sells fewer cards (R21)."""
    kinds = [market for kind, market in MARKETS.items() if ruleset.artisans or kind != "special-market"]
    rows = ((range(1, cards + 1), market.cards) for market in kinds for cards in range(1, market.reach + 1))
    return {"buy " + " ".join(map(str, places)) for row, n in rows for places in combinations(row, min(n, len(row)))}


def _uses(ruleset: Ruleset, tiles: list[str]) -> Iterator[str]:
    """Yield the paid powers. Hagis and Lamia divert a piece to one of the surrounding tiles (R12)."""
    shape = geometry(*ruleset.shape)
    near = [
        (TILE_NAMES[tile], TILE_NAMES[to])
        for tile in shape.reading
        for to in tiles_of(shape.blocks[tile])
        if to != tile
    ]
    for number in ruleset.djinns:
        djinn = DJINNS[number]
        if djinn.power != "use":
            continue
        for paid in djinn.costs:
            if number in ON_TILES or number in PLACES:
                yield from (f"use {djinn.id} {paid} {tile}" for tile in tiles)
            else:
                yield f"use {djinn.id} {paid}"
            if number in PLACES:
                diverting = DJINNS[DIVERTS[PLACEMENTS[PLACES[number]]]].costs
                yield from (f"use {djinn.id} {paid} {tile} {by} {to}" for (tile, to), by in product(near, diverting))


def _of_artisans(ruleset: Ruleset, tiles: list[str], tribes: str) -> Iterator[str]:
    """Yield the actions of Artisans of Naqala (6.8)."""
    yield from ("camel", "tent", "done", "item scimitar", "item horn")
    yield from (f"craft {paid}" for paid in CRAFTING)
    yield from (f"keep {item.id}" for item in ITEMS)
    yield from (f"item lamp {DJINNS[djinn].id}" for djinn in ruleset.djinns)
    yield from (f"item talisman {tile} {to}" for tile, to in permutations(tiles, 2))
    yield from (f"item ring {item.id}" for number, item in enumerate(ITEMS) if number != RING)
    yield from (f"item flute {tile}" for tile in tiles)
    yield from (f"{verb} {tile} {tribe}" for verb in ("slay", "pull", "fly") for tile in tiles for tribe in tribes)
    yield from (f"next {card}" for card in RESOURCES)
