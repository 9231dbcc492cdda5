"""The tables. Every invariant that the code relies on is a constraint here.

Nothing but `actions` writes these tables and nothing but `actions` and `queries` reads them.
"""

from webui.ladder.models.accounts import AuditEntry, UserSession
from webui.ladder.models.bots import Bot, BotState, BotVersion, Exclusion, User
from webui.ladder.models.challenges import (
    Accepts,
    Challenge,
    ChallengeMatch,
    ChallengeSeat,
    ChallengeState,
    ChallengeTerms,
)
from webui.ladder.models.comparisons import Comparison, ComparisonMatch, ComparisonState
from webui.ladder.models.events import EventBot, EventMatch, EventRow, EventSecret, FactRow
from webui.ladder.models.fairness import FairnessReport, HelpMeasure
from webui.ladder.models.featured import FeaturedMatch
from webui.ladder.models.following import Follow
from webui.ladder.models.ladders import MOST_SHARE, Ladder, LadderTerms
from webui.ladder.models.matches import (
    ENDED,
    MAX_SEATS,
    LogForm,
    LogRow,
    Match,
    MatchRecord,
    MatchSecret,
    MatchState,
    PackedLog,
    Participant,
    SigningKey,
    SpectatorRow,
)
from webui.ladder.models.notices import ABOUT_A_BOT, BotNotice, BotNoticeKind, MailChoice, MailState, Notice, NoticeKind
from webui.ladder.models.offers import OfferEntry, OfferHead
from webui.ladder.models.open_data import DataFile, DataKind, HeldMatch
from webui.ladder.models.orders import MatchOrder, OrderKind, OrderState
from webui.ladder.models.published import Fit, PublishedRating
from webui.ladder.models.ratings import TREND, RatingEntry, Standing
from webui.ladder.models.status import DoctorRun, OverheadSample, ProcessKind, RunningProcess, StatusHour
from webui.ladder.models.stories import Story
from webui.ladder.models.tokens import ApiRequest, ApiToken, BotToken
from webui.ladder.models.webhooks import (
    LONGEST_URL,
    BotPresence,
    Delivery,
    DeliveryState,
    OffReason,
    Webhook,
    WebhookKind,
)

__all__ = [
    "ABOUT_A_BOT",
    "ENDED",
    "LONGEST_URL",
    "MAX_SEATS",
    "MOST_SHARE",
    "TREND",
    "Accepts",
    "ApiRequest",
    "ApiToken",
    "AuditEntry",
    "Bot",
    "BotNotice",
    "BotNoticeKind",
    "BotPresence",
    "BotState",
    "BotToken",
    "BotVersion",
    "Challenge",
    "ChallengeMatch",
    "ChallengeSeat",
    "ChallengeState",
    "ChallengeTerms",
    "Comparison",
    "ComparisonMatch",
    "ComparisonState",
    "DataFile",
    "DataKind",
    "Delivery",
    "DeliveryState",
    "DoctorRun",
    "EventBot",
    "EventMatch",
    "EventRow",
    "EventSecret",
    "Exclusion",
    "FactRow",
    "FairnessReport",
    "FeaturedMatch",
    "Fit",
    "Follow",
    "HeldMatch",
    "HelpMeasure",
    "Ladder",
    "LadderTerms",
    "LogForm",
    "LogRow",
    "MailChoice",
    "MailState",
    "Match",
    "MatchOrder",
    "MatchRecord",
    "MatchSecret",
    "MatchState",
    "Notice",
    "NoticeKind",
    "OffReason",
    "OfferEntry",
    "OfferHead",
    "OrderKind",
    "OrderState",
    "OverheadSample",
    "PackedLog",
    "Participant",
    "ProcessKind",
    "PublishedRating",
    "RatingEntry",
    "RunningProcess",
    "SigningKey",
    "SpectatorRow",
    "Standing",
    "StatusHour",
    "Story",
    "User",
    "UserSession",
    "Webhook",
    "WebhookKind",
]
