"""`arena ratings`: compute the ratings of the ladders again, from records and matches."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.files import InputError, print_json
from arena.cli.progress import progress_bars
from webui.commands.database import connect

app = typer.Typer(help="The ratings of the ladders.", no_args_is_help=True)

DIFFERENT = 1
"""Exit code when the tables differ from the records and matches."""

Ladder = Annotated[str | None, typer.Argument(metavar="LADDER", help="One ladder; default: all.")]


@app.command()
def check(
    ladder: Ladder = None,
    json: Annotated[bool, typer.Option("--json", help="Print the result as JSON.")] = False,
) -> None:
    """Compute all ratings again from the records with a second, slow implementation, and compare. Nothing is written.

    The rules verify every record. Results and places in the first bidding follow from the records. The pairing ratings
    follow from those, and so do the published ratings. If no ladder is named, the ratings of all ladders together are
    compared too. The exit code is 1 if anything differs.
    """
    connect()
    from webui.core.errors import NotFound
    from webui.ratings.checks import check_ratings

    try:
        with progress_bars() as progress:
            checks = check_ratings(ladder, progress)
    except NotFound as error:
        raise InputError(str(error)) from None
    if json:
        print_json([result.document() for result in checks])
    else:
        for result in checks:
            outcome = f"{len(result.differences)} differences" if result.differences else "equal"
            unproved = f", {result.not_proved} by other rules, not proved" if result.not_proved else ""
            typer.echo(
                f"{result.name}: {result.matches} matches{unproved}; {result.versions} published ratings "
                f"after {result.fitted}: {outcome}"
            )
            for difference in result.differences:
                typer.echo(f"  {difference}", err=True)
    if any(result.differences for result in checks):
        raise typer.Exit(DIFFERENT)


@app.command()
def rebuild(ladder: Ladder = None) -> None:
    """Correct the ratings from the matches: fold each ladder again, rewrite what differs, and publish a new fit.

    The exit code is 1 if the fold found differences.
    """
    connect()
    from webui.core import errors
    from webui.ratings import fitting, folding
    from webui.ratings import queries as rating_queries

    slugs = [summary.ladder.slug for summary in rating_queries.ladders()] if ladder is None else [ladder]
    is_different = False
    for slug in slugs:
        try:
            report = folding.rebuild_ratings(slug)
        except errors.NotFound as error:
            raise InputError(str(error)) from None
        is_different |= report.is_rewritten
        outcome = f"{len(report.differences)} differences, corrected" if report.differences else "equal"
        typer.echo(f"{slug}: {report.matches} matches, {report.entries} rating entries: {outcome}")
        for difference in report.differences:
            typer.echo(f"  {difference}", err=True)
    fitting.fit_again(slugs)
    if is_different:
        raise typer.Exit(DIFFERENT)
