"""Submissions and hosted versions: rights, limits, the version that plays, retention and erasure."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import pytest
from django.db.models import F
from django.db.models.functions import Now

from arena.hosting.bundle import unpack
from arena.hosting.limits import DEFAULT_LIMITS, HostingLimits
from arena.hosting.messages import DecisionCost, RunnerFacts, SeatReport
from arena.sandbox.limits import SandboxEnd, SandboxLimit
from tests.hosting_site.authors import FACTS, Author
from tests.kit.ladder import Kit
from webui.accounts import erasure
from webui.accounts.values import Actor
from webui.bots import actions as bot_actions
from webui.bots import retirement
from webui.bots.models import Bot, BotState, BotVersion
from webui.core import subjects
from webui.core.dbtime import before_now
from webui.core.errors import BadRequest, LadderError, NameTaken, NotFound, TooMany
from webui.core.uploads import NoRoom
from webui.hosting import actions, blobs, jobs, queries, seats, subject
from webui.hosting.models import Blob, BlobPart, HostedSeat, HostedVersion, Submission
from webui.hosting.subject import check_hosting
from webui.matches.models import Match, MatchState

pytestmark = pytest.mark.django_db


def test_who_may_hand_in_what(author: Author, runner: int, tmp_path: Path) -> None:
    stranger = Author("stranger", tmp_path)
    bot_actions.register_version(author.bot, "dialled")
    author.host("v1", runner)

    def refused(error: type[LadderError], actor: Actor, version: str, note: str = "") -> None:
        before = Submission.objects.count(), Blob.objects.count()
        with pytest.raises(error):
            actions.submit(actor, author.bot, version, note, author.bundle("print('another')"))
        assert (Submission.objects.count(), Blob.objects.count()) == before

    refused(NotFound, stranger.actor, "v2")
    refused(BadRequest, author.actor, "v1")  # it was handed in
    refused(BadRequest, author.actor, "dialled")  # it has played
    refused(BadRequest, author.actor, "0123456789abcdef0123456789abcdef01234567")
    refused(BadRequest, author.actor, "a\0b")
    refused(BadRequest, author.actor, "v2", "x" * 501)
    Bot.objects.filter(pk=author.bot).update(state=BotState.LOCKED)
    refused(BadRequest, author.actor, "v2")
    Bot.objects.filter(pk=author.bot).update(state=BotState.ACTIVE)
    retirement.retire_bot(author.bot)
    refused(BadRequest, author.actor, "v2")


def test_a_released_version_may_be_handed_in_and_keeps_its_place(author: Author, runner: int) -> None:
    bot_actions.release_version(author.bot, "v1", "planned")
    bot_actions.register_version(author.bot, "v0")
    author.host("v1", runner)
    [hosted] = queries.hosted_versions()
    newest = BotVersion.objects.order_by("-pk")[0]
    assert (newest.name, newest.pk, newest.is_ready) == ("v1", hosted.version, False)


def test_a_repeated_request_is_one_submission_and_names_count_on(author: Author, runner: int) -> None:
    bundle = author.bundle()
    first = actions.submit(author.actor, author.bot, "", "", bundle)
    assert first.version == "v1"
    assert actions.submit(author.actor, author.bot, "v1", "", bundle).id == first.id
    bot_actions.register_version(author.bot, "v2")
    assert actions.submit(author.actor, author.bot, "", "", bundle).version == "v3"


def test_submissions_of_a_day_are_limited(author: Author) -> None:
    few = HostingLimits(submissions_a_day=2)
    for version in ("1", "2"):
        actions.submit(author.actor, author.bot, version, "", author.bundle(), few)
    with pytest.raises(TooMany):
        actions.submit(author.actor, author.bot, "3", "", author.bundle(), few)
    Submission.objects.update(created_at=before_now(86401))
    actions.submit(author.actor, author.bot, "3", "", author.bundle(), few)


def test_too_many_new_versions_delay_a_job_and_do_not_lose_it(
    author: Author, runner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = author.submit("v1")
    job = jobs.take_job(runner)
    assert job is not None
    jobs.finish_build(job.id, job.epoch, job.source)
    monkeypatch.setattr(bot_actions, "NEW_VERSIONS_AN_HOUR", 0)
    jobs.finish_examination(job.id, job.epoch, FACTS)
    assert queries.submission(made.id).line.state == "EXAMINING" and not BotVersion.objects.exists()
    monkeypatch.undo()
    assert jobs.take_job(runner) is None, "it waits"
    Submission.objects.filter(pk=made.id).update(due_at=before_now(1))
    again = jobs.take_job(runner)
    assert again is not None and again.image == job.source
    jobs.finish_examination(again.id, again.epoch, FACTS)
    assert queries.submission(made.id).line.state == "READY"


def test_files_are_stored_once_and_read_back(author: Author, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blobs, "PART_BYTES", 100)
    bundle = author.bundle("".join(f"print({number * 7919})\n" for number in range(500)))
    for _ in range(2):
        blobs.store_blob(bundle.sha256, bundle.packed, DEFAULT_LIMITS)
    assert Blob.objects.count() == 1 and BlobPart.objects.count() == -(-bundle.size // 100) > 5
    back = tmp_path / "back"
    back.write_bytes(b"".join(blobs.blob_parts(bundle.sha256)))
    unpack(back, bundle.sha256, tmp_path / "unpacked", DEFAULT_LIMITS)
    assert list(check_hosting()) == []
    with pytest.raises(NotFound):
        list(blobs.blob_parts("0" * 64))


@pytest.mark.parametrize("damage", ["other", "cut", "long", "plain", "bomb", "empty"])
def test_a_blob_is_what_its_name_says(author: Author, tmp_path: Path, damage: str) -> None:
    """A runner that stores an image under the name of another would change a stranger's bot."""
    bundle = author.bundle()
    bad = tmp_path / "bad"
    content = bundle.packed.read_bytes()
    limits = HostingLimits(unpacked_bytes=100_000, files=10)
    bad.write_bytes(
        {
            "other": gzip.compress(b"other"),
            "cut": content[:-9],
            "long": content + content,
            "plain": gzip.decompress(content),
            "bomb": gzip.compress(bytes(10_000_000)),
            "empty": b"",
        }[damage]
    )
    with pytest.raises(BadRequest):
        blobs.store_blob(bundle.sha256, bad, limits)
    assert not Blob.objects.exists()


def test_an_owner_chooses_the_version_that_plays(author: Author, runner: int, tmp_path: Path) -> None:
    author.host("v1", runner)
    author.host("v2", runner, "print(2)")
    old, new = HostedVersion.objects.order_by("pk").values_list("pk", flat=True)

    def playing() -> list[int]:
        return [version.version for version in queries.hosted_versions() if version.is_offered]

    assert playing() == [new]
    actions.use_version(author.bot, old)
    assert playing() == [old]
    actions.use_version(author.bot, None)
    assert playing() == []
    actions.use_version(author.bot, old)
    with pytest.raises(NotFound):
        actions.use_version(Author("stranger", tmp_path).bot, new)
    BotVersion.objects.filter(pk=new).update(retired_at=Now())
    with pytest.raises(BadRequest, match="retired"):
        actions.use_version(author.bot, new)


def test_a_former_version_is_hosted_until_its_matches_have_ended(author: Author, runner: int, kit: Kit) -> None:
    author.host("v1", runner)
    old = HostedVersion.objects.get().pk
    match_id = kit.match([old, kit.version()])
    author.host("v2", runner, "print(2)")
    assert [(one.version_name, one.is_offered) for one in queries.hosted_versions()] == [("v1", False), ("v2", True)]
    Match.objects.filter(pk=match_id).update(state=MatchState.ABORTED, finished_at=F("created_at"))
    assert [one.version_name for one in queries.hosted_versions()] == ["v2"]


def test_old_files_are_deleted_and_those_in_use_stay(author: Author, runner: int) -> None:
    kept = DEFAULT_LIMITS.kept_a_bot
    for number in range(kept + 2):
        Submission.objects.update(created_at=before_now(86401))
        BotVersion.objects.update(created_at=before_now(86401))
        author.host(f"v{number}", runner, f"print({number})")
    actions.use_version(author.bot, HostedVersion.objects.order_by("pk")[0].pk)
    Blob.objects.update(used_at=before_now(2 * 86400))
    gone = subjects.let_go()
    assert (gone["sources of submissions"], gone["images of hosted versions"]) == (1, 1)
    lines = queries.submissions_of(author.bot)
    assert [line.version for line in lines if not line.size] == ["v1"], "v0 plays, and the newest ten are kept"
    [without] = [line for line in lines if not line.has_image]
    assert not without.can_be_used and gone["files of bots"] == 2  # a blob, and its part
    with pytest.raises(BadRequest):
        actions.use_version(author.bot, without.version_id)
    assert "files of bots" not in subjects.let_go() and Blob.objects.count() == kept + 1


def test_files_without_a_user_are_kept_for_a_day(author: Author) -> None:
    bundle = author.bundle()
    blobs.store_blob(bundle.sha256, bundle.packed, DEFAULT_LIMITS)
    assert "files of bots" not in subjects.let_go()
    Blob.objects.update(used_at=before_now(2 * 86400))
    blobs.store_blob(bundle.sha256, bundle.packed, DEFAULT_LIMITS)  # somebody hands them in again
    assert "files of bots" not in subjects.let_go()


def report(match_id: str, version: int, **more: object) -> SeatReport:
    values = {
        "match": match_id,
        "seat": 1,
        "number": 1,
        "version": version,
        "started_at_ns": 1_790_000_000_123_456_789,
        "ended_at_ns": 1_790_000_060_000_000_000,
        "end": next(iter(SandboxEnd)),
        "limit": next(iter(SandboxLimit)),
        "fault": "OUT_OF_MEMORY",
        "fault_text": "killed: used more than 256 MB at decision 41",
        "decision": 41,
        "peak_memory_bytes": 2**28,
        "stdout": "hi\0",
        "stderr": "x" * 100_000,
        "decisions": (DecisionCost(0, 12, 10, 3), DecisionCost(4, 2**40, -1, 0)),
        **more,
    }
    return SeatReport(**values)  # type: ignore[arg-type]


def test_a_report_on_a_seat_is_stored_once_and_shown_to_the_owner_only(
    author: Author, runner: int, kit: Kit, tmp_path: Path
) -> None:
    author.host("v1", runner)
    version = HostedVersion.objects.get().pk
    match_id = kit.match([version, kit.version()])
    for _ in range(2):
        seats.record_seat(runner, report(match_id, version))
    seats.record_seat(runner, report(match_id, version, started_at_ns=1_790_000_070_000_000_000, fault=""))
    [first, second] = queries.seats_of_owner(match_id, author.user)
    assert (first.fault, second.fault, first.stdout) == ("OUT_OF_MEMORY", "", "hi�")
    assert first.decisions == (DecisionCost(0, 12, 10, 3), DecisionCost(4, 2**31 - 1, 0, 0))
    assert queries.seats_of_owner(match_id, Author("stranger", tmp_path).user) == []
    for wrong in ({"seat": 2}, {"match": "nothing"}, {"started_at_ns": 2**80}):
        with pytest.raises(BadRequest):
            seats.record_seat(runner, report(match_id, version, **wrong))
    HostedSeat.objects.update(recorded_at=before_now(31 * 86400))
    assert subjects.let_go()["reports on hosted seats"] == 2


def test_reports_come_while_a_match_runs_or_soon_after_it(author: Author, runner: int, kit: Kit) -> None:
    author.host("v1", runner)
    version = HostedVersion.objects.get().pk
    match_id = kit.match([version, kit.version()])
    seats.record_seat(runner, report(match_id, version))
    ended = {"state": MatchState.ABORTED, "finished_at": before_now(seats.REPORTS_S + 60)}
    Match.objects.filter(pk=match_id).update(**ended)
    with pytest.raises(BadRequest, match="ended long ago"):
        seats.record_seat(runner, report(match_id, version, started_at_ns=2_000_000_000_000_000_000))


def test_outputs_of_a_bot_are_bounded(author: Author, runner: int, kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    author.host("v1", runner)
    version = HostedVersion.objects.get().pk
    match_id = kit.match([version, kit.version()])
    monkeypatch.setattr(seats, "OUTPUTS_OF_BOT", 2)
    for number in range(4):
        text = "begin" + "\0é" * 40_000 + "end"
        started = 1_790_000_000_000_000_000 + number * 10**9
        seats.record_seat(runner, report(match_id, version, started_at_ns=started, stdout=text, stderr=""))
    kept = list(HostedSeat.objects.order_by("pk").values_list("stdout", flat=True))
    assert [bool(output) for output in kept] == [False, False, True, True]
    assert len(kept[-1].encode()) <= seats.LONGEST_OUTPUT
    assert kept[-1].startswith("begin") and kept[-1].endswith("end")
    HostedSeat.objects.update(stdout="missed")
    monkeypatch.setattr(subject, "OUTPUTS_OF_BOT", 1)
    assert subjects.let_go()["outputs of hosted seats"] == 3


def test_all_accounts_together_store_so_much(author: Author, tmp_path: Path) -> None:
    author.submit("v1")
    other = Author("other", tmp_path)
    limits = replace(DEFAULT_LIMITS, total_bytes=queries.total_stored() + 1)
    with pytest.raises(NoRoom, match="as many files of bots as it may"):
        actions.submit(other.actor, other.bot, "v1", "", other.bundle("print(2)"), limits)
    assert Submission.objects.count() == 1


def test_erasure_deletes_files_notes_and_outputs(author: Author, runner: int, kit: Kit) -> None:
    author.host("v1", runner)
    version = HostedVersion.objects.get().pk
    seats.record_seat(runner, report(kit.match([version, kit.version()]), version))
    actions.submit(author.actor, author.bot, "v2", "a secret plan", author.bundle("print(2)"))
    erasure.erase_account(author.user)
    assert set(Submission.objects.values_list("state", "source", "note", "log_head", "manifest")) == {
        ("READY", None, "", "", ""),
        ("WITHDRAWN", None, "", "", ""),
    }
    assert not HostedSeat.objects.exists() and queries.hosted_versions() == []
    Blob.objects.update(used_at=before_now(2 * 86400))
    subjects.let_go()
    assert not Blob.objects.exists()


def test_runners_have_tokens_that_can_be_revoked() -> None:
    token = actions.register_runner("north")
    with pytest.raises(NameTaken):
        actions.register_runner("north")
    found = queries.runner_of_token(token)
    assert found is not None and queries.runner_of_token(token + "x") is None
    actions.note_runner(found, RunnerFacts(cores=4, runtime="{}"))
    [line] = queries.runners()
    assert (line.name, line.cores, line.runtime) == ("north", 4, "{}") and line.seen_at is not None
    actions.revoke_runner("north")
    assert queries.runner_of_token(token) is None and queries.runners() == []
    with pytest.raises(NotFound):
        actions.revoke_runner("north")
    assert queries.runner_of_token(actions.register_runner("north")) != found


def test_the_doctor_finds_what_is_wrong(author: Author, runner: int, tmp_path: Path) -> None:
    author.host("v1", runner)
    waiting = author.submit("v2", "print(2)")
    assert list(check_hosting()) == []
    Submission.objects.filter(pk=waiting.id).update(due_at=before_now(7200))
    BlobPart.objects.filter(blob__submissions=waiting.id).delete()
    HostedVersion.objects.update(bot=Author("stranger", tmp_path).bot)
    found = sorted(message.split()[0] for _, message in check_hosting())
    assert found == ["it", "it", "it", "no", "the"], "the marks of both bots are wrong, too"


def test_an_account_has_so_many_hosted_bots(author: Author, runner: int) -> None:
    limits = replace(DEFAULT_LIMITS, hosted_bots=2)
    author.host("v1", runner)
    first, hosted = author.bot, HostedVersion.objects.get()
    author.bot = bot_actions.register_bot(author.user, "Two")
    author.submit("v1")
    author.bot = bot_actions.register_bot(author.user, "Three")
    with pytest.raises(BadRequest, match="at most 2 bots"):
        actions.check_submission(author.actor, author.bot, "v1", limits=limits)
    actions.check_submission(author.actor, first, "v2", limits=limits)
    actions.use_version(first, None)
    actions.check_submission(author.actor, author.bot, "v1", limits=limits)
    author.submit("v1")
    with pytest.raises(BadRequest, match="at most 2 bots"):
        actions.use_version(first, hosted.pk, limits)


def test_hosted_versions_come_in_pages(tmp_path: Path, runner: int) -> None:
    for name in ("first", "other"):
        Author(name, tmp_path).host("v1", runner, f"print({name!r})\n")
    both = queries.hosted_versions()
    assert len(both) == 2
    assert queries.hosted_versions(most=1) == both[:1]
    assert queries.hosted_versions(after=both[0].version, most=1) == both[1:]
