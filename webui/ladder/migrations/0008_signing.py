from typing import Any

from django.db import migrations, models
from django.db.models.functions import Now

from webui.ladder.actions.records import complete_records


def add_incidents(apps: Any, schema_editor: Any) -> None:
    """Records from before they told of strikes, absences and forfeits get them from the log, or could not be proved."""
    complete_records(apps)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0007_accounts")]
    operations = [
        migrations.CreateModel(
            "SigningKey",
            [
                ("id", models.CharField(max_length=16, primary_key=True, serialize=False)),
                ("public_key", models.CharField(max_length=64, unique=True)),
                ("created_at", models.DateTimeField(db_default=Now(), editable=False)),
            ],
        ),
        migrations.RunPython(add_incidents, migrations.RunPython.noop),
    ]
