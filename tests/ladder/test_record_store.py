"""Records in S3-compatible storage: a real server over HTTP, in a process of its own."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.utils import timezone

from tests.kit.ladder import Kit
from tests.kit.ports import ReservedPort
from tests.kit.until import until
from webui.core.errors import BadRequest, RecordAway
from webui.core.object_store import ObjectStore, object_store
from webui.matches import packing, record_store
from webui.matches import queries as match_queries
from webui.matches.models import Match, MatchRecord, Participant
from webui.settings.storage import records_address
from webui.staff.doctor import examine

pytestmark = pytest.mark.django_db


class S3Server:
    """moto's server, with one bucket."""

    def __init__(self, port: int) -> None:
        self.port = port
        command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", f"{port}"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def has_bucket(self) -> bool:
        import boto3
        from botocore.exceptions import BotoCoreError, ClientError

        try:
            boto3.client("s3", endpoint_url=self.url, region_name="us-east-1").create_bucket(Bucket="arena")
        except (BotoCoreError, ClientError):
            return False
        return True

    def stop(self) -> None:
        self.process.kill()
        self.process.wait(20)


@pytest.fixture(scope="module")
def credentials() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setenv("AWS_ACCESS_KEY_ID", "key")
        patched.setenv("AWS_SECRET_ACCESS_KEY", "secret")
        yield


@pytest.fixture(scope="module")
def server(credentials: None) -> Iterator[S3Server]:
    with ReservedPort() as port:
        s3 = S3Server(port.number)
        try:
            until(s3.has_bucket, "a bucket in moto's server")
            yield s3
        finally:
            s3.stop()


@pytest.fixture
def address(server: S3Server, settings: Any) -> str:
    settings.RECORDS = records_address(f"s3://arena/records?endpoint_url={server.url}&region_name=us-east-1")
    return str(settings.RECORDS)


def old_and_packed(kit: Kit, count: int = 3) -> list[str]:
    matches = [kit.finish().match_id for _ in range(count)]
    Match.objects.filter(pk__in=matches).update(finished_at=timezone.now() - timedelta(days=3))
    packing.pack_logs(60, settled_s=-1)
    return matches


@pytest.mark.slow
def test_records_move_there_and_back_and_are_read_wherever_they_are(kit: Kit, address: str) -> None:
    matches = old_and_packed(kit)
    recent = kit.finish().match_id
    before = {match: match_queries.match_record(match) for match in [*matches, recent]}
    logs = {match: match_queries.match_log(match) for match in matches}
    mover = record_store.Mover()
    assert mover.step(60) == 3 and mover.step(60) == 0
    rows = {row.pk: row for row in MatchRecord.objects.all()}
    assert all(rows[match].packed == b"" and len(rows[match].sha256) == 64 for match in matches)
    assert rows[recent].sha256 == "", "its match has just ended"
    assert {match: match_queries.match_record(match) for match in before} == before
    assert {match: match_queries.match_log(match) for match in matches} == logs
    assert examine(None).is_healthy
    assert sorted(record_store.move_all(to_store=False)) == sorted(matches)
    assert list(record_store.move_all(to_store=False)) == [] and not MatchRecord.objects.exclude(sha256="").exists()
    assert {match: match_queries.match_record(match) for match in before} == before
    assert sorted(record_store.move_all(to_store=True)) == sorted(matches), "those whose logs are packed"


def test_a_move_that_was_killed_goes_on(kit: Kit, address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    matches = old_and_packed(kit)
    before = {match: match_queries.match_record(match) for match in matches}
    put, count = record_store.put_record, 0

    def die(there: ObjectStore, match_id: str, packed: bytes) -> str:
        nonlocal count
        digest = put(there, match_id, packed)
        count += 1
        if count == 2:  # it is in the store, and the row does not say so yet
            raise KeyboardInterrupt
        return digest

    with monkeypatch.context() as patched:
        patched.setattr(record_store, "put_record", die)
        with pytest.raises(KeyboardInterrupt):
            list(record_store.move_all(to_store=True))
    assert MatchRecord.objects.exclude(sha256="").count() == 1
    assert {match: match_queries.match_record(match) for match in matches} == before
    assert len(list(record_store.move_all(to_store=True))) == 2
    assert {match: match_queries.match_record(match) for match in matches} == before


def test_another_object_is_no_record(kit: Kit, address: str) -> None:
    (match,) = old_and_packed(kit, 1)
    list(record_store.move_all(to_store=True))
    there = object_store()
    assert there is not None
    record_store.put_record(there, match, b"something else")
    with pytest.raises(RecordAway, match="another record"):
        match_queries.match_record(match)
    assert [finding.subject for finding in examine(None).findings] == [match]


def test_while_the_store_is_away_pages_say_so_and_matches_end(kit: Kit, address: str, settings: Any) -> None:
    (match,) = old_and_packed(kit, 1)
    list(record_store.move_all(to_store=True))
    with ReservedPort() as nobody:
        settings.RECORDS = f"s3://arena/records?endpoint_url=http://127.0.0.1:{nobody.number}&region_name=us-east-1"
        page = Client().get(f"/matches/{match}/")
        assert (page.status_code, page["Retry-After"]) == (503, "60") and "Nothing is lost" in page.content.decode()
        replay = Client().get(f"/api/v1/matches/{match}/replay")
        assert (replay.status_code, replay["Retry-After"], replay.json()["code"]) == (503, "60", "TRY_AGAIN")
        bot = Participant.objects.filter(match=match).values_list("version__bot__slug", flat=True)[0]
        assert [Client().get(where).status_code for where in ("/", "/matches/", f"/bots/{bot}/")] == [200] * 3
        another = old_and_packed(kit, 1)[0]
        with pytest.raises(RecordAway):
            record_store.Mover().step(60)
        assert match_queries.match_record(another) is not None, "it stays where it was"
    settings.RECORDS = address
    assert Client().get(f"/matches/{match}/").status_code == 200
    settings.RECORDS = ""
    with pytest.raises(BadRequest):
        list(record_store.move_all(to_store=False))
    assert Client().get(f"/matches/{match}/").status_code == 503 and record_store.Mover().step() == 0


@pytest.mark.parametrize(
    "wrong",
    ["https://bucket", "s3://", "s3://bucket?endpoint=x", "s3://user:password@bucket/", "s3://bucket/#x", "bucket"],
)
def test_what_is_no_address_of_a_store_is_refused(wrong: str) -> None:
    with pytest.raises(ValueError, match="write it as"):
        records_address(wrong)
