"""`arena ratings`: ladders, and their ratings once more from their matches."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.files import InputError
from webui.commands.database import connect

app = typer.Typer(help="The ratings of the ladders.", no_args_is_help=True)

DIFFERENT = 1
"""Exit code: the tables did not say what the matches say."""


@app.command()
def rebuild(
    ladder: Annotated[str | None, typer.Argument(metavar="LADDER", help="One ladder; all without it.")] = None,
    check: Annotated[bool, typer.Option("--check", help="Compare only, write nothing.")] = False,
) -> None:
    """Fold the matches of each ladder again, compare with the ratings in the tables, and correct those that differ.

    The exit code is 1 if any differed, corrected or not.
    """
    connect()
    from webui.ladder import actions, queries

    slugs = [summary.ladder.slug for summary in queries.ladders()] if ladder is None else [ladder]
    is_different = False
    for slug in slugs:
        try:
            report = actions.rebuild_ratings(slug, write=not check)
        except actions.NotFound as error:
            raise InputError(str(error)) from None
        is_different |= bool(report.differences)
        outcome = "equal"
        if report.differences:
            outcome = f"{len(report.differences)} differences, " + (
                "corrected" if report.is_rewritten else "not corrected"
            )
        typer.echo(f"{slug}: {report.matches} matches, {report.entries} rating entries: {outcome}")
        for difference in report.differences:
            typer.echo(f"  {difference}", err=True)
    if is_different:
        raise typer.Exit(DIFFERENT)
