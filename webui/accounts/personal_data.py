"""Everything that the arena stores about a person, as documents."""

from datetime import datetime
from typing import Any

from webui.accounts.models import AuditEntry, User
from webui.accounts.queries import audit, second_factors, sessions
from webui.core.errors import NotFound
from webui.core.subjects import Document, subjects


def personal_data(user_id: int) -> dict[str, Any]:
    """Return everything that is stored about a user, by section, as the subjects declare it.

    Secrets are left out, and so are the matches of the user's bots (`webui.matches.queries.personal_matches`). Raise
    `NotFound` if there is no such user.
    """
    if not User.objects.filter(pk=user_id).exists():
        raise NotFound(f"there is no user {user_id}")
    sections: dict[str, Any] = {}
    for subject in subjects():
        for section, part in subject.personal_data(user_id).items():
            sections[section] = {**sections[section], **part} if section in sections else part
    return sections


def account(user_id: int) -> Document:
    """Return the account of a user: name, address, second factors and sessions."""
    user = User.objects.get(pk=user_id)
    factors = second_factors(user.pk)
    return {
        "name": user.username,
        "email": user.email,
        "joined": time_text(user.date_joined),
        "last_sign_in": time_text(user.last_login),
        "authenticator_app": factors.has_app,
        "passkeys": [
            {"name": key.name, "added": time_text(key.created_at), "last_used": time_text(key.last_used_at)}
            for key in factors.passkeys
        ],
        "recovery_codes_left": factors.codes_left,
        "sessions": [
            {
                "address": line.address,
                "browser": line.agent,
                "signed_in": time_text(line.created_at),
                "seen": time_text(line.seen_at),
            }
            for line in sessions(user.pk)
        ],
    }


def history(user_id: int) -> Document:
    """Return what was done with the account, and the user's acts on other accounts, which are not named."""
    return {
        "account": [
            {
                "at": time_text(line.at),
                "what": line.act,
                "subject": line.subject,
                "by": line.actor or "operator",
                "address": line.address,
            }
            for line in audit(user_id, most=AuditEntry.objects.filter(account_id=user_id).count())
        ],
        "elsewhere": [
            {"at": time_text(at), "what": act, "address": address}
            for at, act, address in AuditEntry.objects.filter(actor_id=user_id)
            .exclude(account_id=user_id)
            .order_by("-pk")
            .values_list("at", "act", "address")
        ],
    }


def time_text(when: datetime | None) -> str | None:
    """Return a time as text (ISO 8601); None stays None."""
    return when.isoformat() if when else None
