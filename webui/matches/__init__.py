"""Matches from their row to their record."""

from webui.core.upkeep import PeriodicTask

PERIODIC = (
    PeriodicTask("logs", "webui.matches.packing.pack_now", every_s=30, is_slow=True),
    PeriodicTask("records", "webui.matches.record_store.move_now", every_s=60, is_slow=True),
)
