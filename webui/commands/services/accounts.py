"""Accounts and bots that exist from the first minute: an admin, the house bots, and a bot for the user.

Passwords and tokens are secrets that the database does not hold. They are stored in var/up.json, for each database.
"""

from __future__ import annotations

import json
import os
import secrets
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from arena.cli.files import InputError
from arena.host.places import Places

ADMIN = "admin"
HOUSE = "house"
OWN_BOT = "My Bot"
RUNNER = "this machine"
FORMAT = "naqala/up/1"
"""Format of var/up.json. A folder with another one is refused."""


@dataclass(frozen=True)
class Accounts:
    """Accounts and bots that were created or found."""

    password: str | None
    """Password of the admin. None if somebody else created an admin."""
    token: str
    """Token of the user's bot."""
    house: dict[str, tuple[int, str]] = field(default_factory=dict)
    """Bot id and token of each house player."""
    runner_token: str | None = None
    """Token of the runner. None if there is none."""


def ensure_accounts(var: Path, *, with_house: bool, with_runner: bool) -> Accounts:
    """Create the missing accounts, bots and tokens. Django must be set up, and the tables must exist."""
    from arena.players import GRADED, PLAYERS

    stored_secrets = _Secrets(Places(var).accounts, _database_name())
    admin_id, password = _ensure_admin(stored_secrets)
    _, token = _ensure_bot(stored_secrets, admin_id, OWN_BOT, "A place for a bot of your own.", is_house=False)
    house = {}
    if with_house:
        owner_id = _ensure_house()
        for player in GRADED:
            house[player] = _ensure_bot(stored_secrets, owner_id, _title(player), PLAYERS[player], is_house=True)
    runner_token = _ensure_runner(stored_secrets) if with_runner else None
    return Accounts(password, token, house, runner_token)


def _ensure_runner(stored_secrets: _Secrets) -> str:
    """Return the token of this machine's runner."""
    from webui.core.errors import NotFound
    from webui.hosting import actions as hosting_actions
    from webui.hosting import queries as hosting_queries

    token = stored_secrets.get(RUNNER)
    if token is None or hosting_queries.runner_of_token(token) is None:
        with suppress(NotFound):
            hosting_actions.revoke_runner(RUNNER)
        token = hosting_actions.register_runner(RUNNER)
        stored_secrets.put(RUNNER, token)
    return token


def _title(player: str) -> str:
    return player.replace("-", " ").title()


def _ensure_admin(stored_secrets: _Secrets) -> tuple[int, str | None]:
    from webui.accounts import actions as account_actions
    from webui.bots import queries as bot_queries

    user_id = bot_queries.user_id(ADMIN)
    if user_id is None:
        password = secrets.token_urlsafe(12)
        stored_secrets.put("password", password)
        return account_actions.create_user(ADMIN, password, role="admin"), password
    return user_id, stored_secrets.get("password")


def _ensure_house() -> int:
    from webui.accounts import actions as account_actions
    from webui.bots import queries as bot_queries

    user_id = bot_queries.user_id(HOUSE)
    if user_id is None:
        return account_actions.create_user(HOUSE, None, role="house")
    if bot_queries.can_sign_in(user_id):
        raise InputError(
            f"the user {HOUSE!r} is somebody's account, and the house bots would be theirs: rename it, or use another"
            " database"
        )
    return user_id


def _ensure_bot(stored_secrets: _Secrets, owner_id: int, name: str, about: str, *, is_house: bool) -> tuple[int, str]:
    from webui.bots import actions as bot_actions
    from webui.bots import queries as bot_queries
    from webui.bots import token_actions, token_queries

    bot = bot_queries.find_bot(name)
    if bot is None:
        bot_id = bot_actions.register_bot(owner_id, name, description=about, is_house=is_house)
    elif bot.owner_id == owner_id and bot.is_house == is_house:
        bot_id = bot.id
    else:
        raise InputError(
            f"the bot {name!r} belongs to {bot.owner}, and `arena up` needs this name: use another database"
        )
    token = stored_secrets.get(name)
    identity = token_queries.session_for_token(token) if token else None
    if token is None or identity is None or identity.bot_id != bot_id:
        token = token_actions.issue_token(bot_id).token
        stored_secrets.put(name, token)
    return bot_id, token


def _database_name() -> str:
    from django.conf import settings

    database = settings.DATABASES["default"]
    return f"{database.get('HOST', '')}:{database.get('PORT', '')}/{database['NAME']}"


def read_secrets(path: Path) -> dict[str, Any]:
    """Return the secrets in a file by database, or nothing if there is no file.

    Raise `InputError` if another version of the arena has made the folder of the file.
    """
    if not path.exists():
        return {}
    try:
        document = json.loads(path.read_text())
    except ValueError:
        document = None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise InputError(
            f"{path.parent} was made by an unreleased or a newer version of the arena: move it away, or set ARENA_VAR"
            " to an empty folder"
        )
    return dict(document["databases"])


class _Secrets:
    """A file that only its owner may read. It maps a database to names and their secrets."""

    def __init__(self, path: Path, database: str) -> None:
        self._path = path
        self._all = read_secrets(path)
        self._here: dict[str, str] = self._all.setdefault(database, {})

    def get(self, name: str) -> str | None:
        return self._here.get(name)

    def put(self, name: str, secret: str) -> None:
        """Write the file at once, completely or not at all."""
        self._here[name] = secret
        draft = self._path.with_suffix(".draft")
        with open(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
            json.dump({"format": FORMAT, "databases": self._all}, file, indent=1)
        draft.replace(self._path)
