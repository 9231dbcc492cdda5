"""The published files of all matches."""

from webui.core.upkeep import PeriodicTask

PERIODIC = (PeriodicTask("data", "webui.open_data.actions.publish_now", every_s=300, is_slow=True),)
