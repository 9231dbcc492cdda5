"""Records of matches that are in a store instead of the database."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("ladder", "0030_retention")]

    operations = [
        migrations.AddField(
            model_name="matchrecord",
            name="sha256",
            field=models.CharField(blank=True, db_default="", default="", max_length=64),
        ),
    ]
