"""Daily digest: the news about the bots and authors that a user follows, as an email.

Each email has a link to unsubscribe, and headers for mail programs (RFC 8058).
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, time, timedelta
from typing import Final

from django.conf import settings
from django.core import signing
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils.formats import date_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from webui.following import queries
from webui.following.values import EventNews, News
from webui.notices.values import NoticeMail
from webui.replays import summary
from webui.words.titles import match_title

SALT: Final = "digest"
MOST: Final = 20
"""Maximum number of items of each kind. The page has the others."""


def unsubscribe_token(user_id: int) -> str:
    """Return the token of an unsubscribe link. It only allows to switch the digest off, and never expires."""
    return signing.Signer(salt=SALT).sign(str(user_id))


def user_of(token: str) -> int | None:
    """Return the user of a token that this arena has made. Return None for any other token."""
    try:
        return int(signing.Signer(salt=SALT).unsign(token))
    except (signing.BadSignature, ValueError):
        return None


def digest_message(mail: NoticeMail) -> EmailMessage | None:
    """Return the email. Return None if there is no news of that day that may be shown."""
    day = mail.line.data.day
    assert day is not None  # every digest has a day
    since = datetime.combine(day, time(), UTC)
    news = queries.news(mail.user_id, since=since, until=since + timedelta(days=1), most=MOST + 1)
    if news.is_empty:
        return None
    out = settings.SITE_URL + reverse("unsubscribe", args=[unsubscribe_token(mail.user_id)])
    lines = [
        _("What you follow, %(day)s (UTC)") % {"day": date_format(day, "DATE_FORMAT")},
        *_paragraphs(news),
        _("All of it: %(url)s") % {"url": settings.SITE_URL + reverse("following")},
        "-- \n" + _("To stop these emails: %(url)s") % {"url": out},
    ]
    headers = {"List-Unsubscribe": f"<{out}>", "List-Unsubscribe-Post": "List-Unsubscribe=One-Click"}
    subject = "Naqala Arena: " + subject_words(news)
    return EmailMessage(subject, "\n\n".join(lines) + "\n", to=[mail.address], headers=headers)


def subject_words(news: News) -> str:
    """Return a summary of the news, such as `12 matches, 1 new version`."""
    n = len(news.matches)
    words = []
    if n > MOST:
        words.append(_("more than %(n)d matches") % {"n": MOST})
    elif n:
        words.append(ngettext("%(n)d match", "%(n)d matches", n) % {"n": n})
    if n := len(news.versions):
        words.append(ngettext("%(n)d new version", "%(n)d new versions", n) % {"n": n})
    if n := len(news.events):
        words.append(ngettext("%(n)d event is over", "%(n)d events are over", n) % {"n": n})
    return ", ".join(words)


def _paragraphs(news: News) -> Iterator[str]:
    site = settings.SITE_URL
    for event in news.events:
        yield f"{event_words(event)}\n{site}{reverse('event', args=[event.slug])}"
    for made in news.versions[:MOST]:
        sentence = _("%(bot)s has a new version, %(version)s.") % {
            "bot": made.version.bot.name, "version": made.version.name,
        }  # fmt: skip
        note = f"\n{' '.join(made.note.split())}" if made.note else ""
        yield f"{sentence}{note}\n{site}{reverse('bot', args=[made.version.bot.slug])}"
    sentences = summary.sentences(news.matches[:MOST])
    for line in news.matches[:MOST]:
        yield f"{sentences.get(line.id) or match_title(line)}\n{site}{reverse('match', args=[line.id])}"


def event_words(event: EventNews) -> str:
    """Return the end of an event as a sentence: `Autumn Cup is over, with 16 bots. Places: Oud 2, Mirage 7.`"""
    places = ", ".join(f"{bot.name} {place}" for bot, place in event.places)
    values = {"event": event.name, "n": event.entrants, "places": places}
    if not places:
        return _("%(event)s is over.") % values
    return ngettext(
        "%(event)s is over, with %(n)d bot. Places: %(places)s.",
        "%(event)s is over, with %(n)d bots. Places: %(places)s.",
        event.entrants,
    ) % values  # fmt: skip
