"""`arena bot`: start a bot, run it or a house player, compare, release and hand in its versions, challenge others."""

from pathlib import Path
from typing import Annotated

import typer

from arena.bots import Bot, loading, run
from arena.bots.channel import Refused, parse_server
from arena.bots.client import release_version
from arena.cli.files import InputError
from arena.cli.lazy import CommandTable, Lazy, LazyGroup

HELP = "Create a bot, run it, hand it in, release it, challenge others, or compare two versions."


class BotGroup(LazyGroup):
    """The commands of this module, and those of modules that are loaded when called."""

    table = CommandTable(
        {
            "compare": Lazy("arena.cli.compare", "compare", "Find out whether a new version is better."),
            "release": Lazy("arena.cli.bot", "release", "Name a version, and describe what is new in it."),
            "submit": Lazy("arena.cli.submit", "submit", "Hand in a version, which the arena then runs."),
            "new": Lazy("arena.cli.new", "new", "Make a folder with a complete small bot, in any of seven languages."),
            "challenge": Lazy(
                "arena.cli.challenge", "challenge", "Play an unrated match at once, against bots of your choice."
            ),
        }
    )


app = typer.Typer(cls=BotGroup, help=HELP, no_args_is_help=True)

Server = Annotated[
    str,
    typer.Option(
        help="Address for bots, as the site shows it beside a token: https://host:port, or host:port on this machine.",
        envvar="ARENA_SERVER",
    ),
]
Token = Annotated[
    str,
    typer.Option(help="Token from the bot's page; ARENA_TOKEN keeps it out of the process list.", envvar="ARENA_TOKEN"),
]
NEAR = "127.0.0.1:50051"


def check_access(server: str, token: str) -> None:
    """Refuse an empty token and an address that no bot can dial."""
    if not token:
        raise typer.BadParameter("set ARENA_TOKEN or give --token; create a token on the bot's page in the arena")
    try:
        parse_server(server)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


@app.callback()
def bots() -> None:
    """Provide a group whose help comes from its app."""


@app.command("run")
def run_command(
    file: Annotated[
        str | None,
        typer.Argument(help="Python file with a class derived from arena.bots.Bot; file.py:Class if several."),
    ] = None,
    server: Server = NEAR,
    token: Token = "",
    name: Annotated[
        str | None,
        typer.Option(
            help="Name of this process, the same after a restart and different for each process of a bot; by default"
            " host and file.",
            envvar="ARENA_PROCESS",
        ),
    ] = None,
    matches: Annotated[int, typer.Option(min=1, help="Maximum number of matches at the same time.")] = 4,
    receipts: Annotated[
        Path | None,
        typer.Option(help="Folder for receipts, one file a match, which `arena replay verify --receipt` checks."),
    ] = None,
    house: Annotated[
        str | None, typer.Option(help="Run a house player instead of a file: greedy, random and others.")
    ] = None,
) -> None:
    """Connect and play until Ctrl-C: the first finishes running matches, the second stops at once.

    Exit code: 0 stopped by Ctrl-C, 2 refused by the arena (also for a wrong token) or unusable input.
    """
    if (file is None) == (house is None):
        raise typer.BadParameter("give either a file or --house")
    check_access(server, token)
    bot = _house(house) if house is not None else load_bot(file or "")
    try:
        finished = run(
            bot,
            server=server,
            token=token,
            name=name or (house and f"house-{house}"),
            matches=matches,
            receipts=receipts,
        )
    except Refused as refused:
        hint = "; name this one with --name" if refused.reason == "TAKEN_OVER" else ""
        raise InputError(f"the arena refuses this bot: {refused}{hint}") from None
    typer.echo("1 match played to its end." if finished == 1 else f"{finished} matches played to their end.", err=True)


def _house(player: str) -> type[Bot]:
    from arena.bots.house_bots import (
        house_bot,  # loading the rules takes a moment, and the user's own bot does not need them
    )

    try:
        return house_bot(player)
    except ValueError as error:
        raise typer.BadParameter(str(error)) from None


def load_bot(reference: str) -> type[Bot]:
    """Return the bot class of `file.py` or `file.py:Class`."""
    try:
        return loading.load_bot(reference)
    except loading.NotLoaded as error:
        raise typer.BadParameter(str(error)) from None


# `arena bot release`: name a version of a bot, and describe what is new in it.


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
