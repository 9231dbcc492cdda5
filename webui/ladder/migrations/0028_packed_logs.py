"""Logs that are packed once their match has ended: where they go, and which have gone there."""

from django.db import migrations, models
from django.db.models.deletion import CASCADE


class Migration(migrations.Migration):
    dependencies = [("ladder", "0027_status")]

    operations = [
        migrations.AddField(
            model_name="match",
            name="log_form",
            field=models.CharField(
                choices=[("ROWS", "Rows"), ("PACKED", "Packed"), ("KEPT", "Kept")],
                db_default="ROWS",
                default="ROWS",
                max_length=8,
            ),
        ),
        migrations.CreateModel(
            name="PackedLog",
            fields=[
                (
                    "match",
                    models.OneToOneField(
                        on_delete=CASCADE,
                        primary_key=True,
                        related_name="packed_log",
                        serialize=False,
                        to="ladder.match",
                    ),
                ),
                ("packed", models.BinaryField()),
            ],
        ),
    ]
