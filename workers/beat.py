"""The Celery application of beat, which sends tasks by their names: `celery -A workers.beat beat`.

It loads neither models nor tasks, and therefore starts in a third of a worker's time.
"""

from __future__ import annotations

import os
from typing import Any

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")

from arena.host.loading import loading

with loading():
    from celery import Celery
    from celery.signals import beat_init, setup_logging
    from django.conf import settings
    from django.utils.log import configure_logging

    from arena.host.metrics import HEARTBEAT, serve_metrics
    from webui.core.upkeep import UPKEEP, beat_schedule
    from workers import metrics  # noqa: F401 - listens to signals
    from workers.heartbeat import heartbeat

app = Celery("beat", broker=settings.BROKER_URL, fixups=[])
app.conf.update(
    task_serializer="json",
    task_ignore_result=True,
    task_default_queue=UPKEEP,
    broker_transport_options=settings.BROKER_TRANSPORT_OPTIONS,
    broker_connection_retry_on_startup=True,
    timezone="UTC",
    beat_schedule_filename=str(settings.PLACES.beat_schedule),
    beat_schedule=beat_schedule(),
)


@setup_logging.connect
def _log_as_all_processes(**_: Any) -> None:
    configure_logging(settings.LOGGING_CONFIG, settings.LOGGING)


@beat_init.connect
def _prepare(**_: Any) -> None:
    HEARTBEAT.set_function(lambda: heartbeat.shown_at)
    serve_metrics("beat")
