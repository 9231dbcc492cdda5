"""Accounts and bots that exist from the first minute: an admin, the house bots, and a bot for the user.

Passwords and tokens are secrets that the database does not hold. They are stored in var/up.json, for each database.
"""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from arena.cli.files import InputError
from arena.host.places import Places
from webui.commands.house import ensure_bot, ensure_house_bots, host_house_bots, withdraw_house_bots

ADMIN = "admin"
OWN_BOT = "My Bot"
SAMPLE_BOT = "Sample Bot"
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
    """Bot id and token of each house player that dials in. Empty if the runner plays them."""
    hosted: frozenset[int] = frozenset()
    """Ids of the house bots that the runner plays."""
    runner_token: str | None = None
    """Token of the runner. None if there is none."""


def ensure_accounts(var: Path, *, with_house: bool, with_sample: bool, with_runner: bool) -> Accounts:
    """Create the missing accounts, bots and tokens. Django must be set up, and the tables must exist.

    House bots are hosted where there is a runner. Elsewhere they get tokens, with which they dial in. The sample bot
    needs a runner.
    """
    stored_secrets = _Secrets(Places(var).accounts, _database_name())
    admin_id, password = _ensure_admin(stored_secrets)
    own_id = ensure_bot(admin_id, OWN_BOT, "A place for a bot of your own.")
    token = _ensure_token(stored_secrets, own_id, OWN_BOT)
    if with_sample and with_runner:
        _submit_sample(admin_id)
    house = ensure_house_bots() if with_house else {}
    if house and with_runner:
        host_house_bots(house)
        return Accounts(password, token, hosted=_hosted_among(house), runner_token=_ensure_runner(stored_secrets))
    withdraw_house_bots()
    tokens = {player: (bot_id, _ensure_token(stored_secrets, bot_id, player)) for player, bot_id in house.items()}
    return Accounts(password, token, tokens, runner_token=_ensure_runner(stored_secrets) if with_runner else None)


def _hosted_among(house: Mapping[str, int]) -> frozenset[int]:
    """Return the house bots that runners offer matches. Those that staff have paused are not among them."""
    from webui.hosting import queries as hosting_queries

    offered = {version.bot for version in hosting_queries.hosted_versions() if version.is_offered}
    return frozenset(offered & set(house.values()))


def _submit_sample(admin_id: int) -> None:
    """Hand in the starter kit for Python as a bot of the admin, unless the bot has a submission."""
    from arena.cli.new import KITS, WITH_LIBRARY
    from arena.hosting.bundle import pack
    from arena.hosting.limits import DEFAULT_LIMITS
    from webui.accounts.values import Actor
    from webui.hosting import actions as hosting_actions
    from webui.hosting import queries as hosting_queries

    bot_id = ensure_bot(admin_id, SAMPLE_BOT, "The folder that `arena bot new` makes, handed in unchanged.")
    if not hosting_queries.submissions_of(bot_id):
        with TemporaryDirectory() as folder:
            bundle = pack(KITS / WITH_LIBRARY, WITH_LIBRARY, Path(folder, "bundle"), DEFAULT_LIMITS)
            hosting_actions.submit(Actor(admin_id), bot_id, "", "", bundle)


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


def _ensure_admin(stored_secrets: _Secrets) -> tuple[int, str | None]:
    from webui.accounts import actions as account_actions
    from webui.bots import queries as bot_queries

    user_id = bot_queries.user_id(ADMIN)
    if user_id is None:
        password = secrets.token_urlsafe(12)
        stored_secrets.put("password", password)
        return account_actions.create_user(ADMIN, password, role="admin"), password
    return user_id, stored_secrets.get("password")


def _ensure_token(stored_secrets: _Secrets, bot_id: int, name: str) -> str:
    """Return the token of a bot that is stored under this name."""
    from webui.bots import token_actions, token_queries

    token = stored_secrets.get(name)
    identity = token_queries.session_for_token(token) if token else None
    if token is None or identity is None or identity.bot_id != bot_id:
        token = token_actions.issue_token(bot_id).token
        stored_secrets.put(name, token)
    return token


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
