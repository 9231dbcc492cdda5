"""`arena bot release`: name a version of a bot, and describe what is new in it."""

from typing import Annotated

import typer

from arena.bots.errors import Refused
from arena.bots.release import release_version
from arena.cli.bot import NEAR, Server, Token, check_access
from arena.cli.files import InputError


def release(
    version: Annotated[str, typer.Argument(help="Name of the version, as in the bot's hello.")],
    note: Annotated[str, typer.Option(help="Note about what is new; everybody can read it.")] = "",
    server: Server = NEAR,
    token: Token = "",
) -> None:
    """Name a version of your bot, and describe what is new in it.

    The note is shown beside the version on the bot's page; a later one replaces it. A new version starts with its first
    hello. Releasing is optional: a hello alone starts a version, too.

    Exit code: 0 released, 2 refused by the arena (also for a wrong token) or unusable input.
    """
    check_access(server, token)
    try:
        released = release_version(server, token, version, note)
    except Refused as refused:
        raise InputError(f"the arena refused to release this version: {refused}") from None
    name = f"{released.bot} {released.version}"
    print(f"{name} is ready: it begins with its first hello." if released.is_ready else f"{name} has this note now.")
