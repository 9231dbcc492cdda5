"""Create the table of turns."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("core", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="Turn",
            fields=[
                ("name", models.CharField(max_length=40, primary_key=True, serialize=False)),
                ("number", models.PositiveBigIntegerField(default=0)),
                ("due_at", models.DateTimeField()),
            ],
        )
    ]
