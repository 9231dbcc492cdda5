"""The declaration of the subject of webhooks."""

from collections.abc import Iterator
from typing import Final

from webui.accounts.personal_data import time_text
from webui.core.dbtime import before_now
from webui.core.subjects import ALL, Check, Document, Problems, Rule, Subject
from webui.events.hooks import facts_appended
from webui.hosting.values import submission_built, submission_ended
from webui.matches.checks import WAITING_S
from webui.matches.hooks import match_finished
from webui.pairing.hooks import examination_failed, version_taken_off
from webui.webhooks.deliveries import old_deliveries
from webui.webhooks.messages import tell_built, tell_ended, tell_facts, tell_finished, tell_not_passed, tell_taken_off
from webui.webhooks.models import Delivery, DeliveryState, Webhook
from webui.webhooks.queries import deliveries, webhooks

# Check of the doctor for webhooks.


def check_webhooks() -> Problems:
    """Yield the messages that have been due for too long."""
    late = Delivery.objects.filter(state=DeliveryState.DUE, webhook__off="", webhook__user__is_active=True)
    for message in late.filter(next_at__lt=before_now(WAITING_S)).values_list("message", flat=True):
        yield message, "it has not been sent: is a worker running on the queue `upkeep`?"


def _retention() -> Iterator[Rule]:
    yield Rule("messages of webhooks", old_deliveries())


def _personal_data(user_id: int) -> Document:
    return {
        "webhooks": [
            {
                "address": hook.url,
                "kinds": hook.kinds,
                "bot": hook.bot.name if hook.bot else None,
                "event": hook.event or None,
                "added": time_text(hook.created_at),
                "off": hook.off or None,
                "messages": [
                    {"at": time_text(line.at), "id": line.message, "state": line.state, "body": line.body}
                    for line in deliveries(hook.id)
                ],
            }
            for hook in webhooks(user_id)
        ]
    }


def _erase(user_id: int) -> None:
    Webhook.objects.filter(user=user_id).delete()


SUBJECT: Final = Subject(
    site_rights=dict.fromkeys((Delivery, Webhook), ALL),
    retention=_retention,
    personal_data=_personal_data,
    erase=_erase,
    checks=(Check("webhooks", lambda since: check_webhooks()),),
    receives=(
        match_finished.received_by(tell_finished),
        facts_appended.received_by(tell_facts),
        version_taken_off.received_by(tell_taken_off),
        examination_failed.received_by(tell_not_passed),
        submission_built.received_by(tell_built),
        submission_ended.received_by(tell_ended),
    ),
)
