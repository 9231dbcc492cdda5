"""Roles in PostgreSQL of processes whose ports are open to everybody: nobody gets through them what they cannot read.

Gateways look tokens up, take note of versions, and ask which matches a bot is in. The site shows what is public, and
works on accounts. Neither reads a seed, or the log of a running match: the site has no right on `MatchSecret` and
`EventSecret`, and a policy on `LogRow`, which a migration makes, shows it only matches that have ended. Every other
process has the role that owns the tables.
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
    """Make the role of the gateways, whose address this is, or change it; see `_set_up`."""
    return _set_up(
        url,
        [subject.gateway_rights for subject in subjects()],
        "the gateways need a role of their own: another user in ARENA_GATEWAY_DATABASE_URL",
    )


def set_up_site_role(url: str) -> str:
    """Make the role of the site, whose address this is, or change it; see `_set_up`."""
    return _set_up(
        url,
        [subject.site_rights for subject in subjects()],
        "the site needs a role of its own: another user in ARENA_SITE_DATABASE_URL",
    )


@transaction.atomic
def _set_up(url: str, rights: Iterable[Mapping[Table, Rights]], needs_another: str) -> str:
    """Make the role of this address, or change it, so that it has this password and these rights. Its name.

    Of the address only name and password matter. `BadRequest` where there are no roles, or the name is the owner's.
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
        # The server's log may show the statement: it has the hash alone.
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
