"""Schemas for webhooks and their messages, for their owners."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any, Final, Literal, get_args

from pydantic import Field

from webui.api.lists import Page
from webui.api.schemas import OR_NULL, Input, ValueView, converted, source
from webui.webhooks.models import LONGEST_URL
from webui.webhooks.values import WebhookLine, WebhookTerms

FirstKind = Literal[
    "match.finished",
    "bot.fault",
    "bot.offline",
    "bot.online",
    "version.taken_off",
    "event.round_drawn",
    "event.results_revealed",
    "event.finished",
]
"""Kinds that clients of the first release know. The fields `kind` and `kinds` of answers have no others."""
Kind = Literal[FirstKind, "submission.built", "submission.ready", "submission.failed"]
FIRST: Final = frozenset(get_args(FirstKind))
Slug = Annotated[str, Field(max_length=100, pattern=r"^[-a-zA-Z0-9_]+$")] | None
"""Slug in addresses."""
Url = Field(
    min_length=1,
    max_length=LONGEST_URL,
    description="Address to which messages are sent by POST: http or, better, https.",
)


class WebhookOrder(Input):
    """A webhook to add."""

    url: str = Url
    kinds: list[Kind] = Field(min_length=1, max_length=len(get_args(Kind)), description="Kinds of messages to send.")
    bot: Slug = Field(None, description="A bot of yours. Only messages about it are sent.")
    event: Slug = Field(None, description="An event. Only messages about what happens in it are sent.")

    @property
    def terms(self) -> WebhookTerms:
        """Return the terms for the actions."""
        return WebhookTerms(self.url, list(dict.fromkeys(self.kinds)), self.bot or "", self.event or "")


class WebhookChange(Input):
    """Changes to a webhook. Fields that are not given keep their values."""

    url: str = Field("", max_length=LONGEST_URL, description="New address.")
    kinds: list[Kind] = Field([], max_length=len(get_args(Kind)), description="Kinds of messages to send from now on.")
    bot: Slug = Field(None, description="Null: messages about all your bots are sent.")
    event: Slug = Field(None, description="Null: messages about all events, and outside events, are sent.")
    on: bool = Field(True, description="Whether messages are sent. When it is switched off, due messages are given up.")

    def terms(self, now: WebhookLine) -> WebhookTerms | None:
        """Return the changed terms for the actions. Return None if nothing changes."""
        given = self.model_fields_set
        former = WebhookTerms(now.url, now.kinds, now.bot.slug if now.bot else "", now.event)
        wanted = WebhookTerms(
            self.url if "url" in given else former.url,
            tuple(dict.fromkeys(self.kinds)) if "kinds" in given else former.kinds,
            (self.bot or "") if "bot" in given else former.bot,
            (self.event or "") if "event" in given else former.event,
        )
        return None if wanted == former else wanted


class WebhookDocument(ValueView):
    """A webhook."""

    id: int
    url: str
    types: list[str] = source("kinds", "Kinds of messages that are sent. More kinds may be added.")
    kinds: Annotated[list[FirstKind], converted(lambda kinds: [kind for kind in kinds if kind in FIRST])] = Field(
        description="The first eight of these kinds: read `types`."
    )
    bot: Annotated[Slug, converted(lambda bot: bot and bot.slug)] = Field(
        description="Only messages about this bot are sent. Null: about all your bots."
    )
    event: Annotated[Slug, OR_NULL] = Field(
        description="Only messages about this event are sent. Null: about all events, and outside events."
    )
    created_at: datetime
    on: bool = source("is_on")
    off_because: Annotated[Literal["owner", "gone", "failing"] | None, OR_NULL] = source(
        "off", "You switched it off, its receiver answered 410, or it received nothing for days."
    )
    failing_since: datetime | None
    former_secret_until: datetime | None = source(
        "former_until", "Time until which the former secret still signs messages."
    )
    last_message_at: datetime | None = source("latest_at")


class Webhooks(ValueView):
    """The caller's webhooks."""

    items: list[WebhookDocument]


class NewWebhookDocument(WebhookDocument):
    """A webhook with a new secret."""

    secret: str = Field(description="Secret that signs the messages. It is shown only once.")


class AskedMessage(WebhookDocument):
    """A webhook, with the message that was requested."""

    delivery: int = Field(description="Id of the message in `list_deliveries`.")
    message: str = Field(description="`webhook-id` of the message.")


class DeliveryDocument(ValueView):
    """A message, with the result of its delivery."""

    id: int
    message: str = Field(description="`webhook-id` of the message. It is the same for all requests.")
    type: str = source("kind", "Kind of the message, as in its body. More kinds may be added.")
    kind: Annotated[
        FirstKind | Literal["webhook.test"], converted(lambda kind: kind if kind in FIRST else "webhook.test")
    ] = Field(description="The kind if it is one of the first eight, otherwise `webhook.test`: read `type`.")
    at: datetime
    body: Annotated[dict[str, Any], converted(json.loads)] = Field(description="Body that is sent.")
    state: Literal["due", "received", "failed"]
    next_at: datetime | None = Field(description="Time of the next try.")
    tries: int
    tried_at: datetime | None
    status: int | None = Field(description="HTTP status of the last response. Null: there was none.")
    answer: str = Field(description="Beginning of the response's body.")
    failure: Annotated[str | None, OR_NULL] = Field(description="Code of the reason why there was no response.")
    detail: str


class Deliveries(Page[DeliveryDocument]):
    """Messages of a webhook, newest first."""
