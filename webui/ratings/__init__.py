"""Ratings and standings."""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (PeriodicTask("ratings", "webui.ratings.fitting.fit_now", every_s=5, lane=Lane.LONG),)
