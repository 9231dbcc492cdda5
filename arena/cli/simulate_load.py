"""`arena simulate load`: the fleet that an arena of some size needs, and its waiting times."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.files import print_json
from arena.cli.progress import print_lines, progress

if TYPE_CHECKING:
    from arena.simulation.load import LoadOutlook

SIZES = (100_000, 1_000_000, 10_000_000)


def load(
    matches: Annotated[
        list[int] | None,
        typer.Option(
            "--matches", min=100, max=100_000_000, help="Matches a day; may be repeated. By default 10⁵, 10⁶ and 10⁷."
        ),
    ] = None,
    think: Annotated[float, typer.Option(min=0.0, help="Seconds that a bot takes for a decision, on average.")] = 1.0,
    pages: Annotated[float, typer.Option(min=0.0, help="Page views for each match.")] = 20.0,
    threads: Annotated[int, typer.Option(min=1, help="Matches that a referee process plays at once.")] = 100,
    utilisation: Annotated[
        float, typer.Option(min=0.05, max=0.99, help="Maximum utilisation of a process in the busiest hour.")
    ] = 0.7,
    cores: Annotated[
        int | None, typer.Option(min=1, help="Cores of the database; by default as many as it needs.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed; another one gives other arrivals.")] = 0,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the fleet for a number of matches a day, and the waits in its busiest hour.

    This simulates queues with the measured costs of docs/scale.md. It prints the use of each kind of process, the wait
    for a match to start, the time that the arena adds to a decision, and the capacity of one process of each kind.
    """
    from arena.simulation.costs import MEASURED
    from arena.simulation.load import LoadSetting, ceilings, outlook

    sizes = sorted(set(matches or SIZES))
    outlooks = []
    with progress(len(sizes), "Sizes") as advance:
        for size in sizes:
            outlooks.append(
                outlook(
                    LoadSetting(size, think, pages, threads=threads, utilisation=utilisation, cores=cores, seed=seed),
                    MEASURED,
                )
            )
            advance()
    limits = ceilings(outlooks[0].setting, MEASURED)
    if json:
        print_json({"costs": vars(MEASURED), "ceilings": limits, "sizes": [_document(each) for each in outlooks]})
        return
    kinds = [station.name for station in outlooks[0].stations]
    waits = ("start p50", "p99", "overhead p50", "p99")
    heads = ("matches a day", "matches/s", "decisions/s", "at once", *kinds, *waits)
    print_lines([heads, *map(_line, outlooks)], to_the_right=True)
    print("Processes of each kind (cores of the database), and how much they are used in the busiest hour.\n")
    stored = ("records", "logs", "all tables, GB a year", "running, GB")
    heads = ("matches a day", *stored, "bots", "Redis, Mbit/s", "commands/s", "transactions/s")
    print_lines([heads, *map(_volumes, outlooks)], to_the_right=True)
    print()
    for name, most in sorted(limits.items(), key=lambda item: item[1]):
        print(f"one {_unit_of(name)} is full at {most:,.0f} matches a day")


def _unit_of(name: str) -> str:
    return "core of the database" if name == "database" else name


def _line(outlook: LoadOutlook) -> tuple[str, ...]:
    return (
        f"{outlook.setting.matches_a_day:,}",
        f"{outlook.peak_matches:.1f}",
        f"{outlook.peak_decisions:,.0f}",
        f"{outlook.at_once:,.0f}",
        *(f"{station.servers} ({station.utilisation:.0%})" for station in outlook.stations),
        f"{outlook.start.p50:.1f} s",
        f"{outlook.start.p99:.1f} s",
        f"{1e3 * outlook.overhead.p50:.1f} ms",
        f"{1e3 * outlook.overhead.p99:.1f} ms",
    )


def _volumes(outlook: LoadOutlook) -> tuple[str, ...]:
    volumes = outlook.volumes
    stored = (volumes.records_a_year, volumes.logs_a_year, volumes.all_a_year)
    moved = (volumes.bots_mbit, volumes.redis_mbit, volumes.redis_commands, volumes.transactions)
    return (
        f"{outlook.setting.matches_a_day:,}",
        *(f"{value:,.0f}" for value in stored),
        f"{volumes.running:,.2f}",
        *(f"{value:,.0f}" for value in moved),
    )


def _document(outlook: LoadOutlook) -> dict[str, object]:
    return {
        "setting": vars(outlook.setting),
        "peak_matches_a_second": outlook.peak_matches,
        "peak_decisions_a_second": outlook.peak_decisions,
        "matches_at_once": outlook.at_once,
        "places": outlook.places,
        "stations": [
            {
                **station._asdict(),
                "utilisation": station.utilisation,
                "mean_wait_s": station.mean_wait_s if isfinite(station.mean_wait_s) else None,
            }
            for station in outlook.stations
        ],
        "start_s": outlook.start._asdict(),
        "overhead_s": outlook.overhead._asdict(),
        "volumes": outlook.volumes._asdict(),
        "used_most": outlook.first.name,
    }
