"""`arena bot compare`: is the new version of a bot better than the old one?"""

from __future__ import annotations

import json as jsonlib
import secrets
from contextlib import ExitStack, closing
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from arena.cli.competitors import Form, read_entrants
from arena.cli.files import InputError, check_can_write, create_lines, print_json, read_ruleset
from arena.cli.play_results import print_results, summary
from arena.cli.play_series import starts_of
from arena.cli.trials import EXIT_CODES, document, sentence, show
from arena.local.competitor import NotStarted
from arena.local.results import GameResult, SideTally, halves_of_block
from arena.local.series import LocalSeries, NoResult, Side
from arena.players import PLAYERS
from arena.ratings.sequential import MARGIN, Hypotheses, Trial

HELLO_S = 60.0
"""Seconds in which a program must say hello."""


def compare(
    old: Annotated[
        str,
        typer.Argument(help="Python file of a bot (file.py:Class if several), a command in quotes, or a house player."),
    ],
    new: Annotated[str, typer.Argument(help="The same for the version that may be better.")],
    players: Annotated[int, typer.Option("--players", "-p", min=2, max=5, help="Seats.")] = 2,
    expansion: Annotated[
        list[str] | None,
        typer.Option("--expansion", "-x", help="An expansion in play: whims or artisans; may be repeated."),
    ] = None,
    house: Annotated[str, typer.Option(help="The house player at the other seats.")] = "greedy",
    margin: Annotated[float, typer.Option(min=1, max=400, help="Points by which NEW must be better.")] = MARGIN,
    games: Annotated[int, typer.Option(min=2, help="Maximum number of games.")] = 10_000,
    jobs: Annotated[int, typer.Option("--jobs", "-j", min=1, help="Games at the same time.")] = 1,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the replays here, one a line; compressed if named .gz, .zst."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the answer as one JSON object.")] = False,
) -> None:
    """Play NEW against OLD on this machine until it is clear whether NEW is better.

    The games use the arena's own referee and clock. They are played in deal blocks with rotating seats, with house
    players at the other seats. A sequential test (GSPRT) decides when to stop, and is wrong 5 % of the time: it says
    yes when NEW is not better, or no when NEW is better by the margin. 400 points are 10 wins to 1 loss.

    Exit code: 0 yes, 1 no, 3 undecided after all games, 2 unusable input.
    """
    ruleset = read_ruleset(players, expansion)
    if house not in PLAYERS:
        raise InputError(f"there is no house player {house!r}; there are {', '.join(PLAYERS)}")
    entrants = read_entrants([new, old, *[house] * (players - 2)])
    if waiting := [entrant.words for entrant in entrants if entrant.form is Form.WAITING]:
        raise InputError(f"{waiting[0]} is an address: name a file, a command or a house player")
    trial = Trial(Hypotheses(players, margin, max(1, games // players)))
    tallies = [SideTally(players), SideTally(players)]
    names = [f"NEW {new}", f"OLD {old}"]
    with ExitStack() as stack:
        if out:
            check_can_write(out)  # the file is created when there is something to write
        lines: IO[str] | None = None
        starts = starts_of(entrants, HELLO_S, stack, shows_output=False)
        sides = [Side(entrant.words, start) for entrant, start in zip(entrants, starts, strict=True)]
        series = LocalSeries(ruleset, sides, secrets.token_bytes(32))
        played = stack.enter_context(closing(series.play(trial.hypotheses.most * players, jobs)))
        while trial.answer is None:
            try:
                block = list(islice(played, players))
            except (NotStarted, NoResult) as error:
                raise InputError(str(error)) from None
            if trial.games == 0:
                names = [f"{name} {_version(block[0], side)}" for side, name in enumerate(names)]
                lines = stack.enter_context(create_lines(out)) if out else None
            for game in block:
                if lines is not None:
                    lines.write(jsonlib.dumps(game.replay, separators=(",", ":")) + "\n")
                for side, tally in enumerate(tallies):
                    tally.add(game, game.sides.index(side))
            trial.add(halves_of_block(block, 0, 1))
            show(trial, is_json=json)
    if json:
        print_json({"new": new, "old": old, "ruleset": ruleset.document(), **document(trial), **_wrong(*tallies)})
    else:
        print_results(summary(names, tallies), trial.games, is_mirrored=True)
        print(sentence(trial))
        if out:
            print(f"replays in {out}; check them with: arena replay verify {out}")
    raise typer.Exit(EXIT_CODES[trial.answer])


def _version(game: GameResult, side: int) -> str:
    """Return the version that this side names."""
    assert game.replay is not None
    return str(game.replay["seats"][game.sides.index(side)]["version"])


def _wrong(new: SideTally, old: SideTally) -> dict[str, Any]:
    """Return the faults and forfeits of the two versions as JSON."""
    return {
        "faults": {"new": new.faults.total(), "old": old.faults.total()},
        "forfeits": {"new": new.forfeits, "old": old.forfeits},
    }
