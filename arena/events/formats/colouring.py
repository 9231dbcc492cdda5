"""Seats for a whole schedule, in which everybody sits at every seat equally often."""

from __future__ import annotations

from collections.abc import Sequence


def balanced_seats(tables: Sequence[Sequence[int]], players: int) -> list[tuple[int, ...]]:
    """The same tables of `players` entrants each, seat 1 first; nobody's counts of two seats differ by more than 1.

    That holds after every table, in the order given: each entrant's first `players` tables have every seat once, so
    have the next ones, and so on. Such a seating always exists: an entrant becomes a vertex for each `players` tables
    of its own; tables and these vertices are a bipartite graph whose degrees are at most `players`, and its edges can
    be coloured with so many colours, the seats (König 1916; de Werra 1971 for equitable colourings).
    """
    at_table: list[list[int | None]] = [[None] * players for _ in tables]
    at_part: list[list[int | None]] = []
    """By vertex and seat: the table."""
    owners: list[int] = []
    open_parts: dict[int, tuple[int, int]] = {}
    """By entrant: its latest vertex, and how many tables that has."""
    for number, table in enumerate(tables):
        for entrant in table:
            part, count = open_parts.get(entrant, (-1, players))
            if count == players:
                part, count = len(at_part), 0
                at_part.append([None] * players)
                owners.append(entrant)
            open_parts[entrant] = part, count + 1
            seat, other = at_table[number].index(None), at_part[part].index(None)
            if at_part[part][seat] is not None:
                _exchange(at_table, at_part, part, seat, other)
            at_table[number][seat], at_part[part][seat] = part, number
    return [tuple(owners[part] for part in seats if part is not None) for seats in at_table]


def _exchange(
    at_table: list[list[int | None]], at_part: list[list[int | None]], start: int, seat: int, other: int
) -> None:
    """Exchange two seats on the path of tables and vertices from this vertex on, which has no table at `other`.

    As the graph is bipartite, the path reaches tables over `seat` only: never the one that has nobody there.
    """
    path: list[tuple[int, int, int]] = []
    part: int | None = start
    while part is not None and (table := at_part[part][seat]) is not None:
        path.append((part, table, seat))
        part = at_table[table][other]
        if part is not None:
            path.append((part, table, other))
    for part, table, old in path:
        at_part[part][old] = None
        at_table[table][old] = None
    for part, table, old in path:
        new = other if old == seat else seat
        at_part[part][new] = table
        at_table[table][new] = part
