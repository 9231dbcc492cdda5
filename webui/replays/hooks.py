"""Hooks of the page of a match: what it asks later subjects."""

from typing import Final

from webui.core.subjects import Hook
from webui.replays.values import Series

offers_rematch: Final = Hook[[str, int], bool]()
"""Return whether this user may ask for a rematch of this match."""
series_of: Final = Hook[[str], Series | None]()
"""Return the series of matches, such as an event, that this match is part of."""
