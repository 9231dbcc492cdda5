"""Notices to users, on the site and by email."""

from webui.core.upkeep import Lane, PeriodicTask

PERIODIC = (PeriodicTask("notices", "webui.notices.emails.send_notices", every_s=5, lane=Lane.NETWORK),)
