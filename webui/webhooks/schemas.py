"""Webhooks and their messages, as their owners see them."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Annotated, Any, Literal, cast

from ninja import Schema
from pydantic import Field

from webui.api.lists import Page
from webui.api.schemas import Input
from webui.webhooks.models import LONGEST_URL
from webui.webhooks.values import DeliveryLine, WebhookLine, WebhookTerms

Kind = Literal[
    "match.finished",
    "bot.fault",
    "bot.offline",
    "bot.online",
    "version.taken_off",
    "event.round_drawn",
    "event.results_revealed",
    "event.finished",
]
Slug = Annotated[str, Field(max_length=100, pattern=r"^[-a-zA-Z0-9_]+$")] | None
"""Slug in addresses."""
Url = Field(
    min_length=1, max_length=LONGEST_URL, description="Where messages are sent by POST: http or, better, https."
)


class WebhookOrder(Input):
    """A webhook to be added."""

    url: str = Url
    kinds: list[Kind] = Field(min_length=1, max_length=8, description="What is told.")
    bot: Slug = Field(None, description="A bot of yours: only what is about it is sent.")
    event: Slug = Field(None, description="An event: only what happens in it is sent.")

    @property
    def terms(self) -> WebhookTerms:
        """Return the terms for the actions."""
        return WebhookTerms(self.url, list(dict.fromkeys(self.kinds)), self.bot or "", self.event or "")


class WebhookChange(Input):
    """What is to be another; what is left out stays."""

    url: str = Field("", max_length=LONGEST_URL, description="Another address.")
    kinds: list[Kind] = Field([], max_length=8, description="What is told from now on.")
    bot: Slug = Field(None, description="Null: about all of yours.")
    event: Slug = Field(None, description="Null: what happens anywhere.")
    on: bool = Field(True, description="Whether messages are sent. What is due is given up when it is switched off.")

    def terms(self, now: WebhookLine) -> WebhookTerms | None:
        """Return the changed terms for the actions. Return None if nothing changes."""
        said = self.model_fields_set
        former = WebhookTerms(now.url, now.kinds, now.bot.slug if now.bot else "", now.event)
        wanted = WebhookTerms(
            self.url if "url" in said else former.url,
            tuple(dict.fromkeys(self.kinds)) if "kinds" in said else former.kinds,
            (self.bot or "") if "bot" in said else former.bot,
            (self.event or "") if "event" in said else former.event,
        )
        return None if wanted == former else wanted


class WebhookDocument(Schema):
    """A webhook."""

    id: int
    url: str
    kinds: list[Kind]
    bot: Slug = Field(description="Only what is about this bot is sent; null: about all of yours.")
    event: Slug = Field(description="Only what happens in this event is sent; null: what happens anywhere.")
    created_at: datetime
    on: bool
    off_because: Literal["owner", "gone", "failing"] | None = Field(
        description="You switched it off, its receiver answered 410, or it received nothing for days."
    )
    failing_since: datetime | None
    former_secret_until: datetime | None = Field(description="The secret before this one signs, too, until then.")
    last_message_at: datetime | None

    @classmethod
    def of(cls, line: WebhookLine) -> WebhookDocument:
        """Return the webhook as its owner sees it."""
        return cls(
            id=line.id,
            url=line.url,
            kinds=[cast(Kind, kind) for kind in line.kinds],
            bot=line.bot.slug if line.bot else None,
            event=line.event or None,
            created_at=line.created_at,
            on=line.is_on,
            off_because=cast(Any, line.off) or None,
            failing_since=line.failing_since,
            former_secret_until=line.former_until,
            last_message_at=line.latest_at,
        )


class Webhooks(Schema):
    """The caller's webhooks."""

    items: list[WebhookDocument]


class NewWebhookDocument(WebhookDocument):
    """A webhook with a new secret."""

    secret: str = Field(description="Signs the messages; it is shown this once.")


class AskedMessage(WebhookDocument):
    """A webhook with the message that was asked for."""

    delivery: int = Field(description="The message, as `list_deliveries` names it.")
    message: str = Field(description="Its `webhook-id`.")


class DeliveryDocument(Schema):
    """A message, and what came of it."""

    id: int
    message: str = Field(description="Its `webhook-id`: the same however often it is sent.")
    kind: Kind | Literal["webhook.test"]
    at: datetime
    body: dict[str, Any] = Field(description="What is sent.")
    state: Literal["due", "received", "failed"]
    next_at: datetime | None = Field(description="It is sent again then.")
    tries: int
    tried_at: datetime | None
    status: int | None = Field(description="Of the last answer; null: there was none.")
    answer: str = Field(description="The first characters of it.")
    failure: str | None = Field(description="Why there was no answer, in a word.")
    detail: str

    @classmethod
    def of(cls, line: DeliveryLine) -> DeliveryDocument:
        """Return the message as the webhook's owner sees it."""
        return cls(
            id=line.id,
            message=line.message,
            kind=cast(Kind, line.kind),
            at=line.at,
            body=json.loads(line.body),
            state=cast(Any, line.state),
            next_at=line.next_at,
            tries=line.tries,
            tried_at=line.tried_at,
            status=line.status,
            answer=line.answer,
            failure=line.failure or None,
            detail=line.detail,
        )


class Deliveries(Page[DeliveryDocument]):
    """Messages of a webhook, the newest first."""
