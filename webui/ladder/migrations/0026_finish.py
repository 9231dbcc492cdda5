"""Matches of a state in the order of their ends, which the stream of all finished matches reads batch by batch."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ladder", "0025_webhooks")]

    operations = [
        migrations.AddIndex(
            model_name="match",
            index=models.Index(fields=["state", "finished_at", "id"], name="match_by_state_and_finish"),
        ),
    ]
