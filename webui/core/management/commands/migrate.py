"""Django's `migrate`. It refuses a database that an unreleased version of the arena has made."""

from typing import Any, Final

from django.core.management import CommandError
from django.core.management.commands import migrate
from django.db import connections
from django.db.migrations.recorder import MigrationRecorder

UNRELEASED: Final = "ladder"
"""Name of the application that held all tables of unreleased versions. No release has an application of this name."""


class Command(migrate.Command):
    """The command `migrate`, which runs before any process of the arena uses the database."""

    def handle(self, *args: Any, **options: Any) -> None:
        """Migrate the database. Raise `CommandError` if it is one of an unreleased version."""
        recorder = MigrationRecorder(connections[options["database"]])
        if recorder.has_table() and recorder.migration_qs.filter(app=UNRELEASED).exists():
            raise CommandError(
                "this database was made by an unreleased version of the arena: move it away, or start with an empty one"
            )
        super().handle(*args, **options)
