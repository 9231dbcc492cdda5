"""Stories of finished matches."""

from webui.core.upkeep import PeriodicTask

PERIODIC = (PeriodicTask("stories", "webui.stories.actions.make_now", every_s=10, is_slow=True),)
