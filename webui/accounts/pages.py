"""Pages of an account: sign-up, settings, sessions, history."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from allauth.account import views as library
from allauth.account.adapter import get_adapter
from allauth.account.internal.flows.email_verification import send_verification_email_for_user
from allauth.decorators import rate_limit
from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.contrib.auth.models import AbstractUser
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webui.accounts import actions, queries
from webui.accounts import sessions as account_sessions
from webui.accounts.forms import EmailForm
from webui.accounts.security import actor, agent_name, confirmed, in_words, notify
from webui.accounts.values import Act, AuditLine, SecondFactors, SessionLine
from webui.core.pages import FormContext, PageContext, get_or_404, render_page
from webui.core.paging import ListPage, read_page
from webui.core.visitors import user_id

SHOWN = 5
"""Number of log entries on the page of the account."""
PER_PAGE = 50


@dataclass(frozen=True, kw_only=True)
class AccountContext(PageContext):
    """The account of the visitor."""

    template: str = "accounts/account.html"
    here: str = "account"
    sessions: list[tuple[SessionLine, str, bool]]
    """Sessions, each with the name of its browser and whether it is this one."""
    factors: SecondFactors
    asks_for_email: bool
    is_verified: bool
    entries: Sequence[tuple[AuditLine, str]]


@dataclass(frozen=True, kw_only=True)
class HistoryContext(PageContext):
    """A page of the account's history."""

    template: str = "accounts/history.html"
    here: str = "account"
    page: ListPage[AuditLine]
    entries: Sequence[tuple[AuditLine, str]]


@never_cache
@login_required
@require_safe
def account(request: HttpRequest) -> HttpResponse:
    """Show the account: sign-in, sessions, and the latest entries of its history."""
    assert isinstance(request.user, AbstractUser)  # behind login_required
    sessions = [
        (session, agent_name(session.agent), session.session_key == request.session.session_key)
        for session in queries.sessions(request.user.pk)
    ]
    context = AccountContext(
        sessions=sessions,
        factors=queries.second_factors(request.user.pk),
        asks_for_email=settings.VERIFIED_EMAIL,
        is_verified=queries.has_verified_email(request.user.pk),
        entries=in_words(queries.audit(request.user.pk, most=SHOWN)),
    )
    return render_page(request, context)


@never_cache
@login_required
@require_safe
def history(request: HttpRequest) -> HttpResponse:
    """Show the whole history of the account, page by page."""
    page = read_page(
        request.GET.get("page"),
        PER_PAGE,
        lambda limit, offset: queries.audit(user_id(request), first=offset, most=limit),
    )
    return render_page(request, HistoryContext(page=page, entries=in_words(page.items)))


@login_required
@require_POST
def end_session(request: HttpRequest, session_id: int) -> HttpResponse:
    """Sign out of another browser."""
    get_or_404(account_sessions.end_session, user_id(request), session_id, by=actor(request))
    messages.success(request, _("That browser is signed out."))
    return redirect("account")


@login_required
@require_POST
def end_other_sessions(request: HttpRequest) -> HttpResponse:
    """Sign out of all browsers except this one."""
    ended = account_sessions.end_sessions(user_id(request), but=request.session.session_key or "", by=actor(request))
    message = ngettext("%(n)s other browser is signed out.", "%(n)s other browsers are signed out.", ended)
    messages.success(request, message % {"n": ended})
    return redirect("account")


@never_cache
@confirmed
@rate_limit(action="change_email")
@require_http_methods(["GET", "POST"])
def email(request: HttpRequest) -> HttpResponse:
    """Change the email address."""
    user = request.user
    assert isinstance(user, AbstractUser)  # behind login_required
    form = EmailForm(request.POST if request.method == "POST" else None, initial={"email": user.email})
    if form.is_valid():
        former, was_confirmed = user.email, queries.has_verified_email(user.pk)
        if not actions.set_email(user.pk, form.cleaned_data["email"], by=actor(request)):
            return redirect("account")
        user.refresh_from_db()
        notify(request, user, Act.EMAIL_CHANGED, former_email=former, was_confirmed=was_confirmed)
        messages.success(request, _("Your e-mail address is changed."))
        if settings.VERIFIED_EMAIL and user.email:
            return _send_link(request, user)
        return redirect("account")
    return render_page(request, FormContext(template="accounts/email.html", here="account", form=form))


@login_required
@require_POST
def verify_email(request: HttpRequest) -> HttpResponse:
    """Send the link that confirms the address again."""
    assert isinstance(request.user, AbstractUser)  # behind login_required
    return _send_link(request, request.user)


def _send_link(request: HttpRequest, user: AbstractUser) -> HttpResponse:
    if not user.email or not send_verification_email_for_user(request, user):
        messages.error(request, _("No link was sent: there is no address, or one was sent a minute ago."))
    else:
        messages.success(request, _("A link is on its way to your address. Follow it to confirm that it is yours."))
    return redirect("account")


class SignUpView(library.SignupView):
    """The sign-up view of django-allauth, with an answer if the name was taken a moment earlier."""

    template_name = "accounts/sign_up.html"
    template_name_signup_closed = "accounts/sign_up_closed.html"

    def form_valid(self, form: Any) -> HttpResponse:
        """Make the account. Since the check, somebody may have taken the name or one that looks like it."""
        try:
            return super().form_valid(form)  # type: ignore[no-any-return]
        except IntegrityError:
            form.add_error("username", get_adapter().validation_error("username_taken"))
            return self.form_invalid(form)  # type: ignore[no-any-return]
