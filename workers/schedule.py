"""Periodic tasks and their intervals."""

from __future__ import annotations

from typing import Any, Final

from celery.schedules import crontab

UPKEEP: Final = "upkeep"
"""Queue of all periodic tasks."""
NIGHTLY: Final = crontab(hour=3, minute=40)

# A message that waited for longer than its period is useless, because the next one has been sent.
SCHEDULE: Final[dict[str, dict[str, Any]]] = {
    "matchmake": {"task": "workers.tasks.matchmake", "schedule": 3.0, "options": {"expires": 3.0}},
    "events": {"task": "workers.tasks.advance_events", "schedule": 2.0, "options": {"expires": 2.0}},
    "comparisons": {"task": "workers.tasks.advance_comparisons", "schedule": 3.0, "options": {"expires": 3.0}},
    "notices": {"task": "webui.notices.tasks.send_notices", "schedule": 5.0, "options": {"expires": 5.0}},
    "webhooks": {"task": "workers.tasks.send_webhooks", "schedule": 2.0, "options": {"expires": 2.0}},
    "presence": {"task": "workers.tasks.note_presence", "schedule": 5.0, "options": {"expires": 5.0}},
    "featured": {"task": "workers.tasks.feature_next", "schedule": 2.0, "options": {"expires": 2.0}},
    "ratings": {"task": "workers.tasks.fit_ratings", "schedule": 5.0, "options": {"expires": 5.0}},
    "fairness": {"task": "workers.tasks.report_fairness", "schedule": 30.0, "options": {"expires": 30.0}},
    "logs": {"task": "workers.tasks.pack_logs", "schedule": 30.0, "options": {"expires": 30.0}},
    "stories": {"task": "workers.tasks.make_stories", "schedule": 10.0, "options": {"expires": 10.0}},
    "records": {"task": "workers.tasks.move_records", "schedule": 60.0, "options": {"expires": 60.0}},
    "data": {"task": "workers.tasks.publish_data", "schedule": 300.0, "options": {"expires": 300.0}},
    "examine": {"task": "workers.tasks.examine", "schedule": NIGHTLY, "options": {"expires": 3600.0}},
}
