"""Indexes that are made and dropped while the arena goes on, for migrations."""

from typing import Any

from django.contrib.postgres.operations import AddIndexConcurrently, RemoveIndexConcurrently
from django.db import migrations


class AddIndexQuietly(AddIndexConcurrently):
    """`AddIndex`, which on PostgreSQL locks nobody out of the table, however long it takes. Its migration has
    `atomic = False`; one that was killed is run again, and makes what was half made anew."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make the index."""
        if schema_editor.connection.vendor != "postgresql":
            migrations.AddIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
            return
        self._ensure_not_in_transaction(schema_editor)
        drop_index(schema_editor, self.index.name)
        super().database_forwards(app_label, schema_editor, from_state, to_state)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drop it."""
        if schema_editor.connection.vendor != "postgresql":
            migrations.AddIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)
            return
        super().database_backwards(app_label, schema_editor, from_state, to_state)


class RemoveIndexQuietly(RemoveIndexConcurrently):
    """`RemoveIndex`, which on PostgreSQL waits for no statement that reads the table. Its migration has
    `atomic = False`; one that was killed is run again."""

    def database_forwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Drop the index."""
        if schema_editor.connection.vendor != "postgresql":
            migrations.RemoveIndex.database_forwards(self, app_label, schema_editor, from_state, to_state)
            return
        self._ensure_not_in_transaction(schema_editor)
        drop_index(schema_editor, self.name)

    def database_backwards(self, app_label: str, schema_editor: Any, from_state: Any, to_state: Any) -> None:
        """Make it again."""
        if schema_editor.connection.vendor != "postgresql":
            migrations.RemoveIndex.database_backwards(self, app_label, schema_editor, from_state, to_state)
            return
        super().database_backwards(app_label, schema_editor, from_state, to_state)


def drop_index(schema_editor: Any, name: str) -> None:
    """Drop an index of that name, if there is one, outside a transaction."""
    quietly = "CONCURRENTLY " if schema_editor.connection.vendor == "postgresql" else ""
    schema_editor.execute(f'DROP INDEX {quietly}IF EXISTS "{name}"')
