"""Matches over a real Redis and a real database: from the offer to the end, and faults of bots."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from django.db import DatabaseError, DataError, IntegrityError, InternalError, ProgrammingError
from msgspec.structs import replace
from prometheus_client import REGISTRY

from arena.bus import session_id
from arena.host.places import Places
from arena.host.steps import SIZE, encode_step
from arena.players import ask_house
from arena.referee import Clock, Entry, Policy, Referee, prove
from arena.wire.v1.bot_pb2 import DecisionRequest
from tests.kit.until import until
from tests.workers.bus_bots import BusBots, pick
from tests.workers.conftest import Worker
from tests.workers.matches import SEED, Trigger, canonical, schedule, state
from tests.workers.processes import WAIT_S
from webui.bots.models import Bot
from webui.matches import failures, ownership
from webui.matches import queries as match_queries
from webui.matches.models import MatchFailure, Participant
from webui.matches.values import HOUSE_SILENT
from webui.words.badges import VOID_REASONS
from workers import loop
from workers.row import MatchRow

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.database_specific
def test_a_match_is_played_to_a_verified_finish(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions:
        bots.add(version)
    match_id = schedule(versions)
    worker.play(match_id)
    page = match_queries.match_page(match_id)
    assert (page.line.state, page.line.ladder_number) == ("FINISHED", 1)
    record = match_queries.match_record(match_id)
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
    offer = bots.messages("offer")[0]
    assert not offer.terms.participants, "nobody is named before all have accepted"
    reveal = bots.messages("reveal_request")[0]
    assert [len(digest) for digest in reveal.nonce_hashes] == [32, 32, 32]
    assert reveal.participants[0].owner and len(reveal.participants) == 3
    assert json.loads(reveal.signed.document)["match"] == match_id
    assert "note" in [entry.kind for entry in match_queries.match_log(match_id, notes_of=[1])]


@pytest.mark.parametrize("has_said_so", [False, True], ids=["killed", "stopped"])
def test_a_match_goes_on_in_the_container_that_replaces_another(
    has_said_so: bool, whole_record: list[Any], versions: list[int], bots: BusBots, worker: Worker
) -> None:
    """A container has a new host name each time it starts, and so has its process unless it is named."""

    def stop_container(request: DecisionRequest) -> None:
        bots.held[old] = replace(bots.held[old], leaving=has_said_so)
        bots.lose(old)
        bots.add(versions[2], name="new host")

    for version in versions[:2]:
        bots.add(version)
    old = bots.add(versions[2], Trigger(20, stop_container))
    match_id = schedule(versions, server_seed=SEED)
    worker.play(match_id)
    assert canonical(match_id) == whole_record
    assert bots.messages("resumed", session_id(versions[2], "new host"))
    assert not bots.messages("fault")
    assert Participant.objects.filter(match_id=match_id, forfeit_reason="").count() == 3


@pytest.mark.slow
def test_the_next_owner_asks_for_the_nonces_that_are_missing(
    undisturbed: list[Any], versions: list[int], bots: BusBots, worker: Worker
) -> None:
    """The previous owner died when all hashes and one nonce were in the log."""
    first = schedule(versions, server_seed=SEED)
    worker.play(first)
    opening = [entry for entry in match_queries.match_log(first) if entry.kind in ("commit", "ready")][:4]
    assert [entry.kind for entry in opening] == ["commit"] * 3 + ["ready"]
    match_id = schedule(versions, server_seed=SEED)
    claim = ownership.claim_match(match_id, "the one before", 60)
    assert claim is not None
    ownership.append(match_id, claim.epoch, 0, opening, 60)
    ownership.release(match_id, claim.epoch)
    asked = len(bots.messages("reveal_request")), len(bots.messages("offer"))
    worker.play(match_id)
    assert canonical(match_id) == undisturbed
    assert (len(bots.messages("reveal_request")) - asked[0], len(bots.messages("offer")) - asked[1]) == (2, 0)


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
    # Neither the first ask, which follows no answer, nor the last answer, which no ask follows.
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
    declining = bots.add(versions[2], None)
    match_id = schedule(versions)
    worker.play(match_id)
    assert (state(match_id), match_queries.match_page(match_id).line.reason) == ("ABORTED", "DECLINED")
    until(lambda: len(bots.messages("match_aborted")) == 3)
    rests = {session: bots.messages("match_aborted", session)[0].rest_ms for session in bots.held}
    assert 10_000 < rests.pop(declining) <= 15_000, "and is left out for a while, which it is told"
    assert set(rests.values()) == {0}
    assert {aborted.message for aborted in bots.messages("match_aborted")} == {"the bot declined the offer"}
    (said,) = [entry for entry in match_queries.match_log(match_id, notes_of=[3]) if entry.kind == "note"]
    assert (said.seat, said.text) == (3, "busy"), "its own words are for its owner"
    assert all(entry.kind != "note" for entry in match_queries.match_log(match_id, notes_of=[1, 2]))


def test_a_bot_that_leaves_is_not_blamed_for_the_match_that_it_was_to_play(
    versions: list[int], bots: BusBots, worker: Worker
) -> None:
    for version in versions[:2]:
        bots.add(version)
    bots.leaving.add(bots.add(versions[2]))
    match_id = schedule(versions)
    worker.play(match_id)
    assert (state(match_id), match_queries.match_page(match_id).line.reason) == ("ABORTED", "NO_PLACE")
    assert not Participant.objects.filter(has_declined=True).exists()


@pytest.mark.slow
def test_another_process_of_a_bot_that_leaves_plays_for_it(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions:
        bots.add(version)
    bots.leaving.add(bots.add(versions[2], name="leaver", capacity=1000))  # the one with most capacity is asked first
    match_id = schedule(versions)
    worker.play(match_id)
    assert state(match_id) == "FINISHED"


def test_a_bot_that_is_not_there_ends_the_match(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions[:2]:
        bots.add(version)
    match_id = schedule(versions, policy=Policy(offer_ms=100))
    worker.play(match_id)
    assert (state(match_id), match_queries.match_page(match_id).line.reason) == ("ABORTED", "NO_PLACE")
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


def test_a_bot_that_floods_costs_itself_a_strike(versions: list[int], bots: BusBots, worker: Worker) -> None:
    for version in versions[:2]:
        bots.add(version)
    flooding = bots.add(versions[2], Trigger(20, lambda request: bots.fault(flooding, "FLOODING")))
    match_id = schedule(versions)
    worker.play(match_id)
    assert state(match_id) == "FINISHED"
    (fault,) = bots.messages("fault")
    assert (fault.reason, fault.strikes) == ("FLOODING", 1)


@pytest.mark.parametrize(
    ("error", "counts"),
    [
        (ValueError("a bug"), True),
        (IntegrityError("a row that breaks a constraint"), True),
        (DataError("a text with a zero byte"), True),
        (OSError("a full disk"), False),
        (DatabaseError("a damaged file"), False),
        (ProgrammingError("a column that a migration has yet to add"), False),
        (InternalError("a transaction that may only read"), False),
    ],
    ids=lambda value: type(value).__name__,
)
def test_only_what_goes_wrong_in_the_match_itself_is_its_failure(
    versions: list[int], worker: Worker, monkeypatch: pytest.MonkeyPatch, *, error: Exception, counts: bool
) -> None:
    def failing(referee: Referee, event: Any, now: int) -> Any:
        raise error

    monkeypatch.setattr(Referee, "handle", failing)
    match_id = schedule(versions)
    with pytest.raises(type(error)):
        worker.play(match_id)
    found = [(row.epoch, row.length, row.reason) for row in MatchFailure.objects.filter(match=match_id)]
    assert found == ([(1, 0, f"{type(error).__name__} in its step")] if counts else [])
    assert state(match_id) == ("SCHEDULED" if counts else "RUNNING"), "its lease runs out"


def test_a_machine_without_a_free_thread_is_no_failure_of_the_match(versions: list[int], worker: Worker) -> None:
    match_id = schedule(versions)
    before = threading.stack_size(1 << 60)  # larger than every address space
    try:
        with pytest.raises(OSError, match="can't start new thread"):
            worker.play(match_id)
    finally:
        threading.stack_size(before)
    assert not MatchFailure.objects.exists()
    assert state(match_id) == "RUNNING", "its lease runs out"


@pytest.mark.database_specific
def test_threads_of_a_process_that_claim_at_once_get_one_suspect(
    versions: list[int], worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    suspects = [schedule(versions), schedule(versions)]
    for match_id in suspects:
        claim = ownership.claim_match(match_id, f"dead/{match_id}", 60)
        assert claim is not None
        failures.record_failure(match_id, claim.epoch, "its process died")
    read_log, both_have_claimed = ownership.read_log, threading.Barrier(2)

    def read_before_commit(match_id: str) -> list[Entry]:
        with suppress(threading.BrokenBarrierError):
            both_have_claimed.wait(1)
        return read_log(match_id)

    def is_claimed(match_id: str) -> bool:
        row = MatchRow(match_id, worker.database, threading.Event(), lease_s=60)
        return row.claim(f"living/{match_id}") is not None

    monkeypatch.setattr(ownership, "read_log", read_before_commit)
    with ThreadPoolExecutor(2) as threads:
        assert sorted(threads.map(is_claimed, suspects)) == [False, True]


def test_a_claim_first_records_what_killed_an_earlier_process(
    versions: list[int], bots: BusBots, worker: Worker, settings: Any, tmp_path: Path
) -> None:
    settings.PLACES = Places(tmp_path)
    match_id = schedule(versions)
    assert ownership.claim_match(match_id, "dead/1", 60) is not None
    settings.PLACES.steps.mkdir()
    dead = encode_step(match_id, 1) + encode_step("unknown", 1)
    (settings.PLACES.steps / "dead").write_bytes(dead.ljust(SIZE, b"\0"))
    for version in versions:
        bots.add(version)
    worker.play(match_id)
    assert state(match_id) == "FINISHED", "the match was freed before its lease had run out"
    assert MatchFailure.objects.get().epoch == 1


@pytest.mark.parametrize(
    ("is_house", "runner"), [(False, ""), (True, ""), (True, "r")], ids=["guest", "house", "hosted"]
)
def test_only_the_time_of_house_bots_that_dial_in_is_not_charged(
    versions: list[int], bots: BusBots, worker: Worker, *, is_house: bool, runner: str
) -> None:
    slow, *others = versions
    Bot.objects.filter(versions=slow).update(is_house=is_house)
    bots.add(slow, Trigger(10, lambda request: (time.sleep(0.6), pick(request))[1]), runner=runner)
    for version in others:
        bots.add(version)
    match_id = schedule(versions, clock=Clock(cap_ms=300))
    worker.play(match_id)
    assert canonical(match_id), "the record is proved"
    # On a slow machine the others may be late, too.
    is_late = any(entry.kind == "fault" and entry.seat == 1 for entry in match_queries.match_log(match_id))
    assert is_late == (not is_house or bool(runner))


def test_a_match_whose_house_bot_is_silent_is_void_and_played_again(
    versions: list[int], bots: BusBots, worker: Worker, monkeypatch: pytest.MonkeyPatch
) -> None:
    Bot.objects.filter(versions=versions[0]).update(is_house=True)
    monkeypatch.setattr(loop, "HOUSE_PATIENCE", 0)
    bots.add(versions[0], lambda request: None)
    for version in versions[1:]:
        bots.add(version)
    match_id = schedule(versions)
    worker.play(match_id)
    page = match_queries.match_page(match_id, hidden_too=True)
    assert (page.line.state, page.line.reason) == ("VOID", HOUSE_SILENT)
    assert page.line.reason in VOID_REASONS
    assert page.replaced_by and not any(seat.forfeit_reason for seat in page.line.seats)
