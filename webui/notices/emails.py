"""Words of notices, for their page and for emails, and the emails themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import UTC
from smtplib import SMTPException, SMTPRecipientsRefused
from typing import Final

import structlog
from allauth.account.forms import default_token_generator
from allauth.account.utils import user_pk_to_url_str
from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.mail import EmailMessage
from django.urls import reverse
from django.utils import translation
from django.utils.formats import date_format
from django.utils.translation import gettext as _

from webui.accounts.security import ACTS
from webui.accounts.values import Act
from webui.core.upkeep import UpkeepWorker
from webui.notices import actions
from webui.notices.actions import EMAILS
from webui.notices.values import NoticeData, NoticeLine, NoticeMail, digest_of, emails_due
from webui.words.badges import reason_words
from webui.words.vocabulary import listed

MOST_AT_ONCE: Final = 100
ACT_OF_KIND: Final = {
    "account_locked": Act.USER_LOCKED,
    "account_unlocked": Act.USER_UNLOCKED,
    "role_changed": Act.ROLE_CHANGED,
}
"""Acts that change what a user may do, by the kind of their notices."""

log = structlog.get_logger(__name__)


COMPARED: Final[Mapping[str, Callable[[], str]]] = {
    "YES": lambda: _("%(bots)s: %(new)s is better than %(old)s."),
    "NO": lambda: _("%(bots)s: %(new)s is not better than %(old)s."),
    "OPEN": lambda: _("%(bots)s: after all games, %(new)s and %(old)s could not be told apart."),
    "STOPPED": lambda: _("%(bots)s: the staff stopped the comparison of %(new)s with %(old)s."),
    "IDLE": lambda: _(
        "%(bots)s: the comparison of %(new)s with %(old)s was given up, because a version was not online."
    ),
    "FAILED": lambda: _("%(bots)s: the comparison of %(new)s with %(old)s was given up, because a game had no result."),
}
"""Words for the end of a comparison of versions, by its state."""

HOSTED: Final[Mapping[str, Callable[[], str]]] = {
    "READY": lambda: _("%(bots)s: version %(version)s is ready, and the arena plays it."),
    "FAILED": lambda: _("%(bots)s: version %(version)s has a fault, and is not played. The log says more."),
    "WITHDRAWN": lambda: _(
        "%(bots)s: version %(version)s was withdrawn by the people who run the arena, and is not built."
    ),
}
"""Words for the end of the build of a version that was handed in, by its state."""

OFF: Final[Mapping[str, Callable[[], str]]] = {
    "gone": lambda: _(
        "Your webhook %(url)s was switched off: the receiver answered that it is gone. Due messages are discarded."
    ),
    "failing": lambda: _(
        "Your webhook %(url)s was switched off, because it received nothing for five days. Due messages are discarded."
    ),
}
"""Words for the reasons for which a webhook was switched off."""

ROLES: Final[Mapping[str, Callable[[], str]]] = {
    "player": lambda: _("You do not belong to the people who run the arena any more."),
    "staff": lambda: _("You belong to the people who run the arena, and your rights have changed."),
    "admin": lambda: _("You are an administrator of the arena now."),
}
"""Words for a new role of a user."""

WORDS: Final[Mapping[str, Callable[[NoticeData], str]]] = {
    "soon": lambda data: _("%(event)s starts at %(time)s UTC. Have your bots online: %(bots)s."),
    "check_in": lambda data: _("%(event)s: check in by %(time)s UTC, or be online then: %(bots)s."),
    "withdrawn": lambda data: _("%(event)s: withdrawn, and plays no further games: %(bots)s."),
    "disqualified": lambda data: _("%(event)s: disqualified: %(bots)s."),
    "absent": lambda data: _("%(event)s, round %(round)s: did not come in time: %(bots)s."),
    "drawn": lambda data: _("%(event)s: round %(round)s was drawn."),
    "told": lambda data: _("%(event)s: a message from the organiser."),
    "finished": lambda data: _("%(event)s is over. Your places: %(places)s."),
    "invited": lambda data: _("%(event)s: invited to enter: %(bots)s."),
    "asked": lambda data: _("%(event)s: %(bots)s asks to be let in late."),
    "compared": lambda data: COMPARED[data.state](),
    "message": lambda data: _("A message from the people who run the arena."),
    "password_link": lambda data: _("The people who run the arena sent you a link for a new password by email."),
    "account_locked": lambda data: _(
        "Your account was locked by the people who run the arena. Nobody can sign in to it, and its tokens do not work."
    ),
    "account_unlocked": lambda data: _("Your account is no longer locked."),
    "role_changed": lambda data: ROLES[data.state](),
    "locked": lambda data: (
        _(
            "%(bots)s: version %(version)s was locked by the people who run the arena, and gets no new matches. "
            "Running matches go on."
        )
        if data.version
        else _("%(bots)s was locked by the people who run the arena, and gets no new matches. Running matches go on.")
    ),
    "unlocked": lambda data: (
        _("%(bots)s: version %(version)s is no longer locked.") if data.version else _("%(bots)s is no longer locked.")
    ),
    "hosted": lambda data: HOSTED[data.state](),
    "webhook_off": lambda data: OFF[data.off](),
    "digest": lambda data: _("News of the bots and authors that you follow, %(day)s."),
    "taken_off": lambda data: (
        _(
            "%(bots)s: version %(version)s made a fault in its examination, and plays no rated matches. "
            "The log says which."
        )
        if data.is_examination
        else _(
            "%(bots)s: version %(version)s plays no rated matches any more, because it forfeited three in a row. "
            "Look at what went wrong, and have it examined when it is repaired."
        )
    ),
}
"""Words of each kind of notice, as one sentence."""


def sentence(line: NoticeLine) -> str:
    """Return the words of a notice, as one sentence."""
    data = line.data
    try:
        words = WORDS[line.kind](data)
    except KeyError:  # of the kind, a state or a reason: a newer release wrote the notice and was then taken back
        words = _("There is news for you that the arena cannot describe at the moment.")
    places = [f"{bot}: {place}" for bot, place in zip(data.bots, data.places, strict=False)]
    return words % {
        "event": line.event_name,
        "bots": listed(data.bots),
        "round": data.round,
        "time": date_format(data.at.astimezone(UTC), "DATETIME_FORMAT") if data.at else "",
        "places": ", ".join(places),
        "new": data.new,
        "old": data.old,
        "version": data.version,
        "url": data.url,
        "day": data.day,
    }


def path(line: NoticeLine) -> str:
    """Return the path of the page that the notice is about."""
    if line.event:
        return reverse("event", kwargs={"slug": line.event})
    if line.kind == "compared":
        return reverse("comparison", kwargs={"comparison_id": line.about})
    if line.kind in ("password_link", *ACT_OF_KIND):
        return reverse("history")
    if line.kind in ("locked", "unlocked") and not line.data.version:
        return reverse("bot", kwargs={"slug": line.about})
    if line.kind in ("hosted", "locked", "unlocked"):
        return reverse("submissions", kwargs={"slug": line.about})
    if line.kind == "webhook_off":
        return reverse("webhook", kwargs={"webhook_id": int(line.about)})
    if line.kind == "taken_off":
        return reverse("transcript", kwargs={"slug": line.about, "match_id": line.data.match})
    return reverse("notices")


def details(line: NoticeLine) -> str:
    """Return the text that a person wrote: the organiser's message, or a reason."""
    from webui.events.words import WHYS

    if line.data.reason:
        return reason_words(line.data.reason)
    return line.data.text or str(WHYS.get(line.data.why, line.data.why))


def send_notices(worker: UpkeepWorker) -> None:
    """Write the notices that have become due, and send the emails of notices. The mail server may be slow."""
    try:
        emails_due()
    except Exception:
        log.exception("digests_not_written")  # they stay due, and emails are sent nevertheless
    send_due_mails()


def send_due_mails() -> int:
    """Send the due emails, and return how many were sent.

    If the mail server fails, sending stops until the next call. If it refuses an address, sending continues with the
    other emails.
    """
    sent = 0
    for mail in actions.due_mails(MOST_AT_ONCE):
        try:
            message = _message(mail)
            if message is not None:
                message.send()
        except (OSError, SMTPException) as error:
            EMAILS.labels("failed").inc()
            log.error("email_not_sent", notice=mail.id, error=str(error))
            if isinstance(error, SMTPRecipientsRefused):
                continue
            break
        EMAILS.labels("sent").inc()
        actions.mail_sent(mail)
        sent += 1
    return sent


def _message(mail: NoticeMail) -> EmailMessage | None:
    """Return the email. Return None if there is nothing to say any more."""
    with translation.override(mail.language or settings.LANGUAGE_CODE):
        if mail.line.kind == "digest":
            return next(iter(digest_of(mail)), None)
        if mail.line.kind == "password_link":
            return _password_message(mail)
        if mail.line.kind in ACT_OF_KIND:
            return _account_message(mail)
        summary = sentence(mail.line)
        address = settings.SITE_URL + path(mail.line)
        choice = _("You can switch these emails off: %(url)s") % {"url": settings.SITE_URL + reverse("notices")}
        text = "\n\n".join(filter(None, (summary, details(mail.line), address, "-- \n" + choice)))
        subject = "Naqala Arena: " + " ".join(summary.rstrip(".").split())
        return EmailMessage(subject, text + "\n", to=[mail.address])


def _account_message(mail: NoticeMail) -> EmailMessage:
    """Return the email about a change of the account. It names the account, because an address can have several."""
    user = get_user_model().objects.get(pk=mail.user_id)
    lines = [
        sentence(mail.line),
        _("Account: %(name)s") % {"name": user.get_username()},
        _("Their reason: %(reason)s") % {"reason": mail.line.data.why},
    ]
    if user.is_active:
        lines.append(settings.SITE_URL + path(mail.line))
    return EmailMessage(
        f"Naqala Arena: {ACTS[ACT_OF_KIND[mail.line.kind]]}", "\n\n".join(lines) + "\n", to=[mail.address]
    )


def _password_message(mail: NoticeMail) -> EmailMessage:
    """Return the email with a link that sets a new password. The link is made here, so that nothing stores it."""
    user = get_user_model().objects.get(pk=mail.user_id)
    key = {"uidb36": user_pk_to_url_str(user), "key": default_token_generator.make_token(user)}
    lines = [
        _("The people who run the arena send you a link for a new password of the account %(name)s. Choose it here:")
        % {"name": user.get_username()},
        settings.SITE_URL + reverse("account_reset_password_from_key", kwargs=key),
        _("Their reason: %(reason)s") % {"reason": mail.line.data.why},
        _("The link works for three days, and once. If you do nothing, the password stays as it is."),
    ]
    return EmailMessage("Naqala Arena: " + _("A new password"), "\n\n".join(lines) + "\n", to=[mail.address])
