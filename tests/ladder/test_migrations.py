"""A migration runs before the processes of the new version start, so it must leave the running version working.

Allowed is what a program that knows nothing of it does not notice: a new table, index or column that fills itself. A
column is dropped or renamed in two releases: first nobody uses it, then it goes, and is listed here with the release
that stopped using it.
"""

from typing import Any

import pytest
from django.db import migrations, models
from django.db.migrations.loader import MigrationLoader

from webui.core.subjects import own_models

FIRST = "0001_initial"
"""Nothing runs before the first migration of a subject."""


def later_migrations() -> list[tuple[str, Any]]:
    """Return the migrations of ours that run after the first one of their subject, with their names."""
    ours = {model._meta.app_label for model in own_models()}
    found = sorted(MigrationLoader(None).disk_migrations.items())
    return [(name, migration) for (app, name), migration in found if app in ours and name != FIRST]


EXCUSED: dict[tuple[str, str], str] = {
    ("0002_failures", "Alter field attempts on match"): "it gets a default",
    ("0002_account_notices", "Alter field kind on botnotice"): "it has more choices, which no database checks",
    ("0003_hosted_notices", "Alter field kind on botnotice"): "it has more choices, which no database checks",
    ("0002_people", "Alter field user on person"): "it may repeat now, and each version takes the first row",
}
"""Migration and operation, as the test names them, to the reason why no running version notices."""

UNNOTICED = (
    migrations.CreateModel,
    migrations.AddIndex,
    migrations.RemoveIndex,
    migrations.RemoveConstraint,
    migrations.AlterModelOptions,
    migrations.AlterModelManagers,
    migrations.RunPython,
)


def complaint(operation: Any) -> str:
    """What the running version would notice of it; empty if nothing."""
    if isinstance(operation, UNNOTICED):
        return ""
    if isinstance(operation, migrations.SeparateDatabaseAndState):
        return "; ".join(filter(None, map(complaint, operation.database_operations)))
    if isinstance(operation, migrations.AddField):
        field = operation.field
        if isinstance(field, models.ManyToManyField) or field.null or field.db_default is not models.NOT_PROVIDED:
            return ""
        return f"{operation.describe()}: rows of the running version do not fill it; give it null=True or a db_default"
    return f"{operation.describe()}: the running version may rely on what was before"


def test_no_migration_breaks_the_running_version() -> None:
    found = [
        f"{name}: {words}"
        for name, migration in later_migrations()
        for operation in migration.operations
        if (words := complaint(operation)) and (name, operation.describe()) not in EXCUSED
    ]
    assert not found, "\n".join(found)


def test_what_refers_from_a_table_that_is_written_locks_it_first() -> None:
    """Otherwise the migration and a finish, which take the same two tables in another order, wait for each other."""
    for name, migration in later_migrations():
        referring = any(
            isinstance(operation, migrations.AddField) and operation.field.is_relation
            for operation in migration.operations
        )
        if referring:
            assert isinstance(migration.operations[0], migrations.RunPython), name


TEXT = models.TextField(blank=True, default="")


@pytest.mark.parametrize(
    "operation",
    [
        migrations.RemoveField("match", "owner"),
        migrations.RenameField("match", "owner", "worker"),
        migrations.AlterField("bot", "name", models.CharField(max_length=10)),
        migrations.AddField("match", "note", TEXT),
        migrations.DeleteModel("match"),
        migrations.AddConstraint("match", models.UniqueConstraint(fields=["owner"], name="x")),
        migrations.RunSQL("DROP TABLE matches_match"),
    ],
    ids=lambda operation: type(operation).__name__,
)
def test_what_the_running_version_would_notice(operation: Any) -> None:
    assert complaint(operation)


@pytest.mark.parametrize(
    "field", [models.TextField(null=True), models.TextField(db_default="")], ids=["null", "default"]
)
def test_a_column_that_fills_itself_is_not_noticed(field: Any) -> None:
    assert not complaint(migrations.AddField("match", "note", field))
