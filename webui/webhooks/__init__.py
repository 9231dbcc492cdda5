"""Messages to the programs of owners and organisers."""

from webui.core.upkeep import PeriodicTask

PERIODIC = (
    PeriodicTask("webhooks", "webui.webhooks.sending.send_now", every_s=2, is_slow=True),
    PeriodicTask("presence", "webui.webhooks.messages.note_now", every_s=5),
)
