"""House bots: the accounts that they need, and `arena admin house`, with which runners play them."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import version as installed_version
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import typer

from arena.cli.files import InputError
from webui.commands.database import connected

OWNER: Final = "house"
PROGRAM: Final = '''\
"""{player}, a house player of naqala-arena {version}: {about}."""

from arena.bots import run
from arena.bots.house_bots import house_bot

run(house_bot("{player}"))
'''
MANIFEST: Final = """\
language = "python"
command = ["python3", "bot.py"]
"""


def ensure_house_bots() -> dict[str, int]:
    """Return the ids of the house bots by player. Create those that are missing, and their owner.

    Raise `InputError` if somebody else has one of their names.
    """
    from arena.players import GRADED, PLAYERS

    owner_id = _ensure_owner()
    return {
        player: ensure_bot(owner_id, player.replace("-", " ").title(), PLAYERS[player], is_house=True)
        for player in GRADED
    }


def _ensure_owner() -> int:
    from webui.accounts import actions as account_actions
    from webui.bots import queries as bot_queries

    user_id = bot_queries.user_id(OWNER)
    if user_id is None:
        return account_actions.create_user(OWNER, None, role="house")
    if bot_queries.can_sign_in(user_id):
        raise InputError(
            f"the user {OWNER!r} is somebody's account, and the house bots would be theirs: rename it, or use another"
            " database"
        )
    return user_id


def ensure_bot(owner_id: int, name: str, about: str, *, is_house: bool = False) -> int:
    """Return the id of this bot of the owner, which is registered if it is new.

    Raise `InputError` if somebody else has a bot of this name.
    """
    from webui.bots import actions as bot_actions
    from webui.bots import queries as bot_queries

    bot = bot_queries.find_bot(name)
    if bot is None:
        return bot_actions.register_bot(owner_id, name, description=about, is_house=is_house)
    if bot.owner_id == owner_id and bot.is_house == is_house:
        return bot.id
    raise InputError(f"the bot {name!r} belongs to {bot.owner}, and the arena needs this name: use another database")


def host_house_bots(bots: Mapping[str, int]) -> None:
    """Let runners play these house bots, with the files of the installed version of the arena.

    `bots` maps players to the ids of their bots. It may be repeated.
    """
    from arena.bots.client import SDK
    from arena.bots.house_bots import house_bot
    from arena.gateway.greeting import ALL_PLAYER_COUNTS
    from arena.hosting.bundle import pack
    from arena.hosting.limits import DEFAULT_LIMITS
    from arena.hosting.messages import HelloFacts
    from webui.hosting.house import host_house_version

    with TemporaryDirectory() as folder:
        for player, bot_id in bots.items():
            bot = house_bot(player)
            facts = HelloFacts(
                sdk=SDK,
                player_counts=ALL_PLAYER_COUNTS,
                expansions=tuple(sorted(bot.expansions)),
                wants_legal=bot.wants_legal,
            )
            source = Path(folder, player)
            _write_program(source, player)
            bundle = pack(source, player, Path(folder, f"{player}.bundle"), DEFAULT_LIMITS)
            host_house_version(bot_id, bot.version, bundle, facts)


def withdraw_house_bots() -> None:
    """Let runners play the house bots no more, so that these can dial in."""
    from webui.bots import queries as bot_queries
    from webui.hosting.house import withdraw_house_versions

    owner_id = bot_queries.user_id(OWNER)
    if owner_id is not None:
        withdraw_house_versions(owner_id)


def _write_program(folder: Path, player: str) -> None:
    """Write the program of a house bot to a new folder."""
    from arena.players import PLAYERS

    folder.mkdir()
    version = installed_version("naqala-arena")
    (folder / "bot.py").write_text(PROGRAM.format(player=player, version=version, about=PLAYERS[player]))
    (folder / "bot.toml").write_text(MANIFEST)


app = typer.Typer(help="House bots, which are the arena's own players.", no_args_is_help=True)


@app.command()
@connected()
def host() -> None:
    """Create the house bots that are missing, and let runners play them.

    Run it again after each update of the arena. House bots that dial in are then refused, so stop their process
    afterwards.
    """
    bots = ensure_house_bots()
    host_house_bots(bots)
    typer.echo(f"runners play {len(bots)} house bots: {', '.join(bots)}")


@app.command()
@connected()
def withdraw() -> None:
    """Let runners play the house bots no more. They may then dial in.

    Their running matches are played to their ends.
    """
    withdraw_house_bots()
    typer.echo("runners play no house bots")
