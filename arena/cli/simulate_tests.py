"""`arena simulate tests`: how often the test of version against version is wrong, and how long it takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.files import print_json
from arena.cli.progress import print_lines
from arena.ratings.sequential import MARGIN, Hypotheses

if TYPE_CHECKING:
    from arena.simulation.sequential import OutcomeRow

TRUTHS = (-1.0, 0.0, 0.5, 1.0, 2.0)
"""Simulated differences, as multiples of the margin."""


def sequential_tests(
    players: Annotated[
        list[int] | None, typer.Option("--players", min=2, max=5, help="Seats; may be repeated. By default 2, 3 and 4.")
    ] = None,
    margin: Annotated[float, typer.Option(min=1, max=200, help="Points by which the new version must be better.")] = (
        MARGIN
    ),
    games: Annotated[int, typer.Option(min=10, help="Maximum number of games of a test.")] = 10_000,
    repeats: Annotated[int, typer.Option(min=1, help="Number of tests for each difference.")] = 10_000,
    seed: Annotated[int, typer.Option(min=0, help="Seed; another one gives other tests.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Test versions with a known difference, as `arena bot compare` does: error rates, lengths, coverage.

    A test plays deal blocks until it is clear whether the new version is better.
    """
    from arena.simulation.sequential import simulate

    rows = [
        simulate(Hypotheses(seats, margin, max(1, games // seats)), truth * margin, repeats, seed)
        for seats in sorted(set(players or (2, 3, 4)))
        for truth in TRUTHS
    ]
    if json:
        setup = {"margin": margin, "games": games, "repeats": repeats, "seed": seed}
        print_json({"setup": setup, "rows": [row._asdict() for row in rows]})
        return
    _print_table(rows)
    print(f"{repeats} tests each, margin {margin:g}, at most {games} games, seed {seed}")


def _print_table(rows: list[OutcomeRow]) -> None:
    lines = [("players", "truth", "yes", "no", "open", "games", "cover", "above")] + [
        (
            str(row.players),
            f"{row.truth:+g}" if row.truth else "0",
            f"{row.yes:.2%}",
            f"{row.no:.2%}",
            f"{row.open:.2%}",
            f"{row.games:.0f}",
            f"{row.coverage:.1%}",
            f"{row.above:.1%}",
        )
        for row in rows
    ]
    print_lines(lines, to_the_right=True)
