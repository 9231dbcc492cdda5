"""Search the audit log for staff."""

from __future__ import annotations

from typing import Final

from webui.accounts.models import AuditEntry, User
from webui.accounts.queries import audit_lines
from webui.accounts.values import STAFF_ACTS, Act, AuditLine
from webui.staff.values import AuditSearch

OPERATOR_NAME: Final = "-"
"""Name that stands for the operator and the arena itself in a search."""


def search_audit(wanted: AuditSearch, *, first: int = 0, most: int = 50) -> list[AuditLine]:
    """Return at most `most` entries from number `first` on, latest first.

    Without a name, an act or `is_all`, only entries of staff are returned. A subject must match exactly.
    """
    rows = AuditEntry.objects.all()
    for field, name in (("actor", wanted.actor), ("account", wanted.account)):
        if name == OPERATOR_NAME:
            rows = rows.filter(**{field: None})
        elif name:
            # Look up the id first, so that the query uses an index.
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
    """Return what these acts did to the subjects with these names, latest first."""
    return audit_lines(AuditEntry.objects.filter(act__in=acts, subject__in=subjects), first=0, most=most)
