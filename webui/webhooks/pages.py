"""Pages of the visitor's webhooks and their messages."""

import json
from collections.abc import Callable
from datetime import UTC, datetime

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from webui.accounts.security import actor, confirmed, notify
from webui.accounts.values import Act
from webui.accounts.visitor import user_id
from webui.bots import queries as bot_queries
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.core.paging import ListPage, page_number
from webui.webhooks import actions, queries
from webui.webhooks.values import DeliveryLine, WebhookLine
from webui.webhooks.words import FAILURES, KINDS, OFF, WebhookForm

PER_PAGE = 20
AGAIN_S = 5
"""Seconds after which the page is reloaded while a message waits for its first request."""


@never_cache
@login_required
@require_safe
def webhooks(request: HttpRequest) -> HttpResponse:
    """Show the visitor's webhooks."""
    hooks = queries.webhooks(user_id(request))
    context = {
        "here": "account",
        "hooks": [(hook, _words(hook)) for hook in hooks],
        "is_full": len(hooks) >= actions.MOST_WEBHOOKS,
    }
    return render(request, "webhooks/webhooks.html", context)


def _words(hook: WebhookLine) -> list[object]:
    return [KINDS[kind] for kind in hook.kinds]


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
            return _show_secret(request, hook, made.secret)
    return _show_form(request, form, None)


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
    return _show_form(request, form, hook)


def _form(request: HttpRequest, hook: WebhookLine | None = None) -> WebhookForm:
    user = user_id(request)
    bots = [own.bot for own in bot_queries.own_bots(user)]
    events = list(queries.webhook_events(user))
    return WebhookForm(bots, events, request.POST if request.method == "POST" else None, hook=hook)


def _show_form(request: HttpRequest, form: WebhookForm, hook: WebhookLine | None) -> HttpResponse:
    context = {"here": "account", "form": form, "hook": hook}
    return render(request, "webhooks/webhook_form.html", context, status=422 if form.is_bound else 200)


def _show_secret(request: HttpRequest, hook: WebhookLine, secret: str) -> HttpResponse:
    """Show a secret in the response to the request that made it. The plain secret is stored nowhere."""
    context = {"here": "account", "hook": hook, "secret": secret}
    return render(request, "webhooks/webhook_secret.html", context)


def _indented(body: str) -> str:
    return json.dumps(json.loads(body), indent=2, ensure_ascii=False)


@never_cache
@login_required
@require_safe
def webhook(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Show a webhook and a page of its messages."""
    hook = _own(request, webhook_id)
    number = page_number(request.GET.get("page"))
    found = queries.deliveries(webhook_id, first=(number - 1) * PER_PAGE, most=PER_PAGE + 1)
    page: ListPage[DeliveryLine] = ListPage(found[:PER_PAGE], number, len(found) > PER_PAGE)
    context = {
        "here": "account",
        "hook": hook,
        "kinds": _words(hook),
        "off": OFF.get(hook.off, ""),
        "page": page,
        "is_rolling": hook.former_until is not None and hook.former_until > datetime.now(UTC),
        "lines": [
            (line, KINDS[line.kind], FAILURES.get(line.failure, ""), _indented(line.body)) for line in page.items
        ],
    }
    response = render(request, "webhooks/webhook.html", context)
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
        return _show_secret(request, _own(request, webhook_id), secret)
    return render(request, "webhooks/webhook_secret.html", {"here": "account", "hook": hook})


@login_required
@require_POST
def webhook_deed(request: HttpRequest, webhook_id: int) -> HttpResponse:
    """Do what `deed` asks for: send a test message, switch the webhook off or on, or remove it."""
    user, deed = user_id(request), request.POST.get("deed", "")
    hook = _own(request, webhook_id)
    if deed == "remove":
        actions.remove_webhook(user, webhook_id, by=actor(request))
        messages.success(request, _("The webhook is removed."))
        return redirect("webhooks")
    if deed == "test":
        said = _("A test message is on its way.")
        _ask(request, lambda: actions.test_webhook(user, webhook_id), said)
    elif deed in ("on", "off") and hook.is_on != (deed == "on"):
        actions.switch_webhook(user, webhook_id, is_on=deed == "on", by=actor(request))
        messages.success(request, _("The webhook is on.") if deed == "on" else _("The webhook is off."))
    return redirect("webhook", webhook_id=webhook_id)


@login_required
@require_POST
def send_again(request: HttpRequest, webhook_id: int, delivery_id: int) -> HttpResponse:
    """Send a message again."""
    user = user_id(request)
    _ask(request, lambda: actions.send_again(user, webhook_id, delivery_id), _("The message is on its way again."))
    return redirect("webhook", webhook_id=webhook_id)


def _ask(request: HttpRequest, act: Callable[[], object], said: str) -> None:
    try:
        act()
    except NotFound as error:
        raise Http404(str(error)) from error
    except TooMany:
        messages.error(request, _("You have asked for many messages within an hour. Wait a while."))
    except BadRequest:
        messages.error(request, _("The webhook is off. Switch it on first."))
    else:
        messages.success(request, said)


def _own(request: HttpRequest, webhook_id: int) -> WebhookLine:
    try:
        return queries.webhook(user_id(request), webhook_id)
    except NotFound as error:
        raise Http404(str(error)) from error
