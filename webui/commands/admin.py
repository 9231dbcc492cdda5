"""`arena admin`: look after a deployment, its health and its backups. `webui.commands.staff` has the acts of staff."""

from __future__ import annotations

import json
import os
from enum import StrEnum
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.files import InputError, print_json
from arena.cli.load import BOTS_FILE
from arena.cli.progress import progress, progress_bars
from arena.host.heartbeat import heartbeat_file
from webui.commands import house, runners, staff
from webui.commands.database import connect, connected
from webui.commands.services import health, ready

# `arena admin load-bots`: create the bots of a load test.


@connected()
def load_bots(
    count: Annotated[int, typer.Argument(min=2, max=10_000, help="Number of bots.")],
    file: Annotated[Path, typer.Argument(help="File for their tokens, readable only by you.")] = BOTS_FILE,
    name: Annotated[str, typer.Option("--name", help="Prefix of their names.")] = "load",
    days: Annotated[int, typer.Option("--days", min=1, max=365, help="Days until the tokens expire.")] = 7,
) -> None:
    """Create bots for a load test (`arena load`), or new tokens for existing ones.

    Each bot has its own account, with which nobody can sign in. It plays only challenges, which are unrated. Its
    matches remain in the lists, so use a new arena or a copy of one, not one that people use.
    """
    from django.conf import settings

    from webui.challenges import actions as challenge_actions

    made = []
    with progress(count, "Bots") as advance:
        for number in range(1, count + 1):
            bot = f"{name}-{number:05}"
            made.append({"name": bot, "token": challenge_actions.make_load_bot(bot, days=days)})
            advance()
    site = settings.SITE_URL or "http://127.0.0.1:8000"
    server = settings.GATEWAY_ADDRESS or "127.0.0.1:50051"
    file.unlink(missing_ok=True)  # an old file might be readable for other users
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        json.dump({"site": site, "server": server, "bots": made}, out, indent=0)
    typer.echo(f"{file}: {count} bots of {site} and {server}; now `arena load --bots {count} --from {file}`")


app = typer.Typer(cls=staff.StaffGroup, help="Look after a deployment: its health, its backups.", no_args_is_help=True)
app.command("load-bots")(load_bots)
app.add_typer(runners.app, name="runner")
app.add_typer(house.app, name="house")
for name, command in staff.COMMANDS.items():
    app.command(name)(command)

UNHEALTHY = 1
"""Exit code when a check fails."""


@app.command()
def doctor(
    sample: Annotated[
        int | None,
        typer.Option("--sample", min=0, metavar="N", help="Number of matches whose records are verified; default 100."),
    ] = None,
    is_all: Annotated[bool, typer.Option("--all", help="Verify the records of all matches.")] = False,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON object.")] = False,
) -> None:
    """Check the invariants of the database while the arena runs. Print one line for each finding, then exit with code
    1.

    The invariants: logs have no gaps. Each seat has one result and one rating entry. Finishes are numbered without
    gaps. Ratings follow from the matches. No seed was revealed too early. No match was forgotten. The rules confirm the
    records.
    """
    if is_all and sample is not None:
        raise InputError("--all and --sample exclude each other")
    connect()
    from webui.staff.doctor import SAMPLE, examine

    with progress_bars() as progress:
        examination = examine(None if is_all else SAMPLE if sample is None else sample, progress)
    if json:
        print_json(examination.document())
    else:
        for finding in examination.findings:
            typer.echo(finding)
        looked_at = examination.looked_at
        outcome = f"{len(examination.findings)} findings" if examination.findings else "healthy"
        skipped = f" ({examination.skipped} of other rules)" if examination.skipped else ""
        typer.echo(
            f"{outcome}: {looked_at['logs']} matches, {looked_at['ratings']} ladders, "
            f"{looked_at['records']} records{skipped}"
        )
    if not examination.is_healthy:
        raise typer.Exit(UNHEALTHY)


@app.command()
def backup(file: Annotated[Path, typer.Argument(help="The file to write; it must not exist.")]) -> None:
    """Write a consistent snapshot of the database to a file. The arena may run meanwhile.

    The file contains the seeds of running matches and the hashes of passwords and tokens. Protect it as you protect
    those.
    """
    connect()
    from webui.core import backups

    try:
        backups.backup(file)
    except backups.BackupError as error:
        raise InputError(str(error)) from None
    typer.echo(f"{file}: {file.stat().st_size} bytes")


@app.command()
def restore(
    file: Annotated[Path, typer.Argument(help="Output of `arena admin backup`, from the same kind of database.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a database that is not empty.")] = False,
) -> None:
    """Replace the database by a backup, completely or not at all. Stop the arena first.

    Matches that were running at the time of the backup continue from there when the arena starts.
    """
    connect()
    from webui.core import backups

    try:
        needs_migration = backups.restore(file, force=force)
    except backups.BackupError as error:
        raise InputError(str(error)) from None
    typer.echo(f"{file}: restored")
    if needs_migration:
        typer.echo("The backup is from an older version: run `python -m django migrate` before you start the arena.")


class RecordStore(StrEnum):
    """Store of the records of matches."""

    STORE = "store"
    DATABASE = "database"


@app.command()
def records(
    to: Annotated[RecordStore, typer.Option("--to", help="Store to move them to.")],
) -> None:
    """Move the records of all matches and the files of all hosted bots into the store that ARENA_RECORDS names, or back
    into the database.

    The arena may run meanwhile. If the command is interrupted, run it again: it continues with the remaining records.
    Before you unset ARENA_RECORDS, move the records back.
    """
    connect()
    from webui.core.errors import BadRequest, RecordAway
    from webui.hosting.blob_store import move_all_blobs
    from webui.matches.record_store import move_all

    moved = blobs = 0
    try:
        for _ in move_all(to_store=to is RecordStore.STORE):
            moved += 1
        for _ in move_all_blobs(to_store=to is RecordStore.STORE):
            blobs += 1
    except (BadRequest, RecordAway) as error:
        raise InputError(f"{error} ({moved} records and {blobs} files of bots moved)") from None
    typer.echo(f"{moved} records and {blobs} files of bots moved to the {to}")


class DeployedProcess(StrEnum):
    """A process of a deployment (deploy/compose.yaml)."""

    WEB = "web"
    GATEWAY = "gateway"
    REFEREE = "referee"
    UPKEEP = "upkeep"
    RUNNER = "runner"


PORTS = {DeployedProcess.WEB: 8000, DeployedProcess.GATEWAY: 50051}
"""Default ports of the processes that answer requests. The others write a heartbeat instead."""


@app.command()
def roles(
    gateway: Annotated[
        str, typer.Option(help="URL of the database for gateways.", envvar="ARENA_GATEWAY_DATABASE_URL")
    ] = "",
    site: Annotated[str, typer.Option(help="URL of the database for the site.", envvar="ARENA_SITE_DATABASE_URL")] = "",
) -> None:
    """Give the PostgreSQL roles of gateways and site exactly the rights that they need. Run this after every
    `migrate`.
    """
    if not gateway and not site:
        raise InputError("name an address, or set ARENA_GATEWAY_DATABASE_URL and ARENA_SITE_DATABASE_URL")
    connect()
    from django.db import connection

    from webui.core.errors import BadRequest
    from webui.core.roles import set_up_gateway_role, set_up_site_role

    if connection.vendor != "postgresql":
        typer.echo("SQLite has no roles: there is nothing to do")
        return
    for set_up, url in ((set_up_gateway_role, gateway), (set_up_site_role, site)):
        if url:
            try:
                typer.echo(f"{set_up(url)}: set up")
            except BadRequest as error:
                raise InputError(str(error)) from None


@app.command()
def alive(
    part: Annotated[DeployedProcess, typer.Argument(help="Process of this machine or container.")],
    port: Annotated[
        int | None, typer.Option("--port", help="Port where it listens; default: web 8000, gateway 50051.")
    ] = None,
    pid: Annotated[int, typer.Option("--pid", min=1, help="Id of the process; in its container that is 1.")] = 1,
    is_strict: Annotated[
        bool, typer.Option("--ready", help="Fail a slow process, too: it takes no requests now.")
    ] = False,
) -> None:
    """Check whether a process works: the health check of its container. Exit with code 1 if it does not.

    A process that has worked and is silent is watched for some seconds. One that gets too little of the processor is
    slow, and passes: a restart would cost more of the processor.
    """
    file = heartbeat_file()
    works = partial(_works, part, port or PORTS.get(part, 0), file)
    if not (works() if is_strict else health.is_healthy(works, file, pid)):
        typer.echo(
            f"{part} does not answer" if part in PORTS else f"{part} has no heartbeat (ARENA_HEARTBEAT)", err=True
        )
        raise typer.Exit(UNHEALTHY)


def _works(part: DeployedProcess, port: int, file: Path | None) -> bool:
    match part:
        case DeployedProcess.WEB:
            return health.answers(partial(ready.site_answers, port), file)
        case DeployedProcess.GATEWAY:
            return health.answers(partial(ready.gateway_serves, port, ready.certificate()), file)
        case DeployedProcess.REFEREE | DeployedProcess.UPKEEP | DeployedProcess.RUNNER:
            return ready.is_fresh(file)
