"""`arena simulate`: tests of ratings and matchmaking with bots of known strength.

Other modules add the strength of the house players (cross.py) and the size of an arena's fleet (simulate_load.py). All
of them need the extra `server`.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from arena.cli.cross import players as cross
from arena.cli.files import InputError, print_json
from arena.cli.progress import print_lines, progress
from arena.cli.simulate_load import load
from arena.cli.simulate_tests import sequential_tests

if TYPE_CHECKING:
    from arena.simulation.measures import MeasureRow, Setup
    from arena.simulation.pairing import PairingRow


# `arena simulate collusion`: whether the meter of help between bots finds a helper.


def collusion(
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 60,
    players: Annotated[int, typer.Option(min=3, max=4, help="Seats.")] = 3,
    seed: Annotated[int, typer.Option(min=0, help="Seed; another one gives other games.")] = 0,
    honest: Annotated[bool, typer.Option("--honest", help="Nobody helps anybody.")] = False,
    worlds: Annotated[
        int, typer.Option(min=0, help="Print error rates over this many worlds with random leans, instead of playing.")
    ] = 0,
) -> None:
    """Test whether the meter of help between bots finds one that favours a friend, and flags nobody else.

    House players meet again and again. One of them considers the landings within 2 VP of its best and takes the one
    that gives its friend the most points. A game takes about 2.5 seconds.
    """
    if worlds:
        _print_rates(worlds, seed)
        return
    from arena.fairness.collusion import FRIEND, HELPER
    from arena.fairness.collusion import games as played
    from arena.fairness.kingmaking import pairs

    measured = []
    with progress(games, "Games") as advance:
        for _, helps in played(players, games, seed.to_bytes(32, "big"), honest):
            measured.append(helps)
            advance()
    tested = pairs(measured).pairs
    others = [pair for pair in tested if honest or (pair.helper, pair.helped) != (HELPER, FRIEND)]
    for pair in tested:
        shown = f"lean {pair.mean:+.2f}, {pair.effect:+.2f} SD a game, {pair.games} games, p = {pair.p:.2g}"
        print(f"{'!' if pair.is_flagged else ' '} {pair.helper} → {pair.helped}: {shown}")
    print(f"{sum(pair.is_flagged for pair in others)} of {len(others)} honest pairs flagged")
    print(f"{games} games of {players}, seed {seed}")


def _print_rates(worlds: int, seed: int) -> None:
    from arena.fairness.drawn import error_rates

    print("games  lean  helper found  honest pair flagged")
    for row in error_rates(worlds, seed):
        detected = f"{row.detected:.1%}" if row.lean else "–"
        print(f"{row.games:5}  {row.lean:4.1f}  {detected:>12}  {row.wrong:>19.1%}")
    print(f"{worlds} worlds each, seed {seed}")


FEWEST_BOTS = 12

Worlds = Annotated[
    list[str] | None, typer.Option("--world", help="One of the worlds; may be repeated. By default all of them.")
]
Players = Annotated[
    list[int] | None, typer.Option("--players", min=2, max=5, help="Seats; may be repeated. By default 2 to 5.")
]
Bots = Annotated[int, typer.Option(min=FEWEST_BOTS, max=500, help="Number of bots on each ladder.")]
Games = Annotated[int, typer.Option(min=5, max=1000, help="Games of a bot on its ladder, on average.")]
Repeats = Annotated[int, typer.Option(min=1, help="Number of ladders of each kind.")]
Seed = Annotated[int, typer.Option(min=0, help="Seed; another one gives other ladders.")]
Minutes = Annotated[float, typer.Option(min=0.01, help="Minutes after which no ladder is started.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]

app = typer.Typer(no_args_is_help=True)
app.command("players")(cross)
app.command("tests")(sequential_tests)
app.command("collusion")(collusion)
app.command("load")(load)


@app.callback()
def commands() -> None:
    """Simulations with bots of known strength, and with the house players."""


@app.command()
def ratings(
    world: Worlds = None,
    players: Players = None,
    bots: Bots = 24,
    games: Games = 40,
    repeats: Repeats = 1,
    seed: Seed = 0,
    minutes: Minutes = 5,
    json: Json = False,
) -> None:
    """Compare ratings with the truth: bots of known strength meet through the arena's own matchmaking.

    The worlds are even gaps, clusters, one far ahead, drift, arrivals in groups, and helpers. One line for each world
    and each way to rate shows the share of 95 % intervals and rank intervals that hold the truth. It also shows the
    points for each true point, the share of pairs told apart, the order found, and the most biased group.
    """
    from arena.simulation.measures import Tallies, rows, simulate

    setup = _setup(world, players, bots, games, repeats, seed)
    tallies: Tallies = {}
    simulated = _run(simulate(setup, tallies), setup.ladders, minutes)
    table = rows(tallies)
    if json:
        _print_json(setup, simulated, setup.ladders, table)
    else:
        _print_table(setup, simulated, table)


@app.command()
def matchmaking(
    world: Worlds = None,
    players: Players = None,
    bots: Bots = 24,
    games: Games = 40,
    repeats: Repeats = 1,
    seed: Seed = 0,
    minutes: Minutes = 5,
    json: Json = False,
) -> None:
    """Compare ways to pair bots of known strength: the arena's, its previous one, and three rivals.

    One line for each world and way shows the order that a fit of all games finds, and the games until it is right (tau
    .9). It also shows the links between the bots farthest apart, the largest share of games against one rival, the
    fewest games of a bot, and the gain of helpers.
    """
    from arena.simulation.matchmakers import MATCHMAKERS
    from arena.simulation.pairing import PairingTallies, compare, pairing_rows

    setup = _setup(world, players, bots, games, repeats, seed)
    tallies: PairingTallies = {}
    ladders = setup.ladders * len(MATCHMAKERS)
    simulated = _run(compare(setup, tallies), ladders, minutes)
    table = pairing_rows(tallies)
    if json:
        _print_json(setup, simulated, ladders, table)
    else:
        _print_pairing(setup, simulated, table)


def _setup(world: list[str] | None, players: list[int] | None, bots: int, games: int, repeats: int, seed: int) -> Setup:
    from arena.simulation.measures import Setup
    from arena.simulation.worlds import WORLDS

    if unknown := set(world or ()) - set(WORLDS):
        raise InputError(f"there is no world {sorted(unknown)[0]!r}; there are: {', '.join(WORLDS)}")
    worlds = tuple(name for name in WORLDS if world is None or name in world)
    return Setup(worlds, tuple(sorted(set(players or range(2, 6)))), bots, games, repeats, seed)


def _run(ladders: Iterator[None], count: int, minutes: float) -> int:
    """Simulate until the time is over. Return the number of ladders."""
    end, simulated = time.monotonic() + 60 * minutes, 0
    with progress(count, "Ladders") as advance:
        for _ in ladders:
            simulated += 1
            advance()
            if time.monotonic() >= end:
                break
    return simulated


def _print_json(setup: Setup, simulated: int, of: int, table: Sequence[MeasureRow | PairingRow]) -> None:
    document = [row._asdict() for row in table]
    print_json({"setup": setup._asdict(), "ladders": simulated, "of": of, "rows": document})


def _print_table(setup: Setup, simulated: int, table: list[MeasureRow]) -> None:
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
    print_lines(lines)
    _print_end(setup, simulated, setup.ladders)


def _print_pairing(setup: Setup, simulated: int, table: list[PairingRow]) -> None:
    from arena.simulation.matchmakers import MATCHMAKERS

    goal = "games to tau .9"
    heads = ("world", "matchmaking", "tau", goal, "steps", "one rival", "fewest games", "boosted", "strong")
    lines = [heads] + [
        (
            row.world,
            row.matchmaker,
            f"{row.tau[max(row.tau)]:.2f}",
            "–" if row.games_to_goal is None else f"{row.games_to_goal:.0f}",
            "islands" if row.steps < 0 else f"{row.steps}",
            _share(row.rival),
            _share(row.fewest),
            _points(row.boosted),
            _points(row.strong),
        )
        for row in table
    ]
    print_lines(lines)
    _print_end(setup, simulated, setup.ladders * len(MATCHMAKERS))


def _print_end(setup: Setup, simulated: int, of: int) -> None:
    print(f"{simulated} of {of} ladders, {setup.bots} bots, {setup.games} games a bot, seed {setup.seed}")


def _points(value: float | None) -> str:
    return "–" if value is None else f"{value:+.0f}"


def _share(value: float | None) -> str:
    return "–" if value is None else f"{100 * value:.1f} %"
