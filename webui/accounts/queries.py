"""Queries about accounts: sessions, the audit log, addresses and second factors."""

from collections.abc import Sequence

from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from django.contrib.sessions.models import Session
from django.db.models import Exists, OuterRef, QuerySet
from django.db.models.functions import Now

from webui.accounts.models import AuditEntry, User, UserSession
from webui.accounts.values import RENAMING_ACTS, Act, AuditLine, Contact, Passkey, SecondFactors, SessionLine
from webui.core.errors import NotFound


def sessions(user_id: int) -> list[SessionLine]:
    """Return the user's sessions, last seen first."""
    lives = Session.objects.filter(session_key=OuterRef("session_key"), expire_date__gt=Now())
    rows = UserSession.objects.filter(Exists(lives), user_id=user_id).order_by("-seen_at", "-pk")
    return [SessionLine(row.pk, row.session_key, row.address, row.agent, row.created_at, row.seen_at) for row in rows]


def audit(account_id: int, *, first: int = 0, most: int = 50) -> Sequence[AuditLine]:
    """Return audit entries of this account, latest first, from entry number `first`."""
    return audit_lines(AuditEntry.objects.filter(account_id=account_id), first=first, most=most)


def audit_lines(rows: QuerySet[AuditEntry], *, first: int, most: int) -> list[AuditLine]:
    """Return some of these audit entries, latest first, from entry number `first`."""
    entries = rows.select_related("actor", "account").order_by("-id")[first : first + most]
    return [
        AuditLine(
            id=row.pk,
            at=row.at,
            actor=row.actor.username if row.actor else "",
            account=row.account.username if row.account else "",
            act=Act(row.act),
            subject=row.subject,
            address=row.address,
            reason=row.reason,
            changes=row.changes,
        )
        for row in entries
    ]


def renamings() -> int:
    """Return the number of acts by which names of users or bots have changed.

    It grows with each commit. The highest id does not, because ids may be committed in another order.
    """
    return AuditEntry.objects.filter(act__in=RENAMING_ACTS).count()


def has_verified_email(user_id: int) -> bool:
    """Return whether the user has followed the link that was sent to the current address."""
    is_verified: bool = EmailAddress.objects.filter(user_id=user_id, primary=True, verified=True).exists()
    return is_verified


def contact(user_id: int) -> Contact:
    """Return the recipient of emails about this user's account. Raise `NotFound` if there is no such user."""
    user = User.objects.filter(pk=user_id).select_related("mail_choice").first()
    if user is None:
        raise NotFound(f"there is no user {user_id}")
    choice = getattr(user, "mail_choice", None)
    return Contact(user.pk, user.username, user.email, choice.language if choice else "")


def second_factors(user_id: int) -> SecondFactors:
    """Return the user's second factors."""
    has_app, passkeys, codes = False, [], 0
    for row in Authenticator.objects.filter(user_id=user_id).order_by("pk"):
        if row.type == Authenticator.Type.TOTP:
            has_app = True
        elif row.type == Authenticator.Type.WEBAUTHN:
            passkeys.append(Passkey(row.pk, row.wrap().name, row.created_at, row.last_used_at))
        else:
            codes = len(row.wrap().get_unused_codes())
    return SecondFactors(has_app, passkeys, codes)
