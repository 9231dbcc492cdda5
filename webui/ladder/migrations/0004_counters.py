from typing import Any

from django.db import migrations


def count(apps: Any, schema_editor: Any) -> None:
    """Wins of what was played before they were counted. A later finish counts on from here."""
    Standing, RatingEntry = (apps.get_model("ladder", name) for name in ("Standing", "RatingEntry"))
    for row in Standing.objects.all().iterator():
        entries = RatingEntry.objects.filter(ladder_id=row.ladder_id, version_id=row.version_id)
        row.wins = entries.filter(placement=1).count()
        row.save(update_fields=["wins"])


class Migration(migrations.Migration):
    dependencies = [("ladder", "0003_lists")]
    operations = [migrations.RunPython(count, migrations.RunPython.noop)]
