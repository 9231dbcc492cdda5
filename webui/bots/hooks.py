"""Hooks of bots: events that later subjects receive, and questions that they answer."""

from typing import Final

from django.db.models import Q, Subquery

from webui.bots.values import ExclusionLine
from webui.core.subjects import Hook

version_made: Final = Hook[[int], None]()
"""A version said hello for the first time. The argument is its id.

It is called in the transaction that makes the version.
"""
versions_changed: Final = Hook[[Q], None]()
"""Versions have retired or returned. The argument is the condition that selects their standings."""
exclusions_of: Final = Hook[[int], dict[int, list[ExclusionLine]]]()
"""Return the open exclusions of the bots of an owner, by bot id."""
examination_passed: Final = Hook[[], Subquery]()
"""Return the expression, on a version, for the match in which it last passed its examination."""
