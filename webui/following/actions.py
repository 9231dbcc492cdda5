"""Following bots and authors, and the email of a day about them.

The email of a day is a notice that is mailed alone: made once its day is over (UTC), in one transaction with the note
that it was, so that any number of processes make one, and what a killed one did not send is sent by the next.
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
"""So many accounts are looked at in a step: what happened to those that one follows is looked up for each."""


def follow_bot(user_id: int, slug: str) -> None:
    """Follow a bot, once; `NotFound`, `TooMany`, `BadRequest` for one's own."""
    bot = Bot.objects.filter(slug=slug).first()
    if bot is None:
        raise NotFound(f"there is no bot {slug!r}")
    if bot.owner_id == user_id:
        raise BadRequest("you know what your own bots do")
    _follow(user_id, bot_id=bot.pk)


def follow_author(user_id: int, name: str) -> None:
    """Follow an author with all bots, once; as `follow_bot`."""
    author = User.objects.filter(username=name, is_active=True).first()
    if author is None:
        raise NotFound(f"there is no user {name!r}")
    if author.pk == user_id:
        raise BadRequest("you know what your own bots do")
    _follow(user_id, author_id=author.pk)


@transaction.atomic
def _follow(user_id: int, *, bot_id: int | None = None, author_id: int | None = None) -> None:
    User.objects.select_for_update().get(pk=user_id)  # one at a time: each counts the others
    own = Follow.objects.filter(user_id=user_id)
    if own.filter(Q(bot_id=bot_id) & Q(author_id=author_id)).exists():
        return
    if own.count() >= MOST_FOLLOWS:
        raise TooMany(f"an account follows at most {MOST_FOLLOWS} bots and authors: leave one that you do not look at")
    Follow.objects.create(user_id=user_id, bot_id=bot_id, author_id=author_id)


def unfollow_bot(user_id: int, slug: str) -> None:
    """Follow a bot no longer."""
    Follow.objects.filter(user_id=user_id, bot__slug=slug).delete()


def unfollow_author(user_id: int, name: str) -> None:
    """Follow an author no longer."""
    Follow.objects.filter(user_id=user_id, author__username=name).delete()


@transaction.atomic
def choose_digest(user_id: int, *, is_wanted: bool, language: str = "") -> None:
    """Whether a user wants an email a day about those whom he follows, and in which language; the first one tells of
    today."""
    chosen = MailChoice.objects.filter(user_id=user_id)
    if not is_wanted:
        chosen.update(wants_digest=False)
        return
    MailChoice.objects.get_or_create(user_id=user_id)
    yesterday = datetime.now(UTC).date() - timedelta(days=1)
    chosen.filter(wants_digest=False).update(wants_digest=True, digested_on=yesterday, language=language)


def note_digests(now: datetime | None = None, most: int = DIGESTS_AT_ONCE) -> int:
    """Make the emails of yesterday that are due, of at most so many accounts; how many were made. Of several days that
    nobody has sent only the last is told."""
    day = (now or datetime.now(UTC)).astimezone(UTC).date() - timedelta(days=1)
    due = Q(wants_digest=True) & (Q(digested_on=None) | Q(digested_on__lt=day))
    made = 0
    for user_id in list(MailChoice.objects.filter(due).order_by("digested_on").values_list("pk", flat=True)[:most]):
        try:
            made += _note_digest(user_id, due, day)
        except Exception:
            log.exception("digest_not_noted", user=user_id)  # the others get theirs
    return made


def _note_digest(user_id: int, due: Q, day: date) -> bool:
    """Make the email of a day for an account, if it is still due; whether there was something to tell."""
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
