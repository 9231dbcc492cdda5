from typing import Any

from django.db import migrations, models
from django.db.models.deletion import CASCADE
from django.db.models.functions import Now

GUARDS = (
    # First of all, in the order of every append: taken after the log's table, this lock and an append wait for each other.
    "LOCK TABLE ladder_match IN SHARE ROW EXCLUSIVE MODE",
    # The owner of the table is not bound by it.
    "ALTER TABLE ladder_logrow ENABLE ROW LEVEL SECURITY",
    "DROP POLICY IF EXISTS logs_of_ended_matches ON ladder_logrow",  # migrated back and forth
    """CREATE POLICY logs_of_ended_matches ON ladder_logrow FOR SELECT USING (EXISTS (
        SELECT 1 FROM ladder_match WHERE ladder_match.id = ladder_logrow.match_id AND finished_at IS NOT NULL))""",
)


def guard(apps: Any, schema_editor: Any) -> None:
    """Have PostgreSQL keep the logs of running matches from other roles than the owner's, whatever else these may."""
    if schema_editor.connection.vendor == "postgresql":
        for statement in GUARDS:
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0009_offers")]
    operations = [
        migrations.CreateModel(
            "SpectatorRow",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("ply", models.PositiveIntegerField()),
                ("index", models.PositiveIntegerField()),
                ("seat", models.PositiveSmallIntegerField()),
                ("text", models.TextField(blank=True)),
                ("chance", models.JSONField()),
                ("view", models.BinaryField()),
                ("at", models.DateTimeField(db_default=Now(), editable=False)),
                (
                    "match",
                    models.ForeignKey(
                        db_index=False, on_delete=CASCADE, related_name="spectator_rows", to="ladder.match"
                    ),
                ),
            ],
            {
                "ordering": ["match", "ply"],
                "constraints": [models.UniqueConstraint(fields=["match", "ply"], name="spectator_ply_once_a_match")],
            },
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
    ]
