"""What a gateway can do with its role in PostgreSQL, and what it cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from django.db import ProgrammingError, connection

from tests.kit.arena.database import using
from tests.kit.databases import POSTGRES
from tests.kit.ladder import Kit
from webui.commands.identities import DatabaseIdentities
from webui.ladder import actions, queries
from webui.ladder.roles import set_up_gateway_role
from webui.ladder.values import BadRequest

pytestmark = pytest.mark.django_db(transaction=True)
ROLE = "arena_gateway"


on_postgresql = pytest.mark.parametrize("database", [POSTGRES], indirect=True, scope="module")


@pytest.fixture
def gateway_url(database: str, postgres_url: str) -> Iterator[str]:
    """The database as the gateways reach it."""
    url = postgres_url.replace("arena:", f"{ROLE}:sirocco7dunes", 1)
    for _ in range(2):  # every `migrate` of a deployment is followed by it
        assert set_up_gateway_role(url) == ROLE
    yield url
    connection.cursor().execute(f"DROP OWNED BY {ROLE}; DROP ROLE {ROLE}")


@on_postgresql
def test_a_gateway_does_its_work_with_its_role(gateway_url: str) -> None:
    kit = Kit()
    bot = actions.register_bot(actions.create_user("ada", None), "Camel")
    token = actions.issue_token(bot).token
    match_id = kit.match()

    async def work() -> tuple[Any, ...]:
        identities = DatabaseIdentities()
        try:
            found = [await identities.identify(token, "Camel", version, "8.8.8.8") for version in ("1", "1", "2")]
            return found, await identities.is_known(token), await identities.revoked([found[0].token_id])
        finally:
            identities.close()

    with using(gateway_url):
        found, is_known, revoked = asyncio.run(work())
        assert queries.matches_of_bot(bot, [match_id]) == {}
    assert [identity.bot_name for identity in found] == ["Camel"] * 3
    assert is_known and not revoked


@on_postgresql
@pytest.mark.parametrize(
    "statement",
    [
        "SELECT server_seed FROM ladder_matchsecret",
        "SELECT text FROM ladder_logrow",
        "SELECT password FROM ladder_user",
        "SELECT email FROM ladder_user",
        "SELECT session_key FROM django_session",
        "SELECT * FROM ladder_match",
        "UPDATE ladder_match SET state = 'VOID'",
        "UPDATE ladder_bottoken SET revoked_at = NULL",
        "UPDATE ladder_bot SET owner_id = 1",
        "DELETE FROM ladder_botversion",
        "CREATE TABLE mine (id int)",
    ],
)
def test_and_nothing_else(gateway_url: str, statement: str) -> None:
    with using(gateway_url), pytest.raises(ProgrammingError, match="permission denied"):
        connection.cursor().execute(statement)


def test_a_database_without_roles_says_so() -> None:
    with pytest.raises(BadRequest, match="only PostgreSQL"):
        set_up_gateway_role("postgresql://a:b@c/d")
