"""The published files of all matches."""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (PeriodicTask("data", "webui.open_data.actions.publish_now", every_s=300, lane=Lane.LONG),)
