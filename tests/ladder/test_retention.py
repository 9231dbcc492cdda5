"""What is kept for a time goes when it is over, in small transactions, and nothing else does."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress, EmailConfirmation
from django.contrib.sessions.models import Session
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from webui.accounts import actions as account_actions
from webui.accounts.models import ApiRequest, ApiToken, AuditEntry, UserSession
from webui.accounts.values import Act
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.bots.models import Bot, BotToken
from webui.core import subjects
from webui.notices.models import BotNotice, BotNoticeKind, MailState
from webui.webhooks.models import Delivery, Webhook, WebhookKind

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]

DAYS = {  # what docs/security.md says
    "sessions": 0,
    "confirmations": 30,
    "addresses of tokens": 90,
    "addresses of history": 365,
    "notices": 180,
    "messages of webhooks": 30,
    "answers of the API": 1,
}


def ago(days: float) -> Any:
    return timezone.now() - timedelta(days=days)


def an_account(days: float) -> int:
    """One of everything that is kept for a time, all as old as this."""
    number = Bot.objects.count()
    user = account_actions.create_user(f"owner-{number}", None)
    bot = bot_actions.register_bot(user, f"Bot {number}")
    at = ago(days)
    key = f"key-{number}"
    Session.objects.create(session_key=key, session_data="", expire_date=at)
    UserSession.objects.create(user_id=user, session_key=key, address="203.0.113.1", seen_at=at)
    email = EmailAddress.objects.create(user_id=user, email=f"{key}@example.org")
    EmailConfirmation.objects.create(email_address=email, key=key, created=at)
    used = {"last_used_at": at, "last_address": "203.0.113.1"}
    BotToken.objects.filter(pk=token_actions.issue_token(bot).token_id).update(**used)
    ApiToken.objects.filter(pk=token_actions.issue_api_token(user, ["read"]).token_id).update(**used)
    AuditEntry.objects.create(
        at=at, account_id=user, actor_id=user, act=Act.BOT_PAUSED, subject="a bot", address="203.0.113.1"
    )
    BotNotice.objects.create(
        user_id=user, kind=BotNoticeKind.values[0], about="x", number=1, data={}, mail=MailState.NONE
    )
    BotNotice.objects.filter(user_id=user).update(at=at)
    hook = Webhook.objects.create(user_id=user, url="https://example.org/", kinds=[], secret="x")
    Delivery.objects.create(
        webhook=hook, message=key, kind=WebhookKind.TEST, about="", body="", state="received", until=at
    )
    Delivery.objects.filter(webhook=hook).update(at=at)
    ApiRequest.objects.create(user_id=user, key=key, digest="", status=200, answer="")
    ApiRequest.objects.filter(user_id=user).update(created_at=at)
    return user


@pytest.mark.parametrize("name", DAYS)
def test_what_is_old_goes_and_what_is_younger_stays(name: str) -> None:
    days = DAYS[name]
    an_account(days - 0.01)
    young = subjects.let_go()
    assert name not in young
    an_account(days + 0.01)
    gone = subjects.let_go()
    assert gone[name] == (2 if name == "addresses of tokens" else 1)
    assert name not in subjects.let_go()


def test_a_list_of_sessions_is_as_long_as_the_sessions() -> None:
    user = an_account(2)
    Session.objects.create(session_key="live", session_data="", expire_date=ago(-1))
    UserSession.objects.create(user_id=user, session_key="live", address="203.0.113.1", seen_at=ago(2))
    UserSession.objects.create(user_id=user, session_key="just made", address="203.0.113.1", seen_at=ago(0))
    gone = subjects.let_go()
    assert gone["places of sessions"] == 1
    assert set(UserSession.objects.values_list("session_key", flat=True)) == {"live", "just made"}


def test_the_history_keeps_all_but_the_address() -> None:
    user = an_account(400)
    subjects.let_go()
    entry = AuditEntry.objects.filter(account_id=user).latest("pk")
    assert (entry.act, entry.subject, entry.address) == (Act.BOT_PAUSED, "a bot", "")
    raw: Any = type(AuditEntry.objects.all()).__mro__[1](AuditEntry)
    for change in ({"subject": "another bot", "address": ""}, {"address": "203.0.113.2"}, {"act": "SIGNED_IN"}):
        with pytest.raises(DatabaseError), transaction.atomic():
            raw.filter(pk=entry.pk).update(**change)


def test_many_rows_go_in_small_transactions_and_a_process_that_stops_leaves_the_rest() -> None:
    Session.objects.bulk_create(
        Session(session_key=f"{number}", session_data="", expire_date=ago(1)) for number in range(25)
    )
    asked = iter([False, False, True])
    assert subjects.let_go(lambda: next(asked, True), batch=10) == {"sessions": 20}
    with CaptureQueriesContext(connection) as queried:
        assert subjects.let_go(batch=10) == {"sessions": 5}
    assert len(queried) < 95
