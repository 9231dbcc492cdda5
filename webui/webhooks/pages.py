"""Pages of the visitor's webhooks and their messages."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webui.accounts.security import actor, confirmed, notify
from webui.accounts.values import Act
from webui.bots import queries as bot_queries
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.core.pages import FormContext, PageContext, get_or_404, render_page
from webui.core.paging import ListPage, read_page
from webui.core.visitors import user_id
from webui.webhooks import actions, queries
from webui.webhooks.values import DeliveryLine, WebhookLine
from webui.webhooks.words import FAILURES, KINDS, OFF, WebhookForm

PER_PAGE = 20
AGAIN_S = 5
"""Seconds after which the page is reloaded while a message waits for its first request."""


@dataclass(frozen=True, kw_only=True)
class WebhooksContext(PageContext):
    """The visitor's webhooks."""

    template: str = "webhooks/webhooks.html"
    here: str = "account"
    hooks: list[tuple[WebhookLine, list[str]]]
    """Webhooks, each with the names of its messages."""
    is_full: bool


@dataclass(frozen=True, kw_only=True)
class WebhookFormContext(FormContext):
    """The form of a webhook, new or changed."""

    template: str = "webhooks/webhook_form.html"
    here: str = "account"
    hook: WebhookLine | None
    """None for a new one."""


@dataclass(frozen=True, kw_only=True)
class WebhookSecretContext(PageContext):
    """A new secret, which is shown only once, or the question whether to make one."""

    template: str = "webhooks/webhook_secret.html"
    here: str = "account"
    hook: WebhookLine
    secret: str = ""


@dataclass(frozen=True, kw_only=True)
class WebhookContext(PageContext):
    """A webhook with a page of its messages."""

    template: str = "webhooks/webhook.html"
    here: str = "account"
    hook: WebhookLine
    kinds: list[str]
    off: str
    """Reason why it is off. Empty if it is on."""
    page: ListPage[DeliveryLine]
    is_rolling: bool
    """Whether the former secret still signs messages, too."""
    lines: list[tuple[DeliveryLine, str, str, str]]
    """Messages, each with the name of its kind, the reason why there was no answer, and its text."""


@never_cache
@login_required
@require_safe
def webhooks(request: HttpRequest) -> HttpResponse:
    """Show the visitor's webhooks."""
    hooks = queries.webhooks(user_id(request))
    is_full = len(hooks) >= actions.MOST_WEBHOOKS
    return render_page(request, WebhooksContext(hooks=[(hook, _words(hook)) for hook in hooks], is_full=is_full))


def _words(hook: WebhookLine) -> list[str]:
    return [str(KINDS[kind]) for kind in hook.kinds]


@never_cache
@confirmed
@require_http_methods(["GET", "POST"])
def new_webhook(request: HttpRequest) -> HttpResponse:
    """Add a webhook. The response shows its secret, only once."""
    form = _form(request)
    if form.is_valid():
        try:
            made = actions.add_webhook(user_id(request), form.terms(), by=actor(request))
        except TooMany:
            form.add_error(None, _("You have many webhooks. Remove one that is not used any more."))
        except (BadRequest, NotFound):
            form.add_error(None, _("Something has changed meanwhile. Look at your choices again."))
        else:
            hook = queries.webhook(user_id(request), made.id)
            notify(request, request.user, Act.WEBHOOK_ADDED, hook.url)
            # Only this response has the plain secret. It is stored nowhere.
            return render_page(request, WebhookSecretContext(hook=hook, secret=made.secret))
    return render_page(request, WebhookFormContext(form=form, hook=None))


@never_cache
@confirmed
@require_http_methods(["GET", "POST"])
def edit_webhook(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Change the address and the messages of a webhook."""
    hook = _own(request, webhook_id)
    form = _form(request, hook)
    if form.is_valid():
        try:
            is_change = actions.change_webhook(user_id(request), webhook_id, form.terms(), by=actor(request))
        except (BadRequest, NotFound):
            form.add_error(None, _("Something has changed meanwhile. Look at your choices again."))
        else:
            if is_change:
                notify(request, request.user, Act.WEBHOOK_CHANGED, form.terms().url)
            messages.success(request, _("The webhook is changed."))
            return redirect("webhook", webhook_id=webhook_id)
    return render_page(request, WebhookFormContext(form=form, hook=hook))


def _form(request: HttpRequest, hook: WebhookLine | None = None) -> WebhookForm:
    user = user_id(request)
    bots = [own.bot for own in bot_queries.own_bots(user)]
    events = list(queries.webhook_events(user))
    return WebhookForm(bots, events, request.POST if request.method == "POST" else None, hook=hook)


def _indented(body: str) -> str:
    return json.dumps(json.loads(body), indent=2, ensure_ascii=False)


@never_cache
@login_required
@require_safe
def webhook(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Show a webhook and a page of its messages."""
    hook = _own(request, webhook_id)
    page = read_page(
        request.GET.get("page"),
        PER_PAGE,
        lambda limit, offset: queries.deliveries(webhook_id, first=offset, most=limit),
    )
    context = WebhookContext(
        hook=hook,
        kinds=_words(hook),
        off=str(OFF.get(hook.off, "")),
        page=page,
        is_rolling=hook.former_until is not None and hook.former_until > datetime.now(UTC),
        lines=[
            (line, str(KINDS[line.kind]), str(FAILURES.get(line.failure, "")), _indented(line.body))
            for line in page.items
        ],
    )
    response = render_page(request, context)
    if any(line.state == "due" and not line.tries for line in page.items):
        response["Refresh"] = str(AGAIN_S)
    return response


@never_cache
@confirmed
@require_http_methods(["GET", "POST"])
def webhook_secret(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Make a new secret, which is shown only once."""
    hook = _own(request, webhook_id)
    if request.method == "POST":
        secret = actions.roll_secret(user_id(request), webhook_id, by=actor(request))
        notify(request, request.user, Act.WEBHOOK_SECRET_MADE, hook.url)
        return render_page(request, WebhookSecretContext(hook=_own(request, webhook_id), secret=secret))
    return render_page(request, WebhookSecretContext(hook=hook))


@login_required
@require_POST
def webhook_act(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Do what `act` asks for: send a test message, switch the webhook off or on, or remove it."""
    user, act = user_id(request), request.POST.get("act", "")
    hook = _own(request, webhook_id)
    if act == "remove":
        actions.remove_webhook(user, webhook_id, by=actor(request))
        messages.success(request, _("The webhook is removed."))
        return redirect("webhooks")
    if act == "test":
        message = _("A test message is on its way.")
        _ask(request, lambda: actions.test_webhook(user, webhook_id), message)
    elif act in ("on", "off") and hook.is_on != (act == "on"):
        actions.switch_webhook(user, webhook_id, is_on=act == "on", by=actor(request))
        messages.success(request, _("The webhook is on.") if act == "on" else _("The webhook is off."))
    return redirect("webhook", webhook_id=webhook_id)


@login_required
@require_POST
def send_again(request: HttpRequest, webhook_id: int, delivery_id: int) -> HttpResponse:
    """Send a message again."""
    user = user_id(request)
    _ask(request, lambda: actions.send_again(user, webhook_id, delivery_id), _("The message is on its way again."))
    return redirect("webhook", webhook_id=webhook_id)


def _ask(request: HttpRequest, act: Callable[[], object], message: str) -> None:
    try:
        get_or_404(act)
    except TooMany:
        messages.error(request, _("You have asked for many messages within an hour. Wait a while."))
    except BadRequest:
        messages.error(request, _("The webhook is off. Switch it on first."))
    else:
        messages.success(request, message)


def _own(request: HttpRequest, webhook_id: int) -> WebhookLine:
    return get_or_404(queries.webhook, user_id(request), webhook_id)
