"""`arena admin load-bots`: create the bots of a load test."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.files import InputError
from arena.cli.load import BOTS_FILE
from arena.cli.progress import progress
from webui.commands.database import connect


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
    connect()
    from django.conf import settings

    from webui.challenges import load_bots as challenge_load_bots
    from webui.core import errors

    made = []
    with progress(count, "Bots") as advance:
        for number in range(1, count + 1):
            bot = f"{name}-{number:05}"
            try:
                made.append({"name": bot, "token": challenge_load_bots.make_load_bot(bot, days=days)})
            except errors.LadderError as error:
                raise InputError(str(error)) from None
            advance()
    site = settings.SITE_URL or "http://127.0.0.1:8000"
    server = settings.GATEWAY_ADDRESS or "127.0.0.1:50051"
    file.unlink(missing_ok=True)  # an old file might be readable for other users
    with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
        json.dump({"site": site, "server": server, "bots": made}, out, indent=0)
    typer.echo(f"{file}: {count} bots of {site} and {server}; now `arena load --bots {count} --from {file}`")
