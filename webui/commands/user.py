"""`arena user`: users, their bots and tokens, without the site."""

from __future__ import annotations

import secrets
from typing import Annotated

import typer

from arena.cli.files import InputError
from webui.commands.database import connected

app = typer.Typer(
    help="Users, their bots and tokens, without the site. Secrets are printed once, alone on the standard output.",
    no_args_is_help=True,
)

UserName = Annotated[str, typer.Argument(metavar="USER", help="A user's name.")]
BotName = Annotated[str, typer.Argument(metavar="BOT", help="A bot's name.")]


@app.command()
@connected()
def create(
    name: UserName,
    role: Annotated[str, typer.Option("--role", help="player, or admin: has all rights of staff.")] = "player",
    email: Annotated[str, typer.Option("--email", help="Where the user can be reached.")] = "",
    password: Annotated[
        str | None,
        typer.Option("--password", envvar="ARENA_PASSWORD", help="Password; default: one is generated and printed."),
    ] = None,
) -> None:
    """Create a user."""
    from webui.accounts import actions as account_actions

    made = password or secrets.token_urlsafe(12)
    account_actions.create_user(name, made, email=email, role=role)
    typer.echo(f"created {role} {name}", err=True)
    if password is None:
        typer.echo(made)


@app.command("register-bot")
@connected()
def register_bot(
    owner: UserName,
    name: BotName,
    description: Annotated[str, typer.Option("--description", help="Text for the bot's page.")] = "",
    is_house: Annotated[
        bool, typer.Option("--house", help="A bot of the arena itself: several may sit at one table.")
    ] = False,
) -> None:
    """Register a bot for a user, and print its first token."""
    from webui.bots import actions as bot_actions
    from webui.bots import queries as bot_queries
    from webui.bots import token_actions

    owner_id = bot_queries.user_id(owner)
    if owner_id is None:
        raise InputError(f"there is no user {owner!r}: create one with `arena user create {owner}`")
    bot_id = bot_actions.register_bot(owner_id, name, description=description, is_house=is_house)
    typer.echo(f"registered {name} of {owner}; its token:", err=True)
    typer.echo(token_actions.issue_token(bot_id).token)


@app.command("issue-token")
@connected()
def issue_token(name: BotName) -> None:
    """Print a new token for a bot. Its other tokens remain valid."""
    from webui.bots import queries as bot_queries
    from webui.bots import token_actions

    bot = bot_queries.find_bot(name)
    if bot is None:
        raise InputError(f"there is no bot {name!r}")
    typer.echo(token_actions.issue_token(bot.id).token)


@app.command("issue-api-token")
@connected()
def issue_api_token(
    name: UserName,
    scope: Annotated[
        list[str] | None, typer.Option("--scope", help="An area that it may use; may be repeated. Default: all.")
    ] = None,
) -> None:
    """Print a new API token of a user. Commands such as `arena event new` act as this user with it."""
    from webui.accounts.values import API_SCOPES
    from webui.bots import queries as bot_queries
    from webui.bots import token_actions

    user_id = bot_queries.user_id(name)
    if user_id is None:
        raise InputError(f"there is no user {name!r}")
    typer.echo(token_actions.issue_api_token(user_id, scope or API_SCOPES).token)


@app.command("remove-second-factors")
@connected()
def remove_second_factors(name: UserName) -> None:
    """Remove the authenticator app, passkeys and recovery codes of a user who has lost them.

    The user gets an email about it, and then signs in with the password alone.
    """
    from django.contrib.auth import get_user_model

    from webui.accounts import sessions
    from webui.accounts.security import notify

    user = get_user_model().objects.filter(username=name).first()
    if user is None:
        raise InputError(f"there is no user {name!r}")
    removed = sessions.remove_second_factors(user.pk)
    for act in removed:
        notify(None, user, act)
    typer.echo(f"removed {len(removed)} of {name}")
