"""Matches over a real Redis and a real database while our own parts fail: the record is the same, and nobody pays."""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from itertools import count
from threading import Barrier, Event, Thread
from typing import Any

import pytest

from arena.host import tracing
from arena.referee import SECOND, Clock, Kind, Policy
from arena.rules import Game, RulesError, Ruleset, match_seed, view, view_event
from arena.wire.codec import unpack_view
from arena.wire.v1.bot_pb2 import DecisionRequest
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from tests.workers.bus_bots import BusBots, pick
from tests.workers.conftest import Worker
from tests.workers.matches import SEED, Trigger, canonical, kinds, schedule, state
from tests.workers.processes import WAIT_S
from webui.core.dbtime import before_now
from webui.matches import ending
from webui.matches import queries as match_queries
from webui.matches.failures import MAX_FAILURES
from webui.matches.models import Match, SpectatorRow
from webui.matches.records import check_record, read_log

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.slow
@pytest.mark.database_specific
def test_a_worker_that_goes_down_hands_its_match_to_another(
    undisturbed: list[Any], redis: RedisServer, versions: list[int], bots: BusBots, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The trace has the part of each worker, and a root that begins with the first one."""
    numbers = count()
    workers = [Worker(redis.url)]
    spans: list[dict[str, Any]] = []
    monkeypatch.setattr(tracing, "is_on", True)
    monkeypatch.setattr(
        tracing, "record", lambda name, *times, **facts: spans.append({"name": name, "times": times, **facts})
    )

    def stop(request: DecisionRequest) -> list[str]:
        if request.index and next(numbers) % 15 == 0:
            workers[-1].link.stop()
        return pick(request)

    bots.add(versions[0], stop)
    match_id = schedule(versions, server_seed=SEED)
    while state(match_id) in ("SCHEDULED", "RUNNING"):
        workers[-1].play(match_id)
        workers.append(Worker(redis.url))
        if state(match_id) == "SCHEDULED":
            assert stored(match_id) == seen(match_id)
    for worker in workers:
        worker.close()
    assert len(workers) > 3
    assert canonical(match_id) == undisturbed and not stored(match_id)
    parts = [span for span in spans if span["name"] == "referee"]
    assert [span["attributes"]["arena.epoch"] for span in parts] == [*range(1, len(parts) + 1)]
    assert {span["failed"] for span in parts[:-1]} == {"handed back"} and not parts[-1]["failed"]
    (root,) = [span for span in spans if span["name"] == "match"]
    (began, ended), first, last = root["times"], parts[0]["times"], parts[-1]["times"]
    assert first[0] - SECOND // 1000 <= began <= first[1] and ended == last[1]  # SQLite's clock counts milliseconds


def stored(match_id: str) -> list[tuple[Any, ...]]:
    """Return the rows stored for spectators."""
    rows = SpectatorRow.objects.filter(match=match_id).order_by("ply")
    fields = rows.values_list("ply", "index", "seat", "text", "chance", "view")
    return [(*row, tuple(chance), unpack_view(bytes(view))) for *row, chance, view in fields]


def seen(match_id: str) -> list[tuple[Any, ...]]:
    """Return the spectators' view of the log, from a game that is played again."""
    log = read_log(match_id)
    nonces = [bytes.fromhex(text) for _, text in sorted((e.seat, e.text) for e in log if e.kind == Kind.READY)]
    game = Game(Ruleset(len(nonces)), match_seed(SEED, nonces))
    steps: list[tuple[Any, ...]] = [(0, 0, 0, "", (), view(game.setup, 0))]
    for ply, entry in enumerate((entry for entry in log if entry.kind == Kind.DECISION), 1):
        index = len(game.events)
        made, *chance = (view_event(event, 0) for event in game.play(entry.text))
        texts = tuple(event.text for event in chance)
        steps.append((ply, index, entry.seat, made.text, texts, view(game.state, 0)))
    return steps


@pytest.mark.database_specific
def test_of_two_workers_that_believe_they_own_a_match_the_later_plays(
    undisturbed: list[Any], redis: RedisServer, versions: list[int], bots: BusBots, worker: Worker
) -> None:
    taken: list[bool] = []
    bots.add(versions[0], Trigger(25, lambda request: taken.append(True)))
    match_id = schedule(versions, server_seed=SEED)
    first = worker.begin(match_id)
    until(lambda: taken)
    Match.objects.filter(pk=match_id).update(lease_expires_at=before_now(1))  # paused for longer than its lease
    assert ending.sweep() == [match_id]
    other = Worker(redis.url)
    bots._choose[bots.add(versions[0])] = pick
    # The first worker has asked the bot, which has not answered; only a new ask of the same index is sent now.
    for seat in bots._seats.values():
        if seat.ask is not None:
            seat.ask = None
    other.play(match_id)
    first.join(WAIT_S)
    assert not first.is_alive()
    other.close()
    assert canonical(match_id) == undisturbed


@pytest.mark.database_specific
def test_a_match_goes_on_while_the_tasks_of_its_worker_have_all_other_connections(
    versions: list[int], bots: BusBots, worker: Worker
) -> None:
    """This happens when many matches end at once and wait for the row of a ladder: leases would expire meanwhile."""
    are_held, may_go = Barrier(9), Event()

    def hold() -> None:
        are_held.wait(WAIT_S)
        may_go.wait(WAIT_S)

    def take_all(request: DecisionRequest) -> list[str]:
        for _ in range(8):
            Thread(target=worker.database, args=[hold], daemon=True).start()
        are_held.wait(WAIT_S)
        return pick(request)

    bots.add(versions[0], Trigger(25, take_all))
    for version in versions[1:]:
        bots.add(version)
    match_id = schedule(versions, server_seed=SEED)
    thread = worker.begin(match_id)
    try:
        until(lambda: Match.objects.get(pk=match_id).length > 60, "decisions")
        assert state(match_id) == "RUNNING"
    finally:
        may_go.set()
    thread.join(WAIT_S)
    assert state(match_id) == "FINISHED"


def test_a_gateway_that_dies_while_an_ask_is_out_costs_nobody_anything(
    undisturbed: list[Any], redis: RedisServer, versions: list[int], bots: BusBots, worker: Worker
) -> None:
    asked: list[int] = []
    bots.add(versions[0], Trigger(40, lambda request: asked.append(request.index)))
    match_id = schedule(versions, server_seed=SEED)
    thread = worker.begin(match_id)
    until(lambda: asked)
    bots.die()
    with BusBots(redis.url, "another") as others:
        for version in versions:
            others.add(version)
        thread.join(WAIT_S)
        assert canonical(match_id)[1:] == undisturbed[1:]
        (again,) = [request for request in others.messages("request") if request.index == asked[0]]
        assert again.bank_ms > 50_000
    assert "fault" not in kinds(match_id)


@pytest.mark.slow
def test_a_gateway_that_is_silent_when_time_is_up_is_not_charged_to_the_bot(
    undisturbed: list[Any], redis: RedisServer, versions: list[int], bots: BusBots, worker: Worker
) -> None:
    """No bot reconnects elsewhere before the time is up: presence still has the dead gateway."""
    asked: list[int] = []
    bots.add(versions[0], Trigger(40, lambda request: asked.append(request.index)))
    match_id = schedule(versions, server_seed=SEED, clock=Clock(cap_ms=2_000))
    thread = worker.begin(match_id)
    until(lambda: asked)
    bots.die()
    time.sleep(6)  # the fault itself: two seconds, two of slack, one of the probe; time is up and nobody can say so
    assert state(match_id) == "RUNNING"
    with BusBots(redis.url, "another") as others:
        for version in versions:
            others.add(version)
        thread.join(WAIT_S)
    assert canonical(match_id)[1:] == undisturbed[1:]
    assert "fault" not in kinds(match_id)


def test_flushall_in_the_middle_changes_nothing(
    undisturbed: list[Any], redis: RedisServer, versions: list[int], bots: BusBots, worker: Worker
) -> None:
    numbers = count()

    def flush(request: DecisionRequest) -> list[str]:
        if next(numbers) % 5 == 0:
            redis.flush()
        return pick(request)

    bots.add(versions[0], flush)
    match_id = schedule(versions, server_seed=SEED)
    worker.play(match_id)
    assert canonical(match_id) == undisturbed
    assert "fault" not in kinds(match_id)


def test_a_restart_of_redis_in_the_middle_changes_nothing(
    undisturbed: list[Any], redis: RedisServer, versions: list[int], bots: BusBots, worker: Worker
) -> None:
    def restart(request: DecisionRequest) -> list[str]:
        redis.kill()
        redis.start()
        return pick(request)

    bots.add(versions[0], Trigger(40, restart))
    match_id = schedule(versions, server_seed=SEED)
    worker.play(match_id)
    assert canonical(match_id) == undisturbed
    assert "fault" not in kinds(match_id)


@pytest.mark.slow
def test_a_match_that_begins_while_redis_is_away_waits_for_it(
    redis: RedisServer, versions: list[int], bots: BusBots, worker: Worker
) -> None:
    for version in versions:
        bots.add(version)
    match_id = schedule(versions, policy=Policy(offer_ms=1_000))
    redis.kill()
    thread = worker.begin(match_id)
    time.sleep(9)  # the fault itself: a refresh of presence takes three seconds, the offer and its slack three more
    assert state(match_id) == "RUNNING"
    redis.start()
    thread.join(WAIT_S)
    assert state(match_id) == "FINISHED"


@pytest.mark.database_specific
def test_a_match_that_no_worker_can_go_on_with_is_voided_and_played_anew(
    versions: list[int], bots: BusBots, worker: Worker
) -> None:
    for version in versions[:2]:
        bots.add(version)
    bots.add(versions[2], lambda request: ["nonsense"])
    match_id = schedule(versions, policy=Policy(house="nobody"))  # fails as soon as the house is needed
    for _ in range(MAX_FAILURES):
        assert state(match_id) == "SCHEDULED"
        with pytest.raises(RulesError, match="no house player"):
            worker.play(match_id)
    assert state(match_id) == "VOID"
    again = match_queries.match_page(match_id, hidden_too=True).replaced_by
    assert again is not None and state(again) == "SCHEDULED"


@pytest.mark.slow
@pytest.mark.database_specific
def test_a_match_whose_finish_takes_long_stays_with_its_worker(
    undisturbed: list[Any],
    versions: list[int],
    bots: BusBots,
    worker: Worker,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It stays for the maximum duration of such work; after that it counts as hanging."""
    swept: list[list[str]] = []

    def lease(match_id: str) -> datetime:
        found = Match.objects.values_list("lease_expires_at", flat=True).get(pk=match_id)
        assert found is not None
        return found

    def slow(match: Match, *rest: Any) -> None:
        before = lease(match.pk)
        if not swept:
            until(lambda: lease(match.pk) > before + timedelta(seconds=2), "a renewal")
        else:
            until(lambda: ending.sweep() == [match.pk])
        swept.append(ending.sweep())
        check_record(match, *rest)

    monkeypatch.setattr("webui.matches.ending.check_record", slow)
    bots.add(versions[0], pick)
    match_id = schedule(versions, server_seed=SEED)
    worker.play(match_id)
    assert canonical(match_id) == undisturbed and swept == [[]]
    monkeypatch.setattr("workers.row.LONGEST_WORK_S", 0.0)
    another = schedule(versions, server_seed=SEED)
    worker.play(another)
    assert state(another) == "SCHEDULED", "its finish was too late"


def test_mail_that_the_bus_lost_is_sent_again(
    undisturbed: list[Any], versions: list[int], bots: BusBots, worker: Worker
) -> None:
    lost = iter([True])
    take = bots._take

    def forgetful(envelope: Any) -> None:
        if envelope.ask and envelope.index >= 20 and next(lost, False):
            return
        take(envelope)

    bots._take = forgetful
    match_id = schedule(versions, server_seed=SEED, clock=Clock(cap_ms=500))
    worker.play(match_id)
    assert canonical(match_id)[1:] == undisturbed[1:]
    assert "fault" not in kinds(match_id)
