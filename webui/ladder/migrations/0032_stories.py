"""Stories of matches that have finished."""

from django.db import migrations, models
from django.db.models.deletion import CASCADE

NAMED = models.Q(decided_by__in=["DJINN", "TILE", "SOURCE"])


class Migration(migrations.Migration):
    dependencies = [("ladder", "0031_stored_records")]

    operations = [
        migrations.AddField(
            model_name="match",
            name="story_version",
            field=models.PositiveSmallIntegerField(blank=True, null=True),
        ),
        migrations.CreateModel(
            name="Story",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=CASCADE,
                        primary_key=True,
                        related_name="story",
                        serialize=False,
                        to="ladder.match",
                    ),
                ),
                ("version", models.PositiveSmallIntegerField()),
                ("day", models.DateField()),
                ("excitement", models.FloatField()),
                ("lead_changes", models.PositiveSmallIntegerField()),
                ("margin", models.PositiveSmallIntegerField()),
                ("winners", models.JSONField()),
                ("decided_by", models.CharField(max_length=8)),
                ("decided_what", models.CharField(blank=True, default="", max_length=20)),
                ("packed", models.BinaryField()),
            ],
            options={
                "verbose_name_plural": "stories",
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(excitement__gte=0, excitement__lte=1), name="story_excitement_in_range"
                    ),
                    models.CheckConstraint(
                        condition=models.Q(
                            decided_by__in=["NOTHING", "DJINN", "TILE", "SOURCE", "FORFEIT", "TIE"]
                        ),
                        name="story_decided_by_known",
                    ),
                    models.CheckConstraint(
                        condition=(NAMED & ~models.Q(decided_what="")) | (~NAMED & models.Q(decided_what="")),
                        name="story_decided_by_something",
                    ),
                ],
                "indexes": [
                    models.Index(fields=["day", "-excitement"], name="story_best_of_day"),
                    models.Index(fields=["version", "day"], name="story_by_version"),
                ],
            },
        ),
    ]
