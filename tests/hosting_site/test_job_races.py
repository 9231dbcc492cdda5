"""Builds of one account that end at the same moment, each in a thread of its own."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from threading import Barrier, BrokenBarrierError
from typing import Any

import pytest
from django.db import connection

from arena.hosting.bundle import Bundle
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.messages import JobInfo
from tests.hosting_site.authors import Author
from webui.bots import actions as bot_actions
from webui.hosting import actions, jobs
from webui.hosting.models import Submission
from webui.hosting.values import JobLost

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database_specific]

TOGETHER_S = 1.0
"""Seconds in which both builds can be past the check, if nothing serialises them."""


def test_two_builds_that_end_at_once_do_not_exceed_what_an_account_keeps(
    author: Author, runner: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    both_checked = Barrier(2)

    def check_and_wait(*args: Any) -> None:
        actions.check_account(*args)
        with suppress(BrokenBarrierError):
            both_checked.wait(TOGETHER_S)

    monkeypatch.setattr(jobs, "check_account", check_and_wait)
    limits = replace(DEFAULT_LIMITS, stored_bytes=150_000)  # the sources, and one image of 100,000 bytes
    held: list[tuple[JobInfo, Bundle]] = []
    for version in ("v1", "v2"):  # of two bots, because those of one are built one after the other
        author.bot = bot_actions.register_bot(author.user, f"Bot {version}")
        author.submit(version, f"print({version!r})\n")
        job = jobs.take_job(runner)
        assert job is not None
        built = author.bundle(f"#{version}{'x' * 100_000}\n")
        jobs.store_image(job.id, job.epoch, built.sha256, built.packed)
        held.append((job, built))

    def finish(claim: tuple[JobInfo, Bundle]) -> None:
        job, built = claim
        try:
            with suppress(JobLost):
                jobs.finish_build(job.id, job.epoch, built.sha256, limits)
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as threads:
        list(threads.map(finish, held))
    assert sorted(Submission.objects.values_list("state", flat=True)) == ["EXAMINING", "FAILED"]
