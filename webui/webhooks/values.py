"""Webhooks and their messages, as their owners see them and as they are sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from webui.bots.values import BotRef
from webui.core.errors import Refusal


class WebhookRefusal(Refusal):
    """Nothing is sent to such an address."""

    code = "WEBHOOK_REFUSAL"


@dataclass(frozen=True)
class WebhookTerms:
    """What an owner says of a webhook."""

    url: str
    kinds: Sequence[str]
    """Values of `WebhookKind`."""
    bot: str = ""
    """Slug of an own bot: only what is about it is sent; empty: about all of them."""
    event: str = ""
    """Slug of an event: only what happens in it is sent; empty: what happens anywhere."""


@dataclass(frozen=True)
class WebhookLine:
    """A webhook."""

    id: int
    url: str
    kinds: tuple[str, ...]
    bot: BotRef | None
    event: str
    """Slug; empty: none."""
    event_name: str
    created_at: datetime
    off: str
    """Why nothing is sent, of `OffReason`; empty: it is on."""
    failing_since: datetime | None
    former_until: datetime | None
    """The former secret signs, too, until then."""
    latest_at: datetime | None
    """When its latest message was made."""

    @property
    def is_on(self) -> bool:
        """Whether messages are sent."""
        return not self.off


@dataclass(frozen=True)
class DeliveryLine:
    """A message of a webhook. Fields as in the model."""

    id: int
    message: str
    kind: str
    body: str
    at: datetime
    state: str
    next_at: datetime | None
    tries: int
    tried_at: datetime | None
    status: int | None
    answer: str
    failure: str
    detail: str


@dataclass(frozen=True)
class DueDelivery:
    """A message to send now."""

    id: int
    message: str
    body: str
    url: str
    user_id: int
    secrets: tuple[str, ...]
    """Encrypted; each of them signs."""
