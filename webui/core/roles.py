"""PostgreSQL roles of the processes that the public can reach, so that an attacker cannot read more than they can.

Gateways look up tokens, add versions, and ask which matches a bot is in. The site shows public data, and changes
accounts. Neither can read a seed, or the log of a running match. The site has no rights on `MatchSecret` and
`EventSecret`. A policy on `LogRow`, made by a migration, shows it only matches that have ended. Every other process has
the role that owns the tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db import connection, transaction
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from webui.core.errors import BadRequest
from webui.core.subjects import Rights, Table, subjects


def set_up_gateway_role(url: str) -> str:
    """Make or change the role of the gateways. `url` is the address of their database. See `_set_up`."""
    return _set_up(
        url,
        [subject.gateway_rights for subject in subjects()],
        "the gateways need a role of their own: another user in ARENA_GATEWAY_DATABASE_URL",
    )


def set_up_site_role(url: str) -> str:
    """Make or change the role of the site. `url` is the address of its database. See `_set_up`."""
    return _set_up(
        url,
        [subject.site_rights for subject in subjects()],
        "the site needs a role of its own: another user in ARENA_SITE_DATABASE_URL",
    )


@transaction.atomic
def _set_up(url: str, rights: Iterable[Mapping[Table, Rights]], needs_another: str) -> str:
    """Make the role of this address, or change its password and rights. Return its name.

    Only the name and the password in the address matter. Raise `BadRequest` if the database has no roles, or if the
    name is the owner's. `needs_another` is the message in the second case.
    """
    if connection.vendor != "postgresql":
        raise BadRequest("only PostgreSQL has roles")
    address = conninfo_to_dict(url)
    name, password = str(address.get("user") or ""), str(address.get("password") or "")
    if not name or name == connection.settings_dict["USER"]:
        raise BadRequest(needs_another)
    role = sql.Identifier(name)
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1 FROM pg_roles WHERE rolname = %s", [name])
        verb = sql.SQL("ALTER" if cursor.fetchone() else "CREATE")
        driver: Any = connection.connection
        # The server's log may show the statement, so it contains only the hash.
        hashed = driver.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
        statements = [
            sql.SQL(
                "{} ROLE {} LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD {}"
            ).format(verb, role, hashed),
            sql.SQL("REVOKE ALL ON ALL TABLES IN SCHEMA public FROM {}").format(role),
        ]
        for table, on_table in (pair for of_subject in rights for pair in of_subject.items()):
            place = sql.Identifier(table if isinstance(table, str) else table._meta.db_table)
            for right, columns in on_table.items():
                listed = (
                    sql.SQL("({})").format(sql.SQL(", ").join(map(sql.Identifier, columns))) if columns else sql.SQL("")
                )
                statements.append(sql.SQL("GRANT {} {} ON {} TO {}").format(sql.SQL(right), listed, place, role))
        for statement in statements:
            cursor.execute(statement.as_string(driver))
    return name
