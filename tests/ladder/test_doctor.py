"""The doctor finds nothing where nothing is wrong, and everything that no action would write."""

import json
from collections.abc import Callable
from threading import Event, Thread
from typing import Any

import pytest
import structlog
from django.db import connection, transaction
from structlog.testing import LogCapture
from typer.testing import CliRunner

from tests.kit.ladder import Kit
from webui.commands import admin
from webui.core.dbtime import after_now, before_now
from webui.ladders.models import Ladder
from webui.matches import ending
from webui.matches.models import LogRow, Match, MatchRecord, MatchSecret, Participant, SpectatorRow
from webui.matches.records import pack_record, unpack_record
from webui.ratings.models import RatingEntry, Standing
from webui.staff import doctor
from webui.staff.doctor import Finding, examine, examine_nightly

pytestmark = pytest.mark.django_db
LADDER = "2-players-60-s-1-s"


def patient(kit: Kit) -> tuple[str, str]:
    """A deployment in the middle of its work; the ids of a finished and of a running match."""
    versions = kit.versions(2)
    finished = [kit.finish(versions).match_id for _ in range(3)]
    kit.finish(versions, rated=False)
    kit.finish(kit.versions(3))
    kit.match(versions)
    claim, _ = kit.ready_to_finish(versions)
    Match.objects.filter(pk=claim.match_id).update(lease_expires_at=after_now(3600))  # however slow the machine is
    aborted = kit.claim(kit.match())
    ending.abort_match(aborted.match_id, aborted.epoch, "seat 2 declined", declined=[2])
    voided = kit.claim(kit.match())
    ending.void_match(voided.match_id, "the arena could not go on", again=True)
    return finished[1], claim.match_id


def test_a_deployment_at_work_is_healthy(kit: Kit) -> None:
    patient(kit)
    seen: list[tuple[str, int, int]] = []
    examination = examine(None, lambda *step: seen.append(step))
    assert (examination.findings, examination.skipped) == ([], 0)
    assert examination.looked_at["records"] == 5 and examination.looked_at["ratings"] == 2
    assert [done for check, done, _ in seen if check == "records"] == [1, 2, 3, 4, 5]
    assert examine(2).looked_at["records"] == 2
    assert examine(0).looked_at["records"] == 0


def _lose_the_last_entry(finished: str, running: str) -> None:
    LogRow.objects.filter(match_id=running).order_by("-number")[0].delete()


def _renumber_an_entry(finished: str, running: str) -> None:
    last = LogRow.objects.filter(match_id=running).order_by("-number")[0]
    LogRow.objects.filter(pk=last.pk).update(number=last.number + 1)


def _let_a_former_owner_write(finished: str, running: str) -> None:
    LogRow.objects.filter(match_id=running, number=3).update(epoch=0)


def _write_at_an_epoch_to_come(finished: str, running: str) -> None:
    LogRow.objects.filter(match_id=running).update(epoch=9)


def _tell_the_seed(finished: str, running: str) -> None:
    seed = MatchSecret.objects.get(match_id=running).server_seed
    LogRow.objects.filter(match_id=running, number=3).update(data={"note": f"the seed is {seed}"})


def _publish_the_record(finished: str, running: str) -> None:
    MatchRecord.objects.filter(match_id=finished).update(match_id=running)


def _reveal_another_seed(finished: str, running: str) -> None:
    Match.objects.filter(pk=finished).update(server_seed="00" * 32)


def _lose_what_spectators_see(finished: str, running: str) -> None:
    SpectatorRow.objects.filter(match_id=running, ply=3).delete()


def _keep_what_spectators_saw(finished: str, running: str) -> None:
    SpectatorRow.objects.filter(match_id=running).update(match_id=finished)


def _lose_the_secret(finished: str, running: str) -> None:
    MatchSecret.objects.filter(match_id=running).delete()


def _lose_the_record(finished: str, running: str) -> None:
    MatchRecord.objects.filter(match_id=finished).delete()


def _lose_a_seat(finished: str, running: str) -> None:
    Participant.objects.filter(match_id=running, seat=2).delete()


def _place_a_seat_early(finished: str, running: str) -> None:
    Participant.objects.filter(match_id=running, seat=2).update(placement=1)


def _lose_a_rating_entry(finished: str, running: str) -> None:
    RatingEntry.objects.filter(match_id=finished, seat=1).delete()


def _rate_a_match_that_runs(finished: str, running: str) -> None:
    RatingEntry.objects.filter(match_id=finished, seat=1).update(match_id=running)


def _rate_at_another_number(finished: str, running: str) -> None:
    RatingEntry.objects.filter(match_id=finished, seat=1).update(number=77)


def _lift_a_rating(finished: str, running: str) -> None:
    RatingEntry.objects.filter(match_id=finished, seat=1).update(mu=99)


def _lift_a_standing(finished: str, running: str) -> None:
    Standing.objects.filter(ladder__slug=LADDER).update(mu=99)


def _skip_a_number(finished: str, running: str) -> None:
    Match.objects.filter(ladder__slug=LADDER, ladder_number=3).update(ladder_number=4)


def _miscount_the_ladder(finished: str, running: str) -> None:
    Ladder.objects.filter(slug=LADDER).update(finished=2)


def _let_a_lease_run_out(finished: str, running: str) -> None:
    Match.objects.filter(pk=running).update(lease_expires_at=before_now(61))


def _let_a_match_wait(finished: str, running: str) -> None:
    Match.objects.filter(state="SCHEDULED").update(waits_since=before_now(601))


def _change_the_record(finished: str, running: str) -> None:
    document = unpack_record(bytes(MatchRecord.objects.get(match_id=finished).packed))
    document["result"]["scores"][0]["total"] += 1
    MatchRecord.objects.filter(match_id=finished).update(packed=pack_record(document))


def _change_who_played(finished: str, running: str) -> None:
    document = unpack_record(bytes(MatchRecord.objects.get(match_id=finished).packed))
    document["seats"].reverse()
    MatchRecord.objects.filter(match_id=finished).update(packed=pack_record(document))


def _spoil_the_record(finished: str, running: str) -> None:
    packed = bytes(MatchRecord.objects.get(match_id=finished).packed)
    MatchRecord.objects.filter(match_id=finished).update(packed=packed[:-20])


def _empty_the_record(finished: str, running: str) -> None:
    MatchRecord.objects.filter(match_id=finished).update(packed=pack_record({}))


def _change_the_result(finished: str, running: str) -> None:
    Participant.objects.filter(match_id=finished, seat=2).update(score=500)


HARMS: list[tuple[Callable[[str, str], None], str, str]] = [
    (_lose_the_last_entry, "logs", "entries"),
    (_renumber_an_entry, "logs", "a gap"),
    (_let_a_former_owner_write, "logs", "entry 3 was written at epoch 0"),
    (_write_at_an_epoch_to_come, "logs", "an epoch that it never had"),
    (_tell_the_seed, "secrets", "log entry 3 holds its seed"),
    (_publish_the_record, "secrets", "has not ended"),
    (_reveal_another_seed, "secrets", "is not the one"),
    (_lose_the_secret, "secrets", "no secret"),
    (_lose_what_spectators_see, "spectators", "there is a gap"),
    (_keep_what_spectators_saw, "spectators", "it has ended"),
    (_lose_the_record, "results", "has no record"),
    (_lose_a_seat, "results", "its 1 seats are 1 to 1"),
    (_place_a_seat_early, "results", "1 of its 2 seats have a placement"),
    (_lose_a_rating_entry, "entries", "has 1 rating entries and should have 2"),
    (_rate_a_match_that_runs, "entries", "has 1 rating entries and should have 0"),
    (_rate_at_another_number, "entries", "of finish 2 to 77"),
    (_lift_a_rating, "ratings", "a different rating entry"),
    (_lift_a_standing, "ratings", "has a different standing"),
    (_skip_a_number, "ratings", "3 matches have the numbers up to 4"),
    (_miscount_the_ladder, "ratings", "counts 2 finishes"),
    (_let_a_lease_run_out, "leases", "no worker sweeps it"),
    (_let_a_match_wait, "leases", "waits for a worker with naqala-rules/"),
    (_change_the_record, "records", "does not follow from the rules"),
    (_change_who_played, "records", "does not hold"),
    (_spoil_the_record, "records", "cannot be read"),
    (_empty_the_record, "records", "has another 'match'"),
    (_change_the_result, "records", "the result of seat 2"),
]
"""What is done to a deployment, the check that finds it, and what that says."""


@pytest.mark.slow
def test_what_is_wrong_is_found(kit: Kit) -> None:
    finished, running = patient(kit)
    seed = MatchSecret.objects.get(match_id=running).server_seed
    for harm, found_by, says in HARMS:
        with transaction.atomic():
            harm(finished, running)
            findings = examine(None if found_by == "records" else 0).findings  # records take most of the time
            transaction.set_rollback(True)
        found = [finding for finding in findings if finding.check == found_by and says in finding.message]
        assert found, f"{harm.__name__}: {findings}"
        assert seed not in str(findings), harm.__name__
    assert examine(None).findings == []


def test_what_finishes_while_the_ratings_are_compared_is_no_finding(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    from webui.ratings import folding

    versions = kit.versions(2)
    kit.finish(versions)
    read = folding._finishes

    def read_and_go_on(*arguments: Any) -> Any:
        found = read(*arguments)
        kit.finish(versions)
        return found

    monkeypatch.setattr(folding, "_finishes", read_and_go_on)
    assert examine(0).findings == []


@pytest.mark.django_db(transaction=True)
def test_matches_that_go_on_meanwhile_are_no_findings(kit: Kit) -> None:
    versions = kit.versions(2)
    kit.finish(versions)
    stop, failures = Event(), list[Exception]()

    def play() -> None:
        try:
            while not stop.is_set():
                kit.finish(versions)
                kit.ready_to_finish(versions)
        except Exception as error:  # noqa: BLE001 - shown below
            failures.append(error)
        finally:
            connection.close()

    player = Thread(target=play)
    player.start()
    try:
        findings, matches = list[Finding](), 0
        while matches < 12 and player.is_alive():
            examination = examine(5)
            findings += examination.findings
            matches = examination.looked_at["logs"]
    finally:
        stop.set()
        player.join()
    assert (findings, failures) == ([], [])


def test_records_of_other_rules_are_left_to_those_who_know_them(kit: Kit) -> None:
    finished = kit.finish().match_id
    Match.objects.filter(pk=finished).update(rules="naqala-rules/0")
    examination = examine(None)
    assert (examination.findings, examination.skipped) == ([], 1)


def test_the_nightly_run_logs_every_finding(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    finished = kit.finish().match_id
    MatchRecord.objects.filter(match_id=finished).delete()
    # Whatever other tests made of the process's log: this one goes by itself.
    capture = LogCapture()
    monkeypatch.setattr(doctor, "log", structlog.wrap_logger(None, processors=[capture]))
    examine_nightly()
    found, done = capture.entries
    assert (found["log_level"], found["event"]) == ("error", "doctor_found")
    assert finished in str(found)
    assert done["event"] == "doctor_done"


def run(*words: str) -> Any:
    return CliRunner().invoke(admin.app, list(words))


def test_the_command_says_one_line_a_finding(kit: Kit) -> None:
    finished, _ = patient(kit)
    healthy = run("doctor", "--all")
    assert (healthy.exit_code, healthy.stderr) == (0, "")
    assert "5 records" in healthy.stdout
    MatchRecord.objects.filter(match_id=finished).delete()
    ill = run("doctor", "--sample", "1")
    finding = Finding("results", finished, "it is finished and has no record")
    assert (ill.exit_code, ill.stdout.splitlines()[:-1]) == (1, [str(finding)])
    told = json.loads(run("doctor", "--json").stdout)
    assert told["healthy"] is False and told["findings"] == [vars(finding)]
    assert told["looked_at"]["records"] == 4
