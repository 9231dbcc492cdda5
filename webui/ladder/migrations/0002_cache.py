from typing import Any

from django.core.management import call_command
from django.db import migrations


def create(apps: Any, schema_editor: Any) -> None:
    """The table of Django's cache; where it is there already, nothing happens."""
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    dependencies = [("ladder", "0001_initial")]
    operations = [migrations.RunPython(create, migrations.RunPython.noop)]
