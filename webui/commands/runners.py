"""`arena admin runner`: register, list and revoke the runners of hosted bots."""

from __future__ import annotations

from typing import Annotated

import typer

from webui.commands.database import connect, connected

app = typer.Typer(help="Runners, which build and play hosted bots.", no_args_is_help=True)

RunnerName = Annotated[str, typer.Argument(metavar="NAME", help="A runner's name, such as that of its machine.")]


@app.command()
@connected()
def add(name: RunnerName) -> None:
    """Register a runner, and print its token, alone on the standard output.

    Give it to the runner as ARENA_RUNNER_TOKEN. With it a runner reads the files of all hosted bots and decides which
    submissions are ready, so keep it secret. It is not shown again.
    """
    from webui.hosting import actions

    token = actions.register_runner(name)
    typer.echo(f"registered runner {name}; its token:", err=True)
    typer.echo(token)


@app.command("list")
def list_runners() -> None:
    """Print the runners: their cores, and when each has called last."""
    connect()
    from webui.hosting import queries

    for line in queries.runners():
        seen = f"seen {line.seen_at.isoformat(timespec='seconds')}" if line.seen_at else "never seen"
        cores = "1 core" if line.cores == 1 else f"{line.cores} cores"
        typer.echo(f"{line.name}: {cores}, {seen}, registered {line.created_at.isoformat(timespec='seconds')}")


@app.command()
@connected()
def revoke(
    name: RunnerName,
    reason: Annotated[str, typer.Option("--reason", help="Why. The audit log keeps it.")] = "Revoked by the operator",
) -> None:
    """Revoke the token of a runner permanently.

    Its jobs go to other runners when their leases expire. It plays its running matches to their ends, as long as it
    reaches Redis: revoke its access to Redis, too, if its machine is not to be trusted.
    """
    from webui.accounts.values import OPERATOR
    from webui.staff import hosting_acts

    hosting_acts.revoke_runner(name, reason, by=OPERATOR)
    typer.echo(f"revoked runner {name}")
