from typing import Any

import django.db.models.deletion
from django.db import migrations, models

GUARDS = {
    "sqlite": (
        """CREATE TRIGGER offer_is_not_changed BEFORE UPDATE ON ladder_offerentry
            BEGIN SELECT RAISE(ABORT, 'the log of offers is append-only'); END""",
        """CREATE TRIGGER offer_is_not_deleted BEFORE DELETE ON ladder_offerentry
            BEGIN SELECT RAISE(ABORT, 'the log of offers is append-only'); END""",
    ),
    "postgresql": (
        """CREATE OR REPLACE FUNCTION offers_are_append_only() RETURNS trigger LANGUAGE plpgsql AS
            $$ BEGIN RAISE EXCEPTION 'the log of offers is append-only'
                USING ERRCODE = 'integrity_constraint_violation'; END $$""",
        """CREATE TRIGGER offer_is_not_changed BEFORE UPDATE OR DELETE ON ladder_offerentry
            FOR EACH ROW EXECUTE FUNCTION offers_are_append_only()""",
    ),
}


def guard(apps: Any, schema_editor: Any) -> None:
    """Have the database itself refuse changes of the log of offers."""
    for statement in GUARDS[schema_editor.connection.vendor]:
        schema_editor.execute(statement, params=None)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0008_signing")]
    operations = [
        migrations.CreateModel(
            "OfferHead",
            [
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("length", models.PositiveIntegerField(default=0)),
                ("digest", models.CharField(max_length=64)),
            ],
            {"constraints": [models.CheckConstraint(condition=models.Q(("id", 1)), name="offer_head_once")]},
        ),
        migrations.CreateModel(
            "OfferEntry",
            [
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                (
                    "match",
                    models.OneToOneField(
                        on_delete=django.db.models.deletion.PROTECT, related_name="offer", to="ladder.match"
                    ),
                ),
                ("document", models.TextField()),
                ("key", models.CharField(max_length=16)),
                ("signature", models.CharField(max_length=128)),
            ],
            {
                "verbose_name_plural": "offer entries",
                "constraints": [
                    models.CheckConstraint(condition=models.Q(("number__gte", 1)), name="offer_number_from_1")
                ],
            },
        ),
        migrations.RunPython(guard, migrations.RunPython.noop),
    ]
