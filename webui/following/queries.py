"""Queries of follows and of their news. Nothing is written for followers: news is queried on demand.

The work is bounded: queries cover the newest versions of a limited number of bots, and their newest matches.
"""

from datetime import datetime, timedelta
from typing import Final

from allauth.account.models import EmailAddress
from django.db.models import Q

from arena.events import EventState, FactKind
from webui.accounts.models import User
from webui.bots.models import Bot, BotVersion
from webui.bots.queries import VERSIONS, bot_ref, version_ref
from webui.events.models import EventBot, FactRow
from webui.events.queries import standings_seen
from webui.following.models import Follow
from webui.following.values import DigestChoice, EventNews, FollowLine, News, VersionNews
from webui.matches.conditions import is_hidden
from webui.matches.models import MatchState
from webui.matches.queries import matches_of_versions
from webui.notices.models import MailChoice

MOST_FOLLOWS: Final = 200
"""Maximum number of follows of one account."""
BOTS: Final = 1000
"""Maximum number of bots followed through authors. The newest are taken."""
EVENTS: Final = 10
"""Maximum number of events in the news."""


def follows(user_id: int) -> list[FollowLine]:
    """Return the bots and authors that a user follows, latest first."""
    rows = Follow.objects.filter(user_id=user_id).select_related("bot__owner", "author").order_by("-pk")
    return [
        FollowLine(bot_ref(row.bot) if row.bot else None, row.author.username if row.author else "", row.created_at)
        for row in rows
    ]


def follows_bot(user_id: int | None, bot_id: int) -> bool:
    """Return whether a user follows a bot directly."""
    return user_id is not None and Follow.objects.filter(user_id=user_id, bot_id=bot_id).exists()


def follows_author(user_id: int | None, name: str) -> bool:
    """Return whether a user follows an author."""
    return user_id is not None and Follow.objects.filter(user_id=user_id, author__username=name).exists()


def news(user_id: int, *, since: datetime | None = None, until: datetime | None = None, most: int = 50) -> News:
    """Return the news about the bots that a user follows, from `since` up to but excluding `until`.

    `most` is the maximum number of items of each kind.
    """
    bots = list(followed_bots(user_id))
    versions = list(BotVersion.objects.filter(bot__in=bots).order_by("-pk").values_list("pk", flat=True)[:VERSIONS])
    conditions = ~is_hidden() & Q(state=MatchState.FINISHED) & _between("finished_at", since, until)
    made = BotVersion.objects.filter(_between("created_at", since, until), pk__in=versions, is_ready=False)
    return News(
        matches=matches_of_versions(versions, conditions, limit=most),
        versions=[
            VersionNews(row.created_at, version_ref(row), row.note or "")
            for row in made.select_related("bot__owner").order_by("-created_at", "-pk")[:most]
        ],
        events=_events(bots, since, until),
    )


def followed_bots(user_id: int) -> set[int]:
    """Return the ids of the bots that a user follows, directly or through their authors."""
    followed = Follow.objects.filter(user_id=user_id)
    of_authors = Bot.objects.filter(owner__in=followed.filter(author__isnull=False).values("author"))
    return {
        *followed.filter(bot__isnull=False).values_list("bot_id", flat=True),
        *of_authors.order_by("-pk").values_list("pk", flat=True)[:BOTS],
    }


def _between(column: str, since: datetime | None, until: datetime | None) -> Q:
    condition = Q()
    # SQLite stores three digits of a second and compares texts (see `webui.matches.queries.matches`).
    if since is not None:
        condition &= Q(**{f"{column}__gt": since - timedelta(microseconds=1)})
    if until is not None:
        condition &= Q(**{f"{column}__lte": until - timedelta(microseconds=1)})
    return condition


def _events(bots: list[int], since: datetime | None, until: datetime | None) -> list[EventNews]:
    """Return the latest events that these bots have finished."""
    over = EventBot.objects.filter(
        bot__in=bots, event__state__in=[str(EventState.FINISHED), str(EventState.ARCHIVED)]
    ).values("event")
    ends = FactRow.objects.filter(_between("at", since, until), kind=str(FactKind.FINISHED), event__in=over)
    ended = []
    for end in ends.select_related("event__owner").order_by("-at", "-pk")[:EVENTS]:
        places = {line.entrant: line.place for line in standings_seen(end.event)}
        entries = EventBot.objects.filter(event=end.event, bot__in=bots).select_related("bot__owner")
        own = [(bot_ref(entry.bot), places[entry.number]) for entry in entries if entry.number in places]
        own.sort(key=lambda pair: (pair[1], pair[0].name))
        ended.append(EventNews(end.at, end.event.slug, end.event.name, tuple(own), end.event.entrants))
    return ended


def digest_choice(user_id: int) -> DigestChoice:
    """Return whether a user wants the daily digest."""
    user = User.objects.get(pk=user_id)
    verified = EmailAddress.objects.filter(user_id=user_id, email__iexact=user.email, verified=True)
    is_wanted = MailChoice.objects.filter(user_id=user_id, wants_digest=True).exists()
    return DigestChoice(is_wanted, bool(user.email) and verified.exists())
