"""`arena simulate`: what the arena's ratings are worth, with bots of known strength. Needs the extra `server`."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.files import InputError, print_json
from arena.cli.simulate_tests import sequential_tests

if TYPE_CHECKING:
    from collections.abc import Callable

    from arena.simulation.measures import Row, Setup

FEWEST_BOTS = 12
app = typer.Typer(no_args_is_help=True)
app.command("tests")(sequential_tests)


@app.callback()
def commands() -> None:
    """Simulations with bots of known strength."""


@app.command()
def ratings(
    world: Annotated[
        list[str] | None, typer.Option("--world", help="One of the worlds; may be repeated. Without it all six.")
    ] = None,
    players: Annotated[
        list[int] | None, typer.Option("--players", min=2, max=5, help="Seats; may be repeated. Without it 2 to 5.")
    ] = None,
    bots: Annotated[int, typer.Option(min=FEWEST_BOTS, max=500, help="On each ladder.")] = 24,
    games: Annotated[int, typer.Option(min=5, max=1000, help="Of a bot on its ladder, on average.")] = 40,
    repeats: Annotated[int, typer.Option(min=1, help="Ladders of each kind.")] = 1,
    seed: Annotated[int, typer.Option(min=0, help="Another seed, other ladders.")] = 0,
    minutes: Annotated[float, typer.Option(min=0.01, help="No ladder is begun later than this.")] = 5,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Compare ratings with the truth: bots of known strength meet by the arena's own matchmaking.

    For each world (even gaps, clusters, one far ahead, drift, arrivals in groups, helpers)
    and each way to rate: the share of 95 % intervals and rank intervals that hold the truth,
    points shown for each true point, pairs told apart, order found, the most biased group.
    """
    from arena.simulation.measures import Setup, Tallies, rows, simulate
    from arena.simulation.worlds import WORLDS

    if unknown := set(world or ()) - set(WORLDS):
        raise InputError(f"there is no world {sorted(unknown)[0]!r}; there are: {', '.join(WORLDS)}")
    worlds = tuple(name for name in WORLDS if world is None or name in world)
    setup = Setup(worlds, tuple(sorted(set(players or range(2, 6)))), bots, games, repeats, seed)
    tallies: Tallies = {}
    end, done = time.monotonic() + 60 * minutes, 0
    with _progress(setup.ladders) as advance:
        for _ in simulate(setup, tallies):
            done += 1
            advance()
            if time.monotonic() >= end:
                break
    table = rows(tallies)
    if json:
        document = [row._asdict() for row in table]
        print_json({"setup": setup._asdict(), "ladders": done, "of": setup.ladders, "rows": document})
        return
    _print_table(setup, done, table)


@contextmanager
def _progress(ladders: int) -> Iterator[Callable[[], Any]]:
    """A progress bar where the error output is a terminal; what is given moves it by one."""
    if not sys.stderr.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("Ladders", total=ladders)
        yield lambda: progress.advance(task)


def _print_table(setup: Setup, done: int, table: list[Row]) -> None:
    goal = "games to tau .9"
    heads = ("world", "rating", "cover", "ranks", "±", "slope", "apart", "tau", goal, "bias", "of")
    lines = [heads] + [
        (
            row.world,
            row.rating,
            _share(row.coverage),
            _share(row.rank_coverage),
            "–" if row.half_width is None else f"{row.half_width:.0f}",
            f"{row.slope:.2f}",
            _share(row.apart),
            f"{row.tau[max(row.tau)]:.2f}",
            "–" if row.games_to_goal is None else f"{row.games_to_goal:.0f}",
            f"{row.bias:+.0f}",
            row.biased,
        )
        for row in table
    ]
    widths = [max(len(line[column]) for line in lines) for column in range(len(heads))]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
    print(f"{done} of {setup.ladders} ladders, {setup.bots} bots, {setup.games} games a bot, seed {setup.seed}")


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
