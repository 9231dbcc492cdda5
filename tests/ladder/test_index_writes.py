"""What a decision writes beside its own rows: every index that it changes costs the database a page."""

from typing import Any

import pytest
from django.db import connection

from webui.matches.models import LogRow, Match, SpectatorRow

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]


def indexed(model: Any) -> set[tuple[str, ...]]:
    """The columns of each index of a table."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, model._meta.db_table).values()
    return {tuple(one["columns"]) for one in found if one["index"] or one["unique"] or one["primary_key"]}


def test_no_index_has_what_every_decision_changes() -> None:
    columns = {column for index in indexed(Match) for column in index}
    assert "finished_at" in columns
    assert not columns & {"length", "lease_expires_at"}


def test_what_is_written_for_a_decision_has_no_index_that_another_one_begins_with() -> None:
    assert indexed(LogRow) == {("id",), ("match_id", "number")}
    assert indexed(SpectatorRow) == {("id",), ("match_id", "ply")}
