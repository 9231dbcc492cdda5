"""The audit log: every act leaves its entry, and no entry ever changes."""

from importlib import import_module

import pytest
from django.db import IntegrityError, connection, transaction

from webui.accounts import actions as account_actions
from webui.accounts import queries as account_queries
from webui.accounts.models import AuditEntry
from webui.accounts.values import Act, Actor
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.core.errors import TooMany

pytestmark = pytest.mark.database_specific

GUARDS = import_module("webui.accounts.migrations.0001_initial").AUDIT_GUARDS
PASSWORD = "sirocco-7-dunes"


@pytest.fixture
def guarded(db: None, database: str) -> None:
    """The database with every trigger that migrations make; `tests/conftest.py` says why SQLite lacks one."""
    if database == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute(GUARDS["sqlite"][1])


CHANGES = (
    "DELETE FROM accounts_auditentry",
    "UPDATE accounts_auditentry SET act = 'SIGNED_IN'",
    "UPDATE accounts_auditentry SET at = '2020-01-01 00:00:00+00:00'",
    "UPDATE accounts_auditentry SET actor_id = account_id",
    "UPDATE accounts_auditentry SET actor_id = NULL, subject = '', address = ''",
    "UPDATE accounts_auditentry SET subject = 'other'",
    "UPDATE accounts_auditentry SET subject = 'other', address = ''",
    "UPDATE accounts_auditentry SET address = '203.0.113.8'",
    "UPDATE accounts_auditentry SET reason = 'other'",
    "UPDATE accounts_auditentry SET reason = 'other', address = ''",
    "UPDATE accounts_auditentry SET reason = ''",
    "UPDATE accounts_auditentry SET changes = '{}'",
    "UPDATE accounts_auditentry SET changes = '{}', address = ''",
    "UPDATE accounts_auditentry SET changes = NULL",
)
LET_PASS = (
    "UPDATE accounts_auditentry SET address = ''",
    "UPDATE accounts_auditentry SET subject = '', address = '', reason = '', changes = NULL",
)
"""What is done after a year, and at an erasure."""


@pytest.mark.django_db
@pytest.mark.usefixtures("guarded")
def test_the_database_refuses_every_change_but_what_forgets() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    other = account_actions.create_user("tariq", PASSWORD)
    by, changes = Actor(other, "203.0.113.7"), {"state": ("ACTIVE", "LOCKED")}
    account_actions.record_act(Act.BOT_LOCKED, owner, by=by, subject="Fox", reason="It floods", changes=changes)
    for change in CHANGES:
        with pytest.raises(IntegrityError, match="append-only"), transaction.atomic(), connection.cursor() as cursor:
            cursor.execute(change)
    (before,) = (line for line in account_queries.audit(owner) if line.act == Act.BOT_LOCKED)
    assert (before.reason, before.changes, before.address) == ("It floods", {"state": ["ACTIVE", "LOCKED"]}, by.address)
    left = (("Fox", "It floods", {"state": ["ACTIVE", "LOCKED"]}), ("", "", None))
    for change, words in zip(LET_PASS, left, strict=True):
        with connection.cursor() as cursor:
            cursor.execute(change)
        (line,) = (line for line in account_queries.audit(owner) if line.act == Act.BOT_LOCKED)
        assert (line.subject, line.reason, line.changes) == words and line.address == ""


@pytest.mark.django_db
def test_no_code_changes_an_entry() -> None:
    account_actions.create_user("nadir", PASSWORD)
    entry = AuditEntry.objects.get()
    for change in (entry.save, entry.delete, AuditEntry.objects.all().delete, AuditEntry.objects.all().update):
        with pytest.raises(TypeError, match="append-only"):
            change()


@pytest.mark.django_db
def test_acts_leave_entries_with_who_and_where() -> None:
    owner = account_actions.create_user("nadir", PASSWORD)
    by = Actor(owner, "203.0.113.7")
    bot = bot_actions.register_bot(owner, "Fox", by=by)
    token = token_actions.issue_token(bot, label="box", by=by)
    token_actions.revoke_token(token.token_id, by=by)
    token_actions.revoke_token(token.token_id, by=by)
    for state in ("PAUSED", "PAUSED", "ACTIVE"):
        bot_actions.set_bot_state(bot, state, by=by)
    account_actions.set_email(owner, "nadir@example.org", by=by)
    prefix = token.token[:11]
    assert [(line.act, line.subject) for line in reversed(account_queries.audit(owner))] == [
        (Act.ACCOUNT_MADE, ""),
        (Act.BOT_REGISTERED, "Fox"),
        (Act.TOKEN_ISSUED, f"Fox: {prefix}… (box)"),
        (Act.TOKEN_REVOKED, f"Fox: {prefix}… (box)"),
        (Act.BOT_PAUSED, "Fox"),
        (Act.BOT_RESUMED, "Fox"),
        (Act.EMAIL_CHANGED, ""),
    ]
    assert {(line.actor, line.address) for line in account_queries.audit(owner)[:-1]} == {("nadir", "203.0.113.7")}


@pytest.mark.django_db
def test_what_is_refused_leaves_none() -> None:
    bot = bot_actions.register_bot(account_actions.create_user("nadir", PASSWORD), "Fox")
    before = AuditEntry.objects.count()
    for _ in range(50):
        token_actions.issue_token(bot)
    with pytest.raises(TooMany):
        token_actions.issue_token(bot)
    assert AuditEntry.objects.count() == before + 50
