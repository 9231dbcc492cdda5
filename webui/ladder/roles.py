"""Roles in PostgreSQL of processes whose ports are open to everybody: nobody gets through them what they cannot read.

Gateways look tokens up, take note of versions, and ask which matches a bot is in. The site shows what is public, and
works on accounts. Neither reads a seed, or the log of a running match: the site has no right on `MatchSecret` and
`EventSecret`, and a policy on `LogRow`, which a migration makes, shows it only matches that have ended. Every other
process has the role that owns the tables.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group, Permission
from django.contrib.contenttypes.models import ContentType
from django.contrib.sessions.models import Session
from django.db import connection, models, transaction
from django.db.migrations.recorder import MigrationRecorder
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from webui.ladder.models import (
    ApiRequest,
    ApiToken,
    AuditEntry,
    Bot,
    BotNotice,
    BotToken,
    BotVersion,
    Challenge,
    ChallengeMatch,
    ChallengeSeat,
    ChallengeTerms,
    Comparison,
    ComparisonMatch,
    DataFile,
    Delivery,
    DoctorRun,
    EventBot,
    EventMatch,
    EventRow,
    Exclusion,
    FactRow,
    FairnessReport,
    FeaturedMatch,
    Fit,
    Follow,
    Ladder,
    LadderTerms,
    LogRow,
    MailChoice,
    Match,
    MatchOrder,
    MatchRecord,
    Notice,
    OfferEntry,
    OfferHead,
    OverheadSample,
    PackedLog,
    Participant,
    PublishedRating,
    RatingEntry,
    RunningProcess,
    SigningKey,
    SpectatorRow,
    Standing,
    StatusHour,
    Story,
    User,
    UserSession,
    Webhook,
)
from webui.ladder.values import BadRequest

Rights = Mapping[str, tuple[str, ...]]
"""Privileges on some columns of a table or (empty) on all of them."""

READ: Final[Rights] = {"SELECT": ()}
ADD: Final[Rights] = {**READ, "INSERT": ()}
CHANGE: Final[Rights] = {**ADD, "UPDATE": ()}
ALL: Final[Rights] = {**CHANGE, "DELETE": ()}

GATEWAY: Final[dict[type[models.Model] | str, Rights]] = {
    User: {"SELECT": ("id", "is_active")},
    Bot: {"SELECT": (), "UPDATE": ("created_at",)},  # that of a column that never changes, to lock a row
    BotVersion: {**ADD, "UPDATE": ("note", "is_ready"), "DELETE": ()},  # released ones, which nothing refers to
    BotToken: {"SELECT": (), "UPDATE": ("last_used_at", "last_address")},
    Match: {"SELECT": ("id", "state")},
    Participant: READ,
    RunningProcess: ALL,
    Exclusion: ADD,  # a new version is held until its examination
    MigrationRecorder.Migration: READ,  # a new gateway waits for its tables
}

SITE: Final[dict[type[models.Model] | str, Rights]] = {
    **dict.fromkeys((LogRow, Match, MatchRecord, OfferEntry, OfferHead, PackedLog, Participant), READ),
    **dict.fromkeys((PublishedRating, RatingEntry, SigningKey, SpectatorRow, Standing), READ),
    Fit: {**READ, "UPDATE": ("made_at",)},  # who retires leaves the front view: a fit becomes due
    Ladder: {**ADD, "UPDATE": ("delay",)},
    LadderTerms: CHANGE,
    MatchOrder: ADD,  # a worker carries it out
    FactRow: ADD,
    **dict.fromkeys((ChallengeMatch, ComparisonMatch, DataFile, EventMatch, FairnessReport, FeaturedMatch), READ),
    **dict.fromkeys((DoctorRun, OverheadSample, StatusHour, Story), READ),
    BotVersion: {**ADD, "UPDATE": ("note", "is_ready", "retired_at")},
    Exclusion: {**READ, "UPDATE": ("asked_at", "examination_id")},
    Comparison: {**ADD, "UPDATE": ("state", "ended_at", "moved_at")},
    Challenge: {**ADD, "UPDATE": ("state", "ended_at")},
    ChallengeSeat: ADD,
    **dict.fromkeys((ChallengeTerms, ChallengeTerms.friends.through), ALL),
    **dict.fromkeys((EventRow, EventBot), CHANGE),
    EventRow.helpers.through: ALL,
    AuditEntry: {**ADD, "UPDATE": ("subject", "address", "reason", "changes")},
    **dict.fromkeys((User, Bot, BotToken), CHANGE),
    **dict.fromkeys(
        (
            ApiRequest,
            ApiToken,
            Delivery,
            RunningProcess,
            UserSession,
            Webhook,
            Notice,
            BotNotice,
            Follow,
            MailChoice,
            EmailAddress,
            EmailConfirmation,
            Authenticator,
        ),
        ALL,
    ),
    # Django's own
    **dict.fromkeys((Permission, ContentType, MigrationRecorder.Migration), READ),
    **dict.fromkeys((Group, Group.permissions.through, User.groups.through), READ),  # Django asks for rights there, too
    **dict.fromkeys((Session, User.user_permissions.through), ALL),
    "cache": ALL,
}


def set_up_gateway_role(url: str) -> str:
    """Make the role of the gateways, whose address this is, or change it; see `_set_up`."""
    return _set_up(url, GATEWAY, "the gateways need a role of their own: another user in ARENA_GATEWAY_DATABASE_URL")


def set_up_site_role(url: str) -> str:
    """Make the role of the site, whose address this is, or change it; see `_set_up`."""
    return _set_up(url, SITE, "the site needs a role of its own: another user in ARENA_SITE_DATABASE_URL")


@transaction.atomic
def _set_up(url: str, rights: Mapping[type[models.Model] | str, Rights], needs_another: str) -> str:
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
        for table, on_table in rights.items():
            place = sql.Identifier(table if isinstance(table, str) else table._meta.db_table)
            for right, columns in on_table.items():
                listed = (
                    sql.SQL("({})").format(sql.SQL(", ").join(map(sql.Identifier, columns))) if columns else sql.SQL("")
                )
                statements.append(sql.SQL("GRANT {} {} ON {} TO {}").format(sql.SQL(right), listed, place, role))
        for statement in statements:
            cursor.execute(statement.as_string(driver))
    return name
