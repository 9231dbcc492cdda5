"""Create the table of Django's cache."""

from typing import Any

from django.core.management import call_command
from django.db import migrations


def create_cache(apps: Any, schema_editor: Any) -> None:
    """Create the table of Django's cache."""
    call_command("createcachetable", database=schema_editor.connection.alias, verbosity=0)


class Migration(migrations.Migration):
    initial = True

    dependencies = []

    operations = [migrations.RunPython(create_cache, migrations.RunPython.noop)]
