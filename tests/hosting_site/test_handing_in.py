"""Handing in through the API and the page, the way the server calls them: before the body, and with it."""

from __future__ import annotations

import io
import re
import zipfile
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth import get_user_model
from django.test import AsyncClient, Client
from django.test.client import BOUNDARY, MULTIPART_CONTENT

from arena.host.places import Places
from arena.hosting.faults import HostingFault
from arena.hosting.limits import DEFAULT_LIMITS
from tests.hosting.test_bundle import AT_ONCE, HOSTILE, SMALL, Files
from tests.hosting_site.authors import FACTS, Author
from webui.bots import token_actions
from webui.bots.models import Bot
from webui.core import uploads as core_uploads
from webui.core.uploads import UPLOAD, Upload
from webui.hosting import api, jobs, queries, uploads
from webui.hosting.models import Blob, Submission

pytestmark = pytest.mark.django_db
OURS = {"origin": "http://testserver"}


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, settings: Any) -> Path:
    settings.PLACES = Places(tmp_path / "var")
    return settings.PLACES.uploads  # type: ignore[no-any-return]


class UploadClient(AsyncClient):
    """A client behind a server that knows uploads."""

    upload: Upload | None = None

    def _base_scope(self, **request: Any) -> Any:
        return {**super()._base_scope(**request), UPLOAD: self.upload}


class Sender:
    """A client that sends bodies as the server receives them."""

    def __init__(self, author: Author, tmp_path: Path) -> None:
        self.client = UploadClient()
        self.client.force_login(get_user_model().objects.get(pk=author.user))
        self.bearer = f"Bearer {token_actions.issue_api_token(author.user, ['bots']).token}"
        self.slug = Bot.objects.get(pk=author.bot).slug
        self.file = tmp_path / "body"

    def send(self, path: str, body: bytes, content_type: str, headers: dict[str, str]) -> Any:
        """Return the answer. An upload that is not admitted is never sent."""
        self.client.upload = upload = Upload(content_type)
        post = async_to_sync(self.client.post)
        answer = post(path, b"", content_type="application/octet-stream", headers=headers)
        if upload.account:
            self.file.write_bytes(body)
            upload.file, upload.digest = self.file, sha256(body).hexdigest()
            answer = post(path, b"", content_type="application/octet-stream", headers=headers)
        self.client.upload = None
        return answer

    def api(self, query: str, body: bytes, **headers: str) -> Any:
        headers = {"authorization": self.bearer, **headers}
        return self.send(f"/api/v1/bots/{self.slug}/submissions{query}", body, "application/zip", headers)

    def form(self, files: list[tuple[str, str, bytes]], headers: dict[str, str] = OURS, **fields: str) -> Any:
        """Send the form with these files: field, name, content."""
        parts = [f'form-data; name="{name}"\r\n\r\n{text}'.encode() for name, text in fields.items()]
        parts += [
            f'form-data; name="{field}"; filename="{name}"\r\nContent-Type: text/plain\r\n\r\n'.encode() + content
            for field, name, content in files
        ]
        lines = [f"--{BOUNDARY}\r\nContent-Disposition: ".encode() + part + b"\r\n" for part in parts]
        body = b"".join(lines) + f"--{BOUNDARY}--\r\n".encode()
        return self.send(f"/bots/{self.slug}/submissions/", body, MULTIPART_CONTENT, headers)


@pytest.fixture
def sender(author: Author, tmp_path: Path) -> Sender:
    return Sender(author, tmp_path)


def archive_of(files: Files) -> bytes:
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w") as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return packed.getvalue()


def zipped(**files: str) -> bytes:
    return archive_of({name.replace("__", "."): text.encode() for name, text in files.items()})


BOT = zipped(bot__toml='language = "python"\ncommand = ["python3", "main.py"]\n', main__py="print(1)\n")


def test_a_program_hands_in_and_follows_and_chooses(sender: Sender, author: Author, runner: int, folder: Path) -> None:
    answer = sender.api("?version=v7&note=New.&file=bot.zip", BOT, **{"Idempotency-Key": "once"})
    assert answer.status_code == 201, answer.content
    made = answer.json()
    assert (made["version"], made["state"], made["files"], made["note"]) == ("v7", "uploaded", 2, "New.")
    again = sender.api("?version=v7&note=New.&file=bot.zip", BOT, **{"Idempotency-Key": "once"})
    assert (again.status_code, again.json()["id"]) == (201, made["id"])
    assert sender.api("?version=v7&file=bot.zip", BOT).json()["id"] == made["id"]
    job = jobs.take_job(runner)
    assert job is not None
    jobs.append_log(job.id, job.epoch, 0, "hello\n")
    jobs.finish_build(job.id, job.epoch, job.source)
    client = Client(headers={"authorization": sender.bearer})
    where = f"/api/v1/submissions/{made['id']}"
    early = client.post(f"{where}/use", content_type="application/json")
    assert early.status_code == 400 and "not ready" in early.json()["detail"]
    jobs.finish_examination(job.id, job.epoch, FACTS)
    shown = client.get(where).json()
    assert (shown["state"], shown["log"], shown["current"], shown["usable"]) == ("ready", "hello\n", True, False)
    assert client.post(f"{where}/use", content_type="application/json").json()["current"]
    assert client.delete(where).json()["state"] == "ready"
    assert [one["id"] for one in client.get(f"/api/v1/bots/{sender.slug}/submissions").json()["items"]] == [made["id"]]
    assert list(folder.iterdir()) == []


ARCHIVES = (
    "zip: cut", "zip: bomb", "zip: climbs", "zip: absolute", "zip: escapes", "zip: many files", "zip: link",
    "tar: hard link", "tar: device",
)  # fmt: skip
"""The hostile archives that are sent here. The limits of the API do not allow all of them at once."""


def test_what_cannot_be_used_is_said_in_one_line_and_not_stored(
    sender: Sender, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(api, "bundle_of", partial(uploads.bundle_of, limits=SMALL))
    bad = {name: (archive_of(files), re.escape(words)) for name, (files, words) in AT_ONCE.items()}
    for name, (body, words) in {**bad, **{name: HOSTILE[name] for name in ARCHIVES}}.items():
        answer = sender.api("?file=mybot.zip", body)
        detail = answer.json()["detail"]
        assert answer.status_code == 400 and re.search(words, detail), (name, detail)
        assert detail.isprintable(), name
    assert not Blob.objects.exists() and not Submission.objects.exists() and list(folder.iterdir()) == []


def test_who_may_not_is_refused_before_the_body(sender: Sender, author: Author, tmp_path: Path) -> None:
    sender.file = tmp_path / "never" / "written"
    other = Sender(Author("stranger", tmp_path), tmp_path)
    assert sender.send(f"/api/v1/bots/{sender.slug}/submissions", BOT, "", {}).status_code == 401
    other.slug, other.file = sender.slug, sender.file
    assert other.api("", BOT).status_code == 404
    assert other.form([]).status_code == 404
    assert sender.api("?version=" + "0123456789abcdef" * 2 + "01234567", BOT).status_code == 400
    assert sender.form([], headers={"origin": "https://evil.example"}).status_code == 403
    assert sender.form([], headers={}).status_code == 403
    sender.client.logout()
    assert sender.form([]).status_code == 302


def test_a_full_disk_is_said(sender: Sender, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(core_uploads, "LEAST_FREE_BYTES", 1 << 62)
    answer = sender.api("", BOT)
    assert (answer.status_code, answer.json()["code"]) == (503, "TRY_AGAIN")


def test_a_file_or_a_folder_is_handed_in_by_the_form(sender: Sender, author: Author) -> None:
    assert "Hand in Amina one" in page_of(sender)
    empty = ("folder", "", b"")
    answer = sender.form([("file", "bot.py", b"print(1)\n"), empty], version="", note="First.")
    assert answer.status_code == 302, answer.content.decode()
    [first] = queries.submissions_of(author.bot)
    assert (first.version, first.note, first.files) == ("v1", "First.", 1)
    assert answer["Location"] == f"/bots/{sender.slug}/submissions/{first.id}/"
    files = [
        ("folder", "mybot/bot.toml", b'language = "python"\ncommand = ["python3", "src/main.py"]\n'),
        ("folder", "mybot/src/main.py", b"print(2)\n"),
        ("folder", "mybot/src/empty.py", b""),
    ]
    answer = sender.form([("file", "", b""), *files], version="v9")
    assert answer.status_code == 302, answer.content.decode()
    newest = queries.submissions_of(author.bot)[0]
    assert (newest.version, newest.files) == ("v9", 3)


def page_of(sender: Sender) -> str:
    return str(async_to_sync(sender.client.get)(f"/bots/{sender.slug}/submissions/").content.decode())


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ([], "Choose a file or a folder."),
        ([("folder", "mybot/../../x.py", b"1")], "leads out"),
        ([("file", "x.zip", b"no zip")], "bot.toml"),
    ],
)
def test_a_form_that_is_refused_keeps_what_was_written(sender: Sender, files: Any, said: str) -> None:
    answer = sender.form(files, version="v<9>", note="My <note>.")
    page = answer.content.decode()
    assert answer.status_code == 422 and said in page
    assert 'value="v&lt;9&gt;"' in page and "My &lt;note&gt;." in page
    assert not Submission.objects.exists()


def test_a_form_has_so_many_files(sender: Sender) -> None:
    files = [("folder", f"mybot/{number}", b"") for number in range(DEFAULT_LIMITS.files + 1)]
    answer = sender.form(files)
    assert answer.status_code == 422 and "2,000 files" in answer.content.decode()


def test_the_pages_show_how_far_it_is_and_offer_what_can_be_done(sender: Sender, author: Author, runner: int) -> None:
    def page(path: str = "") -> Any:
        return async_to_sync(sender.client.get)(f"/bots/{sender.slug}/submissions/{path}")

    def act(submission_id: int, what: str) -> None:
        path = f"/bots/{sender.slug}/submissions/{submission_id}/change/"
        assert async_to_sync(sender.client.post)(path, {"act": what}).status_code == 302

    first, second = author.host("v1", runner), author.host("v2", runner, "print(2)")
    waiting = author.submit("v3", "print(3)")
    shown = page(f"{waiting.id}/").content.decode()
    assert "data-live" in shown and "waiting" in shown
    assert "Play this one" in page().content.decode()
    act(first.id, "use")
    assert [line.version for line in queries.submissions_of(author.bot) if line.is_current] == ["v1"]
    act(first.id, "stop")
    assert queries.hosted_versions() == []
    act(second.id, "nothing")
    act(waiting.id, "withdraw")
    assert "data-live" not in page(f"{waiting.id}/").content.decode()
    failed = author.submit("v4", "print(4)")
    job = jobs.take_job(runner)
    assert job is not None
    jobs.append_log(job.id, job.epoch, 0, "<b>made</b>\n")
    jobs.fail_job(job.id, job.epoch, HostingFault.BUILD_FAILED, "no rule: write one")
    shown = page(f"{failed.id}/").content.decode()
    assert "BUILD_FAILED" in shown and "no rule: write one" in shown and "&lt;b&gt;made" in shown
    assert page("999/").status_code == 404
