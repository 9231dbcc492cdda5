"""Hooks of matches: what later subjects are told of them, and asked about them."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from webui.core.subjects import Hook
from webui.matches.models import Match

match_finished: Final = Hook[[Match, Mapping[str, Any], int | None], None]()
"""A match ended with this verdict, and with this number on its ladder (None: it does not count for one).

Called in the transaction in which it ends.
"""
match_replaced: Final = Hook[[Match, str], None]()
"""A match without a result is played again under this id. Called in the transaction that schedules it."""
plays_again_by_itself: Final = Hook[[Match], bool]()
"""Return whether the subject that this match belongs to has it played again without being asked."""
organises_match: Final = Hook[[str, int], bool]()
"""Return whether this user organises the event of this match, and so sees its hidden result."""
ratings_now: Final = Hook[[int, Sequence[int]], dict[int, dict[str, int]]]()
"""Return what is published of these versions on a ladder (its id), as columns of their seats, by version id."""
