"""Sowing by plain recursion over every path and every order of colours."""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from tests.kit.slow.board import Position, distance, group, letters, meeples_on, names, steps, without

Colours = dict[str, frozenset[str]]  # the colours that stand on each tile
Graph = dict[str, list[str]]  # the tiles to which a meeple can step from each tile


class Sowings(NamedTuple):
    sequences: int
    results: int
    ends: int


def drops(
    graph: Graph, board: dict[str, str], at: str, before: str | None, hand: str
) -> Iterator[list[tuple[str, str]]]:
    """Yield every complete sowing of the hand, as its drops in order. `board` holds the meeples of each tile."""
    for tile in graph[at]:
        if tile == before:
            continue
        for colour in sorted(set(hand)):
            if len(hand) == 1:
                if colour in board[tile]:
                    yield [(tile, colour)]
            else:
                dropped = {**board, tile: board[tile] + colour}
                for rest in drops(graph, dropped, tile, at, without(hand, colour)):
                    yield [(tile, colour), *rest]


def sowings(position: Position, tile: str) -> Sowings:
    """Return the numbers of complete sowings from the tile, of their results, and of ends (tile and last colour)."""
    board = {name: meeples_on(position, name) for name in names(position)}
    hand, board[tile] = board[tile], ""
    sequences: set[object] = set()
    results: set[object] = set()
    ends: set[object] = set()
    if hand:
        for sequence in drops(steps(position), board, tile, None, hand):
            final = dict(board)
            for name, colour in sequence:
                final[name] = group(final[name] + colour)
            end, last = sequence[-1]
            sequences.add(tuple(sequence))
            results.add((tile, tuple(final.items()), end, last))
            ends.add((end, last))
    return Sowings(len(sequences), len(results), len(ends))


def can_finish(graph: Graph, colours: Colours, at: str, before: str | None, hand: str, carpet: bool) -> bool:
    """Return whether a complete sowing of the hand exists from here. The search stops at the first one.

    On a carpet the last meeple may fly to any tile of its colour.
    """
    dead: set[tuple[object, ...]] = set()  # states known not to finish

    def search(added: frozenset[tuple[str, str]], at: str, before: str | None, hand: str) -> bool:
        key = (added, at, before, hand)
        if key in dead:
            return False
        if carpet and len(hand) == 1:
            return any(hand in colours[tile] or (tile, hand) in added for tile in graph)
        for tile in graph[at]:
            if tile == before:
                continue
            for colour in sorted(set(hand)):
                if len(hand) == 1:
                    if colour in colours[tile] or (tile, colour) in added:
                        return True
                # a colour that stands there already does not change anything that follows
                elif search(
                    added if colour in colours[tile] else added | {(tile, colour)}, tile, at, without(hand, colour)
                ):
                    return True
        dead.add(key)
        return False

    return search(frozenset(), at, before, hand)


def colours_of(position: Position) -> Colours:
    return {name: _colours(tile["meeples"]) for name, tile in position["board"]["tiles"].items()}


@cache
def _colours(meeples: str) -> frozenset[str]:
    return frozenset(letters(meeples))


def can_take(position: Position, tile: str, carpet: bool = False) -> bool:
    hand = meeples_on(position, tile)
    if not hand:
        return False
    return can_finish(steps(position), {**colours_of(position), tile: frozenset()}, tile, None, hand, carpet)


def any_take(position: Position) -> bool:
    """Return whether any tile can be taken, without a carpet."""
    return any(can_take(position, tile) for tile in names(position))


def can_drop(position: Position, tile: str, colour: str, carpet: bool = False) -> bool:
    turn = position["turn"]
    at, before, hand = turn["at"], turn.get("from"), turn["hand"]
    if colour not in hand or tile == before or distance(at, tile) != 1:
        return False
    graph = steps(position)
    if tile not in graph[at]:
        return False
    colours = colours_of(position)
    if len(hand) == 1:
        return colour in colours[tile]
    after = {**colours, tile: colours[tile] | {colour}}
    return can_finish(graph, after, tile, at, without(hand, colour), carpet)
