"""Weights in the database: stored once an owner, kept as long as versions use them, within the limit of an account."""

from __future__ import annotations

import json
import tarfile
from dataclasses import replace
from datetime import timedelta
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.test import Client
from django.utils import timezone

from arena.host.places import Places
from arena.hosting.bundle import Bundle, pack
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.messages import RunnerFacts
from tests.hosting_site.authors import FACTS, Author
from tests.hosting_site.test_handing_in import Sender
from tests.kit.ladder import Kit
from webui.bots import token_actions
from webui.core.errors import BadRequest, NotFound
from webui.core.subjects import let_go
from webui.hosting import actions, jobs, queries
from webui.hosting.models import Blob, BotWeights, HostedVersion, Submission

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def places(tmp_path: Path, settings: Any) -> None:
    settings.PLACES = Places(tmp_path / "var")


def bundle(folder: Path, net: str, code: str = "print(1)\n", *, marked: bool = False) -> Bundle:
    """Return the bundle of a bot with weights; only with their hash if they are marked."""
    source = folder / f"bot{len(list(folder.iterdir()))}"
    (source / "weights").mkdir(parents=True)
    (source / "bot.py").write_text(code)
    (source / "weights" / (".arena-weights" if marked else "net")).write_text(net)
    return pack(source, "bot", folder / f"{source.name}.bundle", DEFAULT_LIMITS)


def submit(author: Author, made: Bundle, version: str) -> int:
    return actions.submit(author.actor, author.bot, version, "", made).id


def grow_old() -> None:
    Blob.objects.update(used_at=timezone.now() - timedelta(days=2))
    BotWeights.objects.update(used_at=timezone.now() - timedelta(days=2))


def test_versions_share_weights_and_send_their_hash_alone(author: Author, tmp_path: Path) -> None:
    first = bundle(tmp_path, "net")
    submit(author, first, "v1")
    submit(author, bundle(tmp_path, first.weights_sha256, "print(2)\n", marked=True), "v2")
    [weights] = BotWeights.objects.all()
    assert set(Submission.objects.values_list("weights", flat=True)) == {weights.pk}
    assert (weights.blob_id, weights.files, weights.unpacked_bytes) == (first.weights_sha256, 1, 3)
    assert [line.sha256 for line in queries.weights_of(author.user, 5)] == [first.weights_sha256]
    assert queries.weights_of(author.user, 5, sha256="0" * 64) == []


def test_nobody_uses_the_weights_of_others(author: Author, tmp_path: Path) -> None:
    first = bundle(tmp_path, "net")
    submit(author, first, "v1")
    other = Author("stranger", tmp_path)
    marked = bundle(tmp_path, first.weights_sha256, "print(2)\n", marked=True)
    with pytest.raises(BadRequest, match=r"the arena has no weights [0-9a-f]{12} of yours: hand the bot in with its"):
        submit(other, marked, "v1")
    assert not Submission.objects.filter(bot=other.bot).exists() and not Blob.objects.filter(pk=marked.sha256).exists()
    submit(other, bundle(tmp_path, "net"), "v1")
    submit(other, marked, "v2")
    assert Blob.objects.filter(pk=first.weights_sha256).count() == 1 and BotWeights.objects.count() == 2


def test_weights_are_kept_as_long_as_a_version_uses_them(author: Author, tmp_path: Path, runner: int) -> None:
    made = bundle(tmp_path, "net")
    host(author, made, "v1", runner)
    assert made.weights is not None
    actions.store_weights(author.actor, bundle(tmp_path, "unused").weights or made.weights)
    grow_old()
    let_go()
    assert [line.sha256 for line in queries.weights_of(author.user, 5)] == [made.weights_sha256]
    Submission.objects.update(source=None)
    let_go()
    assert BotWeights.objects.count() == 1
    HostedVersion.objects.update(is_current=False, image=None)
    let_go()
    assert not BotWeights.objects.exists() and not Blob.objects.exists()
    assert Submission.objects.get().weights is None


def test_an_account_stores_up_to_its_limit(author: Author, tmp_path: Path) -> None:
    made = bundle(tmp_path, "net")
    assert made.weights is not None
    both = made.tar_bytes + made.weights.tar_bytes
    assert both == 2 * 10_240  # each a tar of one block of 10 KiB, however small it is packed
    limits = replace(DEFAULT_LIMITS, stored_bytes=both)
    words = r"your bots keep 0 MB of files unpacked, and an account has 0 MB: delete the files of"
    with pytest.raises(BadRequest, match=words):
        actions.submit(author.actor, author.bot, "v1", "", made, replace(limits, stored_bytes=both - 1))
    assert not Blob.objects.exists() and not Submission.objects.exists()
    actions.submit(author.actor, author.bot, "v1", "", made, limits)
    assert sum(queries.stored_sizes(author.user).values()) == both
    with pytest.raises(BadRequest):
        actions.submit(author.actor, author.bot, "v2", "", author.bundle("print(3)\n"), limits)
    actions.submit(author.actor, author.bot, "v2", "", made, limits)  # the same files once more need no more
    assert Submission.objects.count() == 2


def host(author: Author, made: Bundle, version: str, runner: int) -> int:
    """Hand in a version, which a runner builds and examines."""
    number = submit(author, made, version)
    job = jobs.take_job(runner)
    assert job is not None
    jobs.finish_build(job.id, job.epoch, job.source)
    jobs.finish_examination(job.id, job.epoch, FACTS)
    return number


def test_an_owner_deletes_the_files_of_old_versions(author: Author, tmp_path: Path, runner: int, kit: Kit) -> None:
    old, other = bundle(tmp_path, "old"), bundle(tmp_path, "other")
    v1, v2, v3 = (
        host(author, made, f"v{n}", runner) for n, made in enumerate((old, other, bundle(tmp_path, "new")), 1)
    )
    v4 = submit(author, bundle(tmp_path, "old", "print(4)\n"), "v4")
    for number, words in ((v3, "the bot plays as version 'v3'"), (v4, "version 'v4' is not ready")):
        with pytest.raises(BadRequest, match=words):
            actions.delete_files(author.bot, number)
    with pytest.raises(NotFound):
        actions.delete_files(author.bot + 1, v1)
    kit.match([HostedVersion.objects.get(submission=v2).pk, kit.version()])
    with pytest.raises(BadRequest, match="version 'v2' still plays a match"):
        actions.delete_files(author.bot, v2)
    before = queries.stored_sizes(author.user)
    sender = Sender(author, tmp_path)
    change = f"/bots/{sender.slug}/submissions/{v1}/change/"
    assert "Delete files" in async_to_sync(sender.client.get)(f"/bots/{sender.slug}/submissions/").content.decode()
    assert async_to_sync(sender.client.post)(change, {"act": "empty"}).status_code == 302
    left = queries.stored_sizes(author.user)
    assert before.keys() - left.keys() == {old.sha256} and old.weights_sha256 in left, "version v4 has its weights"
    line = queries.submission(v1).line
    assert (line.size, line.has_image, line.can_be_used, line.can_be_emptied) == (0, False, False, False)
    assert actions.withdraw_submission(author.bot, v4)
    files = f"/api/v1/submissions/{v4}/files"
    answer = Client(headers={"authorization": sender.bearer}).delete(files)
    assert (answer.status_code, answer.json()["size"]) == (200, 0)
    assert old.weights_sha256 not in queries.stored_sizes(author.user)


def test_the_api_takes_weights_and_says_what_it_has(author: Author, tmp_path: Path) -> None:
    made = bundle(tmp_path, "net")
    assert made.weights is not None
    token = token_actions.issue_api_token(author.user, ["bots"]).token
    client = Client(headers={"authorization": f"Bearer {token}"})
    where = f"/api/v1/weights?sha256={made.weights_sha256}"
    assert client.get(where).json()["items"] == []
    for _ in range(2):
        body = made.weights.packed.read_bytes()
        answer = client.post("/api/v1/weights", body, content_type="application/octet-stream")
        assert (answer.status_code, answer.json()["sha256"]) == (201, made.weights_sha256)
    [line] = client.get(where).json()["items"]
    assert (line["files"], line["unpacked_bytes"], line["size"]) == (1, 3, made.weights.size)
    assert client.get("/api/v1/weights?sha256=x").status_code == 400
    assert client.post("/api/v1/weights", b"PK\x03\x04", content_type="application/zip").status_code == 400


def test_the_api_describes_the_runtimes_of_the_arena(runner: int, settings: Any) -> None:
    described = {"machine": "x86_64", "processor": "p", "system": "Debian", "tools": {"go": "1.26"}, "packages": {}}
    described |= {"python": "3.11", "libc": "2.36"}
    assert Client().get("/api/v1/runtimes").json()["items"] == []
    actions.note_runner(runner, RunnerFacts(cores=1, runtime=json.dumps(described)))
    [shown] = Client().get("/api/v1/runtimes").json()["items"]
    assert shown == described


def test_an_interpreter_that_no_runner_has_is_refused(author: Author, runner: int, tmp_path: Path) -> None:
    described = {"machine": "x86_64", "processor": "p", "system": "Debian", "tools": {"go": "1"}, "packages": {}}
    actions.note_runner(runner, RunnerFacts(cores=1, runtime=json.dumps(described)))
    words = "the arena has no python3, with which a command of bot.toml begins: it has go"
    with pytest.raises(BadRequest, match=words):
        submit(author, bundle(tmp_path, "net"), "v1")
    assert not Blob.objects.exists() and not Submission.objects.exists()
    actions.note_runner(runner, RunnerFacts(cores=1, runtime=json.dumps({**described, "tools": {"python3": "3"}})))
    submit(author, bundle(tmp_path, "net"), "v1")


def test_the_form_takes_a_folder_with_weights(author: Author, tmp_path: Path) -> None:
    sender = Sender(author, tmp_path)
    files = [("folder", "mybot/bot.py", b"print(1)\n"), ("folder", "mybot/weights/net", b"abc")]
    assert sender.form(files).status_code == 302
    assert BotWeights.objects.get().unpacked_bytes == 3
    packed = BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        for _, name, content in files:
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, BytesIO(content))
    assert sender.api("?file=bot.tar.gz", packed.getvalue()).status_code == 201
    assert BotWeights.objects.count() == 1 and Submission.objects.filter(weights=BotWeights.objects.get()).count() == 2
