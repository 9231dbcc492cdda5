"""Files of open data: what is in them and what is not, made once, whoever is killed or runs beside."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from django.utils import timezone

from arena.events import FactKind
from arena.host.places import Places
from arena.players import ask_house
from arena.referee import prove
from tests.kit.ladder import Kit
from tests.ladder.organised import Organised
from tests.ladder.rivals import database_url
from webui.events import actions as event_actions
from webui.events.models import EventRow
from webui.matches import ending
from webui.matches import queries as match_queries
from webui.matches.models import Match
from webui.open_data import lines as data_lines
from webui.open_data import parquet
from webui.open_data import queries as data_queries
from webui.open_data import subject as data_subject
from webui.open_data.actions import publish_data
from webui.open_data.lines import read_day
from webui.open_data.models import DataFile, HeldMatch
from webui.ratings import queries as rating_queries

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 10, 30, 12, tzinfo=UTC)
DAY = timedelta(days=1)


@pytest.fixture
def folder(settings: Any, tmp_path: Path) -> Path:
    settings.PLACES = Places(tmp_path)
    return settings.PLACES.data


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Callable[[datetime], None]:
    """The time of the process; matches end when the test says."""
    return lambda now: monkeypatch.setattr(timezone, "now", lambda: now)


def ended(match_id: str, at: datetime) -> str:
    Match.objects.filter(pk=match_id).update(finished_at=at)
    return match_id


def matches_in(path: Path) -> list[str]:
    return [line["match"] for line in read_day(path)]


def test_a_days_file_has_its_matches_as_their_pages_show_them(kit: Kit, clock: Any, folder: Path) -> None:
    clock(NOON)
    assert publish_data() == [], "an arena without a match"
    house = kit.version(is_house=True)
    late = ended(kit.finish([kit.version(), house]).match_id, NOON.replace(hour=23, minute=59))
    early = ended(kit.finish(kit.versions(3), rated=False).match_id, NOON)
    aborted = kit.claim(kit.match())
    ending.abort_match(aborted.match_id, aborted.epoch, "NO_ANSWER")
    ended(aborted.match_id, NOON)
    running = kit.claim(kit.match())
    next_day = ended(kit.finish().match_id, NOON.replace(hour=0) + DAY)
    assert publish_data() == [], "the day is not over"
    clock(NOON.replace(hour=0) + DAY + timedelta(minutes=59))
    assert publish_data() == [], "the last match of the day may not be in the tables yet"
    clock(NOON.replace(hour=1) + DAY)
    assert publish_data() == ["replays-2026-10-30.jsonl.zst"]
    assert publish_data() == []
    path = folder / "replays-2026-10-30.jsonl.zst"
    lines = list(read_day(path))
    assert [line["match"] for line in lines] == [early, late]
    assert {aborted.match_id, running.match_id, next_day}.isdisjoint(matches_in(path))
    for line in lines:
        assert line["replay"] == match_queries.match_record(line["match"])
        prove(line["replay"], ask_house)
    first, last = lines
    assert (first["rated"], first["ladder"], first["challenge"], first["event"], first["round"]) == (
        False, None, False, None, None,
    )  # fmt: skip
    assert (last["rated"], last["ladder"], last["house"]) == (
        True,
        rating_queries.ladders()[0].ladder.slug,
        [False, True],
    )
    assert last["finished_at"] == "2026-10-30T23:59:00.000+00:00"
    text = json.dumps(lines)
    assert "owner1" not in text, "bots are named, not people"
    (file,) = data_queries.data_files()
    assert (file.name, file.kind, str(file.date), file.rows) == (path.name, "replays", "2026-10-30", 2)
    assert (file.size, file.sha256) == (path.stat().st_size, sha256(path.read_bytes()).hexdigest())
    assert [one.name for one in folder.iterdir()] == [path.name], "no draft is left"


def test_hidden_results_are_in_the_file_after_they_are_revealed(kit: Kit, clock: Any, folder: Path) -> None:
    cup = Organised(kit, 3, hidden=True, rated=True)
    cup.start()
    (hidden,) = cup.scheduled()
    cup.play()
    cup.advance()
    shown = kit.finish().match_id
    for match_id in (hidden, shown):
        ended(match_id, NOON)
    clock(NOON + DAY)
    publish_data()
    day = folder / "replays-2026-10-30.jsonl.zst"
    assert matches_in(day) == [shown]
    assert list(HeldMatch.objects.values_list("match_id", "file")) == [(hidden, None)]
    clock(NOON + 2 * DAY)
    publish_data()
    assert matches_in(folder / "replays-2026-10-31.jsonl.zst") == []
    months = {path: pq.read_table(path).column("match").to_pylist() for path in folder.glob("*.parquet")}
    assert len(months) == 2 and all(set(found) == {shown} for found in months.values())
    event_actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    clock(NOON + 3 * DAY)
    publish_data()
    assert matches_in(folder / "replays-2026-11-01.jsonl.zst") == [], "revealed, but not rated yet"
    cup.advance()
    clock(NOON + 4 * DAY)
    publish_data()
    late = folder / "replays-2026-11-02.jsonl.zst"
    (line,) = read_day(late)
    assert (line["match"], line["rated"], line["event"], line["round"]) == (hidden, True, cup.slug, 1)
    assert line["finished_at"].startswith("2026-10-30T12:00")
    clock(NOON + 5 * DAY)
    publish_data()
    assert matches_in(folder / "replays-2026-11-03.jsonl.zst") == [], "once"
    # Lost files are made again of the same matches, whatever has been revealed since.
    before = {path: path.read_bytes() for path in folder.iterdir()}
    for path in before:
        path.unlink()
    assert len(publish_data()) == len(before) == 7
    assert {path: path.read_bytes() for path in folder.iterdir()} == before


def test_nothing_of_an_event_whose_results_are_hidden_is_in_any_file(kit: Kit, clock: Any, folder: Path) -> None:
    cup = Organised(kit, 3, hidden=True)
    cup.start()
    cup.play()
    cup.advance()
    Match.objects.filter(finished_at__isnull=False).update(finished_at=NOON)
    clock(datetime(2026, 11, 2, tzinfo=UTC))
    publish_data()
    assert len(list(folder.iterdir())) == 4
    for path in folder.glob("*.zst"):
        assert list(read_day(path)) == []
    for path in folder.glob("*.parquet"):
        assert pq.read_table(path).num_rows == 0
    EventRow.objects.update(hidden=False)
    clock(datetime(2026, 11, 3, tzinfo=UTC))
    publish_data()
    assert len(matches_in(folder / "replays-2026-11-01.jsonl.zst")) == 1


def test_a_month_as_parquet(kit: Kit, clock: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet, "ROWS_A_GROUP", 300)
    games = [kit.finish(kit.versions(players)).match_id for players in (2, 3, 4)]
    for number, match_id in enumerate(games):
        ended(match_id, NOON + timedelta(hours=number))
    clock(NOON + 2 * DAY)
    assert publish_data()[-2:] == ["matches-2026-10.parquet", "decisions-2026-10.parquet"]
    seats = pq.read_table(folder / "matches-2026-10.parquet").to_pylist()
    assert len(seats) == 9 == DataFile.objects.get(kind="matches").rows
    for match_id in games:
        record = match_queries.match_record(match_id)
        assert record is not None
        mine = [row for row in seats if row["match"] == match_id]
        assert [row["seat"] for row in mine] == list(range(1, len(mine) + 1))
        assert [row["score"] for row in mine] == [score["total"] for score in record["result"]["scores"]]
        assert [row["gold"] for row in mine] == [score["gold"] for score in record["result"]["scores"]]
        assert [row["rank"] for row in mine] == record["result"]["ranks"]
        assert sum(row["won"] for row in mine) == pytest.approx(1)
        assert sorted(row["first_bid"] for row in mine) == list(range(1, len(mine) + 1))
        first = next(seat for seat, *_ in record["events"])
        assert mine[first - 1]["first_bid"] == 1
        assert {row["players"] for row in mine} == {len(mine)} and mine[0]["items"] is None
    file = pq.ParquetFile(folder / "decisions-2026-10.parquet")
    assert file.num_row_groups > 1 and file.metadata.row_group(0).column(0).compression == "ZSTD"
    decisions = file.read().to_pylist()
    for match_id in games:
        record = match_queries.match_record(match_id)
        assert record is not None
        mine = [row for row in decisions if row["match"] == match_id]
        events = [(index, event) for index, event in enumerate(record["events"]) if event[0]]
        assert [(row["index"], row["seat"], row["action"]) for row in mine] == [
            (index, *event[:2]) for index, event in events
        ]
        assert [row["ply"] for row in mine] == list(range(len(events)))
        assert [row["ms"] for row in mine] == [event[2].get("ms") for _, event in events]
        assert all((row["legal"] == 1) == row["forced"] for row in mine)
        assert mine[0]["phase"] == "bid" and (mine[0]["round"], mine[-1]["phase"]) == (1, "sell")
    sums = {seat["match"]: seat for seat in seats if seat["seat"] == 1}
    of_first = [row for row in decisions if row["match"] == games[0] and row["seat"] == 1]
    assert sums[games[0]]["decisions"] == len(of_first)
    assert sums[games[0]]["thought_ms"] == sum(row["ms"] or 0 for row in of_first)


def test_a_match_by_other_rules_is_not_played_again(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    record = match_queries.match_record(kit.finish().match_id)
    assert record is not None
    line = {"match": "m", "replay": record | {"rules": "naqala-rules/0"}}
    rows = list(parquet.decision_rows(line))
    assert rows and not any("phase" in row or "legal" in row for row in rows)


def test_two_workers_make_a_file_once(kit: Kit, clock: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        ended(kit.finish().match_id, NOON)
    clock(NOON + DAY)
    real = data_lines._lines

    def beside(matches: Any) -> list[str]:
        assert publish_data() == [], "another worker is at it"
        return real(matches)

    monkeypatch.setattr(data_lines, "_lines", beside)
    assert publish_data() == ["replays-2026-10-30.jsonl.zst"]
    # Who has stood still for longer than its lease finds that another one has made the file, and leaves it.
    (folder / "replays-2026-10-30.jsonl.zst").unlink()

    def overtaken(matches: Any) -> list[str]:
        monkeypatch.setattr(data_lines, "_lines", real)
        DataFile.objects.update(lease_expires_at=timezone.now() - timedelta(days=400))
        assert publish_data() == ["replays-2026-10-30.jsonl.zst"]
        return real(matches)

    monkeypatch.setattr(data_lines, "_lines", overtaken)
    assert publish_data() == []
    assert [path.name for path in folder.iterdir()] == ["replays-2026-10-30.jsonl.zst"]
    row = DataFile.objects.get()
    assert (row.owner, row.rows) == ("", 2)


def test_a_worker_that_stops_leaves_the_file_to_the_next(kit: Kit, clock: Any, folder: Path) -> None:
    ended(kit.finish().match_id, NOON)
    clock(NOON + DAY)
    asked = iter([False, True])
    assert publish_data(lambda: next(asked)) == []
    assert list(folder.iterdir()) == [] and data_queries.data_files() == []
    assert publish_data() == ["replays-2026-10-30.jsonl.zst"]


KILLED = """
import os, signal, sys, django
django.setup()
from datetime import UTC, datetime
from pathlib import Path
from django.conf import settings
from django.utils import timezone
from arena.host.places import Places
from webui.open_data import lines as open_data
from webui.open_data.actions import publish_data
settings.PLACES = Places(Path(sys.argv[1]))
timezone.now = lambda: datetime(2026, 10, 31, 12, tzinfo=UTC)
open_data.CHUNK = 1
real, calls = open_data._lines, []
def lines(matches):
    calls.append(matches)
    if len(calls) == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return real(matches)
open_data._lines = lines
publish_data()
"""


@pytest.mark.slow
@pytest.mark.django_db(transaction=True)
def test_a_killed_worker_leaves_nothing_half(kit: Kit, clock: Any, folder: Path) -> None:
    games = [ended(kit.finish().match_id, NOON) for _ in range(4)]
    environment = {**os.environ, "DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "webui.settings"}
    done = subprocess.run([sys.executable, "-c", KILLED, str(folder.parent)], env=environment, check=False)
    assert done.returncode == -signal.SIGKILL
    (draft,) = folder.iterdir()
    assert draft.name.startswith(".") and data_queries.data_files() == []
    clock(NOON + DAY)
    assert publish_data() == [], "the lease of the one that died is not over"
    DataFile.objects.update(lease_expires_at=timezone.now() - timedelta(days=400))
    assert publish_data() == ["replays-2026-10-30.jsonl.zst"]
    (path,) = folder.iterdir()
    assert sorted(matches_in(path)) == sorted(games)


def test_a_damaged_file_is_found_by_its_size_and_made_again(kit: Kit, clock: Any, folder: Path) -> None:
    ended(kit.finish().match_id, NOON)
    clock(NOON + DAY)
    publish_data()
    path = folder / "replays-2026-10-30.jsonl.zst"
    whole = path.read_bytes()
    before = DataFile.objects.get().published_at
    path.write_bytes(whole[:-10])
    assert publish_data() == [path.name] and path.read_bytes() == whole
    assert DataFile.objects.get().published_at == before


def test_the_doctor_finds_what_is_missing(kit: Kit, clock: Any, folder: Path) -> None:
    cup = Organised(kit, 3, hidden=True)
    cup.start()
    (hidden,) = cup.scheduled()
    cup.play()
    cup.advance()
    for match_id in (hidden, kit.finish().match_id):
        ended(match_id, NOON - DAY)
    clock(NOON + 2 * DAY)
    publish_data()
    assert list(data_subject.open_data()) == []
    ended(kit.finish().match_id, NOON - DAY)
    assert list(data_subject.open_data()) == [
        ("replays-2026-10-29.jsonl.zst", "it has 1 matches, the tables have 2 and 0 late ones")
    ]
    HeldMatch.objects.update(file="replays-2026-10-30.jsonl.zst")
    DataFile.objects.filter(name="replays-2026-10-30.jsonl.zst").update(date=NOON.date() + 9 * DAY)
    assert {subject for subject, _ in data_subject.open_data()} >= {hidden, "replays-2026-10-31.jsonl.zst"}


def test_memory_is_bounded(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """However many matches a month has: ten times as many take no more."""
    record = match_queries.match_record(kit.finish().match_id)
    line = {
        **dict.fromkeys(("ladder", "event", "round", "started_at", "finished_at")),
        "match": "m", "rated": False, "challenge": False, "house": [False, False], "replay": record,
    }  # fmt: skip
    monkeypatch.setattr(parquet, "ROWS_A_GROUP", 100)

    def peak(lines: int) -> int:
        monkeypatch.setattr("webui.open_data.parquet.read_day", lambda day: (dict(line) for _ in range(lines)))
        tracemalloc.start()
        try:
            rows = parquet.write_matches([tmp_path], tmp_path / f"{lines}.parquet", lambda: None)
            assert rows == 2 * lines
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(10)  # what is kept for good
    assert peak(800) < 1.5 * peak(100)


@pytest.mark.slow
def test_processes_that_publish_nothing_do_without_pyarrow() -> None:
    code = (
        "import sys, django; django.setup(); import webui.open_data.actions, webui.urls;"
        "import workers.tasks; print('pyarrow' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
