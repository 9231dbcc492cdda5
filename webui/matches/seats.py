"""The newest seats of a bot, found quickly however many seats it has.

An index has the seats of each version, newest first. A bot has several versions. The query makes PostgreSQL take the
newest seats of each version, and then the newest of these. Otherwise it would read and sort all seats of all versions.
"""

from collections.abc import Sequence
from typing import Any

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from webui.matches.models import Participant

LOOKED_AT = 10_000
"""Number of newest seats that are searched when the condition is not only the bot."""

_ONE = "(SELECT id FROM matches_participant WHERE version_id = %s AND id < %s ORDER BY id DESC LIMIT %s)"
_EACH = """
SELECT seats.id FROM unnest(%s::bigint[]) AS versions(id) CROSS JOIN LATERAL (
    SELECT id FROM matches_participant WHERE version_id = versions.id AND id < %s ORDER BY id DESC LIMIT %s
) seats"""
_END = 2**63 - 1
FEW = 30
"""Maximum number of versions that are named one by one. The planner then knows which of them have very many seats."""


def newest_seats(versions: Sequence[int], most: int, before: int | None = None) -> QuerySet[Participant]:
    """Return at most `most` of the newest seats of these versions, unordered.

    `before` is a seat's id: only older seats are returned.
    """
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
