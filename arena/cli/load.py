"""`arena load`: a load test of your own arena."""

from __future__ import annotations

import asyncio
import os
import re
import resource
import signal
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from arena.cli.files import InputError, print_json, read_document
from arena.cli.load_report import report_text, showing

if TYPE_CHECKING:
    from arena.load.bots import RegisteredBot
    from arena.load.generator import Generator, LoadPlan

LOST: Final = 1
BOTS_FILE: Final = Path("load-bots.json")
DURATION: Final = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|m|min|h)?")
UNITS: Final = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
LONGEST_S: Final = 7 * 24 * 3600.0
FILES_A_BOT: Final = 2
OTHER_FILES: Final = 200
SHOW_S: Final = 1.0


def duration(text: str) -> float:
    """Parse a duration, `2s`, `500ms`, `5m` or a number of seconds. Return seconds."""
    match = DURATION.fullmatch(text.strip())
    seconds = float(match[1]) * UNITS[match[2] or "s"] if match else -1.0
    if not 0 <= seconds <= LONGEST_S:
        raise typer.BadParameter(f"{text!r} is not a duration: write 2s, 500ms or 5m")
    return seconds


def load(
    bots: Annotated[int, typer.Option(min=2, max=10_000, help="Number of bots that connect.")] = 100,
    matches: Annotated[
        int, typer.Option(min=1, max=10_000, help="Matches at the same time; with --hosted, the most that are tried.")
    ] = 50,
    think: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Thinking time of a bot for a decision: 500ms, 0. By default 2s; with --hosted, 50ms of processor"
            " time.",
        ),
    ] = None,
    exponential: Annotated[
        bool, typer.Option("--exponential", help="Thinking times are exponentially distributed, with that mean.")
    ] = False,
    players: Annotated[int, typer.Option(min=2, max=4, help="Seats of each match.")] = 2,
    last: Annotated[
        str | None,
        typer.Option(
            "--for",
            metavar="TIME",
            help="Start matches for this long; running ones are played to their end. By default 5m; with --hosted, 20s"
            " for each number of matches.",
        ),
    ] = None,
    total: Annotated[int | None, typer.Option(min=1, help="Maximum number of matches to start.")] = None,
    file: Annotated[
        Path, typer.Option("--from", help="File of bots, as written by `arena admin load-bots` on the server.")
    ] = BOTS_FILE,
    site: Annotated[
        str | None, typer.Option(help="The address of the arena's pages; by default from the file.")
    ] = None,
    server: Annotated[
        str | None, typer.Option(help="host:port for bots; https://host:port with TLS. By default from the file.")
    ] = None,
    certificate: Annotated[
        Path | None, typer.Option(help="PEM file with the server's certificates, if they are not public.")
    ] = None,
    public: Annotated[
        bool, typer.Option("--public", help="Allow a server outside a private network; also needs --i-own.")
    ] = False,
    i_own: Annotated[
        list[str] | None, typer.Option("--i-own", metavar="HOST", help="Host name of a public server that you own.")
    ] = None,
    hosted: Annotated[
        bool,
        typer.Option("--hosted", help="Measure how much a runner of this machine carries. It needs no arena."),
    ] = False,
    cores: Annotated[
        str, typer.Option(help="With --hosted: the cores that the runner gives to bots, such as 0,2-3; by default all.")
    ] = "",
    json: Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")] = False,
) -> None:
    """Put your own arena under load: many bots, many matches at once.

    With --hosted, a runner of this machine plays more and more matches in its sandboxes, until more gain nothing. The
    report has decisions and starts a second, waits for a core, and memory.

    On the server, `arena admin load-bots 1000` makes the bots. They choose at random and play only challenges, which
    are unrated. ARENA_MATCHES on the server must be at least twice --matches, because challenges get half of it; one
    referee process plays 100 matches at once. The first Ctrl-C starts no more matches and waits for the running ones;
    the second one does not wait.

    Exit code: 0 nothing was lost, 1 something was lost, 2 unusable input. A loss is a match that was void or did not
    end, a forfeit or fault, or a refused bot or challenge.
    """
    if hosted:
        _measure_runner(matches, duration(last or "20s"), duration(think or "50ms"), cores, json=json)
        return
    from arena.load.addresses import AddressRefused, find_gateway, find_site
    from arena.load.bots import LoadGateway
    from arena.load.generator import Generator, LoadPlan
    from arena.load.site import Site

    seats, kept_site, kept_server = read_bots(file, bots)
    plan = LoadPlan(matches, players, duration(last or "5m"), total, duration(think or "2s"), exponential)
    owned = frozenset(host.lower() for host in i_own or ()) if public else frozenset[str]()
    try:
        plan.places(bots)
        site_place = find_site(site or kept_site, owned)
        gateway_place = find_gateway(server or kept_server, owned)
    except (AddressRefused, ValueError) as error:
        raise InputError(str(error)) from None
    _allow_files(bots)
    began = time.monotonic()
    used = time.process_time()
    generator = asyncio.run(_run(lambda: Generator(
        Site(site_place, certificate), LoadGateway(gateway_place, certificate), seats, plan
    )))  # fmt: skip
    seconds = time.monotonic() - (generator.began if generator.is_playing else began)
    report = {"plan": _plan(plan, bots), **generator.tally.document(seconds, time.process_time() - used)}
    if json:
        print_json(report)
    else:
        typer.echo(report_text(report))
    raise typer.Exit(LOST if report["losses"] or not report["matches"]["ended"] else 0)


def _measure_runner(matches: int, seconds: float, think_s: float, cores: str, *, json: bool) -> None:
    """Measure a runner of this machine, and print the report."""
    from arena.runner.__main__ import cores_of
    from arena.runner.capacity import CapacityError, CapacityPlan, capacity_document, capacity_text, measure_capacity

    try:
        plan = CapacityPlan(
            matches, seconds, think_s, cores_of(cores) if cores else tuple(sorted(os.sched_getaffinity(0)))
        )
        report = capacity_document(plan, asyncio.run(measure_capacity(plan)))
    except (CapacityError, ValueError) as error:
        raise InputError(str(error)) from None
    if json:
        print_json(report)
    else:
        typer.echo(capacity_text(report))


def read_bots(file: Path, count: int) -> tuple[list[RegisteredBot], str, str]:
    """Return the first `count` bots of a file, and the addresses of the site and the gateway.

    Raises `InputError` if the file does not have that many bots.
    """
    from arena.load.bots import RegisteredBot

    if not file.exists():
        raise InputError(f"there is no {file}: make it on the server with `arena admin load-bots {count}`")
    document = read_document(file)
    try:
        seats = [RegisteredBot(str(bot["name"]), str(bot["token"])) for bot in document["bots"]]
        addresses = str(document["site"]), str(document["server"])
    except (KeyError, TypeError):
        raise InputError(f"{file} is not a file of `arena admin load-bots`") from None
    if len({seat.name for seat in seats}) < len(seats):
        raise InputError(f"{file} has a bot twice")
    if len(seats) < count:
        raise InputError(f"{file} has {len(seats)} bots: make more with `arena admin load-bots {count}`")
    return seats[:count], *addresses


def _plan(plan: LoadPlan, bots: int) -> dict[str, Any]:
    return {
        "bots": bots,
        "matches": plan.matches,
        "players": plan.players,
        "think_s": plan.think_s,
        "thinking": "exponential" if plan.is_exponential else "constant",
        "seconds": plan.seconds,
        "total": plan.total,
    }


async def _run(make: Any) -> Generator:
    generator: Generator = make()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, generator.stop)
    running = asyncio.create_task(generator.run())
    with showing(sys.stderr) as show:
        while not running.done():
            show(generator)
            await asyncio.wait({running}, timeout=SHOW_S)
    await running
    return generator


def _allow_files(bots: int) -> None:
    """Raise the limit of open files: each bot has its own connection."""
    needed = FILES_A_BOT * bots + OTHER_FILES
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < needed:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed if hard < 0 else min(needed, hard), hard))
        if resource.getrlimit(resource.RLIMIT_NOFILE)[0] < bots + OTHER_FILES:
            raise InputError(f"this process may open {soft} files, too few for {bots} bots: raise `ulimit -n`")
