"""The audit log. Every action on an account, and every act of staff, adds an entry in its own transaction.

django-allauth handles sign-in, passwords, apps and passkeys itself. Their entries are added right after the commit.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webui.accounts import names
from webui.accounts.models import AuditEntry
from webui.accounts.values import Act, Actor
from webui.core.errors import BadRequest

LONGEST_REASON: Final = 200
"""Maximum length of a reason, in characters."""


def record_act(
    act: Act,
    account_id: int | None,
    *,
    by: Actor,
    subject: str = "",
    reason: str = "",
    changes: Mapping[str, Sequence[Any]] | None = None,
) -> int:
    """Add an entry to the audit log, in the caller's transaction if there is one. Return its id.

    `changes` has the value before and after the act, by name.
    """
    entry = AuditEntry.objects.create(
        act=act,
        account_id=account_id,
        actor_id=by.user_id,
        subject=subject[:200],
        address=by.address[:64],
        reason=reason[:200],
        changes=None if changes is None else {name: list(pair) for name, pair in changes.items()},
    )
    return entry.pk


def check_reason(reason: str) -> str:
    """Return a reason in its stored form. Raise `BadRequest` if it is empty, too long, or has invisible characters."""
    reason = " ".join(reason.split())
    if not reason or len(reason) > LONGEST_REASON:
        raise BadRequest(f"give a reason of 1 to {LONGEST_REASON} characters")
    names.check_characters(reason, "a reason")
    return reason
