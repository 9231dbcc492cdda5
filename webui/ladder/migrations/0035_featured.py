"""The schedule of TV."""

import django.db.models.deletion
from django.db import migrations, models
from django.db.models import F, Q


class Migration(migrations.Migration):
    dependencies = [("ladder", "0034_staff_indexes")]

    operations = [
        migrations.CreateModel(
            name="FeaturedMatch",
            fields=[
                ("number", models.PositiveIntegerField(primary_key=True, serialize=False)),
                ("begins_at", models.DateTimeField()),
                ("ends_at", models.DateTimeField(blank=True, null=True)),
                ("was_live", models.BooleanField()),
                (
                    "match",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="featured", to="ladder.match"
                    ),
                ),
            ],
            options={
                "ordering": ["number"],
                "constraints": [
                    models.CheckConstraint(
                        condition=Q(ends_at__gt=F("begins_at")) | Q(ends_at=None), name="featured_for_a_time"
                    ),
                    models.CheckConstraint(
                        condition=Q(ends_at__isnull=False) | Q(was_live=True), name="featured_open_if_live"
                    ),
                    models.UniqueConstraint(
                        fields=["was_live"], condition=Q(ends_at=None), name="featured_open_once"
                    ),
                ],
            },
        ),
    ]
