"""Bots written in the page: trials of a source, which runners play at once against a house player."""

from webui.core.upkeep import PeriodicTask

PERIODIC = (PeriodicTask("trials", "webui.writing.jobs.expire_now", every_s=10),)
