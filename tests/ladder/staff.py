"""What tests of staff share: why they act, what the audit log has of it, and the commands of the operator."""

from __future__ import annotations

from typing import Any

from typer.testing import CliRunner

from webui.accounts.models import AuditEntry
from webui.accounts.values import Act
from webui.commands import admin

WHY = "Its gateway has died"


def entries(act: Act) -> list[tuple[str, str, Any]]:
    """Subject, reason and changes of what was done so, the latest first."""
    rows = AuditEntry.objects.filter(act=act).order_by("-pk")
    return list(rows.values_list("subject", "reason", "changes"))


def run(*words: str) -> str:
    result = CliRunner().invoke(admin.app, list(words))
    if result.exception is not None:
        raise result.exception
    return result.output
