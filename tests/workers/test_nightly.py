"""The nightly doctor and the ratings, as tasks; and matches that a worker leaves to workers with other rules."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from celery.signals import worker_init
from django.utils import timezone
from django.utils.module_loading import import_string

from arena.host.places import Places
from arena.rules import RULES
from tests.kit.ladder import Kit
from tests.kit.live import seen_match
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from tests.workers.bus_bots import BusBots
from tests.workers.conftest import Worker
from webui.core.upkeep import UPKEEP, PeriodicTask, periodic_tasks
from webui.matches import dispatching
from webui.matches.models import Match, MatchRecord
from webui.open_data.lines import read_day
from webui.ratings.models import Fit
from webui.stories.models import Story
from workers import shared, tasks
from workers.app import app

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def own_link(worker: Worker, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The objects that the tasks of this process share."""
    monkeypatch.setattr(shared, "_link", worker.link)
    yield worker.link
    shared.database.close()


def run(name: str) -> None:
    app.tasks[name]()


def told(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(record.getMessage() for record in caplog.records if record.name == "webui.staff.doctor")


def test_every_entry_of_the_schedule_is_a_task_with_a_function() -> None:
    app.loader.import_default_modules()
    assert app.conf.beat_schedule.keys() == {entry["task"] for entry in app.conf.beat_schedule.values()}
    assert app.conf.beat_schedule.keys() < app.tasks.keys()
    for task in periodic_tasks():
        assert callable(import_string(task.function)) and bool(task.every_s) != bool(task.at)


def test_a_worker_ends_at_its_start_if_a_task_has_no_function(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = PeriodicTask("lost", "webui.tv.actions.there_is_no_such_function", every_s=2)
    monkeypatch.setattr("workers.app.periodic_tasks", lambda: [wrong])
    monkeypatch.setattr(shared, "kind", shared.kind)  # starting sets it
    with pytest.raises(SystemExit, match="the periodic task lost cannot be imported"):
        worker_init.send(sender=Mock(app=Mock(amqp=Mock(queues=Mock(consume_from={UPKEEP: None})))))


def test_the_nightly_doctor_tells_the_log(kit: Kit, own_link: Any, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    finished = kit.finish().match_id
    run("examine")
    assert "doctor_found" not in told(caplog) and "doctor_done" in told(caplog)
    MatchRecord.objects.all().delete()
    run("examine")
    assert "doctor_found" in told(caplog) and finished in told(caplog)


def test_stories_are_made_beside_the_other_tasks_one_step_at_a_time(kit: Kit, own_link: Any) -> None:
    kit.finish()
    held = tasks.running["stories"].acquire()
    run("stories")  # another step is in progress
    assert held and not Story.objects.exists()
    tasks.running["stories"].release()
    run("stories")
    until(lambda: not tasks.running["stories"].locked(), "the end of the thread")
    assert Match.objects.get().story_version == Story.objects.get().version


def test_open_data_is_published_beside_the_other_tasks(kit: Kit, own_link: Any, settings: Any, tmp_path: Path) -> None:
    settings.PLACES = Places(tmp_path)
    Match.objects.filter(pk=kit.finish().match_id).update(finished_at=timezone.now() - timedelta(days=2))
    run("data")
    until(lambda: not tasks.running["data"].locked(), "the end of the thread")
    first, *_ = sorted((tmp_path / "data").glob("replays-*.jsonl.zst"))
    assert len(list(read_day(first))) == 1


def test_the_nightly_doctor_does_not_hold_up_a_worker_that_leaves(
    own_link: Any, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    own_link.stop()
    run("examine")
    assert "doctor_stopped" in told(caplog) and "doctor_done" not in told(caplog)


def test_ratings_are_published_beside_the_other_tasks(kit: Kit, own_link: Any) -> None:
    kit.finish()
    run("ratings")
    run("ratings")  # the first one may still be running
    for thread in threading.enumerate():
        if thread.name == "ratings":
            thread.join(60)
    assert Fit.objects.get().finished == 1 and not tasks.running["ratings"].locked()


def test_a_match_of_other_rules_waits_for_a_worker_that_has_them(
    kit: Kit, redis: RedisServer, bots: BusBots, worker: Worker
) -> None:
    versions = kit.versions(2)
    for version in versions:
        bots.add(version)
    match_id = kit.match(versions)
    Match.objects.update(rules="naqala-rules/0")
    worker.play(match_id)
    row = Match.objects.get()
    assert (row.state, row.epoch, row.length) == ("SCHEDULED", 0, 0)
    assert not bots.messages("offer") and not bots.messages("request")
    # It is not forgotten: beat sends its task again. A page shows no board that other rules would draw wrongly.
    assert dispatching.dispatch_waiting(after_s=0) == [match_id]
    assert seen_match(match_id).position is None
    Match.objects.update(rules=RULES)
    worker.play(match_id)
    assert Match.objects.get().state == "FINISHED"


def test_a_match_that_runs_by_other_rules_is_shown_without_a_board(kit: Kit) -> None:
    claim, _ = kit.ready_to_finish()
    assert seen_match(claim.match_id).position is not None
    Match.objects.update(rules="naqala-rules/0")
    live = seen_match(claim.match_id)
    assert (live.position, live.events) == (None, [])
