"""Logs that are packed: nothing of them is lost, whoever is killed, and all that reads logs reads them still."""

from __future__ import annotations

import random
import signal
from collections.abc import Sequence

import pytest

from arena.fairness import overcharges
from arena.referee import Entry, Kind
from tests.kit.ladder import LEASE, Kit, play_out, terms_of
from tests.kit.records import RefereedMatch
from tests.ladder.rivals import Rival
from webui.matches import ending, ownership, packing
from webui.matches import queries as match_queries
from webui.matches.checks import record_findings
from webui.matches.models import LogForm, LogRow, Match, MatchRecord, PackedLog
from webui.matches.packed_logs import MILLISECOND, LoggedEntry
from webui.matches.records import ended_log, faults_in, log_rows, pack_record, unpack_record
from webui.matches.values import RecordRefused
from webui.staff.doctor import examine

pytestmark = [pytest.mark.django_db, pytest.mark.database_specific]


def troubled(kit: Kit) -> str:
    """A match of two owners' epochs, with faults and a note of a bot."""
    claim = kit.claim(kit.match(kit.versions(3)))
    match = RefereedMatch(terms_of(claim), [bytes([seat.seat]) * 16 for seat in claim.seats])
    draw, asked = random.Random(1), 0
    while not match.referee.is_over:
        asked += 1
        legal = [action.text for action in match.ask.legal]
        match.answer("dance" if asked in (10, 15) else draw.choice(legal), ms=draw.randint(1, 90))
    log = [*match.log, Entry(len(match.log), Kind.NOTE, 2, "my plan", {"index": 5})]
    ownership.append(claim.match_id, claim.epoch, 0, log[:40], LEASE)
    ownership.release(claim.match_id, claim.epoch)
    again = kit.claim(claim.match_id, "another worker")
    ownership.append(again.match_id, again.epoch, 40, log[40:], LEASE)
    document = match.document([(seat.bot, seat.version) for seat in claim.seats])
    ending.finish_match(again.match_id, again.epoch, document["verdict"], document)
    return claim.match_id


def pack() -> int:
    return packing.pack_logs(60, settled_s=-1)


def rounded(log: Sequence[LoggedEntry]) -> list[LoggedEntry]:
    """The time of the first entry as it is, those of the others cut to whole milliseconds since then."""
    return [one._replace(at=log[0].at + (one.at - log[0].at) // MILLISECOND * MILLISECOND) for one in log]


def test_a_packed_log_is_the_log(kit: Kit) -> None:
    match_id = troubled(kit)
    rows = log_rows(match_id)
    fair = list(overcharges((e.number, e.kind, e.data, e.at) for e in rounded(rows)))
    assert len({row.epoch for row in rows}) == 2 and {row.kind for row in rows} > {
        "commit",
        "decision",
        "fault",
        "note",
    }
    shown, faults = match_queries.match_log(match_id, notes_of=[2]), list(faults_in([match_id]))
    assert len(faults) == 2
    assert pack() == 1
    assert not LogRow.objects.exists() and Match.objects.get().log_form == LogForm.PACKED
    assert ended_log(match_id) == rounded(rows)
    assert match_queries.match_log(match_id, notes_of=[2]) == shown and shown[-1].text == "my plan"
    assert [entry.kind for entry in match_queries.match_log(match_id)].count("note") == 0
    assert list(faults_in([match_id])) == faults
    assert list(overcharges((e.number, e.kind, e.data, e.at) for e in ended_log(match_id))) == fair
    assert not list(record_findings(Match.objects.get())) and examine(None).is_healthy
    assert pack() == 0
    MatchRecord.objects.all().delete()
    assert list(faults_in([match_id])) == faults, "they need no record, whose store may be away"


def test_matches_that_have_just_ended_or_run_keep_their_rows(kit: Kit) -> None:
    kit.finish()
    kit.ready_to_finish()
    rows = LogRow.objects.count()
    assert packing.pack_logs() == 0 and LogRow.objects.count() == rows
    assert pack() == 1 and LogRow.objects.count() < rows


def test_matches_without_a_record_are_packed_too(kit: Kit) -> None:
    claim = kit.claim(kit.match())
    ownership.append(claim.match_id, claim.epoch, 0, play_out(claim).entries[:2], LEASE)
    ending.abort_match(claim.match_id, claim.epoch, "seat 2 declined", declined=[2])
    never_begun = kit.match()
    ending.void_match(never_begun, "the arena could not go on", again=False)
    rows = log_rows(claim.match_id)
    assert pack() == 2
    assert ended_log(claim.match_id) == rounded(rows) and ended_log(never_begun) == []
    assert examine(None).is_healthy


def test_a_packed_log_tells_a_record_that_departs_from_it(kit: Kit) -> None:
    one, other = kit.finish().match_id, kit.finish().match_id
    pack()
    row = MatchRecord.objects.get(pk=one)
    document = unpack_record(bytes(row.packed))
    document["events"][7][0] = 3 - document["events"][7][0]
    MatchRecord.objects.filter(pk=one).update(packed=pack_record(document))
    with pytest.raises(RecordRefused, match="other events"):
        ended_log(one)
    assert [finding.subject for finding in examine(None).findings] == [one]
    MatchRecord.objects.filter(pk=other).delete()
    with pytest.raises(RecordRefused, match="missing"):
        ended_log(other)


def test_a_log_whose_record_cannot_be_proved_keeps_its_rows(kit: Kit) -> None:
    lost, sound, gap = kit.finish().match_id, kit.finish().match_id, kit.finish().match_id
    row = MatchRecord.objects.get(pk=lost)
    document = unpack_record(bytes(row.packed))
    document["result"]["scores"][0]["total"] += 1
    MatchRecord.objects.filter(pk=lost).update(packed=pack_record(document))
    LogRow.objects.filter(match=gap).order_by("-number")[0].delete()
    assert pack() == 1 and pack() == 0
    forms = dict(Match.objects.values_list("id", "log_form"))
    assert forms == {lost: LogForm.KEPT, sound: LogForm.PACKED, gap: LogForm.KEPT}
    assert LogRow.objects.filter(match=lost).exists() and {f.subject for f in examine(None).findings} == {lost, gap}


def test_a_record_of_other_rules_that_cannot_be_read_holds_no_other_log_up(kit: Kit) -> None:
    broken, sound = kit.finish().match_id, kit.finish().match_id
    Match.objects.filter(pk=broken).update(rules="0")
    MatchRecord.objects.filter(pk=broken).update(packed=b"no record")
    assert pack() == 1
    assert dict(Match.objects.values_list("id", "log_form")) == {broken: LogForm.KEPT, sound: LogForm.PACKED}


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_packers_that_are_killed_lose_nothing_and_two_at_once_pack_once(kit: Kit) -> None:
    matches = [kit.finish().match_id for _ in range(6)]
    before = {match_id: rounded(log_rows(match_id)) for match_id in matches}
    for dies_after in ("PackedLog", "LogRow", "Match"):
        rival = Rival()
        assert rival.answer() == "ready"
        rival.tell("pack_and_die", dies_after)
        assert rival.process.wait(60) == -signal.SIGKILL
        rival.close()
        assert not PackedLog.objects.exists() and LogRow.objects.count() == sum(map(len, before.values()))
    pair = [Rival(), Rival()]
    assert [rival.answer() for rival in pair] == ["ready"] * 2
    for rival in pair:
        rival.tell("pack")
    assert sum(rival.answer() for rival in pair) == len(matches)
    for rival in pair:
        rival.close()
    assert {match_id: ended_log(match_id) for match_id in matches} == before
    assert not LogRow.objects.exists() and examine(None).is_healthy
