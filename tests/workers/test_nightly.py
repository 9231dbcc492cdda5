"""The nightly doctor, ratings, stories and open data, as upkeep runs them; and matches of other rules."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from arena.host.places import Places
from arena.rules import RULES
from tests.kit.ladder import Kit
from tests.kit.live import seen_match
from tests.kit.redis_server import RedisServer
from tests.workers.bus_bots import BusBots
from tests.workers.conftest import Worker
from webui.core import turns
from webui.core.upkeep import periodic_tasks
from webui.matches import dispatching
from webui.matches.models import Match, MatchRecord
from webui.open_data.lines import read_day
from webui.ratings.models import Fit
from webui.stories.models import Story
from workers.upkeep import Upkeep

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def upkeep(worker: Worker) -> Upkeep:
    """An upkeep process without its loop."""
    return Upkeep(periodic_tasks(), worker.link.bus, worker.database)


def run(upkeep: Upkeep, name: str) -> None:
    """Run a task to its end."""
    task = next(task for task in periodic_tasks() if task.name == name)
    upkeep._run(task, turns.NextTurn(name, 0, 0.0, timezone.now()))


def told(caplog: pytest.LogCaptureFixture) -> str:
    return "\n".join(record.getMessage() for record in caplog.records if record.name == "webui.staff.doctor")


def test_the_nightly_doctor_tells_the_log(kit: Kit, upkeep: Upkeep, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("INFO")
    finished = kit.finish().match_id
    run(upkeep, "examine")
    assert "doctor_found" not in told(caplog) and "doctor_done" in told(caplog)
    MatchRecord.objects.all().delete()
    run(upkeep, "examine")
    assert "doctor_found" in told(caplog) and finished in told(caplog)


def test_stories_are_made(kit: Kit, upkeep: Upkeep) -> None:
    kit.finish()
    run(upkeep, "stories")
    assert Match.objects.get().story_version == Story.objects.get().version


def test_open_data_is_published(kit: Kit, upkeep: Upkeep, settings: Any, tmp_path: Path) -> None:
    settings.PLACES = Places(tmp_path)
    Match.objects.filter(pk=kit.finish().match_id).update(finished_at=timezone.now() - timedelta(days=2))
    run(upkeep, "data")
    first, *_ = sorted((tmp_path / "data").glob("replays-*.jsonl.zst"))
    assert len(list(read_day(first))) == 1


def test_the_nightly_doctor_does_not_hold_up_a_process_that_leaves(
    upkeep: Upkeep, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("INFO")
    upkeep.stop()
    run(upkeep, "examine")
    assert "doctor_stopped" in told(caplog) and "doctor_done" not in told(caplog)


def test_ratings_are_published(kit: Kit, upkeep: Upkeep) -> None:
    kit.finish()
    run(upkeep, "ratings")
    assert Fit.objects.get().finished == 1


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
    # It is not forgotten: the sweeper sends its task again. A page shows no board that other rules would draw wrongly.
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
