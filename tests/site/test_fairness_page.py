"""The page of the fairness reports: empty, with a day that goes on, with one that is over; and its document."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from django.test import Client
from django.utils import timezone

from tests.kit.ladder import Kit
from tests.site.world import text
from webui.fairness import actions as fairness_actions
from webui.fairness import queries as fairness_queries
from webui.fairness.models import FairnessReport
from webui.fairness.templatetags.fairness import p_value, percent, points
from webui.matches.models import Match, MatchRecord

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 21, 12, tzinfo=UTC)


def test_numbers_are_rounded() -> None:
    assert [percent(2 / 3), percent(34 / 73), points(112.48), p_value(0.0996), p_value(0.456)] == [
        "66.7 %", "46.6 %", "112.5", "0.100", "0.46"
    ]  # fmt: skip


def test_a_report_is_shown(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = [kit.finish(kit.versions(3)).match_id for _ in range(3)]
    lost = matches[2]
    MatchRecord.objects.filter(pk=lost).delete()
    Match.objects.update(finished_at=NOON)
    monkeypatch.setattr(timezone, "now", lambda: NOON + timedelta(hours=1))
    fairness_actions.report_fairness()
    page = text(Client().get("/fairness/"))
    report = fairness_queries.fairness_report()
    assert report is not None
    assert "until 13:00 UTC" in page and f'<a href="/matches/{lost}/">{lost}</a>: it has no record' in page
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd>(\d+)</dd>", page))
    assert facts == {"matches ended": "3", "records proved": "2", "records refused": "1", "overcharged matches": "0"}
    rows = re.findall(r"<b>([\d.]+) %</b>", page)
    shares = [100 * line.share for table in (report.month.seats, report.month.places) for line in table["3"].lines]
    assert [float(row) for row in rows] == pytest.approx(shares, abs=0.06)
    document = Client().get("/fairness/2026-11-21/report.json")
    assert (
        document.json() == FairnessReport.objects.get().document
        and "naqala-fairness-2026-11-21.json" in document["Content-Disposition"]
    )
    assert Client().get("/fairness/20261121/").status_code == Client().get("/fairness/never/").status_code == 404


def test_the_last_day_that_is_over_comes_first(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    kit.finish()
    Match.objects.update(finished_at=NOON)
    monkeypatch.setattr(timezone, "now", lambda: NOON + timedelta(days=1))
    kit.finish()
    Match.objects.filter(finished_at__gt=NOON).update(finished_at=NOON + timedelta(hours=20))
    fairness_actions.report_fairness()
    assert FairnessReport.objects.count() == 2
    page = text(Client().get("/fairness/"))
    assert "<title>Fairness report, 21 Nov 2026" in page and "The whole day, in UTC." in page
    assert 'href="/fairness/2026-11-22/"' in page
    assert "The day so far" in text(Client().get("/fairness/2026-11-22/"))
