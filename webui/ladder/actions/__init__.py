"""All writes. Each function is one transaction (or joins the caller's), and says what it refuses.

from webui.ladder import actions
"""

from webui.ladder.actions.accounts import (
    LONGEST_NOTE,
    NEW_BOTS_AN_HOUR,
    check_description,
    check_note,
    check_user_name,
    create_user,
    describe_bot,
    register_bot,
    register_version,
    release_version,
    set_bot_state,
    set_email,
    withdraw_release,
)
from webui.ladder.actions.advancing import advance_events
from webui.ladder.actions.api_requests import answer_once
from webui.ladder.actions.audit import check_reason, record_act
from webui.ladder.actions.challenge_matches import advance_challenges
from webui.ladder.actions.challenges import accept_challenges, challenge, rematch, withdraw_challenge
from webui.ladder.actions.comparisons import advance_comparisons, compare_versions, stop_comparison
from webui.ladder.actions.deliveries import note_reply, take_deliveries
from webui.ladder.actions.dispatching import dispatch, dispatch_waiting
from webui.ladder.actions.ending import abort_match, finish_match, play_again, void_match
from webui.ladder.actions.erasure import erase_account
from webui.ladder.actions.events import (
    ask_event,
    ask_no_more,
    ask_to_enter,
    check_in,
    create_event,
    decide,
    enter_event,
    freeze_now,
    invite,
    leave_event,
)
from webui.ladder.actions.examinations import begin_examinations
from webui.ladder.actions.exclusions import ASKED_A_DAY, put_back
from webui.ladder.actions.fairness import report_fairness
from webui.ladder.actions.featuring import feature_next
from webui.ladder.actions.following import (
    choose_digest,
    follow_author,
    follow_bot,
    note_digests,
    unfollow_author,
    unfollow_bot,
)
from webui.ladder.actions.helping import measure_helps
from webui.ladder.actions.load_bots import make_load_bot
from webui.ladder.actions.locks import (
    correct_bot,
    lock_bot,
    lock_user,
    message_user,
    send_password_link,
    unlock_bot,
    unlock_user,
)
from webui.ladder.actions.matches import append, append_all, claim_match, release, renew, schedule_match, show
from webui.ladder.actions.matchmaking import matchmake
from webui.ladder.actions.notices import choose_mail, due_mails, mail_sent, read_notices
from webui.ladder.actions.orders import carry_out_orders, order_match
from webui.ladder.actions.organisers import hand_over_event, share_event
from webui.ladder.actions.packing import pack_logs
from webui.ladder.actions.presence import note_presence
from webui.ladder.actions.ratings import RebuildReport, rebuild_ratings
from webui.ladder.actions.recovery import sweep
from webui.ladder.actions.retention import let_go
from webui.ladder.actions.retirement import bring_back_bot, bring_back_version, retire_bot, retire_version
from webui.ladder.actions.roles import set_role
from webui.ladder.actions.second_factors import MOST_PASSKEYS, make_recovery_codes, remove_second_factors
from webui.ladder.actions.sessions import end_session, end_sessions, note_session
from webui.ladder.actions.status import announce_process, note_overhead, note_status, withdraw_process
from webui.ladder.actions.stories import make_stories, write_story
from webui.ladder.actions.terms import set_delay, set_ladder_terms
from webui.ladder.actions.tokens import (
    issue_api_token,
    issue_token,
    note_caller,
    note_token_used,
    revoke_api_token,
    revoke_token,
)
from webui.ladder.actions.webhooks import (
    MOST_WEBHOOKS,
    NewWebhook,
    add_webhook,
    change_webhook,
    check_url,
    remove_webhook,
    roll_secret,
    send_again,
    switch_webhook,
    test_webhook,
)
from webui.ladder.values import (
    OPERATOR,
    Act,
    Actor,
    BadRequest,
    Claim,
    LadderError,
    LostOwnership,
    MatchEnding,
    MatchSeat,
    NameTaken,
    NewToken,
    NotFound,
    RecordRefused,
    Stale,
    TooMany,
    WebhookRefusal,
)

__all__ = [
    "ASKED_A_DAY",
    "LONGEST_NOTE",
    "MOST_PASSKEYS",
    "MOST_WEBHOOKS",
    "NEW_BOTS_AN_HOUR",
    "OPERATOR",
    "Act",
    "Actor",
    "BadRequest",
    "Claim",
    "LadderError",
    "LostOwnership",
    "MatchEnding",
    "MatchSeat",
    "NameTaken",
    "NewToken",
    "NewWebhook",
    "NotFound",
    "RebuildReport",
    "RecordRefused",
    "Stale",
    "TooMany",
    "WebhookRefusal",
    "abort_match",
    "accept_challenges",
    "add_webhook",
    "advance_challenges",
    "advance_comparisons",
    "advance_events",
    "announce_process",
    "answer_once",
    "append",
    "append_all",
    "ask_event",
    "ask_no_more",
    "ask_to_enter",
    "begin_examinations",
    "bring_back_bot",
    "bring_back_version",
    "carry_out_orders",
    "challenge",
    "change_webhook",
    "check_description",
    "check_in",
    "check_note",
    "check_reason",
    "check_url",
    "check_user_name",
    "choose_digest",
    "choose_mail",
    "claim_match",
    "compare_versions",
    "correct_bot",
    "create_event",
    "create_user",
    "decide",
    "describe_bot",
    "dispatch",
    "dispatch_waiting",
    "due_mails",
    "end_session",
    "end_sessions",
    "enter_event",
    "erase_account",
    "feature_next",
    "finish_match",
    "follow_author",
    "follow_bot",
    "freeze_now",
    "hand_over_event",
    "invite",
    "issue_api_token",
    "issue_token",
    "leave_event",
    "let_go",
    "lock_bot",
    "lock_user",
    "mail_sent",
    "make_load_bot",
    "make_recovery_codes",
    "make_stories",
    "matchmake",
    "measure_helps",
    "message_user",
    "note_caller",
    "note_digests",
    "note_overhead",
    "note_presence",
    "note_reply",
    "note_session",
    "note_status",
    "note_token_used",
    "order_match",
    "pack_logs",
    "play_again",
    "put_back",
    "read_notices",
    "rebuild_ratings",
    "record_act",
    "register_bot",
    "register_version",
    "release",
    "release_version",
    "rematch",
    "remove_second_factors",
    "remove_webhook",
    "renew",
    "report_fairness",
    "retire_bot",
    "retire_version",
    "revoke_api_token",
    "revoke_token",
    "roll_secret",
    "schedule_match",
    "send_again",
    "send_password_link",
    "set_bot_state",
    "set_delay",
    "set_email",
    "set_ladder_terms",
    "set_role",
    "share_event",
    "show",
    "stop_comparison",
    "sweep",
    "switch_webhook",
    "take_deliveries",
    "test_webhook",
    "unfollow_author",
    "unfollow_bot",
    "unlock_bot",
    "unlock_user",
    "void_match",
    "withdraw_challenge",
    "withdraw_process",
    "withdraw_release",
    "write_story",
]
