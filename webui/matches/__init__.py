"""Matches from their row to their record."""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (
    PeriodicTask("logs", "webui.matches.packing.pack_now", every_s=30, lane=Lane.LONG),
    PeriodicTask("records", "webui.matches.record_store.move_now", every_s=60, lane=Lane.LONG),
)
