"""`arena event check`: read an event's terms, and try the event out before it is published."""

from __future__ import annotations

import tomllib
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.files import InputError, parse_document, print_json, printable
from arena.events import Terms, TermsError, parse_terms
from arena.events.plan import DryRun, Hint, dry_run

MINUTES = 3.0
"""Approximate length of a match of house bots with the arena's own clock."""
FIELD = 16


def read_terms(file: Path) -> Any:
    """Return the document of an event's terms, from TOML or JSON."""
    try:
        text = file.read_text(encoding="utf-8")
        return tomllib.loads(text) if file.suffix == ".toml" else parse_document(text)
    except (OSError, ValueError) as error:
        raise InputError(f"cannot read {file}: {error}") from None


def check(
    file: Annotated[Path, typer.Argument(help="The terms of the event, TOML or JSON.")],
    entrants: Annotated[
        int | None, typer.Option(min=2, help="Number of bots; by default as many as may enter, at most 16.")
    ] = None,
    minutes: Annotated[float, typer.Option(min=0.01, help="Minutes that a match takes.")] = MINUTES,
    matches: Annotated[int | None, typer.Option(min=1, help="Matches at a time; by default as in the terms.")] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check the terms, and simulate the event once: rounds, games, hours, meetings, seats."""
    try:
        terms = parse_terms(read_terms(file))
        result = dry_run(terms, entrants or min(FIELD, terms.entry.entrants), minutes, matches)
    except TermsError as error:
        raise InputError(f"{file}: {error}") from None
    if json:
        print_json({"terms": terms.document(), "dry_run": asdict(result)})
        return
    print(printable("\n".join(_lines(terms, result))))


def _lines(terms: Terms, result: DryRun) -> list[str]:
    fewest, most = min(result.games_of), max(result.games_of)
    games = f"{fewest}" if fewest == most else f"{fewest} to {most}"
    lines = [
        f"{terms.name}: {result.entrants} bots at tables of {terms.ruleset.players}",
        f"  rounds    {result.rounds}, {result.tables} tables, {result.games} games, {games} a bot",
        f"  time      {result.hours:.1f} hours" + ("" if result.is_complete else ", and it is not over then"),
        f"  meetings  two bots play {result.least_meetings} to {result.most_meetings} games with each other",
        f"  seats     a bot sits at most {result.seat_spread} times more often at one seat than at another",
        f"  byes      {result.byes}, at most {result.most_byes} a bot",
        f"  strength  known within ± {result.half_width} points (95 %)",
        f"  level     {result.ties} of the first places are level by points, on average",
    ]
    if result.sample < result.entrants:
        lines.append(
            f"  sample    {result.sample} of the bots were tried out: meetings, seats and byes of a bot are theirs"
        )
    return lines + [f"  hint      {_hint(hint)}" for hint in result.hints]


def _hint(hint: Hint) -> str:
    values = {name: f"{value:g}" for name, value in hint.values.items()}
    if hint.code == "MORE_ROUNDS":
        return (
            f"{values['rounds']} more rounds: ± {values['after']} points, and {values['ties_after']} of the first "
            "places level"
        )
    return f'deal blocks (unit = "block") make seats even, which now differ by {values["spread"]}'
