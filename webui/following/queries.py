"""Whom users follow, and what happened to those: looked up when it is asked for, for nothing is written for a follower.

What is looked at is bounded: of so many bots the newest versions, of those the newest seats.
"""

from datetime import datetime, timedelta
from typing import Final

from allauth.account.models import EmailAddress
from django.db.models import Q

from arena.events import EventState, FactKind
from webui.accounts.models import User
from webui.bots.models import Bot, BotVersion
from webui.bots.queries import VERSIONS
from webui.bots.refs import bot_ref, version_ref
from webui.events.models import EventBot, FactRow
from webui.events.queries import standings_seen
from webui.following.models import Follow
from webui.following.values import DigestChoice, EventNews, FollowLine, News, VersionNews
from webui.matches.hidden import is_hidden
from webui.matches.models import MatchState
from webui.matches.queries import matches_of_versions
from webui.notices.models import MailChoice

MOST_FOLLOWS: Final = 200
"""Of an account."""
BOTS: Final = 1000
"""Of authors with more bots, the newest are followed."""
EVENTS: Final = 10
"""At most so many events are in the news."""


def follows(user_id: int) -> list[FollowLine]:
    """Whom a user follows, the latest first."""
    rows = Follow.objects.filter(user_id=user_id).select_related("bot__owner", "author").order_by("-pk")
    return [
        FollowLine(bot_ref(row.bot) if row.bot else None, row.author.username if row.author else "", row.created_at)
        for row in rows
    ]


def follows_bot(user_id: int | None, bot_id: int) -> bool:
    """Whether a user follows a bot itself."""
    return user_id is not None and Follow.objects.filter(user_id=user_id, bot_id=bot_id).exists()


def follows_author(user_id: int | None, name: str) -> bool:
    """Whether a user follows an author."""
    return user_id is not None and Follow.objects.filter(user_id=user_id, author__username=name).exists()


def news(user_id: int, *, since: datetime | None = None, until: datetime | None = None, most: int = 50) -> News:
    """What happened to those whom a user follows, from `since` to before `until`; of each kind at most so much."""
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
    """The ids of the bots that a user follows, themselves or by their authors."""
    followed = Follow.objects.filter(user_id=user_id)
    of_authors = Bot.objects.filter(owner__in=followed.filter(author__isnull=False).values("author"))
    return {
        *followed.filter(bot__isnull=False).values_list("bot_id", flat=True),
        *of_authors.order_by("-pk").values_list("pk", flat=True)[:BOTS],
    }


def _between(column: str, since: datetime | None, until: datetime | None) -> Q:
    found = Q()
    # SQLite keeps three digits of a second and compares texts (see `queries.matches.matches`).
    if since is not None:
        found &= Q(**{f"{column}__gt": since - timedelta(microseconds=1)})
    if until is not None:
        found &= Q(**{f"{column}__lte": until - timedelta(microseconds=1)})
    return found


def _events(bots: list[int], since: datetime | None, until: datetime | None) -> list[EventNews]:
    """The latest events that these bots have played to the end."""
    over = EventBot.objects.filter(
        bot__in=bots, event__state__in=[str(EventState.FINISHED), str(EventState.ARCHIVED)]
    ).values("event")
    ends = FactRow.objects.filter(_between("at", since, until), kind=str(FactKind.FINISHED), event__in=over)
    found = []
    for end in ends.select_related("event__owner").order_by("-at", "-pk")[:EVENTS]:
        places = {line.entrant: line.place for line in standings_seen(end.event)}
        entries = EventBot.objects.filter(event=end.event, bot__in=bots).select_related("bot__owner")
        own = [(bot_ref(entry.bot), places[entry.number]) for entry in entries if entry.number in places]
        own.sort(key=lambda pair: (pair[1], pair[0].name))
        found.append(EventNews(end.at, end.event.slug, end.event.name, tuple(own), end.event.entrants))
    return found


def digest_choice(user_id: int) -> DigestChoice:
    """Whether a user wants the email of a day."""
    user = User.objects.get(pk=user_id)
    verified = EmailAddress.objects.filter(user_id=user_id, email__iexact=user.email, verified=True)
    is_wanted = MailChoice.objects.filter(user_id=user_id, wants_digest=True).exists()
    return DigestChoice(is_wanted, bool(user.email) and verified.exists())
