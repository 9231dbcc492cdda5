"""Figures over all public matches: head to head, the game itself, and records of the arena."""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (PeriodicTask("statistics", "webui.game_statistics.actions.count_now", every_s=60, lane=Lane.LONG),)
