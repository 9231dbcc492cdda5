"""Indexes with which the tables may grow for years."""

from django.db import migrations, models

from webui.ladder.quiet_index import AddIndexQuietly


class Migration(migrations.Migration):
    atomic = False
    dependencies = [("ladder", "0028_packed_logs")]

    operations = [
        AddIndexQuietly(
            model_name="match",
            index=models.Index(
                fields=["finished_at"],
                name="match_log_to_pack",
                condition=models.Q(log_form="ROWS", finished_at__isnull=False),
            ),
        ),
        AddIndexQuietly(
            model_name="match",
            index=models.Index(
                fields=["ladder", "-created_at", "-id"],
                name="match_void_by_ladder",
                condition=models.Q(state__in=["VOID", "ABORTED"]),
            ),
        ),
        AddIndexQuietly(
            model_name="match",
            index=models.Index(
                fields=["-created_at", "-id"], name="match_unrated", condition=models.Q(rated=False)
            ),
        ),
        AddIndexQuietly(
            model_name="publishedrating",
            index=models.Index(fields=["version"], name="published_now", condition=models.Q(is_current=True)),
        ),
    ]
