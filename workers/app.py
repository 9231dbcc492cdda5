"""The Celery application of the referees:

    celery -A workers.app worker -P threads -c 100 -Q matches     # one task a match; most of them wait for a bot

A message only says that a match may need a worker; the match's row decides. A message is therefore acknowledged as
soon as a thread has it, and no worker takes more messages than it has free threads. Every worker process has a
sweeper. It finds matches that were lost with a worker, and announces matches that no worker has claimed again.
"""

from __future__ import annotations

import gc
import os
from typing import Any

from arena.host.loading import loading

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "webui.settings")
# Django's checks load every page of the site, which takes half of a worker's start. `make check` and the site run
# them.
os.environ.update(CELERY_SKIP_CHECKS="1")

with loading():
    import django
    from celery import Celery
    from celery.signals import (
        celeryd_after_setup,
        setup_logging,
        worker_init,
        worker_ready,
        worker_shutdown,
        worker_shutting_down,
    )
    from django.conf import settings
    from kombu.transport.redis import Channel

    django.setup()

    # Models cannot be imported earlier.
    from arena.host import tracing
    from arena.host.metrics import HEARTBEAT, or_nan, serve_metrics
    from arena.host.signing import SigningKeyError
    from arena.host.sockets import raise_file_limit
    from webui.matches import queries as match_queries
    from webui.matches.signing import signer
    from workers import metrics, shared
    from workers.heartbeat import HeartbeatStep, PatientConsumer, heartbeat
    from workers.shared import database

MATCHES = "matches"

# When kombu loses Redis, it restores unacknowledged messages on a connection that it has already closed. The worker
# dies of the resulting AttributeError. There is nothing to restore here.
Channel.do_restore = False

app = Celery("workers", broker=settings.BROKER_URL, include=["workers.tasks"])
app.conf.update(
    task_serializer="json",
    accept_content=["json"],
    result_backend=None,
    task_ignore_result=True,
    task_acks_late=False,
    worker_prefetch_multiplier=1,
    worker_disable_prefetch=True,
    task_default_queue=MATCHES,
    broker_transport_options=settings.BROKER_TRANSPORT_OPTIONS,
    broker_connection_retry_on_startup=True,
    broker_channel_error_retry=True,  # wait for a Redis that refuses, for example because its memory is full
    worker_consumer=PatientConsumer,
    worker_cancel_long_running_tasks_on_connection_loss=False,
    worker_redirect_stdouts=False,
    timezone="UTC",
)
app.steps["consumer"].add(HeartbeatStep)


@setup_logging.connect
def _leave_logging(**_: Any) -> None:
    """Keep Celery from setting up logging, which any receiver of this signal does. Django's settings have set it up."""


@celeryd_after_setup.connect
def _have_signing_key(**_: Any) -> None:
    """Check the signing key at the start. Every worker needs it: each signs offers or records, because each sweeps."""
    try:
        signer()
    except (SigningKeyError, OSError) as error:
        raise SystemExit(f"offers and records cannot be signed: {error}; set ARENA_SIGNING_KEY") from error


@worker_init.connect
def _prepare(**_: Any) -> None:
    raise_file_limit()
    measure()
    serve_metrics("referee")
    tracing.start("referee")


@worker_ready.connect
def _sweep(**_: Any) -> None:
    shared.start_sweeping()
    gc.collect()
    gc.freeze()  # loaded objects stay: otherwise each garbage collection would visit them and delay all matches


@worker_shutting_down.connect
def _hand_back(**_: Any) -> None:
    """Hand all matches back on SIGTERM.

    Celery then waits for the running tasks, which end once their matches are handed back.
    """
    shared.stop()


@worker_shutdown.connect
def _close(**_: Any) -> None:
    shared.close()
    tracing.stop()


def measure() -> None:
    """Register the gauges that are measured when they are read."""
    HEARTBEAT.set_function(heartbeat.shown_at)
    metrics.OLDEST_SCHEDULED.set_function(or_nan(lambda: database(match_queries.oldest_wait)))
