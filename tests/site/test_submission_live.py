"""The page of a submission while it is built: the stream that announces news, and a browser that shows them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from arena.hosting.faults import HostingFault
from arena.hosting.messages import JobInfo
from tests.hosting_site.authors import Author
from tests.kit.redis_server import RedisServer
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.test_live import elsewhere, served
from webui.bots.models import Bot
from webui.budget import LIVE
from webui.hosting import actions, jobs, queries
from webui.hosting.models import Submission


class Build:
    """A submission, and the runner that builds it."""

    def __init__(self, folder: Path) -> None:
        self.author = Author("amina", folder)
        self.id = self.author.submit("v1").id
        runner = queries.runner_of_token(actions.register_runner("runner"))
        assert runner is not None
        self.runner = runner
        self.client = Client()
        self.client.force_login(get_user_model().objects.get(pk=self.author.user))
        self.where = {"slug": Bot.objects.get(pk=self.author.bot).slug, "submission_id": self.id}

    def take(self) -> JobInfo:
        """Have the runner claim the job, and write a line of its log."""
        job = jobs.take_job(self.runner)
        assert job is not None
        jobs.append_log(job.id, job.epoch, 0, "building bot.py\n")
        return job

    def fail(self) -> None:
        """End the job by a fault of the bot."""
        epoch = Submission.objects.values_list("epoch", flat=True).get(pk=self.id)
        jobs.fail_job(self.id, epoch, HostingFault.BUILD_FAILED, "exit code <2>")


@pytest.fixture
def build(transactional_db: None, tmp_path: Path) -> Build:
    return Build(tmp_path)


def test_the_mark_moves_with_the_page_and_ends_with_the_build(build: Build) -> None:
    marks = [queries.submission_mark(build.id)]
    assert queries.submission_mark(build.id) == marks[0]
    build.take()
    marks.append(queries.submission_mark(build.id))
    build.fail()
    marks.append(queries.submission_mark(build.id))
    assert len({mark.mark for mark in marks}) == 3
    assert [mark.is_settled for mark in marks] == [False, False, True]


def test_the_stream_and_the_parts_are_for_the_owner(build: Build) -> None:
    live, parts = reverse("submission-live", kwargs=build.where), reverse("submission-parts", kwargs=build.where)
    assert LIVE.fullmatch(live), "its readers are limited as those of other live pages"
    text = build.client.get(parts).content.decode()
    assert 'data-part="state"' in text and "<html" not in text
    stranger = Client()
    assert stranger.get(live).status_code == 404 and stranger.get(parts).status_code == 302


def test_a_page_without_scripts_is_loaded_again_until_the_end(build: Build) -> None:
    address = reverse("submission", kwargs=build.where)
    again = '<noscript><meta http-equiv="refresh"'
    assert again in build.client.get(address).content.decode()
    build.take()
    build.fail()
    page = build.client.get(address).content.decode()
    assert again not in page and "parts.js" not in page and "exit code &lt;2&gt;" in page


@pytest.fixture
def browser(build: Build) -> Iterator[Any]:
    with chromium() as browser:
        yield browser


@pytest.mark.slow
@pytest.mark.browser
@in_chromium[1]
def test_an_open_page_follows_the_build_to_its_end(build: Build, browser: Any, redis_server: RedisServer) -> None:
    with served() as site:
        page = browser.new_page()
        complaints = listen(page)
        page.context.add_cookies([{"name": "sessionid", "value": build.client.cookies["sessionid"].value, "url": site}])
        page.goto(site + reverse("submission", kwargs=build.where))
        page.evaluate("window.isTheSamePage = true")
        expect(page.locator(".panel-head .chip")).to_have_text("waiting")
        elsewhere(build.take)
        expect(page.locator(".panel-head .chip")).to_have_text("being built")
        expect(page.locator("pre")).to_have_text("building bot.py\n")
        elsewhere(build.fail)
        expect(page.get_by_role("alert")).to_contain_text("exit code <2>")
        expect(page.get_by_role("button", name="Withdraw")).to_have_count(0)
        assert page.evaluate("window.isTheSamePage") and complaints == []
