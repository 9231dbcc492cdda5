"""The gateways' role in PostgreSQL. Their port is open to everybody: nobody can get through them what they cannot read.

They look tokens up, take note of versions, and ask which matches a bot is in. Seeds, logs, sessions, passwords and
email addresses are not theirs. Every other process has the role that owns the tables.
"""

from __future__ import annotations

from typing import Any, Final

from django.db import connection, models, transaction
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from webui.ladder.models import Bot, BotToken, BotVersion, Match, Participant, User
from webui.ladder.values import BadRequest

GATEWAY: Final[dict[type[models.Model], dict[str, tuple[str, ...]]]] = {
    User: {"SELECT": ("id", "is_active")},
    Bot: {"SELECT": (), "UPDATE": ("created_at",)},  # that of a column that never changes, to lock a row
    BotVersion: {"SELECT": (), "INSERT": ()},
    BotToken: {"SELECT": (), "UPDATE": ("last_used_at", "last_address")},
    Match: {"SELECT": ("id", "state")},
    Participant: {"SELECT": ()},
}
"""Privileges on tables, on some columns or (empty) on all of them."""


@transaction.atomic
def set_up_gateway_role(url: str) -> str:
    """Make the role of this address, or change it, so that it has this password and these rights. Its name.

    Of the address only name and password matter. `BadRequest` where there are no roles, or the name is the owner's.
    """
    if connection.vendor != "postgresql":
        raise BadRequest("only PostgreSQL has roles")
    address = conninfo_to_dict(url)
    name, password = str(address.get("user") or ""), str(address.get("password") or "")
    if not name or name == connection.settings_dict["USER"]:
        raise BadRequest("the gateways need a role of their own: another user in ARENA_GATEWAY_DATABASE_URL")
    role = sql.Identifier(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        verb = sql.SQL("ALTER" if cursor.fetchone() else "CREATE")
        driver: Any = connection.connection
        # The server's log may show the statement: it has the hash alone.
        hashed = driver.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
        statements = [
            sql.SQL("{} ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD {}").format(verb, role, hashed),
            sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(role),
        ]
        for model, rights in GATEWAY.items():
            for right, columns in rights.items():
                listed = (
                    sql.SQL("({})").format(sql.SQL(", ").join(map(sql.Identifier, columns))) if columns else sql.SQL("")
                )
                table = sql.Identifier(model._meta.db_table)
                statements.append(sql.SQL("GRANT {} {} ON {} TO {}").format(sql.SQL(right), listed, table, role))
        for statement in statements:
            cursor.execute(statement.as_string(driver))
    return name
