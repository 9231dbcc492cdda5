"""`arena play`: local games between house players."""

from __future__ import annotations

import json as jsonlib
import secrets
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import mean
from typing import IO, Annotated, Any

import typer

from arena.cli.files import InputError, create_lines, print_json, read_hex, read_ruleset
from arena.cli.progress import progress
from arena.local import LocalGame, play_local_games
from arena.players import PLAYERS
from arena.rules import Outcome


def play(
    players: Annotated[list[str], typer.Argument(help=f"A house player for each seat, 2 to 5: {', '.join(PLAYERS)}.")],
    games: Annotated[int, typer.Option("--games", "-g", min=1, help="How many games.")] = 1,
    seed: Annotated[str | None, typer.Option("--seed", help="64 hex digits; a new one without it.")] = None,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Write the replays here, one a line; compressed if named .gz, .zst."),
    ] = None,
    expansion: Annotated[
        list[str] | None,
        typer.Option("--expansion", "-x", help="An expansion in play: whims or artisans; may be repeated."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result table as one JSON object.")] = False,
) -> None:
    """Play local games between house players, in this process, and print how the seats did.

    Game k (from 0) has the seed SHA-256(seed ‖ k as 8 bytes, big-endian), so that a run can be repeated.
    """
    for name in players:
        if name not in PLAYERS:
            raise InputError(f"there is no house player {name!r}; there are {', '.join(PLAYERS)}")
    ruleset = read_ruleset(len(players), expansion)
    chosen = read_hex(seed) if seed is not None else secrets.token_bytes(32)
    series = play_local_games(ruleset, chosen, players, games)
    outcomes: list[Outcome] = []
    with ExitStack() as stack:
        lines = stack.enter_context(create_lines(out)) if out else None
        advance = stack.enter_context(progress(games, "Playing"))
        for played in series:
            outcomes.append(_finish(played, lines))
            advance()
    summary = summarise(players, outcomes)
    if json:
        print_json({"ruleset": ruleset.document(), "seed": chosen.hex(), "games": games, "seats": summary})
    else:
        _print_table(summary, games, chosen, out)


def _finish(played: LocalGame, lines: IO[str] | None) -> Outcome:
    if lines is not None:
        lines.write(jsonlib.dumps(played.document(), separators=(",", ":")) + "\n")
    outcome = played.game.state.outcome
    assert outcome is not None
    return outcome


def summarise(names: Sequence[str], outcomes: Sequence[Outcome]) -> list[dict[str, Any]]:
    """For each seat its mean score, by category too, and its share of the wins (a shared win counts in parts)."""
    summary = []
    for seat, name in enumerate(names):
        scores = [outcome.scores[seat] for outcome in outcomes]
        wins = [1 / outcome.ranks.count(1) if outcome.ranks[seat] == 1 else 0.0 for outcome in outcomes]
        means = {category: mean(score[category] for score in scores) for category in scores[0]}
        total = means.pop("total")
        summary.append({"seat": seat + 1, "player": name, "mean": total, "split": means, "wins": mean(wins)})
    return summary


def _print_table(summary: list[dict[str, Any]], games: int, seed: bytes, out: Path | None) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(title=f"{games} game{'s' * (games != 1)}, means by source", title_justify="left")
    table.add_column("")
    for row in summary:
        table.add_column(f"{row['seat']} {row['player']}", justify="right")
    for category in summary[0]["split"]:
        table.add_row(category, *(f"{row['split'][category]:.1f}" for row in summary))
    table.add_row("score", *(f"{row['mean']:.1f}" for row in summary), style="bold")
    table.add_row("win share", *(f"{row['wins']:.1%}" for row in summary), style="bold")
    console = Console()
    console.print(table)
    console.print(f"seed {seed.hex()}", highlight=False, soft_wrap=True)
    if out:
        console.print(f"replays in {out}; check them with: arena replay verify {out}", highlight=False, soft_wrap=True)
