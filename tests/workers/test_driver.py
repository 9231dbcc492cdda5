"""Matches over a real Redis and a real database, and what becomes of them when something breaks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from prometheus_client import REGISTRY

from arena.players import ask_house
from arena.referee import Clock, Policy, prove
from arena.rules import RulesError, Ruleset
from arena.wire.v1.bot_pb2 import DecisionRequest
from tests.kit.ladder import Kit
from tests.kit.redis_server import RedisServer
from tests.kit.until import until
from tests.workers.bus_bots import BusBots, pick
from tests.workers.conftest import Worker
from tests.workers.processes import WAIT_S
from webui.ladder import actions, queries
from webui.ladder.dbtime import before_now
from webui.ladder.models import Match, Participant

pytestmark = pytest.mark.django_db(transaction=True)

SEED = bytes(range(32))


def schedule(versions: list[int], *, clock: Clock | None = None, policy: Policy | None = None, **more: Any) -> str:
    clock, policy = clock or Clock(), policy or Policy()
    ruleset = Ruleset(len(versions))
    return actions.schedule_match(ruleset, versions, clock.document(), policy.document(), rated=True, **more)


def state(match_id: str) -> str:
    return str(Match.objects.values_list("state", flat=True).get(pk=match_id))


def canonical(match_id: str) -> list[Any]:
    """What must not depend on what broke: everything but facts about decisions."""
    record = queries.match_record(match_id)
    assert record is not None
    prove(record, ask_house)
    return [record["seed"], [event[:2] for event in record["events"]], record["result"], record["verdict"]]


def charged(match_id: str) -> int:
    """All milliseconds that were charged in a match."""
    return sum((entry.data or {}).get("ms", 0) for entry in queries.match_log(match_id) if entry.kind == "decision")


def kinds(match_id: str) -> list[str]:
    return [entry.kind for entry in queries.match_log(match_id)]


@pytest.fixture
def versions(kit: Kit) -> list[int]:
    return kit.versions(3)


@pytest.fixture
def undisturbed(versions: list[int], bots: BusBots, worker: Worker) -> list[Any]:
    """The canonical record of the game that the tests below disturb: seed, nonces and choices are always the same."""
    for version in versions:
        bots.add(version)
    match_id = schedule(versions, server_seed=SEED)
    worker.play(match_id)
    return canonical(match_id)


class Trigger:
    """A bot like the others that does something once, at an index of its choice."""

    def __init__(self, at: int, act: Callable[[DecisionRequest], list[str] | None]) -> None:
        self.at, self.act, self.is_done = at, act, False

    def __call__(self, request: DecisionRequest) -> list[str] | None:
        if request.index >= self.at and not self.is_done:
            self.is_done = True
            return self.act(request)
        return pick(request)


# --- from the offer to the finish ---


def test_a_match_is_played_to_a_verified_finish(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions:
        bots.add(version)
    match_id = schedule(versions)
    worker.play(match_id)
    page = queries.match_page(match_id)
    assert (page.line.state, page.line.ladder_number) == ("FINISHED", 1)
    record = queries.match_record(match_id)
    assert record is not None
    prove(record, ask_house)
    until(lambda: len(bots.messages("match_end")) == 3)
    end = bots.messages("match_end")[0]
    assert end.replay_url == f"http://arena/matches/{match_id}/"
    assert end.server_seed.hex() == record["server_seed"]
    first = bots.messages("request")[0]
    assert (first.index, first.bank_ms, first.increment_ms, first.cap_ms) == (0, 61_000, 1_000, 10_000)
    assert not first.HasField("last_round_trip")
    assert bots.messages("request")[-1].HasField("last_round_trip")
    assert bots.messages("offer")[0].terms.participants[0].owner
    assert "note" in [entry.kind for entry in queries.match_log(match_id, notes_of=[1])]


def test_decisions_and_overhead_are_counted(versions: list[int], bots: BusBots, worker: Worker) -> None:
    def count(name: str, **labels: str) -> float:
        return REGISTRY.get_sample_value(name, labels) or 0.0

    for version in versions:
        bots.add(version)
    bot, forced = (count("arena_referee_decisions_total", by=by) for by in ("bot", "forced"))
    overhead = count("arena_referee_overhead_seconds_count")
    worker.play(schedule(versions))
    answers = len(bots.messages("request"))
    assert count("arena_referee_decisions_total", by="bot") - bot == answers
    assert count("arena_referee_decisions_total", by="forced") > forced
    # Not the first ask, which follows no answer, and not the last answer, which no ask follows.
    assert count("arena_referee_overhead_seconds_count") - overhead == answers - 1


def test_playing_a_match_again_does_nothing(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions:
        bots.add(version)
    match_id = schedule(versions)
    worker.play(match_id)
    requests = len(bots.messages("request"))
    worker.play(match_id)
    assert len(bots.messages("request")) == requests


def test_a_bot_that_declines_ends_the_match(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions[:2]:
        bots.add(version)
    bots.add(versions[2], None)
    match_id = schedule(versions)
    worker.play(match_id)
    assert (state(match_id), queries.match_page(match_id).line.reason) == ("ABORTED", "DECLINED")
    until(lambda: len(bots.messages("match_aborted")) == 3)


def test_a_bot_that_leaves_is_not_blamed_for_the_match_that_it_was_to_play(
    versions: list[int], bots: BusBots, worker: Worker
) -> None:
    for version in versions[:2]:
        bots.add(version)
    bots.leaving.add(bots.add(versions[2]))
    match_id = schedule(versions)
    worker.play(match_id)
    assert (state(match_id), queries.match_page(match_id).line.reason) == ("ABORTED", "NO_PLACE")
    assert not Participant.objects.filter(has_declined=True).exists()


def test_another_process_of_a_bot_that_leaves_plays_for_it(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions:
        bots.add(version)
    bots.leaving.add(bots.add(versions[2], name="leaver", capacity=1000))  # the roomiest is asked first
    match_id = schedule(versions)
    worker.play(match_id)
    assert state(match_id) == "FINISHED"


def test_a_bot_that_is_not_there_ends_the_match(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions[:2]:
        bots.add(version)
    match_id = schedule(versions, policy=Policy(offer_ms=100))
    worker.play(match_id)
    assert (state(match_id), queries.match_page(match_id).line.reason) == ("ABORTED", "NO_PLACE")
    assert not Participant.objects.filter(match_id=match_id, has_declined=True).exists()


def test_a_bot_that_comes_online_in_time_plays(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions[:2]:
        bots.add(version)
    match_id = schedule(versions)
    thread = worker.begin(match_id)
    until(lambda: len(bots.messages("offer")) == 2)
    bots.add(versions[2])
    thread.join(WAIT_S)
    assert state(match_id) == "FINISHED"


# --- faults of bots ---


def test_a_silent_bot_forfeits_and_the_house_plays_on(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions[:2]:
        bots.add(version)
    silent = bots.add(versions[2], lambda request: None)
    match_id = schedule(versions, clock=Clock(cap_ms=500), policy=Policy(house="random"))
    worker.play(match_id)
    record = queries.match_record(match_id)
    assert record is not None
    assert record["verdict"]["kind"] == "forfeit" and record["verdict"]["placements"][2] == 3
    assert [(fault.reason, fault.strikes, fault.forfeited) for fault in bots.messages("fault", silent)] == [
        ("LATE", 1, False),
        ("LATE", 2, False),
        ("LATE", 3, True),
    ]
    assert {fault.reason for fault in bots.messages("fault")} == {"LATE"}
    assert any(event[2:] == [{"house": "random"}] for event in record["events"])
    until(lambda: len(bots.messages("match_end")) == 3)


def test_an_illegal_answer_costs_a_strike(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions[:2]:
        bots.add(version)
    bots.add(versions[2], Trigger(20, lambda request: ["take A1", "nonsense"]))
    match_id = schedule(versions)
    worker.play(match_id)
    assert state(match_id) == "FINISHED"
    (fault,) = bots.messages("fault")
    assert fault.reason in ("ILLEGAL", "MALFORMED") and fault.played and not fault.forfeited


def test_a_bot_that_floods_costs_itself_a_strike(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions[:2]:
        bots.add(version)
    flooding = bots.add(versions[2], Trigger(20, lambda request: bots.fault(flooding, "FLOODING")))
    match_id = schedule(versions)
    worker.play(match_id)
    assert state(match_id) == "FINISHED"
    (fault,) = bots.messages("fault")
    assert (fault.reason, fault.strikes) == ("FLOODING", 1)


def test_a_bot_that_drops_and_comes_back_goes_on(
    undisturbed: list[Any], versions: list[int], bots: BusBots, worker: Worker
) -> None:
    dropping = bots.add(versions[1], Trigger(30, lambda request: bots.lose(dropping)))
    match_id = schedule(versions, server_seed=SEED)
    thread = worker.begin(match_id)
    until(lambda: not bots.held[dropping].connected)
    bots.come_back(dropping)
    thread.join(WAIT_S)
    assert canonical(match_id) == undisturbed
    assert bots.messages("resumed", dropping)[0].match_id == match_id
    assert [kind for kind in kinds(match_id) if kind in ("lost", "back")] == ["lost", "back"]


def test_a_bot_that_never_comes_back_forfeits_when_its_grace_is_used_up(
    versions: list[int], bots: BusBots, worker: Worker
) -> None:
    for version in versions[:2]:
        bots.add(version)
    gone = bots.add(versions[2], Trigger(30, lambda request: bots.lose(gone)))
    match_id = schedule(versions, policy=Policy(grace_ms=300, house="random"))
    worker.play(match_id)
    record = queries.match_record(match_id)
    assert record is not None
    (forfeit,) = record["verdict"]["forfeits"]
    assert (forfeit["seat"], forfeit["reason"]) == (3, "GONE")


# --- our own faults: the record is the same, and nobody pays ---


def test_a_worker_that_goes_down_hands_its_match_to_another(
    undisturbed: list[Any], redis: RedisServer, versions: list[int], bots: BusBots
) -> None:
    numbers = count()
    workers = [Worker(redis.url)]

    def stop(request: DecisionRequest) -> list[str]:
        if request.index and next(numbers) % 15 == 0:
            workers[-1].link.stop()
        return pick(request)

    bots.add(versions[0], stop)
    match_id = schedule(versions, server_seed=SEED)
    while state(match_id) in ("SCHEDULED", "RUNNING"):
        workers[-1].play(match_id)
        workers.append(Worker(redis.url))
    for worker in workers:
        worker.close()
    assert len(workers) > 3
    assert canonical(match_id) == undisturbed


def test_of_two_workers_that_believe_they_own_a_match_the_later_plays(
    undisturbed: list[Any], redis: RedisServer, versions: list[int], bots: BusBots, worker: Worker
) -> None:
    taken: list[bool] = []
    bots.add(versions[0], Trigger(25, lambda request: taken.append(True)))
    match_id = schedule(versions, server_seed=SEED)
    first = worker.begin(match_id)
    until(lambda: taken)
    Match.objects.filter(pk=match_id).update(lease_expires_at=before_now(1))  # paused for longer than its lease
    assert actions.sweep() == [match_id]
    other = Worker(redis.url)
    bots._choose[bots.add(versions[0])] = pick
    # The bot has been asked by the first worker and has not answered; only a new ask of the same index comes now.
    for seat in bots._seats.values():
        if seat.ask is not None:
            seat.ask = None
    other.play(match_id)
    first.join(WAIT_S)
    assert not first.is_alive()
    other.close()
    assert canonical(match_id) == undisturbed


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
    """Nobody dials in elsewhere before the time is up: presence still names the dead gateway."""
    asked: list[int] = []
    bots.add(versions[0], Trigger(40, lambda request: asked.append(request.index)))
    match_id = schedule(versions, server_seed=SEED, clock=Clock(cap_ms=2_000))
    thread = worker.begin(match_id)
    until(lambda: asked)
    bots.die()
    time.sleep(6)  # two seconds, two of slack, one of the probe: time is up and nobody can say so
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
    time.sleep(9)  # a look for presence gives up after three seconds; the offer and its slack are over three later
    assert state(match_id) == "RUNNING"
    redis.start()
    thread.join(WAIT_S)
    assert state(match_id) == "FINISHED"


def test_a_match_that_no_worker_can_go_on_with_is_voided_and_played_anew(
    versions: list[int], bots: BusBots, worker: Worker
) -> None:
    for version in versions[:2]:
        bots.add(version)
    bots.add(versions[2], lambda request: ["nonsense"])
    match_id = schedule(versions, policy=Policy(house="nobody"))  # fails as soon as the house is needed
    for _ in range(4):
        assert state(match_id) == "SCHEDULED"
        with pytest.raises(RulesError, match="no house player"):
            worker.play(match_id)
        Match.objects.filter(pk=match_id).update(lease_expires_at=before_now(1))
        actions.sweep()
    assert state(match_id) == "VOID"
    again = queries.match_page(match_id).replaced_by
    assert again is not None and state(again) == "SCHEDULED"


def test_mail_that_the_bus_lost_is_sent_again(
    undisturbed: list[Any], versions: list[int], bots: BusBots, worker: Worker
) -> None:
    lost = iter([True])
    take = bots._take

    def forgetful(envelope: Any) -> None:
        if envelope.ask and envelope.index >= 20 and next(lost, False):
            return
        take(envelope)

    bots._take = forgetful  # type: ignore[method-assign]
    match_id = schedule(versions, server_seed=SEED, clock=Clock(cap_ms=500))
    worker.play(match_id)
    assert canonical(match_id)[1:] == undisturbed[1:]
    assert "fault" not in kinds(match_id)


@pytest.fixture(autouse=True)
def no_time_is_charged_for_our_faults(request: pytest.FixtureRequest) -> Iterator[None]:
    """Where bots answer at once, whatever breaks, next to nothing is charged."""
    yield
    if "undisturbed" in request.fixturenames:
        for match_id in Match.objects.values_list("id", flat=True):
            assert charged(match_id) < 1_000
