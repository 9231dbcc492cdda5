"""Jobs of runners: whatever they do in whatever order, a job is held by one of them, and none is lost."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.db.models.functions import Now

from arena.hosting.faults import HostingFault
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.messages import JobInfo, RunnerFacts
from tests.hosting_site.authors import FACTS, Author
from webui.bots import actions as bot_actions
from webui.bots.models import BotVersion
from webui.core.dbtime import after_now, before_now
from webui.core.errors import BadRequest
from webui.core.upkeep import UpkeepWorker
from webui.hosting import actions, jobs, queries
from webui.hosting.blobs import blob_parts
from webui.hosting.models import Blob, HostedVersion, Runner, Submission
from webui.hosting.values import JobLost, SubmissionEnd
from webui.notices import queries as notice_queries
from webui.notices.emails import details, path, sentence

pytestmark = pytest.mark.django_db
WORKER = UpkeepWorker(presences=list, is_stopping=lambda: False, wake=lambda name: None)


def runners(count: int) -> list[int]:
    found = [queries.runner_of_token(actions.register_runner(f"racer {number}")) for number in range(count)]
    return [runner for runner in found if runner is not None]


def expire(submission_id: int) -> None:
    """Let the lease of a job end, as if its runner had been silent."""
    Submission.objects.filter(pk=submission_id, leased_by__isnull=False).update(lease_expires_at=before_now(1))


def make_due() -> None:
    Submission.objects.update(due_at=before_now(1))


def row(submission_id: int) -> dict[str, Any]:
    return Submission.objects.filter(pk=submission_id).values().get()


@dataclass
class Claim:
    """A claim, and what must be true of it."""

    job: JobInfo
    is_held: bool = True
    has_image: bool = False


class Interleaving:
    """Random calls of several runners, and what must have come of each."""

    def __init__(self, seed: int, authors: list[Author]) -> None:
        self.dice = random.Random(seed)
        self.runners = runners(3)
        self.open = {author.submit("1", f"print({seed})").id for author in authors}
        self.claims: list[Claim] = []
        self.expired: set[int] = set()
        self.failures: Counter[int] = Counter()

    def holder(self, job_id: int) -> Claim | None:
        held = [claim for claim in self.claims if claim.job.id == job_id and claim.is_held]
        assert len(held) <= 1
        return held[0] if held else None

    def failed(self, job_id: int) -> None:
        """A claim ended by a failure. The last failure that is allowed ends the job."""
        self.failures[job_id] += 1
        assert row(job_id)["failures"] == self.failures[job_id]
        if self.failures[job_id] == jobs.MOST_FAILURES:
            self.open.discard(job_id)
            assert row(job_id)["state"] == "FAILED"

    def take(self) -> None:
        """A job that is taken was held by nobody, or its lease had expired. Its epoch is new."""
        job = jobs.take_job(self.dice.choice(self.runners))
        for late in self.expired:
            if (silent := self.holder(late)) is not None:
                silent.is_held = False
                self.failed(late)
        self.expired.clear()
        if job is None:
            free = [one for one in self.open if self.holder(one) is None]
            assert not Submission.objects.filter(pk__in=free, due_at__lte=Now()).exists()
            return
        assert job.id in self.open and self.holder(job.id) is None
        assert all(claim.job.epoch < job.epoch for claim in self.claims if claim.job.id == job.id)
        self.claims.append(Claim(job, has_image=bool(job.image)))

    def write(self) -> None:
        """The holder's calls are done; any other call changes nothing."""
        if not self.claims:
            return
        claim = self.dice.choice(self.claims)
        job, is_last = claim.job, False
        call = self.dice.choice(["log", "build", "examine", "fail", "return"])
        is_failure = self.dice.random() < 0.5
        before = row(job.id)
        may = claim.is_held and (call != "build" or not claim.has_image) and (call != "examine" or claim.has_image)
        try:
            match call:
                case "log":
                    jobs.append_log(job.id, job.epoch, row(job.id)["log_length"], "more\n")
                case "build":
                    jobs.finish_build(job.id, job.epoch, job.source)
                    claim.has_image = claim.has_image or claim.is_held
                case "examine":
                    jobs.finish_examination(job.id, job.epoch, FACTS)
                    is_last = True
                case "fail":
                    jobs.fail_job(job.id, job.epoch, HostingFault.BUILD_FAILED, "no")
                    is_last = True
                case "return":
                    jobs.return_job(job.id, job.epoch, is_failure=is_failure)
        except JobLost:
            assert not may
        if not may:
            assert row(job.id) == before
            return
        if call == "return":
            claim.is_held = False
            if is_failure:
                self.failed(job.id)
        if is_last:
            claim.is_held = False
            self.open.discard(job.id)
            assert row(job.id)["ended_at"] is not None

    def silence(self) -> None:
        """A runner is silent until its lease ends. It may still write until somebody sweeps."""
        if held := [claim for claim in self.claims if claim.is_held]:
            claim = self.dice.choice(held)
            expire(claim.job.id)
            self.expired.add(claim.job.id)

    def step(self) -> None:
        act = self.dice.choice([self.take, self.take, self.write, self.write, self.write, self.silence, make_due])
        act()
        late = Submission.objects.filter(lease_expires_at__lt=Now())
        self.expired &= set(late.values_list("pk", flat=True))  # a call of the holder renews the lease

    def finish(self) -> None:
        """Whatever has happened, the next runner brings every job to its end."""
        for open_id in list(self.open):
            expire(open_id)
        jobs.expire_leases()
        self.open = set(Submission.objects.filter(pk__in=self.open, ended_at=None).values_list("pk", flat=True))
        while self.open:
            make_due()
            job = jobs.take_job(self.runners[0])
            assert job is not None
            if not job.image:
                jobs.finish_build(job.id, job.epoch, job.source)
            jobs.finish_examination(job.id, job.epoch, FACTS)
            self.open.remove(job.id)


@pytest.mark.parametrize("seed", range(8))
def test_a_job_has_one_holder_and_is_never_lost(tmp_path: Path, seed: int) -> None:
    authors = [Author(f"author{number}", tmp_path) for number in range(3)]
    run = Interleaving(seed, authors)
    for _ in range(40):
        run.step()
    run.finish()
    ended = set(Submission.objects.values_list("state", "image", "leased_by", "lease_expires_at"))
    assert ended <= {("READY", None, None, None), ("FAILED", None, None, None)}
    assert HostedVersion.objects.count() == Submission.objects.filter(state="READY").count()


def test_a_version_is_built_and_examined_and_then_plays(author: Author, runner: int) -> None:
    made = author.submit("v1")
    assert (made.state, made.is_open, made.version_id) == ("UPLOADED", True, None)
    job = jobs.take_job(runner)
    assert job is not None
    assert (job.id, job.epoch, job.image, job.version_name) == (made.id, 1, "", "v1")
    assert b"".join(blob_parts(job.source))[:2] == b"\x1f\x8b"
    assert jobs.take_job(runner) is None, "it is held"
    jobs.append_log(job.id, job.epoch, 0, "building\n")
    jobs.append_log(job.id, job.epoch, 0, "building\ndone\n")  # the first call's answer was lost
    with pytest.raises(BadRequest):
        jobs.append_log(job.id, job.epoch, 99, "a gap")
    built = author.bundle("print('built')\n")
    jobs.store_image(job.id, job.epoch, built.sha256, built.packed)
    for _ in range(2):
        jobs.finish_build(job.id, job.epoch, built.sha256)
    page = queries.submission(made.id, author.bot)
    assert (page.line.state, page.log, page.before) == ("EXAMINING", "building\ndone\n", 0)
    assert queries.hosted_versions() == [] and not BotVersion.objects.exists()
    for _ in range(2):
        jobs.finish_examination(job.id, job.epoch, FACTS)
    [hosted] = queries.hosted_versions()
    assert (hosted.image, hosted.bot, hosted.version_name) == (built.sha256, author.bot, "v1")
    assert (hosted.player_counts, hosted.expansions, hosted.wants_legal) == ((2, 3), ("artisans",), True)
    assert hosted.command and hosted.memory_bytes and hosted.is_offered
    [line] = queries.submissions_of(author.bot)
    assert (line.state, line.version_id, line.is_current) == ("READY", hosted.version, True)


def test_a_lost_runner_is_no_fault_of_the_bot_but_waits_longer_and_longer(author: Author, runner: int) -> None:
    made = author.submit("v1")
    for failures, wait_s in enumerate(jobs.RETRY_WAITS_S):
        job = jobs.take_job(runner)
        assert job is not None and row(made.id)["failures"] == failures
        expire(made.id)
        jobs.expire_leases()
        assert Submission.objects.filter(pk=made.id, due_at__gt=Now()).exists() == (wait_s > 0)
        assert not Submission.objects.filter(due_at__gt=after_now(wait_s + 1)).exists()
        if wait_s:
            assert jobs.take_job(runner) is None
            make_due()
    assert row(made.id)["state"] == "BUILDING" and row(made.id)["fault"] == ""


def test_a_lease_that_is_renewed_at_the_last_moment_stays(author: Author, runner: int) -> None:
    made = author.submit("v1")
    job = jobs.take_job(runner)
    assert job is not None
    expire(made.id)
    is_renewed = False

    def renew_first(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
        """Let the runner send a piece of its log just before the claim would end."""
        nonlocal is_renewed
        if sql.startswith("UPDATE") and not is_renewed:
            is_renewed = True
            jobs.append_log(job.id, job.epoch, 0, "still here\n")
        return execute(sql, *rest)

    with connection.execute_wrapper(renew_first):
        assert jobs.expire_leases() == 0
    assert is_renewed and row(made.id)["failures"] == 0
    jobs.append_log(job.id, job.epoch, 11, "and still\n")


def test_a_runner_holds_a_job_for_a_limited_time(author: Author, runner: int) -> None:
    author.submit("v1")
    job = jobs.take_job(runner)
    assert job is not None
    Submission.objects.update(claimed_at=before_now(jobs.LONGEST_CLAIM_S + 60))
    jobs.append_log(job.id, job.epoch, 0, "")
    assert jobs.expire_leases() == 1
    with pytest.raises(JobLost):
        jobs.append_log(job.id, job.epoch, 0, "")
    assert jobs.take_job(runner) is not None and jobs.expire_leases() == 0


def test_the_image_of_a_job_is_its_source_or_was_stored_in_this_claim(
    tmp_path: Path, author: Author, runner: int
) -> None:
    other = Author("other", tmp_path)
    other.host("v1", runner, "print('a secret')\n")
    image = HostedVersion.objects.get().image_id
    author.submit("v1")
    job = jobs.take_job(runner)
    assert job is not None and image is not None
    with pytest.raises(BadRequest, match="has stored no image"):
        jobs.finish_build(job.id, job.epoch, image)
    built = author.bundle("print('built')\n")
    jobs.store_image(job.id, job.epoch, built.sha256, built.packed)
    jobs.return_job(job.id, job.epoch, is_failure=False)
    again = jobs.take_job(runner)
    assert again is not None
    with pytest.raises(BadRequest, match="has stored no image"):
        jobs.finish_build(again.id, again.epoch, built.sha256)
    jobs.store_image(again.id, again.epoch, built.sha256, built.packed)
    for _ in range(2):
        jobs.finish_build(again.id, again.epoch, built.sha256)
    assert row(again.id)["image_id"] == built.sha256


def test_a_build_whose_image_an_account_may_not_keep_fails(author: Author, runner: int) -> None:
    made = author.submit("v1")
    job = jobs.take_job(runner)
    assert job is not None
    built = author.bundle(f"#{'x' * 100_000}\n")
    assert built.size < 2_000 and built.tar_bytes > 100_000
    jobs.store_image(job.id, job.epoch, built.sha256, built.packed)
    with pytest.raises(JobLost):
        jobs.finish_build(job.id, job.epoch, built.sha256, replace(DEFAULT_LIMITS, stored_bytes=100_000))
    line = queries.submission(made.id).line
    assert (line.state, line.fault) == ("FAILED", "BUILD_FAILED")
    assert line.fault_text.startswith("your bots keep 0 MB of files unpacked, and an account has 0 MB: delete the")


def test_a_job_that_no_runner_can_finish_ends(author: Author, runner: int) -> None:
    """A program that ends with exit code 137 looks as if the machine had killed it, every time."""
    made = author.submit("v1")
    for _ in range(5):
        job = jobs.take_job(runner)
        assert job is not None
        for _ in range(2):
            jobs.return_job(job.id, job.epoch, is_failure=True)
        make_due()
    assert jobs.take_job(runner) is None
    line = queries.submission(made.id).line
    assert (line.state, line.fault, row(made.id)["failures"]) == ("FAILED", "CRASHED", 5)
    assert "tried 5 times" in line.fault_text and "hand it in again" in line.fault_text
    assert author.submit("v1").is_open


def test_a_job_that_has_failed_stands_behind_the_others(tmp_path: Path, runner: int) -> None:
    Author("first", tmp_path).submit("1")
    other = Author("other", tmp_path).submit("1", "print(2)")
    job = jobs.take_job(runner)
    assert job is not None and job.id < other.id
    jobs.return_job(job.id, job.epoch, is_failure=True)
    taken = [jobs.take_job(runner) for _ in range(2)]
    assert [one and one.id for one in taken] == [other.id, job.id]


def test_too_many_versions_within_an_hour_are_no_failure(
    author: Author, runner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = author.submit("v1")
    monkeypatch.setattr(bot_actions, "NEW_VERSIONS_AN_HOUR", 0)
    for _ in range(jobs.MOST_FAILURES + 1):
        job = jobs.take_job(runner)
        assert job is not None
        if not job.image:
            jobs.finish_build(job.id, job.epoch, job.source)
        jobs.finish_examination(job.id, job.epoch, FACTS)
        assert jobs.take_job(runner) is None, "it waits"
        make_due()
    monkeypatch.undo()
    job = jobs.take_job(runner)
    assert job is not None
    jobs.finish_examination(job.id, job.epoch, FACTS)
    assert (row(made.id)["state"], row(made.id)["failures"]) == ("READY", 0)


def test_a_call_for_a_job_that_is_repeated_gets_the_same_job(tmp_path: Path, author: Author, runner: int) -> None:
    made = author.submit("v1")
    other = Author("other", tmp_path).submit("1", "print(2)")
    first = jobs.take_job(runner, "a")
    assert first is not None and (first.id, first.epoch) == (made.id, 1)
    assert jobs.take_job(runner, "a") == first
    second = jobs.take_job(runner, "b")
    assert second is not None and second.id == other.id
    another = queries.runner_of_token(actions.register_runner("another"))
    assert another is not None and jobs.take_job(another, "a") is None, "it is another runner's"
    jobs.return_job(first.id, first.epoch, is_failure=False)
    again = jobs.take_job(runner, "a")
    assert again is not None and (again.id, again.epoch) == (made.id, 2), "that claim has ended"


def test_a_runner_that_stops_gives_its_job_back(author: Author, runner: int) -> None:
    author.submit("v1")
    job = jobs.take_job(runner)
    assert job is not None
    jobs.finish_build(job.id, job.epoch, job.source)
    jobs.return_job(job.id, job.epoch, is_failure=False)
    again = jobs.take_job(runner)
    assert again is not None and (again.id, again.epoch, again.image) == (job.id, 2, job.source)
    assert row(job.id)["failures"] == 0
    with pytest.raises(JobLost):
        jobs.append_log(job.id, job.epoch, 0, "late")


def test_owners_have_turns(tmp_path: Path, runner: int) -> None:
    busy, other = Author("busy", tmp_path), Author("other", tmp_path)
    first = busy.submit("1")
    busy.bot = bot_actions.register_bot(busy.user, "Busy two")
    second = busy.submit("1")
    late = other.submit("1")
    taken = [jobs.take_job(runner) for _ in range(3)]
    assert [job and job.id for job in taken] == [first.id, late.id, second.id]


def test_jobs_that_have_ended_count_when_owners_take_turns(tmp_path: Path, runner: int) -> None:
    busy, other = Author("busy", tmp_path), Author("other", tmp_path)
    for version in range(5):
        busy.submit(str(version))
    late = other.submit("1")
    served = []
    while (job := jobs.take_job(runner)) is not None:
        served.append(job.id)
        jobs.fail_job(job.id, job.epoch, HostingFault.BUILD_FAILED, "")
        if len(served) == 1:
            assert queries.submission(late.id).before == 0
    assert served.index(late.id) == 1
    older, newer = busy.submit("6"), other.submit("2")
    Submission.objects.exclude(ended_at=None).update(ended_at=before_now(queries.TURN_S + 60))
    assert [queries.submission(made.id).before for made in (older, newer)] == [0, 1], "they do not count for ever"


def test_a_fault_ends_a_job_and_the_name_is_free_again(author: Author, runner: int) -> None:
    made = author.submit("v1")
    job = jobs.take_job(runner)
    assert job is not None
    for _ in range(2):
        jobs.fail_job(job.id, job.epoch, HostingFault.BUILD_FAILED, "make: *** no rule\0")
    page = queries.submission(made.id)
    assert (page.line.state, page.line.fault) == ("FAILED", "BUILD_FAILED") and "no rule" in page.line.fault_text
    with pytest.raises(JobLost):
        jobs.finish_examination(job.id, job.epoch, FACTS)
    assert author.submit("v1").id != made.id and not BotVersion.objects.exists()


def test_a_withdrawn_submission_is_left_alone(author: Author, runner: int) -> None:
    made = author.submit("v1")
    job = jobs.take_job(runner)
    assert job is not None and actions.withdraw_submission(author.bot, made.id)
    assert not actions.withdraw_submission(author.bot, made.id)
    with pytest.raises(JobLost):
        jobs.finish_build(job.id, job.epoch, job.source)
    assert jobs.take_job(runner) is None and row(made.id)["state"] == "WITHDRAWN"


def test_a_long_log_keeps_its_beginning_and_its_end(author: Author, runner: int) -> None:
    made = author.submit("v1")
    job = jobs.take_job(runner)
    assert job is not None
    text, sent = "first\x1b[31m\0\n" + "x" * 200_000 + "last", 0
    while sent < len(text):
        jobs.append_log(job.id, job.epoch, sent, text[sent : sent + 50_000])
        sent += 50_000
    log = queries.submission(made.id).log
    assert log.startswith("first�[31m�\nx") and log.endswith("last") and "\n[… " in log
    assert len(log) < jobs.LOG_CHARACTERS + 100
    jobs.return_job(job.id, job.epoch, is_failure=False)
    jobs.take_job(runner)
    assert queries.submission(made.id).log == "", "it is that of the latest claim"


def test_the_versions_of_a_bot_are_built_in_their_order(author: Author, runner: int) -> None:
    """The newest version of a bot is the one that plays, and has the highest id."""
    author.submit("v1")
    author.submit("v2")
    first = jobs.take_job(runner)
    assert first is not None and jobs.take_job(runner) is None
    jobs.return_job(first.id, first.epoch, is_failure=False)
    for version in ("v1", "v2"):
        job = jobs.take_job(runner)
        assert job is not None and job.version_name == version
        jobs.finish_build(job.id, job.epoch, job.source)
        jobs.finish_examination(job.id, job.epoch, FACTS)
    assert [(line.version, line.is_current) for line in queries.submissions_of(author.bot)] == [
        ("v2", True),
        ("v1", False),
    ]


def test_an_end_is_announced_once(author: Author, runner: int, monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[SubmissionEnd] = []
    monkeypatch.setattr(jobs, "submission_ended", told.append)
    ready = author.host("v1", runner)
    author.submit("v2")
    for _ in range(2):
        jobs.announce_now(WORKER)
    assert [(end.submission_id, end.owner_id, end.fault) for end in told] == [(ready.id, author.user, "")]


def test_the_owner_gets_a_notice(author: Author, runner: int) -> None:
    author.host("v1", runner)
    author.submit("v2", "print(2)")
    job = jobs.take_job(runner)
    assert job is not None
    jobs.fail_job(job.id, job.epoch, HostingFault.BUILD_FAILED, "no rule: write one")
    jobs.announce_now(WORKER)
    lines = notice_queries.notices(author.user, 10)
    assert [(sentence(line), details(line)) for line in lines] == [
        ("Amina one: version v2 has a fault, and is not played. The log says more.", "no rule: write one"),
        ("Amina one: version v1 is ready, and the arena plays it.", ""),
    ]
    assert {path(line) for line in lines} == {"/bots/amina-one/submissions/"}


@pytest.mark.parametrize(
    "values",
    [
        {"state": "LOST"},
        {"state": "READY"},
        {"state": "EXAMINING"},
        {"ended_at": Now()},
        {"fault": "BUILD_FAILED"},
        {"source": None},
        {"lease_expires_at": Now()},
        {"is_announced": True},
        {"version": ""},
    ],
)
def test_the_database_refuses_what_cannot_be(author: Author, values: dict[str, Any]) -> None:
    made = author.submit("v1")
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.filter(pk=made.id).update(**values)


def test_a_bot_has_one_current_version(author: Author, runner: int) -> None:
    author.host("v1", runner)
    author.host("v2", runner, "print(2)")
    with pytest.raises(IntegrityError), transaction.atomic():
        HostedVersion.objects.update(is_current=True)
    with pytest.raises(IntegrityError), transaction.atomic():
        HostedVersion.objects.filter(is_current=True).update(image=None)
    assert Blob.objects.count() == 2


def test_operators_see_what_waits_for_runners(author: Author, runner: int) -> None:
    """The gauges of the upkeep process are made of these."""
    assert (queries.runners_alive(), queries.hosted_bots(), queries.oldest_wait()) == (0, 0, 0.0)
    actions.note_runner(runner, RunnerFacts(cores=2))
    assert queries.runners_alive() == 1
    Runner.objects.update(seen_at=before_now(queries.RUNNER_ALIVE_S + 1))
    assert queries.runners_alive() == 0
    made = author.submit("1")
    Submission.objects.update(due_at=before_now(100))
    assert queries.oldest_wait() >= 100
    job = jobs.take_job(runner)
    assert job is not None and job.id == made.id
    assert queries.oldest_wait() == 0
    jobs.finish_build(job.id, job.epoch, job.source)
    jobs.finish_examination(job.id, job.epoch, FACTS)
    assert (queries.hosted_bots(), queries.oldest_wait()) == (1, 0)
