"""Pages of tokens: register a bot with its first token, make and revoke tokens of bots and API tokens."""

from dataclasses import dataclass

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from arena.bus import session_id
from webui.accounts import queries as account_queries
from webui.accounts.security import actor, confirmed, notify
from webui.accounts.values import Act, TokenLine
from webui.bots import actions, presence, token_actions, token_queries
from webui.bots.actions import NEW_BOTS_AN_HOUR
from webui.bots.forms import ApiTokenForm, BotForm, TokenForm
from webui.bots.setting_pages import own_bot
from webui.bots.values import BotRef, OwnBot
from webui.core.errors import BadRequest, NameTaken, TooMany
from webui.core.pages import FormContext, PageContext, get_or_404, render_page
from webui.core.visitors import gateway_address, user_id


@dataclass(frozen=True, kw_only=True)
class NewTokenContext(FormContext):
    """The form of another token for a bot."""

    template: str = "bots/new_token.html"
    here: str = "own"
    bot: BotRef


@dataclass(frozen=True, kw_only=True)
class TokenContext(PageContext):
    """A new token of a bot, which is shown only once."""

    template: str = "bots/token.html"
    here: str = "own"
    bot: BotRef
    token: str
    days: int | None
    server: str


@dataclass(frozen=True, kw_only=True)
class ApiTokensContext(PageContext):
    """The visitor's API tokens."""

    template: str = "bots/api_tokens.html"
    here: str = "account"
    tokens: list[TokenLine]
    bot: BotRef | None = None
    """None, because these tokens belong to no bot."""


@dataclass(frozen=True, kw_only=True)
class ApiTokenContext(PageContext):
    """A new API token, which is shown only once."""

    template: str = "bots/api_token.html"
    here: str = "account"
    token: str
    days: int | None
    example: str
    """Address of the API for an example."""


def _unconfirmed(request: HttpRequest) -> HttpResponse | None:
    """Return a refusal if the arena requires a confirmed address and the visitor has none; otherwise return None."""
    if not settings.VERIFIED_EMAIL or account_queries.has_verified_email(user_id(request)):
        return None
    return render_page(request, PageContext(template="accounts/email_unverified.html", here="own"), 403)


@never_cache
@confirmed
@require_http_methods(["GET", "POST"])
def new_bot(request: HttpRequest) -> HttpResponse:
    """Register a bot. The answer shows its first token, once."""
    if refused := _unconfirmed(request):
        return refused
    form = BotForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            bot_id = actions.register_bot(
                user_id(request),
                form.cleaned_data["name"],
                description=form.cleaned_data["description"],
                most_an_hour=NEW_BOTS_AN_HOUR,
                by=actor(request),
            )
        except (NameTaken, BadRequest, TooMany) as error:
            form.add_error("name", _sentence(error))
        else:
            return _show_token(request, own_bot(request, bot_id=bot_id), "", None)
    return render_page(request, FormContext(template="bots/new_bot.html", here="own", form=form))


def _sentence(error: NameTaken | BadRequest | TooMany) -> str:
    if isinstance(error, TooMany):
        return _("You have registered many bots within an hour. Wait a while; a changed program is a new version.")
    if isinstance(error, NameTaken):
        return _("This name is taken, is too much like another one, or speaks for the arena. Choose another one.")
    return _("A name has 1 to 40 visible characters, at least one of them a letter or a digit.")


@never_cache
@confirmed
@require_http_methods(["GET", "POST"])
def new_token(request: HttpRequest, slug: str) -> HttpResponse:
    """Make another token for one of the visitor's bots."""
    own = own_bot(request, slug=slug)
    if refused := _unconfirmed(request):
        return refused
    form = TokenForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        try:
            return _show_token(request, own, form.cleaned_data["label"], form.cleaned_data["days"])
        except TooMany:
            form.add_error(None, _("This bot has very many tokens. Revoke those that are not used any more."))
        except BadRequest:
            form.add_error("label", _("Use visible characters."))
    return render_page(request, NewTokenContext(bot=own.bot, form=form))


def _show_token(request: HttpRequest, own: OwnBot, label: str, days: int | None) -> HttpResponse:
    """Make a token, and show it in the answer to this request. The clear token is stored nowhere, not even in a
    session.
    """
    token = token_actions.issue_token(own.bot.id, label=label, days=days, by=actor(request)).token
    notify(request, request.user, Act.TOKEN_ISSUED, own.bot.name)
    return render_page(request, TokenContext(bot=own.bot, token=token, days=days, server=gateway_address(request)))


@dataclass(frozen=True)
class Stake:
    """The consequences of revoking a token now."""

    is_known: bool
    """Whether the bus says who is connected."""
    processes: list[str]
    """Names of the processes that are connected with the token."""
    matches: list[str]
    """Ids of the matches that these processes play."""
    others: int
    """Number of the bot's processes that are connected with another token."""

    @classmethod
    def of(cls, bot_id: int, token_id: int) -> "Stake":
        """Return the consequences for this token of a bot."""
        online = presence.online()
        sessions = (online or {}).get(bot_id, [])
        cut = [session for session in sessions if session.id == session_id(token_id, session.process)]
        matches = sorted({match for session in cut for match in session.matches})
        return cls(online is not None, [session.process for session in cut], matches, len(sessions) - len(cut))


@dataclass(frozen=True, kw_only=True)
class RevokeContext(PageContext):
    """The consequences of revoking a token, and the question whether to do it."""

    template: str = "bots/revoke.html"
    bot: BotRef | None = None
    """Bot of the token. None for an API token."""
    token: TokenLine
    stake: Stake | None = None
    back: str


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def revoke_token(request: HttpRequest, slug: str, token_id: int) -> HttpResponse:
    """Revoke a token of one of the visitor's bots, after a page that shows the consequences.

    No password is asked for, because it can be urgent.
    """
    own = own_bot(request, slug=slug)
    token = next((token for token in own.tokens if token.id == token_id), None)
    if token is None:
        raise Http404("no such token")
    if request.method == "GET":
        stake = Stake.of(own.bot.id, token_id)
        back = reverse("bot", args=[slug])
        return render_page(request, RevokeContext(here="own", bot=own.bot, token=token, stake=stake, back=back))
    token_actions.revoke_token(token_id, by=actor(request))
    messages.success(request, _("The token is revoked. A bot that uses it cannot connect again."))
    return redirect("bot", slug=slug)


@never_cache
@login_required
@require_safe
def api_tokens(request: HttpRequest) -> HttpResponse:
    """Show the visitor's API tokens."""
    return render_page(request, ApiTokensContext(tokens=token_queries.api_tokens(user_id(request))))


@never_cache
@confirmed
@require_http_methods(["GET", "POST"])
def new_api_token(request: HttpRequest) -> HttpResponse:
    """Make another API token. The answer shows it, once."""
    if refused := _unconfirmed(request):
        return refused
    form = ApiTokenForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        data = form.cleaned_data
        try:
            new = token_actions.issue_api_token(
                user_id(request), data["scopes"], label=data["label"], days=data["days"], by=actor(request)
            )
        except TooMany:
            form.add_error(None, _("You have very many API tokens. Revoke those that are not used any more."))
        except BadRequest:
            form.add_error("label", _("Use visible characters."))
        else:
            notify(request, request.user, Act.TOKEN_ISSUED, "API")
            example = request.build_absolute_uri("/api/v1/bots")
            return render_page(request, ApiTokenContext(token=new.token, days=data["days"], example=example))
    return render_page(request, FormContext(template="bots/new_api_token.html", here="account", form=form))


@never_cache
@login_required
@require_http_methods(["GET", "POST"])
def revoke_api_token(request: HttpRequest, token_id: int) -> HttpResponse:
    """Revoke one of the visitor's API tokens, after a page that shows the consequences.

    No password is asked for, because it can be urgent.
    """
    if request.method == "GET":
        tokens = [token for token in token_queries.api_tokens(user_id(request)) if token.id == token_id]
        if not tokens:
            raise Http404("no such token")
        return render_page(request, RevokeContext(here="account", token=tokens[0], back=reverse("api-tokens")))
    get_or_404(token_actions.revoke_api_token, token_id, user_id(request), by=actor(request))
    messages.success(
        request,
        _("The token is revoked. Tokens of bots that were made with it stay valid: your account's history names them."),
    )
    return redirect("api-tokens")
