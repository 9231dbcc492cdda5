"""`arena bot release`: name a version of a bot, and say what is new in it."""

from typing import Annotated

import typer

from arena.bots.errors import Refused
from arena.bots.release import release_version
from arena.cli.bot import NEAR, Server, Token, check_access
from arena.cli.files import InputError


def release(
    version: Annotated[str, typer.Argument(help="The version, as the bot will say it in its hello.")],
    note: Annotated[str, typer.Option(help="What is new in it; everybody can read it.")] = "",
    server: Server = NEAR,
    token: Token = "",
) -> None:
    """Name a version of your bot, and say what is new in it.

    The note stands beside the version on the bot's page; a later one replaces it. A version that is new
    begins with its first hello. A bot need not be released: its hello alone begins a version, too.

    Exit code: 0 released, 2 refused by the arena (a wrong token, too), or input that cannot be used.
    """
    check_access(server, token)
    try:
        released = release_version(server, token, version, note)
    except Refused as refused:
        raise InputError(f"the arena does not release this version: {refused}") from None
    name = f"{released.bot} {released.version}"
    print(f"{name} is ready: it begins with its first hello." if released.is_ready else f"{name} has this note now.")
