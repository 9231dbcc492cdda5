"""The pages of the lessons: their texts, the check of a program, and which lessons somebody has passed."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.utils.html import escape
from playwright.sync_api import expect

from arena.lessons import LESSONS, LessonFinding, LessonVerdict
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.one_runner import OneRunner
from tests.site.test_browser import AXE, faults
from tests.site.test_live import elsewhere
from tests.site.test_writing import text
from webui.accounts import actions as account_actions
from webui.writing.lessons import TEXTS, shown_verdict
from webui.writing.models import PassedLesson, Trial

pytestmark = pytest.mark.django_db


def check(client: Client, number: int, source: str) -> Any:
    return client.post(f"/write/lessons/{number}/", {"act": "run", "source": source})


def test_each_lesson_has_its_texts_and_programs() -> None:
    assert len(TEXTS) == len(LESSONS) == 6
    page = text(Client().get("/write/lessons/"))
    for number, taught in enumerate(LESSONS, start=1):
        assert f'href="/write/lessons/{number}/"' in page
        lesson = text(Client().get(f"/write/lessons/{number}/"))
        assert escape(taught.start.splitlines()[-1].strip()) in lesson and "One possible solution" in lesson
        compile(taught.start, "start", "exec")
    assert Client().get("/write/lessons/0/").status_code == Client().get("/write/lessons/7/").status_code == 404


def test_a_lesson_is_passed_and_an_account_keeps_it(runner: OneRunner) -> None:
    user = account_actions.create_user("ada", None)
    client = Client()
    client.force_login(get_user_model().objects.get(pk=user))
    failed = check(client, 1, LESSONS[0].start)
    assert failed.url.startswith("/write/lessons/1/?trial=")
    runner.play()
    page = text(client.get(failed.url))
    assert "Not passed yet" in page and "were as expected" in page and "data-passed" not in page
    assert " brings " in page and "is-wrong" in page, "what was expected stands at a decision"
    assert not PassedLesson.objects.exists()
    passed = check(client, 1, LESSONS[0].solution)
    runner.play()
    page = text(client.get(passed.url))
    assert "Lesson passed" in page and 'data-passed="1"' in page and 'href="/write/lessons/2/"' in page
    assert [(each.user_id, each.lesson) for each in PassedLesson.objects.all()] == [(user, 1)]
    assert text(client.get("/write/lessons/")).count("is-passed") == 1
    assert text(Client().get("/write/lessons/")).count("is-passed") == 0


def test_a_source_that_is_refused_stays_in_the_form(runner: OneRunner) -> None:
    answer = check(Client(), 2, " ")
    assert answer.status_code == 422 and "There is no program." in text(answer) and not Trial.objects.exists()


def test_a_lesson_of_an_arena_without_runners_says_so() -> None:
    assert "nothing can be checked" in text(Client().get("/write/lessons/3/"))
    assert check(Client(), 3, "x").status_code == 422


@pytest.mark.parametrize(
    ("number", "verdict", "words"),
    [
        (1, LessonVerdict(False, 9, 8, 5, faults=1), "1 fault. A lesson"),
        (2, LessonVerdict(False, 1, 1, 2), "Decisions of this kind: 1. The check needs 2, so check it again."),
        (4, LessonVerdict(False, 9, 7, 4), "7 of 9 decisions were as expected."),
        (5, LessonVerdict(True, 9, 7, 0, share=91), "brought 91 % of the points of the best turns."),
        (6, LessonVerdict(True, 2, 2, 2), "Your bot won 2 of 2 games. It needs 2."),
    ],
)
def test_a_verdict_is_put_into_words(number: int, verdict: LessonVerdict, words: str) -> None:
    assert words in shown_verdict(number, verdict).summary


def test_a_finding_says_what_was_seen_and_what_was_expected() -> None:
    finding = LessonFinding(7, "pass", "buy 1", 0, 1)
    shown = shown_verdict(2, LessonVerdict(False, 3, 2, 2, findings=(finding,)))
    assert shown.of_index == {7: "“pass” bought 0 new kinds of goods. “buy 1” buys 1."}
    games = (LessonFinding(-1, "", "", 140, 133), LessonFinding(-1, "", "", 99, 120))
    assert shown_verdict(6, LessonVerdict(False, 2, 1, 2, findings=games)).details == [
        "Game 1: 140 to 133.",
        "Game 2: 99 to 120.",
    ]


# In a browser


@pytest.mark.slow
@in_chromium[0]
@in_chromium[1]
def test_a_guest_passes_a_lesson_and_the_browser_keeps_it(site_with_runner: tuple[str, OneRunner]) -> None:
    address, runner = site_with_runner
    with chromium() as browser:
        page = browser.new_context(viewport={"width": 390, "height": 844}).new_page()
        complaints = listen(page)
        page.goto(f"{address}/write/")
        page.get_by_role("link", name="Six lessons", exact=True).click()
        page.get_by_role("link", name="Take points").click()
        editor = page.get_by_role("textbox", name="Program in Python")
        expect(page.locator(".writing-editor .cm-content")).to_be_visible()
        expect(editor).to_contain_text("return legal[0]")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.evaluate("source => localStorage.setItem('naqala-lesson-1', source)", LESSONS[0].solution)
        page.reload()
        expect(editor).to_contain_text("max(legal")
        page.get_by_role("button", name="Check").click()
        expect(page.get_by_role("heading", name="Waiting for a place")).to_be_visible()
        elsewhere(runner.play)
        expect(page.get_by_role("heading", name="Lesson passed")).to_be_visible()
        page.evaluate(AXE)
        assert faults(page) == []
        page.get_by_role("link", name="Next lesson").click()
        expect(page.get_by_role("heading", name="Lesson 2: Look at the market")).to_be_visible()
        expect(page.locator(".course-steps .is-passed")).to_have_text("1Take points(Passed)")
        page.get_by_role("link", name="All lessons").click()
        expect(page.locator(".course .is-passed")).to_contain_text("Take points")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390 and complaints == []
        page.evaluate(AXE)
        assert faults(page) == []
