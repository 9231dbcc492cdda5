"""What the people who run the arena do."""

from datetime import time

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (PeriodicTask("examine", "webui.staff.doctor.examine_now", at=time(3, 40), lane=Lane.LONG),)
