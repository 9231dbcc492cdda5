"""How matches end: a verified record, once; what it does to the ladder; and what is refused."""

import copy
from typing import Any

import pytest

from arena.ratings import INITIAL
from arena.referee import SeatLost, TimePassed
from arena.rules import verify_replay
from tests.kit.ladder import Kit, terms_of
from tests.kit.records import RefereedMatch
from webui.core import errors
from webui.ladders.models import Ladder
from webui.matches import ending, ownership
from webui.matches import queries as match_queries
from webui.matches.models import Match, MatchRecord, MatchSecret, Participant
from webui.matches.records import pack_record
from webui.matches.values import LostOwnership, MatchClaim, RecordRefused
from webui.ratings import folding
from webui.ratings import queries as rating_queries
from webui.ratings.models import RatingEntry, Standing

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]


def test_a_finished_match_has_its_result_and_reveals_its_seed(kit: Kit) -> None:
    finish = kit.finish(kit.versions(3))
    page = match_queries.match_page(finish.match_id)
    secret = MatchSecret.objects.get(match_id=finish.match_id)
    assert (finish.state, finish.ladder_number) == ("FINISHED", 1)
    assert page.server_seed == secret.server_seed
    assert tuple(seat.placement for seat in page.line.seats) == finish.placements
    record = match_queries.match_record(finish.match_id)
    assert record is not None
    verify_replay(record)
    assert [seat.score for seat in page.line.seats] == [scores["total"] for scores in record["result"]["scores"]]
    assert min(finish.placements) == 1
    match = Match.objects.get(pk=finish.match_id)
    assert (match.owner, match.lease_expires_at) == ("", None) and match.finished_at


def test_a_second_finish_gives_the_first_answer(kit: Kit) -> None:
    claim, played = kit.ready_to_finish()
    first = ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    other = {**played.verdict, "kind": "void"}
    assert ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document) == first
    assert ending.finish_match(claim.match_id, claim.epoch + 7, other, {}) == first
    assert ending.abort_match(claim.match_id, claim.epoch, "too late") == first
    assert not ending.void_match(claim.match_id, "too late", again=True)
    assert (Match.objects.count(), MatchRecord.objects.count(), RatingEntry.objects.count()) == (1, 1, 2)
    with pytest.raises(LostOwnership):
        ownership.append(claim.match_id, claim.epoch, len(played.entries), [], 60)


def test_only_the_owner_finishes(kit: Kit) -> None:
    claim, played = kit.ready_to_finish()
    with pytest.raises(LostOwnership):
        ending.finish_match(claim.match_id, claim.epoch + 1, played.verdict, played.document)
    ownership.release(claim.match_id, claim.epoch)
    with pytest.raises(LostOwnership):
        ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    again = kit.claim(claim.match_id, "next")
    assert ending.finish_match(claim.match_id, again.epoch, played.verdict, played.document).ladder_number == 1


def _other_seed(document: dict[str, Any]) -> None:
    document["server_seed"] = "00" * 32


def _other_match(document: dict[str, Any]) -> None:
    document["match"] = "another"


def _shorter(document: dict[str, Any]) -> None:
    del document["events"][-1]


def _other_action(document: dict[str, Any]) -> None:
    document["events"][5][1] = "bid 1"


def _other_score(document: dict[str, Any]) -> None:
    document["result"]["scores"][0]["total"] += 1


def _other_placements(document: dict[str, Any]) -> None:
    document["verdict"]["placements"].reverse()


def _other_hash(document: dict[str, Any]) -> None:
    document["nonce_hashes"][0] = "00" * 32


def _no_hashes(document: dict[str, Any]) -> None:
    del document["nonce_hashes"]


def _other_nonce(document: dict[str, Any]) -> None:
    document["nonces"][0] = "ff" * 16


def _a_forfeit_that_was_none(document: dict[str, Any]) -> None:
    document["verdict"] |= {"kind": "forfeit", "forfeits": [{"seat": 1, "at": 3, "reason": "LATE"}]}


@pytest.mark.parametrize(
    "tamper",
    [
        _other_seed,
        _other_match,
        _shorter,
        _other_action,
        _other_score,
        _other_placements,
        _other_nonce,
        _other_hash,
        _no_hashes,
        _a_forfeit_that_was_none,
    ],
)
def test_a_record_that_does_not_follow_is_refused(kit: Kit, tamper: Any) -> None:
    claim, played = kit.ready_to_finish()
    document = copy.deepcopy(played.document)
    tamper(document)
    with pytest.raises(RecordRefused) as refusal:
        ending.finish_match(claim.match_id, claim.epoch, document["verdict"], document)
    assert claim.server_seed.hex() not in str(refusal.value)
    assert Match.objects.get().state == "RUNNING"
    assert not MatchRecord.objects.exists() and not RatingEntry.objects.exists()
    assert Ladder.objects.get().finished == 0
    assert ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document).state == "FINISHED"


def test_numbers_of_a_ladder_have_no_gap_and_ladders_have_their_own(kit: Kit) -> None:
    three, two = kit.versions(3), kit.versions(2)
    numbers = [kit.finish(versions).ladder_number for versions in (three, two, three, two, two)]
    assert numbers == [1, 1, 2, 2, 3]
    assert kit.finish(two, rated=False).ladder_number is None
    counts = {ladder.ladder.slug: ladder.matches for ladder in rating_queries.ladders()}
    assert counts == {"2-players-60-s-1-s": 3, "3-players-60-s-1-s": 2}


def test_ratings_follow_each_other(kit: Kit) -> None:
    versions = kit.versions(2)
    kit.finish(versions)
    kit.finish(versions)
    entries = {(entry.number, entry.version_id): entry for entry in RatingEntry.objects.all()}
    for version in versions:
        one, two = entries[1, version], entries[2, version]
        assert (one.mu_before, one.sigma_before) == INITIAL
        assert (two.mu_before, two.sigma_before) == (one.mu, one.sigma)
        standing = Standing.objects.get(version_id=version)
        assert (standing.mu, standing.sigma, standing.games, standing.number) == (two.mu, two.sigma, 2, 2)


def test_rebuilding_ratings_changes_nothing_and_repairs_what_was_changed(kit: Kit) -> None:
    versions = kit.versions(3)
    for _ in range(4):
        kit.finish(versions)
    slug = "3-players-60-s-1-s"
    page = rating_queries.ladder(slug)
    report = folding.rebuild_ratings(slug)
    assert (report.matches, report.entries, report.differences, report.is_rewritten) == (4, 12, [], False)
    RatingEntry.objects.filter(number=2, seat=1).update(mu=40)
    RatingEntry.objects.filter(number=3, seat=2).delete()
    Standing.objects.filter(version_id=versions[0]).update(games=9)
    Standing.objects.filter(version_id=versions[1]).update(seats=[0, 3, 1, 0, 0])
    Ladder.objects.update(finished=5)
    dry = folding.rebuild_ratings(slug, write=False)
    assert f"version {versions[1]} has different counts of seats" in dry.differences
    assert len(dry.differences) == 5 and not dry.is_rewritten
    assert folding.rebuild_ratings(slug).is_rewritten
    assert folding.rebuild_ratings(slug).differences == []
    assert rating_queries.ladder(slug) == page
    with pytest.raises(errors.NotFound):
        folding.rebuild_ratings("no-ladder")


def test_an_aborted_match_is_counted_for_who_declined_and_not_rated(kit: Kit) -> None:
    claim = kit.claim(kit.match())
    finish = ending.abort_match(claim.match_id, claim.epoch, "seat 2 declined", declined=[2])
    assert ending.abort_match(claim.match_id, claim.epoch, "again", declined=[1]) == finish
    assert (finish.state, finish.ladder_number, finish.placements) == ("ABORTED", None, ())
    assert list(Participant.objects.values_list("seat", "has_declined")) == [(1, False), (2, True)]
    assert Ladder.objects.get().finished == 0
    assert match_queries.match_page(claim.match_id).line.reason == "seat 2 declined"


def begun(kit: Kit, seats: int) -> tuple[MatchClaim, RefereedMatch]:
    """A match that all have accepted."""
    return accepted(kit.claim(kit.match(kit.versions(seats))))


def accepted(claim: MatchClaim) -> tuple[MatchClaim, RefereedMatch]:
    """This match, which all have accepted."""
    return claim, RefereedMatch(terms_of(claim), [bytes([seat.seat]) * 16 for seat in claim.seats])


def record_of(claim: MatchClaim, match: RefereedMatch) -> dict[str, Any]:
    """The record of a match that is over, whose log is stored."""
    ownership.append(claim.match_id, claim.epoch, 0, match.log, 60)
    return match.document([(seat.bot, seat.version) for seat in claim.seats])


def test_a_match_in_which_all_forfeit_is_void_and_not_rated(kit: Kit) -> None:
    claim, match = begun(kit, 2)
    for seat in (2, 1):
        match.give(SeatLost(seat))
    match.give(TimePassed(), after_ms=60_000)
    document = record_of(claim, match)
    finish = ending.finish_match(claim.match_id, claim.epoch, document["verdict"], document)
    assert (finish.state, finish.placements, finish.ladder_number) == ("VOID", (), None)
    seats = {seat.seat: seat for seat in match_queries.match_page(claim.match_id).line.seats}
    assert (seats[2].forfeited_at, seats[1].forfeit_reason) == (0, "GONE")
    assert not RatingEntry.objects.exists()
    assert Ladder.objects.get().finished == 0


def test_seats_that_forfeited_stand_below_and_the_log_says_which(kit: Kit) -> None:
    claim, match = begun(kit, 3)
    while not match.referee.is_over:
        if match.ask.seat == 2:
            match.be_late()
        else:
            match.answer(next(iter(match.ask.legal)).text)
    document = record_of(claim, match)
    ranks, verdict = document["result"]["ranks"], document["verdict"]
    others = (1 + (ranks[0] > ranks[2]), 3, 1 + (ranks[2] > ranks[0]))
    assert verdict["placements"] == [*others]
    forgotten = {**verdict, "kind": "completed", "placements": ranks, "forfeits": []}
    with pytest.raises(RecordRefused, match="other forfeits than its log"):
        ending.finish_match(claim.match_id, claim.epoch, forgotten, document)
    finish = ending.finish_match(claim.match_id, claim.epoch, verdict, document)
    assert (finish.placements, finish.ladder_number) == (others, 1)


def test_an_operator_voids_a_match_for_good(kit: Kit) -> None:
    claim = kit.claim(kit.match())
    assert ending.void_match(claim.match_id, "wrong clock", again=False)
    assert not ending.void_match(claim.match_id, "wrong clock", again=False)
    page = match_queries.match_page(claim.match_id)
    assert (page.line.state, page.replaced_by, page.server_seed) == ("VOID", None, claim.server_seed.hex())
    assert Match.objects.count() == 1


def test_equal_documents_pack_to_equal_bytes(kit: Kit) -> None:
    finish = kit.finish()
    row = MatchRecord.objects.get(match_id=finish.match_id)
    record = match_queries.match_record(finish.match_id)
    assert record is not None
    assert pack_record(record) == bytes(row.packed)
