"""Published sources: only the owner publishes them, everybody reads them, and what an upload has in it stays text."""

from __future__ import annotations

import gzip
import io
import tarfile
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.db import IntegrityError, transaction
from django.test import Client

from arena.host.places import Places
from arena.hosting.bundle import pack
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.messages import HelloFacts
from tests.hosting_site.authors import Author
from webui.accounts import erasure
from webui.accounts.models import AuditEntry
from webui.accounts.values import Actor
from webui.bots import token_actions
from webui.bots.models import Bot, BotVersion
from webui.core import subjects
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.hosting import actions, jobs, publishing, queries
from webui.hosting.models import Blob, PublishedFile, Submission
from webui.staff import locks

pytestmark = pytest.mark.django_db
HOSTILE = "<script>alert(1)</script>\r\n\u202eevil\x1b[2J\n"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> None:
    settings.PLACES = Places(tmp_path / "var")


@pytest.fixture
def made(author: Author, runner: int, tmp_path: Path) -> int:
    """Return the id of a version that is ready. It has hostile text, a binary file, and a large file."""
    source = tmp_path / "hostile"
    (source / "a b").mkdir(parents=True)
    (source / "bot.py").write_text("print('hello')\n")
    (source / "a b" / "<b>#?.html").write_bytes(HOSTILE.encode())
    (source / "table.bin").write_bytes(b"\0\1")
    (source / "large.txt").write_text("x" * (publishing.TEXT_BYTES + 1))
    (source / "empty.txt").write_text("")
    bundle = pack(source, "hostile", tmp_path / "bundle", DEFAULT_LIMITS)
    submitted = actions.submit(author.actor, author.bot, "v1", "", bundle)
    job = jobs.take_job(runner)
    assert job is not None
    jobs.finish_build(job.id, job.epoch, job.source)
    jobs.finish_examination(job.id, job.epoch, HelloFacts())
    return submitted.id


def where(author: Author, made: int) -> str:
    return f"/bots/{Bot.objects.get(pk=author.bot).slug}/source/{made}/"


def statuses(author: Author, made: int) -> set[int]:
    address = where(author, made)
    return {Client().get(f"{address}{rest}").status_code for rest in ("", "file/bot.py", "archive")}


def acts() -> list[str]:
    return list(AuditEntry.objects.filter(act__startswith="SOURCE").order_by("pk").values_list("act", flat=True))


def test_a_source_is_public_only_while_its_owner_says_so(author: Author, made: int) -> None:
    assert statuses(author, made) == {404} and not PublishedFile.objects.exists()
    publishing.publish_source(author.actor, author.bot, made, "MIT")
    assert statuses(author, made) == {200}
    publishing.publish_source(author.actor, author.bot, made, "Apache-2.0")
    assert [source.licence for source in queries.published_sources(author.bot)] == ["Apache-2.0"]
    publishing.unpublish_source(author.actor, author.bot, made)
    publishing.unpublish_source(author.actor, author.bot, made)
    assert statuses(author, made) == {404} and not PublishedFile.objects.exists()
    assert acts() == ["SOURCE_PUBLISHED", "SOURCE_PUBLISHED", "SOURCE_UNPUBLISHED"]


def test_who_may_publish_what(author: Author, made: int, tmp_path: Path) -> None:
    stranger = Author("stranger", tmp_path)
    waiting = author.submit("v2", "print(2)").id
    for actor, bot, submission, licence, error in (
        (stranger.actor, author.bot, made, "MIT", NotFound),
        (stranger.actor, stranger.bot, made, "MIT", NotFound),
        (author.actor, author.bot, made, "Secret", BadRequest),
        (author.actor, author.bot, waiting, "MIT", BadRequest),
    ):
        with pytest.raises(error):
            publishing.publish_source(actor, bot, submission, licence)
    Submission.objects.filter(pk=made).update(source=None)
    with pytest.raises(BadRequest, match="not kept"):
        publishing.publish_source(author.actor, author.bot, made, "MIT")
    assert statuses(author, made) == {404} and acts() == []


def test_publications_are_limited_by_day(author: Author, made: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publishing, "PUBLISHED_A_DAY", 1)
    publishing.publish_source(author.actor, author.bot, made, "MIT")
    with pytest.raises(TooMany):
        publishing.publish_source(author.actor, author.bot, made, "MIT")


def test_what_an_upload_has_in_it_stays_text(author: Author, made: int) -> None:
    publishing.publish_source(author.actor, author.bot, made, "MIT")
    address, client = where(author, made), Client()
    listing = client.get(address).content.decode()
    hostile = f"{address}file/a%20b/%3Cb%3E%23%3F.html"
    assert hostile in listing and "<b>#" not in listing
    assert [(file.path, file.is_shown) for file in queries.published_files(made)] == [
        ("a b/<b>#?.html", True),
        ("bot.py", True),
        ("empty.txt", True),
        ("large.txt", False),
        ("table.bin", False),
    ]
    answer = client.get(hostile)
    page = answer.content.decode()
    assert answer["X-Content-Type-Options"] == "nosniff" and answer["Content-Type"].startswith("text/html")
    assert "&lt;script&gt;alert(1)&lt;/script&gt;\n" in page and "<script>alert" not in page
    assert "\u202e" not in page and "\x1b" not in page and 'id="L2"' in page
    for name in ("large.txt", "table.bin", "empty.txt"):
        assert 'id="L1"' not in client.get(f"{address}file/{name}").content.decode()
    assert client.get(f"{address}file/../bot.py").status_code == 404


def test_the_archive_is_an_attachment_of_bytes(author: Author, made: int) -> None:
    publishing.publish_source(author.actor, author.bot, made, "MIT")
    answer = Client().get(f"{where(author, made)}archive")
    assert answer["Content-Type"] == "application/octet-stream" and answer["X-Content-Type-Options"] == "nosniff"
    assert answer["Content-Disposition"].startswith("attachment;")

    content = b"".join(answer.streaming_content)
    assert len(content) == int(answer["Content-Length"])
    with tarfile.open(fileobj=io.BytesIO(gzip.decompress(content))) as tar:
        assert "bot.py" in tar.getnames()


def test_a_published_source_is_kept(author: Author, runner: int, made: int) -> None:
    publishing.publish_source(author.actor, author.bot, made, "MIT")
    for number in range(DEFAULT_LIMITS.kept_a_bot + 1):
        Submission.objects.update(created_at=before_now(86401))
        BotVersion.objects.update(created_at=before_now(86401))
        author.host(f"w{number}", runner, f"print({number})")
    Blob.objects.update(used_at=before_now(2 * 86400))
    subjects.let_go()
    assert statuses(author, made) == {200}
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=made).update(source=None)
    with pytest.raises(BadRequest, match="published"):
        actions.delete_files(author.bot, made)
    publishing.unpublish_source(author.actor, author.bot, made)
    assert subjects.let_go()["sources of submissions"] == 1
    publishing_id = queries.submissions_of(author.bot)[0].id
    publishing.publish_source(author.actor, author.bot, publishing_id, "MIT")
    erasure.erase_account(author.user)
    assert statuses(author, publishing_id) == {404} and not PublishedFile.objects.exists()


def test_staff_take_a_source_down_for_good(author: Author, made: int) -> None:
    publishing.publish_source(author.actor, author.bot, made, "MIT")
    by = Actor(author.user)
    assert locks.take_down_sources(author.bot, "It is not theirs", by=by)
    assert not locks.take_down_sources(author.bot, "It is not theirs", by=by)
    assert statuses(author, made) == {404}
    with pytest.raises(BadRequest, match="taken down"):
        publishing.publish_source(author.actor, author.bot, made, "MIT")
    assert acts() == ["SOURCE_PUBLISHED", "SOURCE_TAKEN_DOWN"]


def test_the_owner_publishes_on_the_page_and_by_the_api(author: Author, made: int) -> None:
    slug = Bot.objects.get(pk=author.bot).slug
    client = Client()
    client.force_login(get_user_model().objects.get(pk=author.user))
    page = f"/bots/{slug}/submissions/{made}/"
    assert "Publish the source" in client.get(page).content.decode()
    answer = client.post(f"{page}change/", {"act": "publish", "licence": "MIT"})
    assert answer["Location"] == where(author, made)
    assert "Publish it no more" in client.get(page).content.decode()
    assert where(author, made) in Client().get(f"/bots/{slug}/").content.decode()
    [source] = Client().get(f"/api/v1/bots/{slug}/sources").json()["items"]
    assert (source["version"], source["licence"], source["files"]) == ("v1", "MIT", 5)
    assert source["archive"] == f"http://testserver{where(author, made)}archive"
    client.post(f"{page}change/", {"act": "unpublish"})
    assert Client().get(f"/api/v1/bots/{slug}/sources").json()["items"] == []
    bearer = {"authorization": f"Bearer {token_actions.issue_api_token(author.user, ['bots']).token}"}
    published = Client().post(
        f"/api/v1/submissions/{made}/publish", {"licence": "CC0-1.0"}, content_type="application/json", headers=bearer
    )
    assert published.json()["licence"] == "CC0-1.0"
    assert (
        Client()
        .post(f"/api/v1/submissions/{made}/unpublish", {}, content_type="application/json", headers=bearer)
        .json()["licence"]
        is None
    )
