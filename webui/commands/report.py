"""`arena report`: fairness statistics over the records of many matches. For staff, they show where to look closer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from datetime import date
from pathlib import Path
from typing import Annotated, Any

import typer

from arena.cli.files import InputError, print_json, printable, read_replays
from arena.fairness import FAR_MS
from arena.fairness.figures import DayReport, FairnessFigures, Favourites, Pair
from webui.commands.database import connect

app = typer.Typer(help="Fairness reports over the records of many matches.", no_args_is_help=True)

UNSOUND = 1
"""Exit code when a record was refused, or a bot was overcharged."""
MOST_PAIRS = 20
"""Maximum number of pairs that are printed. `--json` prints all of them."""


@app.callback()
def commands() -> None:
    """Reports."""


@app.command()
def fairness(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]…", help="Records, one a line; default: the arena's own report."),
    ] = None,
    day: Annotated[
        str | None, typer.Option("--date", metavar="YYYY-MM-DD", help="Day of the report; default: the last full day.")
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Print the fairness report of a day as the site shows it, or a report on the records in files, which are verified.

    The report covers wins and scores by seat and by place in the first bidding, seats for each bot, and how matches
    ended. It also counts verified records and checked charges, and gives the calibration of the ratings. The exit code
    is 1 if a record was refused or a bot was overcharged.
    """
    if files and day:
        raise InputError("--date is of the arena's own reports: leave it out, or the files")
    if files:
        day_report = month = _of_files(files)
        document: dict[str, Any] = {"day": asdict(day_report), "month": asdict(day_report)}
    else:
        report = _of_arena(day)
        day_report, month, document = report.day, report.month, asdict(report)
        until = "closed" if report.closed else f"so far, made {report.made_at}"
        if not json:
            typer.echo(f"{report.date}, {until}; seats, places and calibration are of {report.days} days")
    if json:
        print_json(document)
    else:
        _print(day_report, month)
    if day_report.failures or day_report.overcharges:
        raise typer.Exit(UNSOUND)


def _of_arena(day: str | None) -> DayReport:
    try:
        report_date = date.fromisoformat(day) if day else None
    except ValueError:
        raise InputError(f"a date is written as 2026-11-23, not {day!r:.40}") from None
    connect()
    from webui.fairness import queries as fairness_queries

    report = fairness_queries.fairness_report(report_date)
    if report is None:
        raise InputError(
            f"there is no report of {report_date}"
            if report_date
            else "there is no report yet: the upkeep worker makes it"
        )
    return report


def _of_files(files: list[Path]) -> FairnessFigures:
    from arena.fairness import fold_record, new_tallies
    from arena.fairness.report import summary
    from arena.players import ask_house
    from arena.referee import prove
    from arena.rules import RulesError

    tallies = new_tallies()
    for file in files:
        for number, document in enumerate(read_replays(file), 1):
            try:
                prove(document, ask_house)
            except RulesError as error:
                tallies["failures"][f"{file}, {number}"] = str(error)
                continue
            tallies["proved"] += 1
            fold_record(tallies, document)
    return summary(tallies)


def _print(day: FairnessFigures, month: FairnessFigures) -> None:
    typer.echo(f"records: {day.games} folded, {day.proved} proved, {len(day.failures)} refused, ", nl=False)
    typer.echo(f"{len(day.overcharges)} overcharged ({day.charged} charges)")
    causes = {
        "ended": day.ended, "aborted": day.aborted, "void": day.void, "faults": day.faults, "forfeits": day.forfeits
    }  # fmt: skip
    for what, counts in causes.items():
        if counts:
            typer.echo(f"{what}: " + ", ".join(f"{cause} {number}" for cause, number in sorted(counts.items())))
    for match_id, message in (*day.failures.items(), *day.overcharges.items()):
        typer.echo(printable(f"  {match_id}: {message}"))
    for tables, name in ((month.seats, "seat"), (month.places, "first bid")):
        for players, table in tables.items():
            typer.echo(f"{players} players, {table.games} games, by {name}; equal wins: {_p(table.p)}")
            for number, line in enumerate(table.lines, 1):
                error = "" if line.score_error is None else f" ± {line.score_error:.1f}"
                share = f"{_percent(line.share)} ({_percent(line.low)} to {_percent(line.high)})"
                typer.echo(f"  {number}  won {share}, score {line.score:.1f}{error}")
    typer.echo(f"seats per bot: {month.turns.tested} tested, {month.turns.uneven} uneven")
    for bot in month.turns.named:
        typer.echo(printable(f"  {bot.bot}, {bot.players} players: {list(bot.counts)}, p = {bot.p:.2g}"))
    typer.echo(f"round trip never below {FAR_MS} ms: {len(month.far)} bots")
    for far in month.far:
        typer.echo(printable(f"  {far.bot}, {far.answers} answers"))
    for players, calibration in month.calibration.items():
        typer.echo(f"{players} players: {_calibration_words(calibration.all)}")
        for row in calibration.tenths:
            typer.echo(f"  {_calibration_words(row)}")


@app.command()
def collusion(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[FILE]…", help="Records, one a line; default: what the arena has measured."),
    ] = None,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """For staff: print which bots help which at tables of three to five, beyond what their own gain explains.

    For each pair that met in ten games or more, print how far the turns of the one favour the other, compared with its
    other rivals. The value is from -1 to 1. The p-value is corrected for the number of pairs. A flag says where to
    look; it proves nothing. The arena measures up to 300 tables of each day after the day. Records of files take a
    second each.
    """
    from arena.fairness.kingmaking import FEWEST_KNOWN, helps, pairs
    from arena.players import PLAYERS

    if files:
        result = pairs([helps(document) for file in files for document in _proved(file)], frozenset(PLAYERS))
        dated, until = {}, ""
    else:
        connect()
        from webui.fairness import suspicions

        measured = suspicions.who_helps_whom()
        if measured is None:
            raise InputError("nothing is measured yet: the upkeep worker does it when a day is over")
        day, result = measured
        dated, until = {"date": day.isoformat()}, f", a month until {day}"
    if json:
        print_json({**dated, **result.document()})
        return
    flagged = sum(pair.is_flagged for pair in result.pairs)
    typer.echo(f"{result.games} games{until}, {len(result.pairs)} pairs that met often enough, {flagged} flagged")
    if result.scale is None:
        typer.echo(f"no null distribution: fewer than {FEWEST_KNOWN} pairs of house bots; p rests on Student's t alone")
    else:
        typer.echo(f"the house's bots scatter {result.scale:.2f} times as far as Student's t; p allows for it")
    for pair in result.pairs[:MOST_PAIRS]:
        sign = "!" if pair.is_flagged else " "
        typer.echo(printable(f"{sign} {pair.helper} → {pair.helped}: ") + _of_pair(pair))


@app.command()
def accounts(json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False) -> None:
    """For staff: print accounts that may have the same owner, with the evidence for each guess. A guess proves nothing.

    The evidence is a common address of tokens or sign-ins. Two weaker signs together count as well: sign-ups within ten
    minutes, and bots that play in the same hours. Nothing is stored.
    """
    connect()
    from webui.fairness import suspicions

    suspected = suspicions.accounts_alike()
    if json:
        print_json([{"accounts": list(pair.accounts), "reasons": list(pair.reasons)} for pair in suspected])
        return
    typer.echo(f"{len(suspected)} pairs of accounts that may have one owner")
    for pair in suspected:
        typer.echo(printable(f"{pair.accounts[0]}, {pair.accounts[1]}: {'; '.join(pair.reasons)}"))


def _of_pair(pair: Pair) -> str:
    return f"lean {pair.mean:+.2f}, {pair.effect:+.2f} SD a game, {pair.games} games, p = {pair.p:.2g}"


def _proved(file: Path) -> Iterator[dict[str, Any]]:
    from arena.players import ask_house
    from arena.referee import prove
    from arena.rules import RulesError

    for number, document in enumerate(read_replays(file), 1):
        try:
            prove(document, ask_house)
        except RulesError as error:
            raise InputError(f"{file}, record {number} does not follow from the rules: {error}") from None
        yield document


def _calibration_words(row: Favourites) -> str:
    given, won, error = map(_percent, (row.given, row.won, row.error))
    return f"the favourite was given {given} and won {won} ± {error} of {row.games} games"


def _p(value: float | None) -> str:
    return "too few games for a test" if value is None else f"p = {value:.3f}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"
