"""Who may write a match, one caller at a time: claim, append, renew, release, sweep."""

import dataclasses
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, transaction
from django.db.models.functions import Now

from arena.referee import Entry, Record
from tests.kit.ladder import Kit, apply_all, play_out, terms_of
from tests.kit.live import seen_match
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NotFound
from webui.matches import ending, failures, ownership
from webui.matches import live as match_live
from webui.matches import queries as match_queries
from webui.matches.failures import MAX_FAILURES
from webui.matches.models import LogRow, Match, MatchFailure, MatchSecret, MatchState, SpectatorRow
from webui.matches.values import LostOwnership
from workers.publishing import Publisher

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]


def entry(number: int, text: str = "x") -> Entry:
    return Entry(number, "decision", 1, text, {"ms": 5})


def expire(match_id: str) -> None:
    """Let the lease run out, by the database's clock, without waiting for it."""
    assert Match.objects.filter(pk=match_id).update(lease_expires_at=before_now(0.001))


def test_a_scheduled_match_is_public_but_for_its_seed_and_its_bots(kit: Kit) -> None:
    match_id = kit.match(deal=bytes(range(32)))
    page = match_queries.match_page(match_id)
    secret = MatchSecret.objects.get(match_id=match_id)
    assert page.line.state == "SCHEDULED" and page.server_seed == "" and len(page.commitment) == 64
    everything = str(page) + str(match_queries.matches()) + str(seen_match(match_id))
    assert secret.server_seed not in everything and secret.deal not in everything
    assert page.line.seats == [] and "Bot 1" not in everything
    page = match_queries.match_page(match_id, hidden_too=True)
    assert [seat.version.bot.name for seat in page.line.seats] == ["Bot 1", "Bot 2"]


def test_a_claim_has_all_that_a_referee_needs(kit: Kit) -> None:
    claim = kit.claim(kit.match(server_seed=bytes(32), match_id="pinned"))
    assert (claim.match_id, claim.epoch, claim.server_seed, claim.deal, claim.log) == ("pinned", 1, bytes(32), None, [])
    assert [(seat.seat, seat.bot) for seat in claim.seats] == [(1, "Bot 1"), (2, "Bot 2")]


def test_a_match_is_claimed_once(kit: Kit) -> None:
    match_id = kit.match()
    claim = kit.claim(match_id, "first")
    assert ownership.claim_match(match_id, "second", 60) is None
    assert ownership.claim_match(match_id, "first", 60) == claim  # the answer had been lost
    assert ownership.claim_match("nowhere", "first", 60) is None


def test_a_match_of_other_rules_is_left_to_others(kit: Kit) -> None:
    match_id = kit.match()
    Match.objects.update(rules="naqala-rules/0")
    assert ownership.claim_match(match_id, "worker", 60) is None
    assert Match.objects.get().state == MatchState.SCHEDULED


def test_a_log_grows_without_gaps(kit: Kit) -> None:
    match_id = kit.match()
    epoch = kit.claim(match_id).epoch
    ownership.append(match_id, epoch, 0, [entry(0), entry(1)], 60)
    ownership.append(match_id, epoch, 2, [entry(2)], 60)
    with pytest.raises(BadRequest):
        ownership.append(match_id, epoch, 3, [entry(4)], 60)
    with pytest.raises(LostOwnership):
        ownership.append(match_id, epoch, 4, [entry(4)], 60)
    with pytest.raises(LostOwnership):
        ownership.append(match_id, epoch, 1, [entry(1, "other")], 60)
    with pytest.raises(LostOwnership):
        ownership.append(match_id, epoch - 1, 3, [entry(3)], 60)
    assert list(LogRow.objects.values_list("number", "text", "epoch")) == [(0, "x", 1), (1, "x", 1), (2, "x", 1)]
    assert Match.objects.get().length == 3


def test_an_append_whose_answer_was_lost_may_be_repeated(kit: Kit) -> None:
    match_id = kit.match()
    epoch = kit.claim(match_id).epoch
    for _ in range(2):
        ownership.append(match_id, epoch, 0, [entry(0), entry(1)], 60)
    assert Match.objects.get().length == LogRow.objects.count() == 2


def test_what_spectators_see_is_stored_with_the_log_once_or_not_at_all(kit: Kit) -> None:
    match_id = kit.match()
    claim = kit.claim(match_id)
    record = Record(terms_of(claim))
    positions = apply_all(record, play_out(claim).entries)
    seen = Publisher().steps(record.game, positions)[:4]
    for _ in range(2):  # the answer to the first was lost
        ownership.append(match_id, claim.epoch, 0, [entry(0), entry(1)], 60, seen[:2])
    with pytest.raises(IntegrityError), transaction.atomic():
        ownership.append(match_id, claim.epoch, 2, [entry(2)], 60, seen[1:3])
    with pytest.raises(LostOwnership):
        ownership.append(match_id, claim.epoch - 1, 2, [entry(2)], 60, seen[2:3])
    assert Match.objects.get().length == LogRow.objects.count() == 2
    ownership.append(match_id, claim.epoch, 2, [entry(2)], 60, seen[2:])
    assert list(SpectatorRow.objects.values_list("ply", flat=True)) == [0, 1, 2, 3]
    live = match_live.LiveGame(match_id)
    assert (live.read(), live.setup) == (seen[1:], seen[0].view)
    ending.void_match(match_id, "the arena cannot go on", again=False)
    assert not SpectatorRow.objects.exists()


def test_a_former_owner_writes_nothing(kit: Kit) -> None:
    match_id = kit.match()
    old = kit.claim(match_id, "old").epoch
    ownership.append(match_id, old, 0, [entry(0)], 60)
    expire(match_id)
    assert ending.sweep() == [match_id]
    for claimed in (False, True):
        if claimed:
            new = kit.claim(match_id, "new")
            assert (new.epoch, new.log) == (old + 1, [entry(0)])
        with pytest.raises(LostOwnership):
            ownership.append(match_id, old, 1, [entry(1)], 60)
        with pytest.raises(LostOwnership):
            ownership.append(match_id, old, 0, [entry(0)], 60)  # not even what it wrote before
        with pytest.raises(LostOwnership):
            ownership.renew(match_id, old, 60)
        with pytest.raises(LostOwnership):
            ending.abort_match(match_id, old, "late")
        assert not ownership.release(match_id, old)
    assert Match.objects.get().length == 1


def test_a_lease_that_ran_out_is_still_owned_until_it_is_swept(kit: Kit) -> None:
    match_id = kit.match()
    epoch = kit.claim(match_id).epoch
    expire(match_id)
    assert ownership.claim_match(match_id, "other", 60) is None
    ownership.append(match_id, epoch, 0, [entry(0)], 60)
    assert ending.sweep() == []
    expire(match_id)
    ownership.renew(match_id, epoch, 60)
    assert ending.sweep() == []


def test_leases_run_by_the_databases_clock(kit: Kit) -> None:
    match_id = kit.match()
    before = Match.objects.annotate(now=Now()).get().now
    kit.claim(match_id, lease_s=60)
    row = Match.objects.annotate(now=Now()).get()
    assert row.lease_expires_at is not None
    assert before <= row.lease_expires_at - timedelta(seconds=60) <= row.now
    match_id = kit.match()
    kit.claim(match_id, lease_s=-1)
    assert ending.sweep() == [match_id]


def test_a_match_handed_back_goes_on_elsewhere(kit: Kit) -> None:
    match_id = kit.match()
    epoch = kit.claim(match_id).epoch
    ownership.append(match_id, epoch, 0, [entry(0)], 60)
    assert ownership.release(match_id, epoch)
    assert not ownership.release(match_id, epoch)
    assert Match.objects.get().state == MatchState.SCHEDULED
    assert kit.claim(match_id, "next").log == [entry(0)]


def test_lost_leases_never_void_a_match(kit: Kit) -> None:
    match_id = kit.match()
    for number in range(3 * MAX_FAILURES):
        kit.claim(match_id, f"worker {number}")
        expire(match_id)
        assert ending.sweep() == [match_id]
    assert Match.objects.get().state == MatchState.SCHEDULED


def test_a_match_that_fails_again_and_again_is_voided_and_played_anew(kit: Kit) -> None:
    first = kit.match()
    epoch = kit.claim(first, "0").epoch
    ownership.append(first, epoch, 0, [entry(0)], 60)
    ownership.release(first, epoch)
    for number in range(1, MAX_FAILURES + 1):
        assert match_queries.match_page(first, hidden_too=True).line.state == "SCHEDULED"
        epoch = kit.claim(first, f"worker {number}").epoch
        failures.record_failure(first, epoch, "ValueError in its step")
        failures.record_failure(first, epoch, "its answer was lost")  # changes nothing
    page = match_queries.match_page(first, hidden_too=True)
    second = page.replaced_by
    assert page.line.state == "VOID" and "log entry 1" in page.line.reason and second
    assert page.server_seed == MatchSecret.objects.get(match_id=first).server_seed
    again = match_queries.match_page(second, hidden_too=True)
    assert (again.line.state, again.replaces, again.server_seed) == ("SCHEDULED", first, "")
    assert [seat.version for seat in again.line.seats] == [seat.version for seat in page.line.seats]
    assert again.commitment != page.commitment
    failures.record_failure(first, epoch, "too late")
    assert match_queries.match_page(second, hidden_too=True).line.state == "SCHEDULED"


def test_progress_forgives_earlier_failures(kit: Kit) -> None:
    match_id = kit.match()
    for number in range(2 * MAX_FAILURES):
        claim = kit.claim(match_id, f"worker {number}")
        if number % 2:
            ownership.append(match_id, claim.epoch, number // 2, [entry(number // 2)], 60)
        failures.record_failure(match_id, claim.epoch, "ValueError in its step")
    assert Match.objects.get().state == MatchState.SCHEDULED


def test_a_failure_that_is_recorded_late_counts_at_the_length_at_which_it_happened(kit: Kit) -> None:
    match_id = kit.match()
    dead = kit.claim(match_id, "dead")
    expire(match_id)
    ending.sweep()
    living = kit.claim(match_id, "living")
    ownership.append(match_id, living.epoch, 0, [entry(0)], 60)
    failures.record_failure(match_id, dead.epoch, "its process died")
    assert MatchFailure.objects.get().length == 0
    row = Match.objects.get()
    assert (row.state, row.owner, row.length) == (MatchState.RUNNING, "living", 1)


def test_a_process_plays_one_suspect_at_a_time(kit: Kit) -> None:
    innocent, guilty, other = kit.match(), kit.match(), kit.match()
    for match_id in (innocent, guilty):
        failures.record_failure(match_id, kit.claim(match_id, f"dead/{match_id}").epoch, "its process died")
    assert ownership.claim_match(innocent, "living/1", 60) is not None
    assert ownership.claim_match(guilty, "living/2", 60) is None
    assert ownership.claim_match(other, "living/3", 60) is not None
    assert ownership.claim_match(guilty, "elsewhere/1", 60) is not None
    assert ownership.claim_match(guilty, "elsewhere/1", 60) is not None, "the same claim again"


def test_the_innocent_suspect_makes_way_as_soon_as_its_log_grows(kit: Kit) -> None:
    innocent, guilty = kit.match(), kit.match()
    for match_id in (innocent, guilty):
        failures.record_failure(match_id, kit.claim(match_id, f"dead/{match_id}").epoch, "its process died")
    claim = ownership.claim_match(innocent, "living/1", 60)
    assert claim is not None
    ownership.append(innocent, claim.epoch, 0, [entry(0)], 60)
    assert ownership.claim_match(guilty, "living/2", 60) is not None


def test_what_cannot_be_scheduled(kit: Kit) -> None:
    one, two = kit.versions(2)
    with pytest.raises(BadRequest):
        kit.match([one, one])
    with pytest.raises(NotFound):
        kit.match([one, two + 1000])


@pytest.mark.parametrize(
    "broken",
    [
        {"state": "RUNNING"},
        {"owner": "somebody"},
        {"state": "FINISHED"},
        {"server_seed": "ab"},
        {"state": "LOST"},
        {"ladder_number": 1},
        {"rated": False},
        {"length": -1},
    ],
)
def test_the_database_refuses_what_no_action_writes(kit: Kit, broken: dict[str, Any]) -> None:
    match_id = kit.match()
    with pytest.raises(IntegrityError), transaction.atomic():
        Match.objects.filter(pk=match_id).update(**broken)


def test_a_log_entry_is_a_plain_value() -> None:
    assert dataclasses.asdict(entry(3)) == {"number": 3, "kind": "decision", "seat": 1, "text": "x", "data": {"ms": 5}}
