"""Hooks of the page of a match: its questions to later subjects."""

from typing import Final

from webui.core.subjects import Hook
from webui.replays.values import Series

offers_rematch: Final = Hook[[str, int], bool]()
"""Question: may this user ask for a rematch of this match?"""
series_of: Final = Hook[[str], Series | None]()
"""Question: of which series of matches, such as an event, is this match a part?"""
