"""Actions on follows of bots and authors, and on the daily digest about them.

A digest is a notice that is only sent by email. It is made once its day (in UTC) is over. The transaction that makes it
also records the day. Therefore any number of processes make only one, and the next process sends what a killed one did
not.
"""

from datetime import UTC, date, datetime, time, timedelta
from typing import Final

import structlog
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now

from webui.accounts.models import User
from webui.bots.models import Bot
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.following.models import Follow
from webui.following.queries import MOST_FOLLOWS, news
from webui.notices.models import BotNotice, BotNoticeKind, MailChoice, MailState

log = structlog.get_logger(__name__)

DIGESTS_AT_ONCE: Final = 20
"""Maximum number of accounts processed in one step. The news is queried separately for each account."""


def follow_bot(user_id: int, slug: str) -> None:
    """Follow a bot. Nothing changes if the user already follows it.

    Raise `NotFound`, `TooMany`, or `BadRequest` for the user's own bot.
    """
    bot = Bot.objects.filter(slug=slug).first()
    if bot is None:
        raise NotFound(f"there is no bot {slug!r}")
    if bot.owner_id == user_id:
        raise BadRequest("you need not follow your own bots")
    _follow(user_id, bot_id=bot.pk)


def follow_author(user_id: int, name: str) -> None:
    """Follow an author with all bots. Raise the errors of `follow_bot`."""
    author = User.objects.filter(username=name, is_active=True).first()
    if author is None:
        raise NotFound(f"there is no user {name!r}")
    if author.pk == user_id:
        raise BadRequest("you need not follow your own bots")
    _follow(user_id, author_id=author.pk)


@transaction.atomic
def _follow(user_id: int, *, bot_id: int | None = None, author_id: int | None = None) -> None:
    User.objects.select_for_update().get(pk=user_id)  # lock the user: each request must count the others
    own = Follow.objects.filter(user_id=user_id)
    if own.filter(Q(bot_id=bot_id) & Q(author_id=author_id)).exists():
        return
    if own.count() >= MOST_FOLLOWS:
        raise TooMany(f"an account follows at most {MOST_FOLLOWS} bots and authors: unfollow one first")
    Follow.objects.create(user_id=user_id, bot_id=bot_id, author_id=author_id)


def unfollow_bot(user_id: int, slug: str) -> None:
    """Stop following a bot."""
    Follow.objects.filter(user_id=user_id, bot__slug=slug).delete()


def unfollow_author(user_id: int, name: str) -> None:
    """Stop following an author."""
    Follow.objects.filter(user_id=user_id, author__username=name).delete()


@transaction.atomic
def choose_digest(user_id: int, *, is_wanted: bool, language: str = "") -> None:
    """Choose whether a user wants the daily digest, and in which language. The first digest is about the current
    day."""
    chosen = MailChoice.objects.filter(user_id=user_id)
    if not is_wanted:
        chosen.update(wants_digest=False)
        return
    MailChoice.objects.get_or_create(user_id=user_id)
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    chosen.filter(wants_digest=False).update(wants_digest=True, digested_on=yesterday, language=language)


def note_digests(now: datetime | None = None, most: int = DIGESTS_AT_ONCE) -> int:
    """Make the due digests of yesterday for at most `most` accounts, and return how many were made.

    If no digest was made for several days, only the last day is covered.
    """
    day = (now or datetime.now(UTC)).astimezone(UTC).date() - timedelta(days=1)
    due = Q(wants_digest=True) & (Q(digested_on=None) | Q(digested_on__lt=day))
    made = 0
    for user_id in list(MailChoice.objects.filter(due).order_by("digested_on").values_list("pk", flat=True)[:most]):
        try:
            made += _note_digest(user_id, due, day)
        except Exception:
            log.exception("digest_not_noted", user=user_id)  # continue with the other accounts
    return made


def _note_digest(user_id: int, due: Q, day: date) -> bool:
    """Make the digest of a day for an account, if it is still due. Return whether there was any news."""
    since = datetime.combine(day, time(), UTC)
    is_something = not news(user_id, since=since, until=since + timedelta(days=1), most=1).is_empty
    with transaction.atomic():
        if not MailChoice.objects.filter(due, pk=user_id).update(digested_on=day) or not is_something:
            return False
        notice = BotNotice(
            user_id=user_id,
            about="following",
            kind=BotNoticeKind.DIGEST,
            number=day.toordinal(),
            data={"bots": [], "day": day.isoformat()},
            mail=MailState.DUE,
            read_at=Now(),
        )
        BotNotice.objects.bulk_create([notice], ignore_conflicts=True)
    return True
