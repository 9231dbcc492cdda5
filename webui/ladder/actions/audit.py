"""The audit log: every action on an account says so in the transaction in which it is done.

What django-allauth does by itself (sign-in, passwords, apps, passkeys) is noted right after it was committed.
"""

from webui.ladder.models import AuditEntry
from webui.ladder.values import Act, Actor


def record_act(act: Act, account_id: int | None, *, by: Actor, subject: str = "") -> None:
    """Add an entry to the audit log, in the caller's transaction if it has one."""
    AuditEntry.objects.create(
        act=act, account_id=account_id, actor_id=by.user_id, subject=subject[:200], address=by.address[:64]
    )
