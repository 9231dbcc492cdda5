"""The audit log: every action on an account, and every act of staff, says so in the transaction in which it is done.

What django-allauth does by itself (sign-in, passwords, apps, passkeys) is noted right after it was committed.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webui.accounts import names
from webui.accounts.models import AuditEntry
from webui.accounts.values import Act, Actor
from webui.core.errors import BadRequest

LONGEST_REASON: Final = 200
"""Characters of a reason."""


def record_act(
    act: Act,
    account_id: int | None,
    *,
    by: Actor,
    subject: str = "",
    reason: str = "",
    changes: Mapping[str, Sequence[Any]] | None = None,
) -> int:
    """Add an entry to the audit log, in the caller's transaction if it has one; its id. `changes`: what was before and
    after, by name."""
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
    """A reason as it is kept; `BadRequest` for one that nobody could read."""
    reason = " ".join(reason.split())
    if not reason or len(reason) > LONGEST_REASON:
        raise BadRequest(f"give a reason of 1 to {LONGEST_REASON} characters")
    names.check_characters(reason, "a reason")
    return reason
