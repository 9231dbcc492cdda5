"""Analysis: lines of play that visitors try out, from a finished match, from a new deal, or from a position.

No line is stored: the address of a page holds all of it (`addresses.py`). The same is true of games that a visitor
plays on against house players (`playing.py`). Only positions that a house player plays to the end are stored for a day,
with the results (`jobs.py`).
"""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (PeriodicTask("positions", "webui.analysis.jobs.play_now", every_s=4, lane=Lane.LONG),)
