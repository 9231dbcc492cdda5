"""Hooks of bots: what later subjects are told of them, and asked about them."""

from collections.abc import Sequence
from typing import Final

from django.db.models import Q

from webui.bots.values import ExclusionLine
from webui.core.subjects import Hook

version_made: Final = Hook[[int], None]()
"""A version said hello for the first time; its id. Called in the transaction that makes it."""
versions_changed: Final = Hook[[Q], None]()
"""Versions retired or returned; the condition that selects their standings."""
exclusions_of: Final = Hook[[int], dict[int, list[ExclusionLine]]]()
"""Return the open exclusions of the bots of an owner, by bot id."""
examinations_passed: Final = Hook[[Sequence[int]], dict[int, str]]()
"""Return the match in which each of these versions last passed its examination, by version id."""
