"""Stories of finished matches."""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (PeriodicTask("stories", "webui.stories.actions.make_now", every_s=10, lane=Lane.LONG),)
