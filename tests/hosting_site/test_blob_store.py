"""Files of bots in S3-compatible storage: a real server over HTTP, in a process of its own."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from arena.gateway.runners import RunnerRefused
from arena.hosting.messages import RunnerErrorReason
from tests.hosting_site.authors import Author
from tests.kit.ports import ReservedPort
from tests.ladder.test_record_store import address, credentials, server
from webui.commands import hosting as hosting_commands
from webui.core.errors import BadRequest, RecordAway
from webui.core.object_store import ObjectStore, object_store
from webui.core.subjects import let_go
from webui.core.upkeep import UpkeepWorker
from webui.hosting import blob_store, blobs
from webui.hosting.models import Blob, BlobPart, Submission
from webui.hosting.subject import check_hosting

__all__ = ["address", "credentials", "server"]

pytestmark = pytest.mark.django_db


@pytest.fixture
def there(address: str) -> ObjectStore:
    """Return the store, without objects of earlier tests."""
    store = object_store()
    assert store is not None
    for key in keys(store):
        store.delete(key)
    return store


def stored(author: Author, count: int = 2) -> dict[str, bytes]:
    """Hand in versions that nobody has stored lately, and return the content of their blobs."""
    for number in range(count):
        author.submit(f"v{number}", f"print({number})\n")
    Blob.objects.update(used_at=timezone.now() - timedelta(hours=2))
    return content()


def content() -> dict[str, bytes]:
    return {digest: b"".join(blobs.blob_parts(digest)) for digest in Blob.objects.values_list("pk", flat=True)}


def move() -> None:
    blob_store.move_now(UpkeepWorker(list, lambda: False, lambda name: None))


def keys(there: ObjectStore) -> set[str]:
    return {key for page in there.pages(blob_store.START) for key, _ in page}


def test_settled_blobs_move_there_and_back_and_are_read_wherever_they_are(author: Author, there: ObjectStore) -> None:
    before = stored(author)
    fresh = author.submit("fresh", "print('new')\n")
    recent = Submission.objects.get(pk=fresh.id).source_id
    move()
    rows = {row.pk: row.key for row in Blob.objects.all()}
    assert rows.pop(recent) == "" and all(rows.values()) and set(rows.values()) == keys(there)
    assert set(BlobPart.objects.values_list("blob", flat=True)) == {recent}
    assert before.items() <= content().items() and list(check_hosting()) == []
    author.submit("again", "print(0)\n")  # it is stored, and stays where it is
    assert set(BlobPart.objects.values_list("blob", flat=True)) == {recent}
    assert set(blob_store.move_all_blobs(to_store=False)) == set(before)
    assert not Blob.objects.exclude(key="").exists() and before.items() <= content().items()
    assert list(blob_store.move_all_blobs(to_store=False)) == []
    assert set(blob_store.move_all_blobs(to_store=True)) == {*before, recent}


def test_an_object_is_deleted_after_its_row(author: Author, there: ObjectStore) -> None:
    stored(author)
    move()
    kept, gone = Submission.objects.order_by("pk")
    Submission.objects.filter(pk=gone.pk).update(source=None, state="WITHDRAWN", ended_at=timezone.now())
    Blob.objects.update(used_at=timezone.now() - timedelta(days=2))
    let_go()
    assert list(Blob.objects.values_list("pk", flat=True)) == [kept.source_id] and len(keys(there)) == 2
    assert blob_store.delete_orphans(there) == 0, "it was stored less than a day ago"
    assert blob_store.delete_orphans(there, kept_s=-60) == 1
    assert keys(there) == {Blob.objects.get().key} and len(content()) == 1


def test_one_query_finds_the_orphans_of_a_page(
    author: Author, there: ObjectStore, django_assert_num_queries: Any
) -> None:
    stored(author, 3)
    move()
    with django_assert_num_queries(1):
        assert blob_store.delete_orphans(there, kept_s=-60) == 0
    assert len(keys(there)) == 3


def test_a_move_that_was_killed_goes_on(author: Author, there: ObjectStore, monkeypatch: pytest.MonkeyPatch) -> None:
    before = stored(author)

    def die(self: ObjectStore, key: str, *_: Any) -> Any:  # it is in the store, and the row does not say so yet
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(ObjectStore, "parts", die)
        with pytest.raises(KeyboardInterrupt):
            move()
    assert content() == before and len(keys(there)) == 1
    move()
    assert content() == before and len(keys(there)) == 3
    assert blob_store.delete_orphans(there, kept_s=-60) == 1 and content() == before


def test_while_the_store_is_away_authors_hand_in_and_runners_try_again(
    author: Author, there: ObjectStore, settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hosting_commands, "close_old_connections", lambda: None)  # the test is in a transaction of one
    before = stored(author, 1)
    move()
    [digest] = before
    here, settings.RECORDS = settings.RECORDS, ""
    with pytest.raises(BadRequest, match="ARENA_RECORDS names no store"):
        list(blob_store.move_all_blobs(to_store=False))
    with ReservedPort() as nobody:
        for settings.RECORDS in ("", f"s3://arena?endpoint_url=http://127.0.0.1:{nobody.number}&region_name=x"):
            with pytest.raises(RecordAway):
                list(blobs.blob_parts(digest))
            with pytest.raises(RunnerRefused) as refused:
                hosting_commands._refusing(lambda: list(blobs.blob_parts(digest)))
            assert refused.value.reason is RunnerErrorReason.TRY_AGAIN
        author.submit("meanwhile", "print('new')\n")
        Blob.objects.update(used_at=timezone.now() - timedelta(hours=2))
        with pytest.raises(RecordAway):
            move()
    settings.RECORDS = here
    assert content()[digest] == before[digest] and len(content()) == 2
