"""Hooks of webhooks."""

from typing import Final

from webui.core.subjects import Hook
from webui.webhooks.models import OffReason, Webhook

webhook_switched_off: Final = Hook[[Webhook, OffReason], None]()
"""The arena switched a webhook off. Called in the transaction that does it."""
