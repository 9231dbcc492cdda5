"""How the arena is: processes that say they are there, minutes that are looked at once, and what follows from them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any

import pytest
from django.db import IntegrityError

from tests.kit.ladder import Kit
from webui.core import subjects
from webui.core.dbtime import before_now
from webui.matches import hooks
from webui.status import actions as status_actions
from webui.status import queries as status_queries
from webui.status.models import OverheadSample, ProcessKind, RunningProcess, StatusHour
from webui.status.values import BOUNDS_S, Overhead, PartState, overhead_of

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]

UP, DEGRADED, DOWN = PartState.UP, PartState.DEGRADED, PartState.DOWN
WELL = dict.fromkeys(("site", "gateway", "referee", "upkeep", "redis"), UP)
NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)


def silent(name: str, seconds: float) -> None:
    RunningProcess.objects.filter(pk=name).update(seen_at=before_now(seconds))


def test_a_part_is_up_as_long_as_its_processes_say_that_they_are_there() -> None:
    assert set(status_queries.process_states().values()) == {DOWN}
    for name in ("r1", "r2"):
        status_actions.announce_process(name, "referee", "1.0")
    assert status_queries.process_states() == {"site": DOWN, "gateway": DOWN, "referee": UP, "upkeep": DOWN}
    silent("r1", 50)
    assert status_queries.process_states()["referee"] == DEGRADED, "one has died"
    status_actions.announce_process("r1", "referee", "1.0")
    assert status_queries.process_states()["referee"] == UP, "or was only slow"
    silent("r1", 50)
    status_actions.withdraw_process("r1")
    assert status_queries.process_states()["referee"] == UP, "one that goes in good order is not missed"
    silent("r2", 50)
    assert status_queries.process_states()["referee"] == DOWN
    silent("r2", 700)
    status_actions.announce_process("r3", "referee", "1.0")
    assert status_queries.process_states()["referee"] == UP, "the dead are not missed for ever"


def test_one_starved_process_is_enough_and_is_forgotten_when_it_goes() -> None:
    status_actions.announce_process("r1", "referee", "1.0", is_starved=True)
    status_actions.announce_process("r2", "referee", "1.0")
    assert status_queries.is_overloaded() and hooks.is_overloaded()
    status_actions.announce_process("r1", "referee", "1.0")
    assert not status_queries.is_overloaded()
    status_actions.announce_process("r2", "referee", "1.0", is_starved=True)
    silent("r2", 50)
    assert not status_queries.is_overloaded() and not hooks.is_overloaded(), "it has died"


def test_a_kind_of_process_that_nobody_knows_is_refused() -> None:
    assert {kind.value for kind in ProcessKind} == {"site", "gateway", "referee", "upkeep"}
    with pytest.raises(IntegrityError):
        RunningProcess.objects.create(name="x", kind="oracle")


def test_a_minute_is_noted_once() -> None:
    assert status_actions.note_status(WELL, NOON)
    assert not status_actions.note_status({**WELL, "redis": DOWN}, NOON + timedelta(seconds=59)), (
        "it has been looked at"
    )
    assert status_actions.note_status({**WELL, "redis": DOWN, "referee": DEGRADED}, NOON + timedelta(minutes=1))
    assert status_actions.note_status({**WELL, "referee": DEGRADED}, NOON + timedelta(minutes=2))
    assert not status_actions.note_status(WELL, NOON + timedelta(minutes=1)), "a clock that goes after"
    (row,) = StatusHour.objects.all()
    assert (row.hour, row.looks, row.down, row.degraded) == (NOON, 3, 1, 1)
    assert row.parts == {"redis": 1, "referee": 2}


def test_minutes_and_the_history_go_by_the_clock_of_the_database(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clocks of a worker and of the site are a day ahead."""

    class Ahead(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> Any:
            return datetime.now(tz) + timedelta(days=1)

    for module in (status_actions, status_queries):
        monkeypatch.setattr(module, "datetime", Ahead)
    status_actions.announce_process("r1", "referee", "1.0")
    assert status_actions.note_status(WELL)
    hour, at = StatusHour.objects.get().hour, status_queries.arena_status(is_redis_up=True).at
    seen_at = RunningProcess.objects.get().seen_at
    assert abs(at - seen_at) < timedelta(hours=12) and abs(hour - seen_at) < timedelta(hours=12)


def hour(back: int, looks: int = 60, degraded: int = 0, down: int = 0, **parts: int) -> datetime:
    """The row of an hour so many hours before noon."""
    at = NOON - timedelta(hours=back)
    StatusHour.objects.create(hour=at, last_minute=59, looks=looks, degraded=degraded, down=down, parts=parts)
    return at


def test_days_and_incidents_follow_from_the_hours() -> None:
    begin = hour(60, looks=10)  # the arena's first: it began in the middle of it
    for back in range(59, 0, -1):
        if back == 30:
            continue  # nobody looked
        if back == 29:
            hour(back, down=60, redis=60)
        elif back == 10:
            hour(back, degraded=5, gateway=5)
        elif back == 5:
            hour(back, looks=58, degraded=2, upkeep=2)  # two minutes missed and two short: a restart
        else:
            hour(back)
    hour(0, looks=29)
    status = status_queries.arena_status(is_redis_up=True, now=NOON + timedelta(minutes=30, seconds=5))
    gateway, outage = status.incidents
    assert (gateway.parts, gateway.minutes, gateway.is_outage) == (["gateway"], 5, False)
    assert outage.began == begin + timedelta(hours=30) and outage.ended == begin + timedelta(hours=32)
    assert (outage.parts, outage.minutes, outage.is_outage) == (["redis"], 120, True)
    assert sum(day.minutes for day in status.days) == 10 + 59 * 60 + 30
    assert (sum(day.down for day in status.days), sum(day.degraded for day in status.days)) == (120, 7)
    # Hour 60 before noon of the 20th is midnight of the 18th.
    assert [day.date.day for day in status.days] == [18, 19, 20]
    assert [day.minutes for day in status.days] == [10 + 23 * 60, 24 * 60, 12 * 60 + 30]
    assert all(day.well + day.degraded + day.down == day.minutes for day in status.days)


def test_an_arena_without_history_has_no_days() -> None:
    status = status_queries.arena_status(is_redis_up=False)
    assert (status.days, status.incidents, status.overhead) == ([], [], None)
    assert status.parts == {
        "site": UP, "gateway": DOWN, "referee": DOWN, "upkeep": DOWN, "database": UP, "redis": DOWN
    }  # fmt: skip
    assert status.state == DOWN


def test_the_overhead_of_the_last_hour_is_that_of_all_referees() -> None:
    quick, slow, old = ([0] * (len(BOUNDS_S) + 1) for _ in range(3))
    quick[3], slow[6], old[12] = 98, 2, 1000
    status_actions.note_overhead(quick)
    status_actions.note_overhead(slow)
    status_actions.note_overhead(old)
    OverheadSample.objects.filter(counts=old).update(at=before_now(3700))
    overhead = status_queries.arena_status(is_redis_up=True).overhead
    assert overhead is not None and overhead.decisions == 100
    # 98 within 1 to 2 ms: the 50th lies at 1 + 50/98 ms. Two within 10 to 20 ms: the 99th is the first, at 15 ms.
    assert overhead.median_s == pytest.approx(0.001 + 0.001 * 50 / 98)
    assert overhead.p99_s == pytest.approx(0.015)
    assert overhead_of([0] * 13 + [5]) == Overhead(5, 5.0, 5.0), "what is beyond the last bound"
    with pytest.raises(ValueError, match="3 counts for 14 classes"):
        status_actions.note_overhead([1, 2, 3])


def test_matches_that_run_and_wait_are_counted(kit: Kit) -> None:
    kit.claim(kit.match())
    waits = kit.match()
    status = status_queries.arena_status(is_redis_up=True)
    assert status.running == 1 and 0 <= status.oldest_wait_s < 60
    assert (status_queries.running(), status_queries.scheduled()) == (1, 1) and waits
    assert status_queries.database_bytes() > 100_000
    assert status_queries.oldest_due() == 0


def test_old_rows_are_deleted() -> None:
    old, kept = (datetime.now(UTC) - timedelta(days=days) for days in (401, 399))
    StatusHour.objects.bulk_create([StatusHour(hour=old), StatusHour(hour=kept)])
    status_actions.announce_process("old", "site", "1.0")
    silent("old", 25 * 3600)
    status_actions.announce_process("new", "site", "1.0")
    status_actions.note_overhead([1] * 14)
    status_actions.note_overhead([2] * 14)
    OverheadSample.objects.filter(counts=[1] * 14).update(at=before_now(3 * 3600))
    subjects.let_go()
    assert list(StatusHour.objects.values_list("hour", flat=True)) == [kept]
    assert list(RunningProcess.objects.values_list("name", flat=True)) == ["new"]
    assert OverheadSample.objects.count() == 1


def test_a_history_is_read_in_few_queries(django_assert_max_num_queries: Any) -> None:
    for back in range(100):
        hour(back)
    with django_assert_max_num_queries(10):
        status_queries.arena_status(is_redis_up=True)
