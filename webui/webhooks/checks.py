"""Check of the doctor for webhooks."""

from webui.core.dbtime import before_now
from webui.core.subjects import Problems
from webui.matches.checks import WAITING_S
from webui.webhooks.models import Delivery, DeliveryState


def webhooks() -> Problems:
    """Yield the messages that have been due for too long."""
    late = Delivery.objects.filter(state=DeliveryState.DUE, webhook__off="", webhook__user__is_active=True)
    for message in late.filter(next_at__lt=before_now(WAITING_S)).values_list("message", flat=True):
        yield message, "it has not been sent: is a worker running on the queue `upkeep`?"
