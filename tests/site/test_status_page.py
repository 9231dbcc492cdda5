"""The status page: for everybody, without Redis, without the database, and in words."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.core.cache import caches
from django.db import OperationalError
from django.test import Client

from tests.site.world import text
from webui.bots import presence
from webui.core.turns import add_turns
from webui.status import actions as status_actions
from webui.status import words as status_words
from webui.status.models import RunningProcess, StatusHour
from webui.status.templatetags.status import share_of_time, short_ms
from webui.status.values import BOUNDS_S, ArenaStatus

pytestmark = pytest.mark.django_db
VISITORS = 8


@pytest.fixture(autouse=True)
def arena(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """All processes are there, and Redis; and a slow machine has time for several requests while a status is kept."""
    caches["pages"].clear()
    monkeypatch.setattr(status_words, "KEPT_S", 3600)
    monkeypatch.setattr(presence, "online", dict)
    for kind in ("site", "gateway", "referee", "upkeep"):
        status_actions.announce_process(f"host-{kind}", kind, "1.0")
    yield
    caches["pages"].clear()


def states(page: str) -> dict[str, str]:
    """Each part and its state, as the page says them."""
    return dict(re.findall(r"<li><div><h3>([^<]+)</h3>.*?</span>([^<]+)</span></li>", page))


def test_all_is_well() -> None:
    counts = [0] * (len(BOUNDS_S) + 1)
    counts[3] = 100
    status_actions.note_overhead(counts)
    page = text(Client().get("/status/"))
    assert "All is well. No match is played right now." in page
    assert states(page) == dict.fromkeys(("Site", "Gateways", "Referees", "Upkeep", "Database", "Redis"), "works")
    assert "<dd>1.5 ms</dd>" in page and "<dd>2.0 ms</dd>" in page and "Of 100 decisions in the last hour." in page
    assert page.count('class="status-bar-none"') == 90 and "Nothing of that kind in the last 90 days." in page
    assert "host-" not in page


def test_an_overloaded_arena_says_so() -> None:
    assert "too little" not in text(Client().get("/status/"))
    caches["pages"].clear()
    status_actions.announce_process("host-referee", "referee", "1.0", is_starved=True)
    assert "The arena gets too little of its machine's processor." in text(Client().get("/status/"))
    assert Client().get("/api/v1/status").json()["overloaded"] is True


def test_late_tasks_are_shown() -> None:
    assert "<dt>delay of new matches, events and messages</dt><dd>–</dd>" in text(Client().get("/status/"))
    caches["pages"].clear()
    add_turns({"matchmake": -90.0, "ratings": -900.0})
    found = re.search(r"delay of new matches, events and messages</dt><dd>(\d+) s</dd>", text(Client().get("/status/")))
    assert found and 90 <= int(found[1]) < 900  # ratings may be late
    assert Client().get("/api/v1/status").json()["upkeep_late_s"] >= 90


def test_without_redis_the_page_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presence, "online", lambda: None)
    page = text(Client().get("/status/"))
    assert "A part is away. No bot loses by it." in page and states(page)["Redis"] == "away"
    assert "Matches pause, and no clock runs. This page does not need it." in page


def test_without_the_database_it_says_no_more_than_that(monkeypatch: pytest.MonkeyPatch) -> None:
    def away(**_: Any) -> None:
        raise OperationalError("could not connect to server db.internal.example.org")

    monkeypatch.setattr("webui.status.words.arena_status", away)
    answer = Client().get("/status/")
    assert answer.status_code == 503 and "The database is away" in text(answer)
    assert "internal" not in text(answer) and answer["Retry-After"] == "30"


def test_a_part_that_is_short_or_away_is_named() -> None:
    RunningProcess.objects.filter(kind="referee").delete()
    status_actions.announce_process("second", "upkeep", "1.0")
    RunningProcess.objects.filter(pk="second").update(seen_at=datetime.now(UTC) - timedelta(seconds=60))
    page = text(Client().get("/status/"))
    assert states(page)["Referees"] == "away" and states(page)["Upkeep"] == "short of a process"
    assert "Each continues later at the very decision where it stopped." in page


def test_the_history_is_shown_and_read_once_in_ten_seconds(django_assert_num_queries: Any) -> None:
    now = datetime.now(UTC)
    yesterday = now.replace(hour=12, minute=0, second=0, microsecond=0) - timedelta(days=1)
    parts = {"redis": 30, "gateway": 31}
    hour, last = StatusHour(hour=yesterday, last_minute=59), now.replace(minute=0, second=0, microsecond=0)
    hour.looks, hour.down, hour.degraded, hour.parts = 60, 30, 1, parts
    hour.save()
    hours = int((last - yesterday) / timedelta(hours=1))
    StatusHour.objects.bulk_create(
        StatusHour(hour=yesterday + timedelta(hours=n), last_minute=59, looks=60) for n in range(1, hours + 1)
    )
    page = text(Client().get("/status/"))
    assert "30 minutes with a part away, 1 minute with a part short" in page
    assert "31 minutes within these hours. Gateways · Redis" in page
    assert page.count('class="status-bar-down"') == 1 and page.count('class="status-bar-none"') == 88
    share = 100 * (1 - 30 / (60 * (hours + 1)))
    assert f"{int(share * 100) / 100:.2f} % of all minutes without a part away" in page
    with django_assert_num_queries(0):
        assert Client().get("/status/").status_code == 200
        document = Client().get("/api/v1/status").json()
    assert document["state"] == "up" and len(document["days"]) == 2
    (incident,) = document["incidents"]
    assert incident["parts"] == ["gateway", "redis"] and incident["minutes"] == 31 and incident["outage"]


def test_visitors_who_ask_at_once_cause_one_look(monkeypatch: pytest.MonkeyPatch) -> None:
    found = status_words.current_status()
    caches["pages"].clear()
    came, looks = [threading.Event() for _ in range(VISITORS)], list[int]()

    def look(**_: Any) -> ArenaStatus:
        looks.append(1)
        for one in came:
            one.wait()
        return found

    def visit(number: int) -> None:
        came[number].set()
        assert status_words.current_status() is not None

    monkeypatch.setattr("webui.status.words.arena_status", look)
    with ThreadPoolExecutor(VISITORS) as pool:
        list(pool.map(visit, range(VISITORS)))
    assert len(looks) == 1


@pytest.mark.parametrize("language", ["es", "fr", "ru"])
def test_it_speaks_every_language(language: str) -> None:
    page = text(Client(headers={"Accept-Language": language}).get("/status/"))
    assert "All is well" not in page and "works</span>" not in page


def test_numbers_are_written_as_they_are_read() -> None:
    assert [short_ms(one) for one in (0.234, 1.94, 15.2)] == ["0.23 ms", "1.9 ms", "15 ms"]
    assert [share_of_time(one) for one in (1.0, 0.99999, 0.98765)] == ["100 %", "99.99 %", "98.76 %"]
