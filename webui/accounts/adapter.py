"""The adapter of django-allauth: its messages, redirects, logging and emails."""

import time
from typing import Any

from allauth.account.adapter import DefaultAccountAdapter
from allauth.account.models import EmailAddress
from asgiref.sync import iscoroutinefunction, sync_to_async
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.models import AbstractUser
from django.core.exceptions import ValidationError
from django.http import HttpRequest, HttpResponseBase
from django.urls import reverse
from django.utils.decorators import sync_and_async_middleware
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from webui.accounts import actions, guesses, security, sessions
from webui.accounts.values import Act
from webui.core import errors
from webui.core.middleware import Handler
from webui.core.visitors import address_of, has_read_user

# The time and address at which each session of a user was last seen.


SEEN = "seen"
"""Key in the session of the time when it was last stored."""
NOTED_S = 600
"""Minimum number of seconds between two updates."""


@sync_and_async_middleware
def note_seen(get_response: Any) -> Handler:
    """Update the last-seen time of the session of a signed-in request.

    This happens only if the request has read its user. No other request has any cost.
    """
    if iscoroutinefunction(get_response):

        async def answer_async(request: HttpRequest) -> HttpResponseBase:
            response: HttpResponseBase = await get_response(request)
            if _is_due(request):
                await sync_to_async(note_now)(request)
            return response

        return answer_async

    def answer(request: HttpRequest) -> HttpResponseBase:
        response: HttpResponseBase = get_response(request)
        if _is_due(request):
            note_now(request)
        return response

    return answer


def _is_due(request: HttpRequest) -> bool:
    if not has_read_user(request) or not request.session.session_key:
        return False
    return time.time() - float(request.session.get(SEEN, 0)) > NOTED_S


def note_now(request: HttpRequest) -> None:
    """Update the last-seen time of this request's session."""
    assert request.user.pk is not None and request.session.session_key is not None
    request.session[SEEN] = int(time.time())
    agent = request.headers.get("User-Agent", "")
    sessions.note_session(request.user.pk, request.session.session_key, address=address_of(request), agent=agent)


SAID = {
    "account/messages/password_changed.txt": gettext_lazy("Your password is changed."),
    "account/messages/password_set.txt": gettext_lazy("Your password is changed."),
    "account/messages/email_confirmed.txt": gettext_lazy("Your e-mail address is confirmed."),
    "mfa/messages/totp_activated.txt": gettext_lazy("The app is set up. From now on sign-in asks for its code."),
    "mfa/messages/totp_deactivated.txt": gettext_lazy("The app is removed."),
    "mfa/messages/webauthn_added.txt": gettext_lazy("The passkey is added. You can sign in with it."),
    "mfa/messages/webauthn_removed.txt": gettext_lazy("The passkey is removed."),
}
"""Messages of django-allauth that are shown, in our words. Its other messages repeat what the page shows anyway."""

NOTICES = {
    "account/email/password_changed": Act.PASSWORD_CHANGED,
    "account/email/password_set": Act.PASSWORD_CHANGED,
    "account/email/password_reset": Act.PASSWORD_CHANGED,
    "mfa/email/totp_activated": Act.APP_ADDED,
    "mfa/email/totp_deactivated": Act.APP_REMOVED,
    "mfa/email/webauthn_added": Act.PASSKEY_ADDED,
    "mfa/email/webauthn_removed": Act.PASSKEY_REMOVED,
}
"""Acts that the notices of django-allauth report, by the prefix of their template."""


class AccountAdapter(DefaultAccountAdapter):
    """The hooks of django-allauth."""

    error_messages = {
        **DefaultAccountAdapter.error_messages,
        "username_password_mismatch": gettext_lazy("The name or the password is wrong."),
        "username_taken": gettext_lazy("This name is taken. Choose another one."),
        "enter_current_password": gettext_lazy("This is not your password."),
        "incorrect_password": gettext_lazy("This is not your password."),
        "too_many_login_attempts": gettext_lazy("Too many attempts. Wait five minutes, then try again."),
    }

    def clean_username(self, username: str, shallow: bool = False) -> str:
        """Return the name in its stored form. Raise an error of the form if it is not allowed, or looks like another
        user's.
        """
        super().clean_username(username, shallow=True)
        try:
            return actions.check_user_name(username)
        except errors.NameTaken as error:
            raise self.validation_error("username_taken") from error
        except errors.BadRequest as error:
            raise ValidationError(
                _("A name has 1 to 40 characters, all of them letters, digits or @ . + - _"), code="invalid"
            ) from error

    def authenticate(self, request: HttpRequest, **credentials: Any) -> AbstractUser | None:
        """Return the user with this name and password.

        Neither is checked after some wrong guesses from this address. After many wrong guesses from anywhere they are
        checked only on the user's own devices.
        """
        name = credentials.get("username", "")
        if not guesses.may_guess(request, "password", name):
            raise self.validation_error("too_many_login_attempts")
        user: AbstractUser | None = super().authenticate(request, **credentials)
        if user is None:
            guesses.was_wrong(request, "password", name)
        else:
            guesses.was_right(request, "password", name)
        return user

    def post_login(self, request: HttpRequest, user: AbstractUser, *, signup: bool, **details: Any) -> HttpResponseBase:
        """Return the redirect after a sign-in. Log the sign-in, and notify the user of a new device."""
        security.mark_confirmed(request, user, "sign-in")
        note_now(request)
        if signup:
            security.record_and_notify(request, user, Act.ACCOUNT_MADE)
        is_known = signup or guesses.is_known(request, user.username)
        security.record_and_notify(request, user, Act.SIGNED_IN if is_known else Act.SIGNED_IN_ELSEWHERE)
        response: HttpResponseBase = super().post_login(request, user, signup=signup, **details)
        guesses.remember(response, user)
        return response

    def send_notification_mail(
        self, template_prefix: str, user: AbstractUser, context: Any = None, email: str | None = None
    ) -> None:
        """Log and mail a notice of django-allauth.

        A changed password ends every other session. Django rejects these sessions from then on; here they are removed
        from the list.
        """
        act = NOTICES[template_prefix]
        if act == Act.PASSWORD_CHANGED:
            sessions.end_sessions(user.pk)
            if self.request.user.is_authenticated:
                note_now(self.request)
        security.record_and_notify(self.request, user, act)

    def confirm_email(self, request: HttpRequest, email_address: EmailAddress) -> bool:
        """Log that the address is confirmed."""
        is_confirmed: bool = super().confirm_email(request, email_address)
        if is_confirmed:
            security.record_and_notify(request, email_address.user, Act.EMAIL_VERIFIED)
        return is_confirmed

    def get_email_verification_redirect_url(self, email_address: EmailAddress) -> str:
        """Return the address of the account page, which leads through sign-in if necessary."""
        return reverse("account")

    def is_open_for_signup(self, request: HttpRequest) -> bool:
        """Return whether visitors can make accounts on the site, which the operator decides."""
        return bool(settings.SIGN_UP)

    def get_signup_redirect_url(self, request: HttpRequest) -> str:
        """Return the address of the form for the first bot."""
        return reverse("new-bot")

    def get_password_change_redirect_url(self, request: HttpRequest) -> str:
        """Return the address of the page after a change of the password."""
        return reverse("account")

    def format_email_subject(self, subject: str) -> str:
        """Return the subject of an email, with the name of the site."""
        return f"Naqala Arena: {subject}"

    def add_message(
        self, request: HttpRequest, level: int, message_template: str | None = None, *args: Any, **kwargs: Any
    ) -> None:
        """Show the messages of `SAID`, and no others."""
        if text := SAID.get(message_template or ""):
            messages.add_message(request, messages.SUCCESS, str(text))
