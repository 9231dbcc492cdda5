"""Actions of owners on webhooks: adding, changing and removing them, and requesting messages."""

import base64
import secrets
from datetime import UTC, datetime
from ipaddress import ip_address
from typing import Final, NamedTuple
from urllib.parse import SplitResult, urlsplit

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now

from arena.host.public import is_public
from webui.accounts.actions import record_act
from webui.accounts.models import User
from webui.accounts.values import Act, Actor
from webui.bots.models import Bot
from webui.core.dbtime import after_now, before_now
from webui.core.encryption import Purpose, encrypt
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.events.models import EventRow
from webui.webhooks.deliveries import give_up
from webui.webhooks.messages import delivery, is_own_host, tried_for
from webui.webhooks.models import LONGEST_URL, Delivery, DeliveryState, OffReason, Webhook, WebhookKind
from webui.webhooks.queries import own_events
from webui.webhooks.values import WebhookRefusal, WebhookTerms

MOST_WEBHOOKS: Final = 10
"""Maximum number of webhooks of one owner."""
ASKED_AN_HOUR: Final = 60
"""Maximum number of messages that one owner requests within an hour: tests and repeated messages."""
ROLLING_S: Final = 86400.0
"""Seconds for which the former secret of a webhook still signs messages."""
LOWEST_PORT: Final = 1024
"""Lowest port allowed besides 80 and 443. Services on lower ports do not expect HTTP."""
PREFIX: Final = "whsec_"


class NewWebhook(NamedTuple):
    """A webhook with its secret, which is shown only once."""

    id: int
    secret: str


def check_url(url: str) -> None:
    """Raise `WebhookRefusal` if messages cannot be sent to this address. Names are resolved later, for each request."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        raise WebhookRefusal("URL", "this is not an address: write it as https://example.org/hook") from None
    is_web = parts.scheme in ("http", "https") and bool(parts.hostname)
    if len(url) > LONGEST_URL or not is_web or not (url.isascii() and url.isprintable()) or " " in url:
        raise WebhookRefusal(
            "URL", "write it as https://example.org/hook, in ASCII, with at most {n} characters", n=LONGEST_URL
        )
    if parts.username is not None or parts.password is not None or parts.fragment:
        raise WebhookRefusal("CREDENTIALS", "an address of a webhook has no name, password or fragment")
    if not settings.PRIVATE_WEBHOOKS:
        _check_place(parts, port)


def _check_place(parts: SplitResult, port: int | None) -> None:
    host = (parts.hostname or "").removesuffix(".")  # a final dot stands for the root of all names
    if port not in (None, 80, 443) and not (port and port >= LOWEST_PORT):
        raise WebhookRefusal("PORT", "the port is 80, 443, or {n} and above", n=LOWEST_PORT)
    try:
        is_allowed = is_public(str(ip_address(host)))
    except ValueError:
        is_allowed = "." in host and not host.endswith((".localhost", ".local"))
    if not is_allowed or is_own_host(host):
        raise WebhookRefusal("PRIVATE", "messages are sent only to the public internet, and not to this arena")


@transaction.atomic
def add_webhook(user_id: int, terms: WebhookTerms, *, by: Actor) -> NewWebhook:
    """Add a webhook. Raise `WebhookRefusal` for its address, `BadRequest`, `NotFound` or `TooMany`."""
    User.objects.select_for_update().get(pk=user_id)  # lock the user: each request must count the others
    if Webhook.objects.filter(user=user_id).count() >= MOST_WEBHOOKS:
        raise TooMany(f"an owner has at most {MOST_WEBHOOKS} webhooks: remove one that is not used")
    hook = Webhook(user_id=user_id)
    _set_terms(hook, terms)
    secret = _new_secret()
    hook.secret = encrypt(secret, Purpose.WEBHOOKS)
    hook.save()
    record_act(Act.WEBHOOK_ADDED, user_id, by=by, subject=hook.url)
    return NewWebhook(hook.pk, secret)


@transaction.atomic
def change_webhook(user_id: int, webhook_id: int, terms: WebhookTerms, *, by: Actor) -> bool:
    """Change the address and the messages of a webhook. Return whether anything changed. Raise the errors of
    `add_webhook`."""
    hook = _own(user_id, webhook_id)
    former = hook.url, hook.kinds, hook.bot, hook.event
    _set_terms(hook, terms)
    if former == (hook.url, hook.kinds, hook.bot, hook.event):
        return False
    hook.save(update_fields=["url", "kinds", "bot", "event"])
    record_act(Act.WEBHOOK_CHANGED, user_id, by=by, subject=hook.url)
    return True


def _set_terms(hook: Webhook, terms: WebhookTerms) -> None:
    check_url(terms.url)
    known = [kind for kind in WebhookKind if kind is not WebhookKind.TEST]
    kinds = [str(kind) for kind in known if kind in terms.kinds]
    if not kinds or len(kinds) != len(set(terms.kinds)):
        raise BadRequest(f"choose messages among {', '.join(known)}")
    bot = Bot.objects.filter(slug=terms.bot, owner=hook.user_id).first()
    if hook.bot is not None and terms.bot == hook.bot.slug:
        bot = hook.bot
    if terms.bot and bot is None:
        raise NotFound(f"there is no bot {terms.bot!r} of yours")
    event = EventRow.objects.filter(slug=terms.event, pk__in=own_events(hook.user_id)).first()
    if hook.event is not None and terms.event == hook.event.slug:
        event = hook.event  # the user's bot may have left the event
    if terms.event and event is None:
        raise NotFound(f"there is no event {terms.event!r} that you are in or organise")
    hook.url, hook.kinds, hook.bot, hook.event = terms.url, kinds, bot, event


@transaction.atomic
def remove_webhook(user_id: int, webhook_id: int, *, by: Actor) -> None:
    """Remove a webhook with its messages."""
    hook = _own(user_id, webhook_id)
    hook.delete()
    record_act(Act.WEBHOOK_REMOVED, user_id, by=by, subject=hook.url)


@transaction.atomic
def roll_secret(user_id: int, webhook_id: int, *, by: Actor) -> str:
    """Make a new secret, and return it. It is shown only once. For a day the former secret still signs messages."""
    hook, secret = _own(user_id, webhook_id), _new_secret()
    Webhook.objects.filter(pk=hook.pk).update(
        secret=encrypt(secret, Purpose.WEBHOOKS), former_secret=hook.secret, former_until=after_now(ROLLING_S)
    )
    record_act(Act.WEBHOOK_SECRET_MADE, user_id, by=by, subject=hook.url)
    return secret


@transaction.atomic
def switch_webhook(user_id: int, webhook_id: int, *, is_on: bool, by: Actor) -> None:
    """Switch a webhook on or off. When it is switched off, its due messages are given up."""
    hook = _own(user_id, webhook_id)
    off = OffReason.NOT_OFF if is_on else OffReason.OWNER
    if Webhook.objects.filter(pk=hook.pk).exclude(off=off).update(off=off, failing_since=None):
        record_act(Act.WEBHOOK_CHANGED, user_id, by=by, subject=hook.url)
    if not is_on:
        give_up(hook.pk)


@transaction.atomic
def test_webhook(user_id: int, webhook_id: int) -> int:
    """Queue a test message, and return its id. Raise `TooMany`, or `BadRequest` if the webhook is off."""
    hook = _hook_to_send_to(user_id, webhook_id)
    row = delivery(hook.pk, WebhookKind.TEST, secrets.token_hex(8), {}, datetime.now(UTC))
    row.save()
    Delivery.objects.filter(pk=row.pk).update(asked_at=Now())
    return row.pk


@transaction.atomic
def send_again(user_id: int, webhook_id: int, delivery_id: int) -> None:
    """Queue a message again, with the same message id. Raise `NotFound`, `TooMany`, or `BadRequest` if the webhook is
    off."""
    hook = _hook_to_send_to(user_id, webhook_id)
    row = Delivery.objects.filter(pk=delivery_id, webhook=hook).first()
    if row is None:
        raise NotFound(f"there is no message {delivery_id} of this webhook")
    until = after_now(tried_for(row.kind).total_seconds())
    again = Delivery.objects.filter(pk=row.pk)
    again.update(state=DeliveryState.DUE, next_at=Now(), tries=0, until=until, asked_at=Now())


def _hook_to_send_to(user_id: int, webhook_id: int) -> Webhook:
    hook = _own(user_id, webhook_id)
    if hook.off:
        raise BadRequest("nothing is sent to a webhook that is off: switch it on")
    requests = Delivery.objects.filter(webhook__user=user_id, asked_at__gt=before_now(3600))
    if requests.count() >= ASKED_AN_HOUR:
        raise TooMany(f"{ASKED_AN_HOUR} messages were asked for within an hour: wait a while")
    return hook


def _own(user_id: int, webhook_id: int) -> Webhook:
    """Return a webhook of this user, and lock it: actions run one at a time."""
    hook = Webhook.objects.select_for_update().filter(pk=webhook_id, user=user_id).first()
    if hook is None:
        raise NotFound(f"there is no webhook {webhook_id} of yours")
    return hook


def _new_secret() -> str:
    """Return a new secret. Standard Webhooks requires 24 to 64 random bytes."""
    return PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()
