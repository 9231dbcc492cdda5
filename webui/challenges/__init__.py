from webui.core.upkeep import PeriodicTask

PERIODIC = (PeriodicTask("tables", "webui.challenges.pairing.advance_tables", every_s=1),)
