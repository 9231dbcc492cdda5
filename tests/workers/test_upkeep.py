"""Which periodic tasks an upkeep process runs, and when."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, time, timedelta
from threading import Event, Thread

import pytest
from django.conf import settings
from django.utils.module_loading import import_string

from arena.bus import Bus, BusUnavailable
from tests.kit.databases import both_databases
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from tests.workers.bus_bots import BusBots
from webui.core import turns
from webui.core.dbtime import after_now, before_now
from webui.core.models import Turn
from webui.core.upkeep import Lane, PeriodicTask, UpkeepWorker, periodic_tasks, urgent_tasks
from webui.matches.models import Match
from workers import metrics
from workers.database import Pool
from workers.upkeep import SLOTS, Upkeep, check_tasks

pytestmark = pytest.mark.django_db(transaction=True)

pytest_generate_tests = both_databases

gates: dict[str, Event] = {}
"""Events for which the tasks of these tests wait, by name."""
ended: list[str] = []


def _task(name: str) -> Callable[[UpkeepWorker], None]:
    def work(worker: UpkeepWorker) -> None:
        assert gates[name].wait(60)
        ended.append(name)

    return work


one, two, three, four = (_task(name) for name in ("one", "two", "three", "four"))


def fail(worker: UpkeepWorker) -> None:
    raise ValueError("a mistake of ours")


def task(name: str, lane: Lane = Lane.SHORT, every_s: float = 1000.0, at: time | None = None) -> PeriodicTask:
    return PeriodicTask(name, f"{__name__}.{name}", 0 if at else every_s, at, lane)


@pytest.fixture
def make(redis: RedisServer) -> Iterator[Callable[..., Upkeep]]:
    """Returns an upkeep process with these tasks."""
    ended.clear()
    gates.update({name: Event() for name in ("one", "two", "three", "four")})
    database, made = Pool(8), list[Upkeep]()
    with Bus(redis.url) as bus:

        def make(*tasks: PeriodicTask) -> Upkeep:
            made.append(Upkeep(tasks, bus, database))
            return made[-1]

        yield make
        for gate in gates.values():
            gate.set()
        for upkeep in made:
            for thread in upkeep._threads():
                thread.join(60)
        database.close()


def finish(name: str) -> None:
    """Let the task end, and wait for it."""
    gates[name].set()
    until(lambda: name in ended, f"the end of {name}")


def overdue(name: str, seconds: float) -> None:
    Turn.objects.filter(name=name).update(due_at=before_now(seconds))


def test_every_task_has_a_function_and_one_kind_of_time() -> None:
    for each in periodic_tasks():
        assert callable(import_string(each.function)) and bool(each.every_s) != bool(each.at)
    assert {"matchmake", "events", "webhooks"} <= urgent_tasks() and "ratings" not in urgent_tasks()


def test_a_process_ends_at_its_start_if_a_task_has_no_function() -> None:
    with pytest.raises(SystemExit, match="the periodic task lost cannot be imported"):
        check_tasks([PeriodicTask("lost", "webui.tv.actions.there_is_no_such_function", every_s=2)])


def test_two_processes_share_the_turns(make: Callable[..., Upkeep]) -> None:
    first, second = make(task("one")), make(task("one"))
    assert first.look() == ["one"]
    finish("one")
    assert second.look() == [] == first.look()
    overdue("one", 5)
    assert second.look() == ["one"]
    assert first.look() == []


def test_a_turn_that_two_processes_see_is_taken_once() -> None:
    turns.add_turns({"one": 0.0})
    seen = turns.next_turns({"one": 10.0})["one"]
    assert turns.take_turn(seen, 10.0)
    assert not turns.take_turn(seen, 10.0)


def test_long_work_never_delays_short_work(make: Callable[..., Upkeep]) -> None:
    """Each lane has its own threads. If lanes shared them, long tasks could take all of them."""
    upkeep = make(*(task(name, Lane.LONG) for name in ("one", "two", "three")), task("four"))
    assert len(upkeep.look()) == 1 + SLOTS[Lane.LONG]
    for _ in range(3):
        gates["four"].set()
        until(lambda: "four" not in upkeep._running, "the end of the short task")
        overdue("four", 1)
        for name in ("one", "two", "three"):
            overdue(name, 100)  # they are due as well, but still run
        assert upkeep.look() == ["four"]
    assert metrics.TASKS_LATE.labels(Lane.LONG)._value.get() >= 100


def test_a_task_that_does_not_end_keeps_no_process_from_stopping(
    make: Callable[..., Upkeep], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.upkeep.LEAVE_S", 0.1)
    upkeep = make(task("one"), task("two", Lane.LONG))
    process = Thread(target=upkeep.run)
    process.start()
    until(lambda: len(upkeep._running) == 2, "both tasks")
    upkeep.stop()
    process.join()
    upkeep.close()
    assert len(upkeep._running) == 2


def test_a_process_that_stops_waits_for_its_tasks(make: Callable[..., Upkeep], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.upkeep.LEAVE_S", 60.0)
    upkeep = make(task("one"))
    assert upkeep.look() == ["one"]
    upkeep.stop()
    upkeep.run()
    closing = Thread(target=upkeep.close)
    closing.start()
    closing.join(0.2)
    assert closing.is_alive() and not ended
    gates["one"].set()
    closing.join()
    assert ended == ["one"]


def test_the_most_overdue_task_comes_first_and_misses_are_made_up_for_once(make: Callable[..., Upkeep]) -> None:
    upkeep = make(task("one"), task("two"), task("three"))
    assert len(upkeep.look()) == SLOTS[Lane.SHORT] == 2
    for gate in gates.values():
        gate.set()
    until(lambda: not upkeep._running, "the end of both")
    upkeep.look()
    until(lambda: not upkeep._running and len(ended) == 3, "the end of the third")
    for name, late_s in {"one": 5000, "two": 7000, "three": 6000}.items():
        overdue(name, late_s)
        gates[name].clear()
    assert upkeep.look() == ["two", "three"]
    for gate in gates.values():
        gate.set()
    until(lambda: not upkeep._running, "the end of both")
    assert upkeep.look() == ["one"]
    until(lambda: not upkeep._running, "the end of the last")
    assert upkeep.look() == []  # several periods were missed, and each task has run once


def test_a_clock_of_the_database_that_is_set_does_not_stop_anything(make: Callable[..., Upkeep]) -> None:
    gates["one"].set()
    upkeep = make(task("one"))
    upkeep.look()
    for due_at in (after_now(3600), before_now(3600)):  # it was set back by an hour; it was set forward
        until(lambda: not upkeep._running, "the end")
        Turn.objects.update(due_at=due_at)
        assert upkeep.look() == ["one"]
        assert upkeep.look() == []


def test_a_task_that_fails_is_run_again(make: Callable[..., Upkeep], caplog: pytest.LogCaptureFixture) -> None:
    upkeep = make(task("fail"))
    for _ in range(2):
        assert upkeep.look() == ["fail"]
        until(lambda: not upkeep._running, "the end")
        overdue("fail", 1)
    assert caplog.text.count("task_failed") == 2


def test_a_task_of_the_night_whose_process_dies_is_run_again(make: Callable[..., Upkeep]) -> None:
    night = task("one", Lane.LONG, at=time(3, 40))
    dies, lives = make(night), make(night)
    assert dies.look() == []
    overdue("one", 1)
    assert dies.look() == ["one"]
    dies.stop()  # it leaves in the middle
    finish("one")
    until(lambda: not dies._running, "the end")
    overdue("one", 0)  # some time later
    assert lives.look() == ["one"]
    until(lambda: not lives._running, "the end")
    due_at = Turn.objects.get().due_at
    assert abs((due_at.hour * 60 + due_at.minute) - 220) <= 1 and due_at > datetime.now(UTC)


@pytest.mark.parametrize(("now", "hours"), [(3, 1), (4, 24), (5, 23)])
def test_nights_are_counted_from_the_time_of_day(now: int, hours: int) -> None:
    at = datetime(2026, 1, 1, now, tzinfo=UTC)
    assert task("one", at=time(4)).next_after_s(at) == timedelta(hours=hours).total_seconds()


def test_the_matchmaker_finds_matches_for_bots_that_are_online(
    kit: Kit, bots: BusBots, make: Callable[..., Upkeep]
) -> None:
    for version in kit.versions(6):
        bots.add(version, capacity=8)
    upkeep = make(*(each for each in periodic_tasks() if each.name == "matchmake"))
    assert upkeep.look() == ["matchmake"]
    until(lambda: not upkeep._running, "the end")
    assert Match.objects.filter(state="SCHEDULED").count() == settings.MATCHES_IN_FLIGHT
    assert set(Match.objects.values_list("ruleset__players", flat=True)) == {2, 3, 4}


def test_nobody_is_absent_while_redis_refuses_writes(make: Callable[..., Upkeep], redis: RedisServer) -> None:
    upkeep = make(task("one"))
    assert upkeep._services(task("one")).presences() == []
    with redis.client() as client:
        client.config_set("maxmemory", 1)
        try:
            with pytest.raises(BusUnavailable):
                upkeep._services(task("one")).presences()
        finally:
            client.config_set("maxmemory", 0)


def test_lateness_is_that_of_the_most_overdue_task() -> None:
    turns.add_turns({"one": 0.0, "two": -50.0, "three": -500.0, "four": 50.0})
    assert 50 <= turns.most_late_s(frozenset({"one", "two", "four"})) < 500
    assert turns.most_late_s(frozenset({"four"})) == 0
