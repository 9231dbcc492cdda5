"""The match that is on for everybody."""

from webui.core.upkeep import PeriodicTask

PERIODIC = (PeriodicTask("featured", "webui.tv.actions.feature_now", every_s=2),)
