"""A decision changes no index of its match's row, and two of its log entry instead of four."""

from typing import Any

import django.db.models.deletion
from django.db import migrations, models

from webui.ladder.quiet_index import RemoveIndexQuietly, drop_index

LOG_BY_MATCH = "ladder_logrow_match_id_8ec64843"
"""An index of the matches alone, which `log_number_once_a_match` begins with; the second one is of PostgreSQL."""


def drop_log_index(apps: Any, schema_editor: Any) -> None:
    for name in (LOG_BY_MATCH, f"{LOG_BY_MATCH}_like"):
        drop_index(schema_editor, name)


def make_log_index(apps: Any, schema_editor: Any) -> None:
    schema_editor.execute(f'CREATE INDEX IF NOT EXISTS "{LOG_BY_MATCH}" ON "ladder_logrow" ("match_id")')
    if schema_editor.connection.vendor == "postgresql":
        like = f'"{LOG_BY_MATCH}_like" ON "ladder_logrow" ("match_id" varchar_pattern_ops)'
        schema_editor.execute(f"CREATE INDEX IF NOT EXISTS {like}")


def leave_room(apps: Any, schema_editor: Any) -> None:
    # For the next form of a row, on its own page.
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute('ALTER TABLE "ladder_match" SET (fillfactor = 80)')


def leave_none(apps: Any, schema_editor: Any) -> None:
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute('ALTER TABLE "ladder_match" RESET (fillfactor)')


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ladder", "0038_stories_due")]

    operations = [
        RemoveIndexQuietly(model_name="match", name="match_by_lease"),
        migrations.RunPython(leave_room, leave_none),
        # SQLite would copy the whole table to change the field.
        migrations.SeparateDatabaseAndState(
            database_operations=[migrations.RunPython(drop_log_index, make_log_index)],
            state_operations=[
                migrations.AlterField(
                    model_name="logrow",
                    name="match",
                    field=models.ForeignKey(
                        db_index=False,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="log",
                        to="ladder.match",
                    ),
                ),
            ],
        ),
    ]
