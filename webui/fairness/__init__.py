"""Fairness reports, and suspicions for staff."""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (PeriodicTask("fairness", "webui.fairness.helping.report_now", every_s=30, lane=Lane.LONG),)
