"""The audit log as staff read it."""

from __future__ import annotations

from typing import Final

from webui.accounts.models import AuditEntry, User
from webui.accounts.queries import audit_lines
from webui.accounts.values import STAFF_ACTS, Act, AuditLine
from webui.staff.values import AuditSearch

OPERATOR_NAME: Final = "-"
"""The operator and the arena itself, where a name is asked for."""


def search_audit(wanted: AuditSearch, *, first: int = 0, most: int = 50) -> list[AuditLine]:
    """Entries, the latest first, from number `first` on. Without a name, an act or `is_all` those of staff alone; of a
    subject those whose words are exactly these."""
    rows = AuditEntry.objects.all()
    for field, name in (("actor", wanted.actor), ("account", wanted.account)):
        if name == OPERATOR_NAME:
            rows = rows.filter(**{field: None})
        elif name:
            # The id first, so that an index by it is used.
            user_id = User.objects.filter(username__iexact=name).values_list("pk", flat=True).first()
            if user_id is None:
                return []
            rows = rows.filter(**{field: user_id})
    if wanted.act in Act.__members__:
        rows = rows.filter(act=wanted.act)
    elif not wanted.is_all:
        rows = rows.filter(act__in=[str(act) for act in STAFF_ACTS])
    if wanted.subject:
        rows = rows.filter(subject=wanted.subject)
    return audit_lines(rows, first=first, most=most)


def history_of(*subjects: str, acts: tuple[Act, ...], most: int = 20) -> list[AuditLine]:
    """What was done by these acts to what has one of these names, the latest first."""
    return audit_lines(AuditEntry.objects.filter(act__in=acts, subject__in=subjects), first=0, most=most)
