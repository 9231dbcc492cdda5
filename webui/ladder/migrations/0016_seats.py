from typing import Any

from django.db import migrations, models


def lock(apps: Any, schema_editor: Any) -> None:
    """Take both locks before anything is changed, in the order in which a finish writes these tables."""
    if schema_editor.connection.vendor == "postgresql":
        schema_editor.execute("LOCK TABLE ladder_participant IN SHARE MODE")
        schema_editor.execute("LOCK TABLE ladder_standing IN ACCESS EXCLUSIVE MODE")


class Migration(migrations.Migration):

    dependencies = [
        ('ladder', '0015_fairness'),
    ]

    operations = [
        migrations.RunPython(lock, migrations.RunPython.noop),
        migrations.AddField(
            model_name='standing',
            name='seats',
            field=models.JSONField(db_default=models.Value([], models.JSONField()), default=list),
        ),
        migrations.AddIndex(
            model_name='participant',
            index=models.Index(condition=models.Q(('has_declined', True)), fields=['version'], name='participant_declined'),
        ),
    ]
