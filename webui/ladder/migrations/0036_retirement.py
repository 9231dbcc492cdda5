"""Bots and versions retire."""

from django.db import migrations, models
from django.db.models import Q


class Migration(migrations.Migration):
    dependencies = [("ladder", "0035_featured")]

    operations = [
        migrations.AddField("bot", "retired_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddField("botversion", "retired_at", models.DateTimeField(blank=True, null=True)),
        migrations.AddConstraint(
            "bot",
            models.CheckConstraint(condition=Q(retired_at=None) | ~Q(state="ACTIVE"), name="bot_retired_is_inactive"),
        ),
    ]
