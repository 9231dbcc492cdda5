"""The seats of a bot, newest first, however many it has had.

An index has the seats of each version newest first, and a bot has several versions: PostgreSQL is told to take the
newest of each, and the newest of those. It would read and sort all seats of all versions otherwise.
"""

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from webui.matches.models import Participant

LOOKED_AT = 10_000
"""Where seats are looked for by something else than their bot, that is done among so many of the newest."""

_ONE = "(SELECT id FROM matches_participant WHERE version_id = %s AND id < %s ORDER BY id DESC LIMIT %s)"
_EACH = """
SELECT seats.id FROM unnest(%s::bigint[]) AS versions(id) CROSS JOIN LATERAL (
    SELECT id FROM matches_participant WHERE version_id = versions.id AND id < %s ORDER BY id DESC LIMIT %s
) seats"""
_END = 2**63 - 1
FEW = 30
"""So many versions are named one by one: the planner then knows of each whether it has very many seats."""


def newest_seats(versions: Sequence[int], most: int, before: int | None = None) -> QuerySet[Participant]:
    """The newest seats of these versions, at most so many; those older than the seat `before`, if it is given. In no
    order."""
    if not versions:
        return Participant.objects.none()
    if connection.vendor != "postgresql":
        seats = Participant.objects.filter(version_id__in=versions)
        return seats if before is None else seats.filter(pk__lt=before)
    last = _END if before is None else before
    values: list[Any]
    if len(versions) <= FEW:
        of_all, values = (
            " UNION ALL ".join([_ONE] * len(versions)),
            [value for version in versions for value in (version, last, most)],
        )
    else:
        of_all, values = _EACH, [list(versions), last, most]
    newest = f"SELECT id FROM ({of_all}) newest ORDER BY id DESC LIMIT %s"  # noqa: S608
    return Participant.objects.filter(pk__in=RawSQL(newest, [*values, most]))  # noqa: S611
