"""Messages to the programs of owners and organisers."""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (
    PeriodicTask("webhooks", "webui.webhooks.sending.send_now", every_s=2, lane=Lane.NETWORK),
    PeriodicTask("presence", "webui.webhooks.messages.note_now", every_s=5),
)
