"""Fairness reports in the database: made in steps, each day once, whoever is killed or runs beside."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.utils import timezone

from tests.kit.ladder import Kit
from webui.fairness import actions as fairness_actions
from webui.fairness import queries as fairness_queries
from webui.fairness.models import FairnessReport
from webui.matches import ending
from webui.matches.models import LogRow, Match, MatchRecord
from webui.matches.records import pack_record, unpack_record
from webui.matches.signing import sign_record
from webui.ratings.models import Fit, PublishedRating

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The time of the process; matches end when the test says."""

    def set_to(now: datetime) -> None:
        monkeypatch.setattr(timezone, "now", lambda: now)

    return set_to


def ended(match_id: str, at: datetime) -> None:
    Match.objects.filter(pk=match_id).update(finished_at=at)


def test_a_match_that_cannot_be_folded_is_named_and_the_others_go_on(
    kit: Kit, clock: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken, fine = (kit.finish(kit.versions(2)).match_id for _ in range(2))
    for match in (broken, fine):
        ended(match, NOON - timedelta(hours=1))

    def fail(tallies: Any, match: Match) -> None:
        if match.id == broken:
            raise KeyError("seats")
        fold(tallies, match)

    fold = fairness_actions.fold_match
    monkeypatch.setattr(fairness_actions, "fold_match", fail)
    clock(NOON)
    assert fairness_actions.report_fairness() == 2
    report = fairness_queries.fairness_report()
    assert report is not None and report.day.failures == {broken: "the report could not read it: KeyError"}
    assert report.day.proved == 1


def test_a_day_is_carried_on_and_closed(kit: Kit, clock: Any) -> None:
    clock(NOON)
    assert fairness_actions.report_fairness() == 0 and fairness_queries.fairness_report() is None
    first, second = (kit.finish(kit.versions(3)).match_id for _ in range(2))
    aborted = kit.claim(kit.match(kit.versions(2)))
    ending.abort_match(aborted.match_id, aborted.epoch, "NO_ANSWER")
    ended(first, NOON - timedelta(hours=1))
    ended(aborted.match_id, NOON - timedelta(minutes=30))
    ended(second, NOON - timedelta(seconds=30))
    assert fairness_actions.report_fairness() == 2, "what ended just now may not be there yet"
    clock(NOON + timedelta(minutes=2))
    assert fairness_actions.report_fairness() == 1 and fairness_actions.report_fairness() == 0
    report = fairness_queries.fairness_report()
    assert report is not None and (report.date, report.closed) == ("2026-11-23", False)
    day = report.day
    assert (day.ended, day.aborted) == ({"finished": 2, "aborted": 1}, {"NO_ANSWER": 1})
    assert (day.games, day.proved, day.failures, day.overcharges) == (2, 2, {}, {})
    assert day.seats["3"].games == 2
    clock(NOON + timedelta(hours=12, seconds=30))
    assert fairness_actions.report_fairness() == 0
    assert not FairnessReport.objects.get().is_closed, "a match may have ended just before midnight"
    clock(NOON + timedelta(days=2))
    fairness_actions.report_fairness()
    assert [(str(row.date), row.is_closed, row.folded) for row in FairnessReport.objects.order_by("date")] == [
        ("2026-11-23", True, 3), ("2026-11-24", True, 0),
    ]  # fmt: skip
    third = kit.finish(kit.versions(3)).match_id
    ended(third, NOON + timedelta(days=2) - timedelta(minutes=5))
    fairness_actions.report_fairness()
    latest = FairnessReport.objects.first()
    assert latest is not None and latest.document["month"]["seats"]["3"]["games"] == 3
    assert latest.document["day"]["seats"]["3"]["games"] == 1
    shown = fairness_queries.fairness_report()
    assert shown is not None and shown.date == "2026-11-24", "the last day that is over"


@pytest.mark.slow
def test_processes_that_make_no_report_do_without_numpy_and_scipy() -> None:
    code = (
        "import sys, django; django.setup(); import webui.fairness.actions, webui.urls, workers.app;"
        "print([name for name in ('numpy', 'scipy') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_a_step_is_made_once(kit: Kit, clock: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two at once, of which one finds that the row has moved; and steps that end after each match."""
    clock(NOON)
    for minutes in range(4):
        ended(kit.finish().match_id, NOON - timedelta(minutes=20 + minutes // 2))
    real = fairness_actions.fold_match

    def beside(tallies: Any, match: Match) -> None:
        monkeypatch.setattr(fairness_actions, "fold_match", real)
        assert fairness_actions.report_fairness(budget_s=0.000001) in (0, 1)
        fairness_actions.report_fairness()
        real(tallies, match)

    monkeypatch.setattr(fairness_actions, "fold_match", beside)
    assert fairness_actions.report_fairness() == 0, "somebody else was faster"
    row = FairnessReport.objects.get()
    assert (row.folded, row.tallies["games"], row.tallies["proved"]) == (4, 4, 4)


def test_steps_that_stop_after_each_match_come_to_the_same(kit: Kit, clock: Any) -> None:
    clock(NOON)
    for _ in range(3):
        ended(kit.finish().match_id, NOON - timedelta(minutes=20))  # all at one moment
    asked = iter([False, True, True] * 3)
    steps = [fairness_actions.report_fairness(is_stopping=lambda: next(asked)) for _ in range(3)]
    assert steps == [1, 1, 1]
    pieces = FairnessReport.objects.get()
    FairnessReport.objects.all().delete()
    assert fairness_actions.report_fairness() == 3
    assert FairnessReport.objects.get().tallies == pieces.tallies


def test_records_that_do_not_follow_and_charges_that_cannot_be_are_named(kit: Kit, clock: Any) -> None:
    clock(NOON)
    sound, changed, overcharged, lost = (kit.finish(kit.versions(2)).match_id for _ in range(4))
    for match_id in (sound, changed, overcharged, lost):
        ended(match_id, NOON - timedelta(minutes=5))
    record = MatchRecord.objects.get(pk=changed)
    document = unpack_record(bytes(record.packed))
    document["seats"][0]["name"] = "Somebody Else"
    record.packed = pack_record(document)
    record.save()
    MatchRecord.objects.filter(pk=lost).delete()
    # The log's entries lie 10 ms apart, but two decisions 300 ms; one of those was charged 400 ms.
    decisions = [row for row in LogRow.objects.filter(match=overcharged).order_by("number") if "ms" in (row.data or {})]
    at = NOON - timedelta(hours=1)
    for row in LogRow.objects.filter(match=overcharged).order_by("number"):
        at += timedelta(milliseconds=300 if row.pk in (decisions[3].pk, decisions[5].pk) else 10)
        LogRow.objects.filter(pk=row.pk).update(at=at)
    charged, fair = decisions[3], decisions[5]
    for row, ms in ((charged, 400), (fair, 340)):
        LogRow.objects.filter(pk=row.pk).update(data={**row.data, "ms": ms})
    document = unpack_record(bytes(MatchRecord.objects.get(pk=overcharged).packed))
    events = list(LogRow.objects.filter(match=overcharged, kind__in=("decision", "chance")).order_by("number"))
    for event, row in zip(document["events"], events, strict=True):
        if row.data:
            event[2:] = [row.data]
    MatchRecord.objects.filter(pk=overcharged).update(packed=pack_record(sign_record(document)))
    fairness_actions.report_fairness()
    report = fairness_queries.fairness_report()
    assert report is not None
    assert set(report.day.failures) == {changed, lost}
    assert report.day.overcharges == {overcharged: f"log entry {charged.number}: 400 ms charged, 300 ms have passed"}
    assert report.day.proved == 2


def test_calibration_is_by_ratings_published_before_a_game(kit: Kit, clock: Any) -> None:
    """Only the fit that was published before a game counts: neither the one that covers it nor a later one."""
    clock(NOON)
    one, other = kit.versions(2)
    games = [kit.finish([one, other]).match_id for _ in range(4)]
    for number, match_id in enumerate(games):
        ended(match_id, NOON - timedelta(minutes=20 - number))
    ladder = Match.objects.get(pk=games[0]).ladder
    fit = Fit.objects.create(ladder=ladder, finished=3)
    for finished, points in ((1, 400), (3, 0)):
        for version, shown in ((one, 1500 + points), (other, 1500)):
            PublishedRating.objects.create(
                fit=fit, version_id=version, finished=finished, is_current=finished == 3, points=shown, low=1400,
                high=2000, games=finished, forfeits=0, trend=[],
            )  # fmt: skip
    fairness_actions.report_fairness()
    report = fairness_queries.fairness_report()
    assert report is not None
    found = report.day.calibration["2"].all
    first = [document(match_id)["result"]["ranks"][0] == 1 for match_id in games[1:3]]
    assert found.games == 2, "not the first, which no fit precedes, nor the last, whose bots were equal"
    assert (found.given, found.won) == pytest.approx((10 / 11, sum(first) / 2))


def document(match_id: str) -> dict[str, Any]:
    return unpack_record(bytes(MatchRecord.objects.get(pk=match_id).packed))
