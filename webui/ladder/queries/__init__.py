"""All reads. Each gives plain values with everything joined, in a fixed number of queries.

from webui.ladder import queries
"""

from webui.ladder.queries.bots import bot_page, find_bot, own_bots, recent_bots, session_for_token, user_id
from webui.ladder.queries.ladders import ladder, ladders, rating_history
from webui.ladder.queries.matches import (
    MatchCounts,
    ended_matches,
    live_match,
    match_counts,
    match_log,
    match_page,
    match_record,
    matches,
    oldest_wait,
    running_match_ids,
    scheduled_matches,
)

__all__ = [
    "MatchCounts",
    "bot_page",
    "ended_matches",
    "find_bot",
    "ladder",
    "ladders",
    "live_match",
    "match_counts",
    "match_log",
    "match_page",
    "match_record",
    "matches",
    "oldest_wait",
    "own_bots",
    "rating_history",
    "recent_bots",
    "running_match_ids",
    "scheduled_matches",
    "session_for_token",
    "user_id",
]
