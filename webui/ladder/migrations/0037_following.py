"""Whom users follow, the email of a day about it, and the ratings that bots had when a match was made."""

import django.db.models.deletion
import django.db.models.functions.datetime
from django.conf import settings
from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ladder", "0036_retirement")]

    operations = [
        migrations.CreateModel(
            name="Follow",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "created_at",
                    models.DateTimeField(
                        db_default=django.db.models.functions.datetime.Now(), editable=False
                    ),
                ),
                (
                    "author",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="followers",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
                (
                    "bot",
                    models.ForeignKey(
                        blank=True,
                        null=True,
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="followers",
                        to="ladder.bot",
                    ),
                ),
                (
                    "user",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="follows",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "constraints": [
                    models.CheckConstraint(
                        condition=models.Q(
                            models.Q(("author__isnull", False), ("bot__isnull", True)),
                            models.Q(("author__isnull", True), ("bot__isnull", False)),
                            _connector="OR",
                        ),
                        name="follow_of_one",
                    ),
                    models.UniqueConstraint(fields=("user", "bot"), name="follow_bot_once"),
                    models.UniqueConstraint(fields=("user", "author"), name="follow_author_once"),
                ],
            },
        ),
        migrations.AddField(
            model_name="mailchoice",
            name="wants_digest",
            field=models.BooleanField(db_default=False, default=False),
        ),
        migrations.AddField(
            model_name="mailchoice",
            name="digested_on",
            field=models.DateField(blank=True, null=True),
        ),
        migrations.AddIndex(
            model_name="mailchoice",
            index=models.Index(
                fields=["digested_on"], name="digest_due", condition=models.Q(("wants_digest", True))
            ),
        ),
        migrations.AlterField(
            model_name="botnotice",
            name="kind",
            field=models.CharField(
                choices=[
                    ("compared", "Compared"),
                    ("taken_off", "Taken Off"),
                    ("webhook_off", "Webhook Off"),
                    ("digest", "Digest"),
                    ("message", "Message"),
                    ("locked", "Locked"),
                    ("unlocked", "Unlocked"),
                ],
                max_length=16,
            ),
        ),
        migrations.AddField(
            model_name="participant",
            name="rating",
            field=models.SmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="participant",
            name="rating_low",
            field=models.SmallIntegerField(blank=True, null=True),
        ),
        migrations.AddField(
            model_name="participant",
            name="rating_high",
            field=models.SmallIntegerField(blank=True, null=True),
        ),
    ]
