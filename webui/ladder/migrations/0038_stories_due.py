"""Which matches have no story yet."""

from django.db import migrations, models

from webui.ladder.quiet_index import AddIndexQuietly


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ladder", "0037_following")]

    operations = [
        AddIndexQuietly(
            model_name="match",
            index=models.Index(
                fields=["rules", "-finished_at"],
                name="match_without_story",
                condition=models.Q(state="FINISHED", story_version__isnull=True),
            ),
        ),
    ]
