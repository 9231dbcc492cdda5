from typing import Any

from django.db import migrations, models

from webui.ladder.names import look


def fill(apps: Any, schema_editor: Any) -> None:
    """The look of every name; of names that look the same the oldest has it.

    By the function of today on purpose: looks are compared with those of new names. When it changes, those that are kept
    are made anew (`tests/ladder/test_names.py` notices a change).
    """
    for model, field in (("User", "username"), ("Bot", "name")):
        taken: set[str] = set()
        for row in apps.get_model("ladder", model).objects.order_by("pk").iterator():
            row.look = look(getattr(row, field))
            if row.look not in taken:
                taken.add(row.look)
                row.save(update_fields=["look"])


class Migration(migrations.Migration):
    dependencies = [("ladder", "0005_delay")]
    operations = [
        *(
            migrations.AddField(
                model, "look", models.CharField(default=None, editable=False, max_length=400, null=True, unique=True)
            )
            for model in ("user", "bot")
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
    ]
