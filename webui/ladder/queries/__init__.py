"""All reads. Each gives plain values with everything joined, in a fixed number of queries.

from webui.ladder import queries
"""

from webui.ladder.events import absences, check_in_opens
from webui.ladder.queries.accounts import audit, contact, has_verified_email, second_factors, sessions
from webui.ladder.queries.bots import (
    bot_page,
    bot_versions,
    bots,
    can_sign_in,
    find_bot,
    own_bots,
    own_version,
    think_times,
    user_id,
    user_page,
    version_id,
)
from webui.ladder.queries.challenges import (
    accepted_challenges,
    can_have_rematch,
    challenge,
    challenges_of,
    is_challengeable,
    opponents,
    own_challenges,
    rematch_seats,
)
from webui.ladder.queries.comparisons import comparison_page, comparisons_of, own_comparisons, versions_to_compare
from webui.ladder.queries.declines import declined_offers
from webui.ladder.queries.eligibility import asked_late, own_entries, versions_to_play
from webui.ladder.queries.events import (
    SETTLED,
    entries_of,
    event_mark,
    event_page,
    events,
    organiser,
    organises_match,
    own_events,
    sees_all,
)
from webui.ladder.queries.fairness import fairness_days, fairness_report
from webui.ladder.queries.featured import channel
from webui.ladder.queries.following import MOST_FOLLOWS, digest_choice, follows, follows_author, follows_bot, news
from webui.ladder.queries.ladders import (
    ladder,
    ladder_top,
    ladder_tops,
    ladders,
    overall,
    published_ratings,
    rating_history,
    trends,
)
from webui.ladder.queries.live import LiveGame, decided_ago, live_view
from webui.ladder.queries.match_filters import Sought
from webui.ladder.queries.matches import (
    ArenaCounts,
    MatchCounts,
    arena_counts,
    ended_matches,
    finished_matches,
    match_counts,
    match_log,
    match_page,
    match_record,
    matches,
    matches_by_id,
    matches_of_bot,
    offers,
    oldest_wait,
    seen_match,
    signed_offer,
    signing_keys,
)
from webui.ladder.queries.notices import notices, unread_notices, wants_mail
from webui.ladder.queries.onward import onward
from webui.ladder.queries.open_data import data_files
from webui.ladder.queries.operations import operations
from webui.ladder.queries.personal import personal_data, personal_matches
from webui.ladder.queries.rests import rests_of, rests_of_seats, seats_a_minute
from webui.ladder.queries.sitemaps import sitemap_bots, sitemap_events, sitemap_matches, sitemap_pages
from webui.ladder.queries.staff_audit import history_of, search_audit
from webui.ladder.queries.staff_ladders import staff_game, staff_games, staff_ladder
from webui.ladder.queries.staff_matches import search_matches, staff_match
from webui.ladder.queries.staff_people import search_bots, search_users, staff_bot, staff_user
from webui.ladder.queries.stories import best_matches, stories, story
from webui.ladder.queries.suspicions import accounts_alike, who_helps_whom
from webui.ladder.queries.terms import game_terms, terms_of_game
from webui.ladder.queries.tokens import (
    api_tokens,
    caller,
    resting_bots,
    session_for_token,
    valid_digests,
    valid_tokens,
)
from webui.ladder.queries.webhooks import deliveries, webhook, webhook_events, webhooks

__all__ = [
    "MOST_FOLLOWS",
    "SETTLED",
    "ArenaCounts",
    "LiveGame",
    "MatchCounts",
    "Sought",
    "absences",
    "accepted_challenges",
    "accounts_alike",
    "api_tokens",
    "arena_counts",
    "asked_late",
    "audit",
    "best_matches",
    "bot_page",
    "bot_versions",
    "bots",
    "caller",
    "can_have_rematch",
    "can_sign_in",
    "challenge",
    "challenges_of",
    "channel",
    "check_in_opens",
    "comparison_page",
    "comparisons_of",
    "contact",
    "data_files",
    "decided_ago",
    "declined_offers",
    "deliveries",
    "digest_choice",
    "ended_matches",
    "entries_of",
    "event_mark",
    "event_page",
    "events",
    "fairness_days",
    "fairness_report",
    "find_bot",
    "finished_matches",
    "follows",
    "follows_author",
    "follows_bot",
    "game_terms",
    "has_verified_email",
    "history_of",
    "is_challengeable",
    "ladder",
    "ladder_top",
    "ladder_tops",
    "ladders",
    "live_view",
    "match_counts",
    "match_log",
    "match_page",
    "match_record",
    "matches",
    "matches_by_id",
    "matches_of_bot",
    "news",
    "notices",
    "offers",
    "oldest_wait",
    "onward",
    "operations",
    "opponents",
    "organiser",
    "organises_match",
    "overall",
    "own_bots",
    "own_challenges",
    "own_comparisons",
    "own_entries",
    "own_events",
    "own_version",
    "personal_data",
    "personal_matches",
    "published_ratings",
    "rating_history",
    "rematch_seats",
    "resting_bots",
    "rests_of",
    "rests_of_seats",
    "search_audit",
    "search_bots",
    "search_matches",
    "search_users",
    "seats_a_minute",
    "second_factors",
    "seen_match",
    "sees_all",
    "session_for_token",
    "sessions",
    "signed_offer",
    "signing_keys",
    "sitemap_bots",
    "sitemap_events",
    "sitemap_matches",
    "sitemap_pages",
    "staff_bot",
    "staff_game",
    "staff_games",
    "staff_ladder",
    "staff_match",
    "staff_user",
    "stories",
    "story",
    "terms_of_game",
    "think_times",
    "trends",
    "unread_notices",
    "user_id",
    "user_page",
    "valid_digests",
    "valid_tokens",
    "version_id",
    "versions_to_compare",
    "versions_to_play",
    "wants_mail",
    "webhook",
    "webhook_events",
    "webhooks",
    "who_helps_whom",
]
