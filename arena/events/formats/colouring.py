"""Seats for a whole schedule, balanced for every entrant."""

from __future__ import annotations

from collections.abc import Sequence


def balanced_seats(tables: Sequence[Sequence[int]], players: int) -> list[tuple[int, ...]]:
    """Assign seats at tables of `players` entrants each; return the tables with seat 1 first.

    For each entrant, the counts of any two seats differ by at most 1. This holds after every table, in the order
    given: each entrant's first `players` tables cover every seat once, the next `players` tables do so again, and so
    on.

    Such a seating always exists. Split each entrant into one vertex for every `players` of its tables. Tables and
    these vertices form a bipartite graph with degrees of at most `players`. Its edges can therefore be coloured with
    `players` colours, which are the seats (König 1916; de Werra 1971 for equitable colourings).
    """
    at_table: list[list[int | None]] = [[None] * players for _ in tables]
    at_part: list[list[int | None]] = []
    """Table by vertex and seat."""
    owners: list[int] = []
    open_parts: dict[int, tuple[int, int]] = {}
    """Latest vertex of each entrant, and the number of tables it has."""
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
    """Swap two seats on the path of tables and vertices that begins at `start`, a vertex without a table at `other`.

    The graph is bipartite, so the path enters tables only over `seat`. It never reaches the table that is free there.
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
