"""Who meets whom on the ladders, and which versions may play rated matches."""

from webui.core.upkeep import PeriodicTask

PERIODIC = (PeriodicTask("matchmake", "webui.pairing.matchmaking.matchmake_now", every_s=3),)
