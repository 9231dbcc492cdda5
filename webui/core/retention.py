"""Retention: every night, rows that are no longer kept are deleted or emptied.

Each subject declares its rules (`webui.core.subjects`); docs/security.md has the table with the reasons. Rows are
deleted in transactions of at most `BATCH`. If the process is killed, the next night does the rest.
"""

from collections.abc import Callable
from typing import Final

from django.db import models, transaction

from webui.core.subjects import Rule, subjects

BATCH: Final = 500
"""Maximum number of rows in one transaction."""


def let_go(is_stopping: Callable[[], bool] = lambda: False, batch: int = BATCH) -> dict[str, int]:
    """Delete or empty everything that is no longer kept. Return the number of rows by the name of their rule."""
    gone: dict[str, int] = {}
    for subject in subjects():
        for rule in subject.retention():
            while not is_stopping() and (count := _apply(rule, batch)):
                gone[rule.name] = gone.get(rule.name, 0) + count
    return gone


@transaction.atomic
def _apply(rule: Rule, batch: int) -> int:
    keys = list(rule.rows.order_by("pk").values_list("pk", flat=True)[:batch])
    chosen = rule.rows.model._base_manager.filter(pk__in=keys)
    if rule.values is None:
        return sum(chosen.delete()[1].values())
    return models.QuerySet(rule.rows.model).filter(pk__in=chosen.values("pk")).update(**rule.values)
