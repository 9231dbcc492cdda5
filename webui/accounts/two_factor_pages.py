"""Pages of second factors: an app with codes, passkeys, recovery codes. django-allauth has the flows."""

import json
from dataclasses import dataclass
from typing import Any

from allauth.mfa.base import views as base
from allauth.mfa.totp import views as totp
from allauth.mfa.webauthn import views as webauthn
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from webui.accounts import queries, sessions
from webui.accounts.security import actor, confirmed, notify
from webui.accounts.values import Act, SecondFactors
from webui.core.errors import BadRequest
from webui.core.pages import PageContext, render_page
from webui.core.visitors import user_id


class _Page:
    """A page of django-allauth with its entry in our navigation. It passes the options of a passkey to the form."""

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        context: dict[str, Any] = {"here": "account", **super().get_context_data(**kwargs)}  # type: ignore[misc]
        if options := context.get("js_data"):
            context["options"] = json.dumps(options.get("creation_options") or options["request_options"])
        return context


class _Added(_Page):
    """A page that adds a second factor. After the first one, the page of recovery codes follows.

    Without recovery codes, an owner who loses the phone loses the account.
    """

    def get_success_url(self) -> str:
        factors = queries.second_factors(self.request.user.pk)  # type: ignore[attr-defined]
        return reverse("account" if factors.codes_left else "recovery-codes")


class SignInCode(_Page, base.AuthenticateView):
    """Ask for the second factor at sign-in."""

    template_name = "accounts/sign_in_code.html"

    def get_context_data(self, **kwargs: Any) -> dict[str, Any]:
        """Leave out the options of a passkey if the user has none."""
        context = super().get_context_data(**kwargs)
        if not queries.second_factors(self.stage.login.user.pk).passkeys:
            del context["options"]
        return context


class ConfirmCode(_Page, base.ReauthenticateView):
    """Ask for a code before an action."""

    template_name = "accounts/confirm.html"


class ConfirmPasskey(_Page, webauthn.ReauthenticateWebAuthnView):
    """Ask for a passkey before an action."""

    template_name = "accounts/confirm.html"


class NewApp(_Added, totp.ActivateTOTPView):
    """Add an app with codes."""

    template_name = "accounts/app_new.html"


class RemoveApp(_Page, totp.DeactivateTOTPView):
    """Remove the app."""

    template_name = "accounts/app_remove.html"

    def get_success_url(self) -> str:
        """Return the address of the account page."""
        return reverse("account")


class NewPasskey(_Added, webauthn.AddWebAuthnView):
    """Add a passkey."""

    template_name = "accounts/passkey_new.html"


class RemovePasskey(_Page, webauthn.RemoveWebAuthnView):
    """Remove a passkey."""

    template_name = "accounts/passkey_remove.html"

    def get_success_url(self) -> str:
        """Return the address of the account page."""
        return reverse("account")


@dataclass(frozen=True, kw_only=True)
class RecoveryContext(PageContext):
    """New recovery codes, which are shown only once. There are none before the visitor asks for them."""

    template: str = "accounts/recovery_codes.html"
    here: str = "account"
    codes: list[str]
    factors: SecondFactors


@never_cache
@confirmed
@require_http_methods(["GET", "POST"])
def recovery_codes(request: HttpRequest) -> HttpResponse:
    """Make recovery codes, and show them once in the answer. The former codes become invalid."""
    codes: list[str] = []
    if request.method == "POST":
        try:
            codes = sessions.make_recovery_codes(user_id(request), by=actor(request))
        except BadRequest:
            pass  # no second factor, which the page shows
        else:
            notify(request, request.user, Act.CODES_MADE)
    return render_page(request, RecoveryContext(codes=codes, factors=queries.second_factors(user_id(request))))
