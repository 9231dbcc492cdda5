"""People at tables: visitors who play in the browser against bots.

A person is a bot of one version that no ladder knows, and a seat whose answers come through the site.
"""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (PeriodicTask("people", "webui.people.ratings.rate_now", every_s=20, lane=Lane.LONG),)
