"""Routes with which owners manage their webhooks."""

from ninja import Query, Router, Status

from webui.accounts.values import Act
from webui.api.callers import Request, actor, caller, check_email, needs, tell_owner
from webui.api.lists import Listed, PageQuery, page_of
from webui.api.schemas import Joined
from webui.webhooks import actions, queries
from webui.webhooks.schemas import (
    AskedMessage,
    Deliveries,
    NewWebhookDocument,
    WebhookChange,
    WebhookDocument,
    WebhookOrder,
    Webhooks,
)
from webui.webhooks.values import DeliveryLine, WebhookLine

router = Router(tags=["webhooks"])


@router.get("/account/webhooks", response=Webhooks, **needs("webhooks"))
def list_webhooks(request: Request) -> Listed[WebhookLine]:
    """Your webhooks, oldest first."""
    return Listed(queries.webhooks(caller(request).user_id))


@router.post("/account/webhooks", response={201: NewWebhookDocument}, **needs("webhooks"))
def add_webhook(request: Request, order: WebhookOrder) -> Status[Joined]:
    """Add a webhook.

    The response has its secret, which is shown only once. You get an email about it.
    """
    check_email(request)
    new = actions.add_webhook(caller(request).user_id, order.terms, by=actor(request))
    tell_owner(request, Act.WEBHOOK_ADDED, order.url)
    return Status(201, Joined(_own(request, new.id), secret=new.secret))


@router.get("/account/webhooks/{webhook_id}", response=WebhookDocument, **needs("webhooks"))
def get_webhook(request: Request, webhook_id: int) -> WebhookLine:
    """A webhook of yours."""
    return _own(request, webhook_id)


@router.patch("/account/webhooks/{webhook_id}", response=WebhookDocument, **needs("webhooks"))
def change_webhook(request: Request, webhook_id: int, change: WebhookChange) -> WebhookLine:
    """Change the address or the messages of a webhook, or switch it on or off."""
    now, user_id = _own(request, webhook_id), caller(request).user_id
    terms = change.terms(now)
    if terms is not None:
        check_email(request)
        actions.change_webhook(user_id, webhook_id, terms, by=actor(request))
        tell_owner(request, Act.WEBHOOK_CHANGED, terms.url)
    if "on" in change.model_fields_set and change.on != now.is_on:
        actions.switch_webhook(user_id, webhook_id, is_on=change.on, by=actor(request))
    return _own(request, webhook_id)


@router.delete("/account/webhooks/{webhook_id}", response=WebhookDocument, **needs("webhooks"))
def remove_webhook(request: Request, webhook_id: int) -> WebhookLine:
    """Remove a webhook with its messages.

    The response is the removed webhook.
    """
    was = _own(request, webhook_id)
    actions.remove_webhook(caller(request).user_id, webhook_id, by=actor(request))
    return was


@router.post("/account/webhooks/{webhook_id}/secret", response=NewWebhookDocument, **needs("webhooks"))
def roll_webhook_secret(request: Request, webhook_id: int) -> Joined:
    """Make a new secret.

    The response has the secret, which is shown only once. For a day, the former secret still signs messages. You get an
    email about it.
    """
    hook = _own(request, webhook_id)
    check_email(request)
    secret = actions.roll_secret(caller(request).user_id, webhook_id, by=actor(request))
    tell_owner(request, Act.WEBHOOK_SECRET_MADE, hook.url)
    return Joined(_own(request, webhook_id), secret=secret)


@router.post("/account/webhooks/{webhook_id}/test", response=AskedMessage, **needs("webhooks"))
def test_webhook(request: Request, webhook_id: int) -> Joined:
    """Request a test message."""
    _own(request, webhook_id)
    return _queued_message(request, webhook_id, actions.test_webhook(caller(request).user_id, webhook_id))


@router.get("/account/webhooks/{webhook_id}/deliveries", response=Deliveries, **needs("webhooks"))
def list_deliveries(request: Request, webhook_id: int, query: Query[PageQuery]) -> Listed[DeliveryLine]:
    """Messages of a webhook of yours, newest first."""
    hook = _own(request, webhook_id)
    deliveries = queries.deliveries(hook.id, most=query.limit + 1, before=query.after(int))
    return page_of(deliveries, query, lambda line: line.id)


@router.post(
    "/account/webhooks/{webhook_id}/deliveries/{delivery_id}/again", response=AskedMessage, **needs("webhooks")
)
def send_again(request: Request, webhook_id: int, delivery_id: int) -> Joined:
    """Request that a message is sent again, with the same id."""
    _own(request, webhook_id)
    actions.send_again(caller(request).user_id, webhook_id, delivery_id)
    return _queued_message(request, webhook_id, delivery_id)


def _own(request: Request, webhook_id: int) -> WebhookLine:
    return queries.webhook(caller(request).user_id, webhook_id)


def _queued_message(request: Request, webhook_id: int, delivery_id: int) -> Joined:
    (line,) = queries.deliveries(webhook_id, most=1, before=delivery_id + 1)
    return Joined(_own(request, webhook_id), delivery=line.id, message=line.message)
