"""Any process that exists sweeps; one is enough, and no particular one is needed."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from arena.bus import Bus, Presence, ToBot
from arena.wire.v1.bot_pb2 import MatchAborted, ServerMessage
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from webui.accounts import actions as account_actions
from webui.accounts import values as account_values
from webui.core.dbtime import after_now, before_now
from webui.core.models import Turn
from webui.matches import ending
from webui.matches.models import Match
from webui.staff import orders
from workers import end_notices
from workers.database import Pool
from workers.sweeper import LEASES, TURN, SteppedClock, Sweeper

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def sweepers(redis: RedisServer) -> Iterator[tuple[Sweeper, Sweeper]]:
    """The sweepers of two processes."""
    with Bus(redis.url) as one, Bus(redis.url) as another:
        database = Pool(1)
        yield Sweeper(one, database, ""), Sweeper(another, database, "")
        database.close()


def silent_match(kit: Kit) -> str:
    """Return a match whose owner has fallen silent."""
    match = kit.match()
    kit.claim(match, lease_s=-1)
    return match


def test_any_process_sweeps_and_they_take_turns(
    kit: Kit, sweepers: tuple[Sweeper, Sweeper], monkeypatch: pytest.MonkeyPatch
) -> None:
    one, another = sweepers
    monkeypatch.setattr("workers.sweeper.EVERY_S", 1000.0)  # the turn lasts, however slow this machine is
    first = silent_match(kit)
    one.sweep()
    assert Match.objects.get(pk=first).state == "SCHEDULED"
    second = silent_match(kit)
    another.sweep()
    assert Match.objects.get(pk=second).state == "RUNNING"
    Turn.objects.filter(name=TURN).update(due_at=before_now(1))
    another.sweep()
    assert Match.objects.get(pk=second).state == "SCHEDULED"


@pytest.mark.parametrize("step_s", [3600, -3600])
def test_clocks_that_are_set_do_not_stop_the_sweep(kit: Kit, sweepers: tuple[Sweeper, Sweeper], step_s: float) -> None:
    """The turn was noted before the database's clock was set by so many seconds."""
    sweepers[0].sweep()
    match = silent_match(kit)
    Turn.objects.filter(name=TURN).update(due_at=before_now(step_s))
    sweepers[1].sweep()
    assert Match.objects.get(pk=match).state == "SCHEDULED"


def test_a_lease_from_before_the_clock_was_set_back_is_shortened(
    kit: Kit, sweepers: tuple[Sweeper, Sweeper], settings: Any
) -> None:
    match = kit.match()
    kit.claim(match, lease_s=3600)
    sweepers[0].sweep()
    latest = LEASES * settings.LEASE_SECONDS
    assert not Match.objects.filter(pk=match, lease_expires_at__gt=after_now(latest)).exists()


def test_nothing_is_swept_right_after_the_clock_was_set_forward(
    kit: Kit, sweepers: tuple[Sweeper, Sweeper], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.sweeper.EVERY_S", 0.0)
    sweeper = sweepers[0]
    sweeper.sweep()
    match = silent_match(kit)
    assert sweeper._clock._most_ahead is not None
    sweeper._clock._most_ahead -= 3600
    sweeper.sweep()
    assert Match.objects.get(pk=match).state == "RUNNING"  # its owner may live, and renews the lease
    sweeper._leases_count_at = 0.0
    sweeper.sweep()
    assert Match.objects.get(pk=match).state == "SCHEDULED"


def test_a_stall_is_not_taken_for_a_clock_that_was_set() -> None:
    clock = SteppedClock()
    assert not clock.was_set_forward(1000.0, 0.0, 0.1)
    assert not clock.was_set_forward(1001.0, 1.0, 61.0)  # it stalled after the clock was read
    assert not clock.was_set_forward(1120.0, 60.0, 120.0)  # it stalled before
    assert clock.was_set_forward(4721.0, 121.0, 121.1)
    assert not clock.was_set_forward(1122.0, 122.0, 122.1)  # it was set back


def test_whoever_sweeps_carries_out_what_staff_ordered(kit: Kit, sweepers: tuple[Sweeper, Sweeper]) -> None:
    staff = account_actions.create_user("warden", "a quiet caravan", role="admin")
    match = kit.match()
    orders.order_match(match, "void_again", "Its gateway has died", by=account_values.Actor(staff))
    sweepers[1].sweep()
    assert Match.objects.get(pk=match).state == "VOID" and Match.objects.get(replaces=match).state == "SCHEDULED"


def test_they_sweep_without_redis(kit: Kit, sweepers: tuple[Sweeper, Sweeper]) -> None:
    with RedisServer() as gone:
        url = gone.url
    match = silent_match(kit)
    with Bus(url) as bus:
        database = Pool(1)
        Sweeper(bus, database, "").sweep()
        database.close()
    assert Match.objects.get(pk=match).state == "SCHEDULED"


def test_a_bot_is_told_why_matches_ended_while_it_was_away(kit: Kit, redis: RedisServer) -> None:
    versions = kit.versions(2)
    declined, void, running = (kit.match(versions) for _ in range(3))
    assert ending.abort_match(declined, kit.claim(declined).epoch, "DECLINED").state == "ABORTED"
    ending.void_match(void, "its log cannot be read", again=False)
    matches = (declined, void, running)
    bot = Presence("s", "g", bot=1, bot_version=versions[1], owner=1, process="p", matches=matches)
    with Bus(redis.url) as bus:
        bus.announce(bot)
        database = Pool(1)
        assert set(end_notices.send_missing_ends(bus, database, "", overdue_s=0)) == {declined, void}
        database.close()
        told = {one.match: one for one in bus.receive_for_gateway("g", 1) if isinstance(one, ToBot)}
    assert all((one.session, one.seat, one.final) == ("s", 2, True) for one in told.values())
    assert {match: ServerMessage.FromString(one.payload).match_aborted for match, one in told.items()} == {
        declined: MatchAborted(
            match_id=declined, reason="DECLINED", message="the match was aborted while this bot was disconnected"
        ),
        void: MatchAborted(match_id=void, reason="VOID", message="its log cannot be read"),
    }
