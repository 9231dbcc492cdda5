"""The declaration of the subject of accounts."""

from collections.abc import Iterator
from typing import Final

from allauth.account.models import EmailAddress, EmailConfirmation
from allauth.mfa.models import Authenticator
from django.contrib.auth.models import Group, Permission
from django.contrib.sessions.models import Session
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.functions import Now

from webui.accounts.actions import old_requests
from webui.accounts.models import ApiRequest, ApiToken, AuditEntry, User, UserSession
from webui.accounts.personal_data import account, history
from webui.core.dbtime import before_now
from webui.core.subjects import ADD, ALL, CHANGE, READ, Document, Rule, Subject

DAY_S: Final = 86400.0
TOKEN_ADDRESS_S: Final = 90 * DAY_S
"""Seconds after its last use after which the address of a token is deleted."""
HISTORY_ADDRESS_S: Final = 365 * DAY_S
"""Seconds after which addresses are deleted from the history of an account."""
CONFIRMATION_S: Final = 30 * DAY_S
"""Seconds after which links that confirm an address are deleted. They expire long before."""


def unused_tokens(model: type[models.Model]) -> models.QuerySet[models.Model]:
    """Return the tokens that have not been used for a long time, and still have an address."""
    unused = Q(last_used_at__lt=before_now(TOKEN_ADDRESS_S)) & ~Q(last_address="")
    return model._default_manager.filter(unused)


def _retention() -> Iterator[Rule]:
    yield Rule("sessions", Session.objects.filter(expire_date__lt=Now()))
    # The table of sessions keeps rows whose Django session is gone.
    live = Session.objects.filter(session_key=OuterRef("session_key"))
    yield Rule("places of sessions", UserSession.objects.filter(~Exists(live), seen_at__lt=before_now(DAY_S)))
    yield Rule("confirmations", EmailConfirmation.objects.filter(created__lt=before_now(CONFIRMATION_S)))
    yield Rule("addresses of tokens", unused_tokens(ApiToken), {"last_address": ""})
    # Bypass `AuditQuerySet`, which refuses updates. The triggers of the database allow this one.
    entries = models.QuerySet[AuditEntry](AuditEntry).filter(at__lt=before_now(HISTORY_ADDRESS_S))
    yield Rule("addresses of history", entries.exclude(address=""), {"address": ""})
    yield Rule("answers of the API", old_requests())


def _personal_data(user_id: int) -> Document:
    return {"account": account(user_id), "history": history(user_id)}


SUBJECT: Final = Subject(
    gateway_rights={User: {"SELECT": ("id", "is_active")}},
    site_rights={
        User: CHANGE,
        AuditEntry: {**ADD, "UPDATE": ("subject", "address", "reason", "changes")},
        **dict.fromkeys((ApiRequest, ApiToken, UserSession, EmailAddress, EmailConfirmation, Authenticator), ALL),
        Permission: READ,
        Group: CHANGE,
        Group.permissions.through: ALL,
        **dict.fromkeys((Session, User.groups.through, User.user_permissions.through), ALL),
    },
    retention=_retention,
    personal_data=_personal_data,
)
