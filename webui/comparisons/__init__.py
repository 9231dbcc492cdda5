"""Sequential tests of one version against another."""

from webui.core.upkeep import PeriodicTask

PERIODIC = (PeriodicTask("comparisons", "webui.comparisons.actions.advance_now", every_s=3),)
