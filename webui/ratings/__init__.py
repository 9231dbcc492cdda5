"""Ratings and standings."""

from webui.core.upkeep import PeriodicTask

PERIODIC = (PeriodicTask("ratings", "webui.ratings.fitting.fit_now", every_s=5, is_slow=True),)
