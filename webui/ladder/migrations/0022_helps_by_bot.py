"""Who helped whom was measured by names of bots, and is by their ids now: what was measured before is measured anew."""

from typing import Any

from django.db import migrations


def forget(apps: Any, schema_editor: Any) -> None:
    """All rows, of which there are at most those of a month; reports of former days show nothing."""
    apps.get_model("ladder", "HelpMeasure").objects.all().delete()
    apps.get_model("ladder", "FairnessReport").objects.filter(pairs__isnull=False).update(pairs=None)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0021_challenges")]

    operations = [migrations.RunPython(forget, migrations.RunPython.noop)]
