"""Second factors with django-allauth: names, forms, and recovery codes that are stored only as hashes."""

from typing import Any

import structlog
from allauth.account.adapter import get_adapter
from allauth.core import context
from allauth.mfa import adapter
from allauth.mfa.base import forms as base
from allauth.mfa.models import Authenticator
from allauth.mfa.totp import forms as totp
from allauth.mfa.totp.internal.auth import generate_totp_secret
from allauth.mfa.webauthn import forms as webauthn
from cryptography.fernet import InvalidToken
from django import forms
from django.contrib.auth.models import AbstractUser
from django.core.cache import cache
from django.utils.translation import gettext, gettext_lazy

from webui.accounts import guesses
from webui.accounts.security import record_and_notify
from webui.accounts.sessions import MOST_PASSKEYS
from webui.accounts.values import Act, recovery_digest
from webui.core import encryption

log = structlog.get_logger(__name__)

APP_DIGITS = 6
USED_S = 120
"""Seconds for which a used code of an app is rejected. This is longer than any code is valid."""


class Adapter(adapter.DefaultMFAAdapter):
    """The adapter of django-allauth for second factors. Apps and passkeys show the name of the account."""

    error_messages = {
        **adapter.DefaultMFAAdapter.error_messages,
        "incorrect_code": gettext_lazy("This code is wrong, or was used already."),
    }

    def _get_user_identifier(self, user: AbstractUser) -> str:
        return user.username

    def get_totp_label(self, user: AbstractUser) -> str:
        """Return the name of the account that an app shows."""
        return user.username

    def encrypt(self, text: str) -> str:
        """Return the key of an app in its stored form."""
        return encryption.encrypt(text, encryption.Purpose.APPS)

    def decrypt(self, encrypted_text: str) -> str:
        """Return the key of an app in clear text.

        A key cannot be decrypted if the arena's secret key has changed. A random key is then returned, so every code is
        wrong; recovery codes still work.
        """
        try:
            return encryption.decrypt(encrypted_text, encryption.Purpose.APPS)
        except InvalidToken:
            log.error("app_key_not_decrypted")
            return str(generate_totp_secret())

    def generate_authenticator_name(self, user: AbstractUser, type: Authenticator.Type) -> str:
        """Return the default name of a passkey."""
        return gettext("Passkey")


def _is_of_app(typed: str) -> bool:
    return len(typed) == APP_DIGITS and typed.isascii() and typed.isdigit()


def _use(user: AbstractUser, typed: str) -> None:
    """Mark a code of an app as used. Raise a validation error if it was used before."""
    if not cache.add(f"app-code:{user.pk}:{typed}", 1, USED_S):
        raise Adapter().validation_error("incorrect_code")


class _Codes(forms.Form):
    """A code of an app, or a recovery code."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        code = self.fields["code"]
        code.label = gettext_lazy("Code")
        code.help_text = gettext_lazy("Six digits from your app, or one of your recovery codes.")
        code.widget.attrs = {
            "autocomplete": "one-time-code",
            "autofocus": True,
            "maxlength": "40",
            "spellcheck": "false",
        }

    def clean_code(self) -> str:
        """Check the code. Recovery codes are stored as digests, so the digest of the typed code is compared."""
        typed = "".join(str(self.cleaned_data["code"])[:64].split())
        if not _is_of_app(typed):
            # Recovery codes have 80 random bits, which nobody can guess. They are not rate limited, so an attacker
            # cannot keep the owner from using them.
            self.cleaned_data["code"] = recovery_digest(typed)
            return str(super().clean_code())  # type: ignore[misc]
        request, user = context.request, self.user  # type: ignore[attr-defined]
        if not guesses.may_guess(request, "code", user.username):
            raise get_adapter().validation_error("too_many_login_attempts")
        self.cleaned_data["code"] = typed
        try:
            super().clean_code()  # type: ignore[misc]
            _use(user, typed)
        except forms.ValidationError:
            guesses.was_wrong(request, "code", user.username)
            raise
        guesses.was_right(request, "code", user.username)
        return typed

    def save(self) -> None:
        super().save()  # type: ignore[misc]
        if self.authenticator.type == Authenticator.Type.RECOVERY_CODES:  # type: ignore[attr-defined]
            record_and_notify(context.request, self.user, Act.CODE_USED)  # type: ignore[attr-defined]


class SignInCodeForm(_Codes, base.AuthenticateForm):
    """The second factor at sign-in."""


class ConfirmCodeForm(_Codes, base.ReauthenticateForm):
    """A code instead of the password, before an action that a thief would take first."""


class AppForm(totp.ActivateTOTPForm):
    """The first code of a new app, which shows that the app has been set up."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["code"].label = gettext_lazy("Code that the app shows")
        self.fields["code"].widget.attrs = {
            "autocomplete": "one-time-code", "inputmode": "numeric", "autofocus": True, "maxlength": "10",
        }  # fmt: skip

    def clean_code(self) -> str:
        """Check the code, and mark it as used: whoever saw it cannot sign in with it."""
        code: str = super().clean_code()
        _use(self.user, "".join(code.split()))
        return code


class PasskeyForm(webauthn.AddWebAuthnForm):
    """A new passkey. It can always be used to sign in."""

    name = forms.CharField(
        label=gettext_lazy("Name"),
        max_length=40,
        required=False,
        help_text=gettext_lazy("Where it is kept: this laptop, a phone, a security key."),
        widget=forms.TextInput(attrs={"autocomplete": "off", "autofocus": True}),
    )
    passwordless = forms.BooleanField(initial=True, widget=forms.HiddenInput)

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **{**kwargs, "initial": {"name": ""}})

    def clean_name(self) -> str:
        """Return the name of the passkey. Reject it if the user has too many passkeys."""
        count = Authenticator.objects.filter(user=self.user, type=Authenticator.Type.WEBAUTHN).count()
        if count >= MOST_PASSKEYS:
            raise forms.ValidationError(gettext("You have very many passkeys. Remove one first."))
        name: str = super().clean_name()
        return name
