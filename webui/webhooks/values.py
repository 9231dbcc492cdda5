"""Values of webhooks and their messages, for owners and for senders."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from webui.bots.values import BotRef
from webui.core.errors import Refusal


class WebhookRefusal(Refusal):
    """Messages cannot be sent to this address."""

    code = "WEBHOOK_REFUSAL"


@dataclass(frozen=True)
class WebhookTerms:
    """Terms of a webhook, set by its owner."""

    url: str
    kinds: Sequence[str]
    """Values of `WebhookKind`."""
    bot: str = ""
    """Slug of one of the owner's bots whose messages are sent. Empty: messages about all of them are sent."""
    event: str = ""
    """Slug of an event whose messages are sent. Empty: messages about everything are sent."""


@dataclass(frozen=True)
class WebhookLine:
    """A webhook."""

    id: int
    url: str
    kinds: tuple[str, ...]
    bot: BotRef | None
    event: str
    """Slug of the event. Empty: none."""
    event_name: str
    created_at: datetime
    off: str
    """Reason why it is off (`OffReason`). Empty: it is on."""
    failing_since: datetime | None
    former_until: datetime | None
    """Time until which the former secret still signs messages."""
    latest_at: datetime | None
    """Time at which its latest message was made."""

    @property
    def is_on(self) -> bool:
        """Whether messages are sent."""
        return not self.off


@dataclass(frozen=True)
class DeliveryLine:
    """A message of a webhook. The fields are those of the model."""

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
    """Encrypted secrets, each of which signs the message."""
