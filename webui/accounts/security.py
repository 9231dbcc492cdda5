"""Acts on an account: they are logged, and those that matter for its safety are mailed to its owner."""

from collections.abc import Callable, Iterable
from smtplib import SMTPException
from typing import TypeVar

import structlog
from allauth.account.adapter import get_adapter
from allauth.account.decorators import reauthentication_required
from allauth.account.internal.flows.login import record_authentication
from allauth.core import ratelimit
from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.translation import gettext_lazy

from webui.accounts import actions, queries
from webui.accounts.values import Act, Actor, AuditLine, Contact
from webui.core.visitors import address_of

log = structlog.get_logger(__name__)

View = TypeVar("View", bound=Callable[..., HttpResponseBase])

ACTS = {
    Act.ACCOUNT_MADE: gettext_lazy("Account created"),
    Act.ACCOUNT_ERASED: gettext_lazy("Account erased"),
    Act.SIGNED_IN: gettext_lazy("Signed in"),
    Act.SIGNED_IN_ELSEWHERE: gettext_lazy("Signed in from a new browser"),
    Act.SESSION_ENDED: gettext_lazy("Signed out elsewhere"),
    Act.PASSWORD_CHANGED: gettext_lazy("Password changed"),
    Act.EMAIL_CHANGED: gettext_lazy("E-mail address changed"),
    Act.EMAIL_VERIFIED: gettext_lazy("E-mail address confirmed"),
    Act.APP_ADDED: gettext_lazy("Authenticator app added"),
    Act.APP_REMOVED: gettext_lazy("Authenticator app removed"),
    Act.PASSKEY_ADDED: gettext_lazy("Passkey added"),
    Act.PASSKEY_REMOVED: gettext_lazy("Passkey removed"),
    Act.CODES_MADE: gettext_lazy("Recovery codes created"),
    Act.CODE_USED: gettext_lazy("Recovery code used"),
    Act.DATA_EXPORTED: gettext_lazy("Data exported"),
    Act.BOT_REGISTERED: gettext_lazy("Bot registered"),
    Act.BOT_PAUSED: gettext_lazy("Bot paused"),
    Act.BOT_RESUMED: gettext_lazy("Bot plays again"),
    Act.BOT_CHANGED: gettext_lazy("Description of a bot changed"),
    Act.BOT_RETIRED: gettext_lazy("Bot or version retired"),
    Act.BOT_RETURNED: gettext_lazy("Bot or version brought back"),
    Act.CHALLENGES_SET: gettext_lazy("Setting of challenges changed"),
    Act.TOKEN_ISSUED: gettext_lazy("Token issued"),
    Act.TOKEN_REVOKED: gettext_lazy("Token revoked"),
    Act.WEBHOOK_ADDED: gettext_lazy("Webhook added"),
    Act.WEBHOOK_CHANGED: gettext_lazy("Webhook changed"),
    Act.WEBHOOK_REMOVED: gettext_lazy("Webhook removed"),
    Act.WEBHOOK_SECRET_MADE: gettext_lazy("New secret of a webhook created"),
    Act.EVENT_SHARED: gettext_lazy("Made co-organiser of an event"),
    Act.EVENT_UNSHARED: gettext_lazy("No longer co-organiser of an event"),
    Act.EVENT_HANDED_OVER: gettext_lazy("Made organiser of an event"),
    Act.ROLE_CHANGED: gettext_lazy("Rights of staff changed"),
    Act.PASSWORD_LINK_SENT: gettext_lazy("Link for a new password sent by staff"),
    Act.USER_LOCKED: gettext_lazy("Account locked by staff"),
    Act.USER_UNLOCKED: gettext_lazy("Account unlocked by staff"),
    Act.USER_MESSAGED: gettext_lazy("Message from staff"),
    Act.SOURCE_PUBLISHED: gettext_lazy("Source published"),
    Act.SOURCE_UNPUBLISHED: gettext_lazy("Published source taken back"),
    Act.SOURCE_TAKEN_DOWN: gettext_lazy("Published source taken down by staff"),
    Act.BOT_LOCKED: gettext_lazy("Bot locked by staff"),
    Act.BOT_UNLOCKED: gettext_lazy("Bot unlocked by staff"),
    Act.BOT_CORRECTED: gettext_lazy("Bot renamed by staff"),
    Act.MATCH_VOIDED: gettext_lazy("Match voided by staff"),
    Act.MATCH_AGAIN: gettext_lazy("Match played again by staff"),
    Act.LADDER_CHANGED: gettext_lazy("Ladder changed by staff"),
    Act.SUBMISSION_WITHDRAWN: gettext_lazy("Version withdrawn by staff"),
    Act.SUBMISSION_LOCKED: gettext_lazy("Version locked by staff"),
    Act.SUBMISSION_UNLOCKED: gettext_lazy("Version unlocked by staff"),
    Act.RUNNER_PAUSED: gettext_lazy("Runner paused by staff"),
    Act.RUNNER_RESUMED: gettext_lazy("Runner resumed by staff"),
    Act.RUNNER_REVOKED: gettext_lazy("Runner revoked by staff"),
    Act.HOSTING_PAUSED: gettext_lazy("Hosting paused by staff"),
    Act.HOSTING_RESUMED: gettext_lazy("Hosting resumed by staff"),
}
"""Names of the acts on pages and in emails."""

MAILED = {
    Act.SIGNED_IN_ELSEWHERE,
    Act.PASSWORD_CHANGED,
    Act.EMAIL_CHANGED,
    Act.APP_ADDED,
    Act.APP_REMOVED,
    Act.PASSKEY_ADDED,
    Act.PASSKEY_REMOVED,
    Act.CODES_MADE,
    Act.CODE_USED,
    Act.TOKEN_ISSUED,
    Act.WEBHOOK_ADDED,
    Act.WEBHOOK_CHANGED,
    Act.WEBHOOK_SECRET_MADE,
    Act.ACCOUNT_ERASED,
}
"""Acts that are mailed to the owner. Each could be the first thing that a thief does."""


def in_words(lines: Iterable[AuditLine]) -> list[tuple[AuditLine, str]]:
    """Return these audit entries, each with the name of its act."""
    return [(line, str(ACTS[line.act])) for line in lines]


def confirmed(view: View) -> View:
    """Require a recent password or second factor for a view; visitors without one are asked for it first.

    "Recent" means within the last `ACCOUNT_REAUTHENTICATION_TIMEOUT` seconds. The visitor must be signed in.
    """
    return login_required(reauthentication_required(view))  # type: ignore[no-any-return]


def actor(request: HttpRequest) -> Actor:
    """Return the author of the request, for the log."""
    return Actor(request.user.pk, address_of(request))


def record_and_notify(request: HttpRequest, user: AbstractUser, act: Act, subject: str = "") -> None:
    """Add an entry to the log of the account, and notify its owner if the act matters."""
    actions.record_act(act, user.pk, by=Actor(user.pk, address_of(request)), subject=subject)
    notify(request, user, act, subject)


def notify(
    request: HttpRequest | None,
    user: AbstractUser | AnonymousUser | Contact,
    act: Act,
    subject: str = "",
    *,
    former_email: str = "",
    was_confirmed: bool = False,
) -> None:
    """Notify the owner of the account by email about an act, if there is an address.

    Without a request, the act is that of the operator. `was_confirmed` says whether the former address was the owner's
    own.

    The act itself is already done. An email that cannot be sent changes nothing. An email above the hourly limit is not
    sent, but the history of the account has every act.
    """
    if act not in MAILED:
        return
    where = reverse("account")
    context = {
        "user": user,
        "what": ACTS[act],
        "subject": subject,
        "address": address_of(request) if request else "",
        "agent": agent_name(request.headers.get("User-Agent", "")) if request else "",
        "url": request.build_absolute_uri(where) if request else f"{settings.SITE_URL}{where}",
    }
    is_confirmed = user.pk is not None and queries.has_verified_email(user.pk)
    addresses = {getattr(user, "email", ""): is_confirmed, former_email: was_confirmed}
    for address, is_own in addresses.items():
        if not address:
            continue
        if request and not _may_send(request, user, act, None if is_own else address):
            log.warning("email_limit", act=act, account=user.pk)
            continue
        try:
            get_adapter(request).render_mail("account/email/notice", address, context).send()
        except (OSError, SMTPException) as error:
            log.error("email_not_sent", act=act, error=str(error))


def _may_send(
    request: HttpRequest, user: AbstractUser | AnonymousUser | Contact, act: Act, stranger: str | None
) -> bool:
    """Return whether another email is within the rate limits.

    Each kind of act has a limit of its own, so that many acts of one kind hide no other. An address that may be a
    stranger's has a limit over all accounts that name it.
    """
    if not ratelimit.consume(request, action="notice", key=f"{user.pk}:{act}"):
        return False
    return stranger is None or bool(ratelimit.consume(request, action="notice_to", key=stranger.casefold()))


BROWSERS = {"Edg": "Edge", "OPR": "Opera", "Firefox": "Firefox", "Chrome": "Chrome", "Safari": "Safari", "curl": "curl"}
SYSTEMS = {"Windows": "Windows", "Android": "Android", "iPhone": "iOS", "iPad": "iOS", "Mac OS X": "macOS",
           "CrOS": "ChromeOS", "Linux": "Linux"}  # fmt: skip


def agent_name(agent: str) -> str:
    """Return a browser in two words, such as `Firefox, Linux`. Return an empty text for an unknown user agent."""
    # The order matters: the user agent of each browser also contains the names of those after it.
    labels = [next((name for mark, name in names.items() if mark in agent), "") for names in (BROWSERS, SYSTEMS)]
    return ", ".join(filter(None, labels))


def mark_confirmed(request: HttpRequest, user: AbstractUser, method: str) -> None:
    """Record that the user has just shown a password, so that it is not asked for again during the next minutes."""
    record_authentication(request, user, method, reauthenticated=True)
