"""The page on which bots are written: its form, a trial beside it, and a browser that edits and runs a program."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from playwright.sync_api import expect

from arena.hosting.bundle import pack
from arena.hosting.limits import DEFAULT_LIMITS
from arena.hosting.messages import TrialOutcome, TrialOutput
from tests.site.chromium import chromium, in_chromium, listen
from tests.site.one_runner import OneRunner
from tests.site.test_browser import AXE, faults
from tests.site.test_live import elsewhere
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.budget import LIVE, REFRESHED
from webui.hosting.models import Submission
from webui.writing import jobs
from webui.writing.example import EXAMPLE
from webui.writing.models import Trial

pytestmark = pytest.mark.django_db

CRASHING = """from arena.bots import Bot


class MyBot(Bot):
    def choose(self, view, legal):
        print("<b>phase</b>", view.phase)
        if view.phase == "tribe":
            return legal[10_000]
        return legal[0]
"""
"""The phase comes in the bot's first turn. The tag shows whether output is escaped."""


def run(client: Client, source: str, opponent: str = "random") -> Any:
    return client.post("/write/", {"act": "run", "source": source, "opponent": opponent})


def text(answer: Any) -> str:
    return str(answer.content.decode())


def test_the_page_begins_with_a_bot_that_plays(runner: OneRunner) -> None:
    page = text(Client().get("/write/"))
    assert "class MyBot(Bot):" in page and "No machine of this arena" not in page
    answer = run(Client(), EXAMPLE)
    assert answer.status_code == 302
    runner.play()
    page = text(Client().get(answer.url))
    assert "Your bot won" in page or "Your bot lost" in page
    for check in ("It starts and says hello.", "All its actions are legal.", "It answers in time."):
        assert check in page
    assert "bid - " in page and " legal actions" in page, "what it printed"
    frames = Client().get(f"{answer.url}frames.json", headers={"accept-encoding": "gzip"})
    assert (frames.status_code, frames["Content-Encoding"]) == (200, "gzip")


def test_an_exception_is_shown_where_it_came_and_output_is_escaped(runner: OneRunner) -> None:
    answer = run(Client(), CRASHING)
    waiting = text(Client().get(answer.url))
    assert (
        "It is next." in waiting
        and "The sandbox starts." not in waiting
        and '<noscript><meta http-equiv="refresh"' in waiting
    )
    runner.play()
    page = text(Client().get(answer.url))
    assert "An answer is wrong." in page and "unreadable answer" in page and "MALFORMED" not in page
    assert "of 3000 ms" in page and "of 20000 ms" in page and "the answer has no action" in page
    assert "IndexError: tuple index out of range" in page and 'data-line="8"' in page
    assert "&lt;b&gt;phase&lt;/b&gt; tribe" in page and "<b>phase" not in page
    # Without a script, the links show each decision; the first one that went wrong is shown at once.
    record = json.loads(Trial.objects.get().replay)
    own = [index for index, event in enumerate(record["events"]) if event[0] == 1]
    wrong = own.index(record["incidents"][0]["at"]) + 1
    assert f"<span data-number>{wrong}</span>" in page
    assert "<span data-number>1</span>" in text(Client().get(f"{answer.url}?step=1"))
    for odd in ("0", "99999", "x", "٣", "-1"):
        assert f"<span data-number>{wrong}</span>" in text(Client().get(answer.url, {"step": odd}))


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("def broken(:\n", ("Your bot did not play", "SyntaxError", "It does not start.", 'data-line="1"')),
        ("x = 1\n", ("Your bot did not play", "bot.py has no bot", "its program ended with exit code 1")),
    ],
)
def test_a_bot_that_does_not_start_says_why(runner: OneRunner, source: str, words: tuple[str, ...]) -> None:
    answer = run(Client(), source)
    runner.play()
    page = text(Client().get(answer.url))
    assert [word for word in words if word not in page] == []
    assert Client().get(f"{answer.url}frames.json").status_code == 404


@pytest.mark.parametrize(
    ("source", "words"),
    [
        (EXAMPLE, ("Your bot has passed the examination", "numbers of players: 2, 3, 4, 5.")),
        ("x = 1\n", ("Your bot has not passed the examination", "not checked", "exit code 1, in the check dials-in")),
    ],
)
def test_a_program_is_examined_as_a_submission(runner: OneRunner, source: str, words: tuple[str, ...]) -> None:
    answer = Client().post("/write/", {"act": "examine", "source": source, "opponent": "random"})
    runner.play()
    page = text(Client().get(answer.url))
    assert [word for word in words if word not in page] == []
    assert "It answers a request with a legal action." in page and "data-walk" not in page


def test_a_wrong_answer_is_shown_with_what_is_wrong_about_it(runner: OneRunner) -> None:
    answer = run(Client(), EXAMPLE.replace("return legal[0]", 'return "bid <9>" if view.phase == "bid" else legal[0]'))
    runner.play()
    page = text(Client().get(answer.url))
    assert "unreadable answer" in page and "Your bot answered:" in page and "<code>bid &lt;9&gt;</code>" in page


def test_a_trial_that_no_runner_finishes_says_so(runner: OneRunner) -> None:
    answer = run(Client(), EXAMPLE)
    for _ in range(jobs.MOST_FAILURES):
        trial = jobs.take_trial(runner.id)
        assert trial is not None
        jobs.return_trial(runner.id, trial.id, trial.epoch, is_failure=True)
    assert "That is no fault of your bot. Run it again." in text(Client().get(answer.url))


def test_a_game_without_a_result_is_shown(runner: OneRunner) -> None:
    """Such as one that both would have forfeited, and one whose record has no decision."""
    run(Client(), EXAMPLE)
    trial = jobs.take_trial(runner.id)
    assert trial is not None
    outcome = TrialOutcome(fault="CRASHED", fault_text="it <crashed>", outputs=(TrialOutput(stdout="<hi>"),))
    jobs.finish_trial(runner.id, trial.id, trial.epoch, outcome)
    page = text(Client().get(reverse("trial", args=[Trial.objects.get().key])))
    assert "it &lt;crashed&gt;" in page and "&lt;hi&gt;" in page


def test_a_page_of_an_arena_without_runners_says_so() -> None:
    page = text(Client().get("/write/"))
    assert "No machine of this arena plays bots now" in page and "disabled" in page
    refused = run(Client(), EXAMPLE)
    assert refused.status_code == 422 and "No machine of this arena plays bots now" in text(refused)
    assert not Trial.objects.exists()


@pytest.mark.parametrize(
    ("form", "words"),
    [
        ({"source": ""}, "There is no program."),
        ({"source": "x" * 65_537}, "The program is larger than 64 KB."),
        ({"source": "x", "opponent": "nobody"}, "&#x27;nobody&#x27; is no opponent"),
        ({"source": "x", "opponent": "<b>"}, "is no opponent"),
    ],
)
def test_bad_input_is_refused_and_stays_in_the_form(runner: OneRunner, form: dict[str, str], words: str) -> None:
    answer = Client().post("/write/", {"act": "run", "opponent": "greedy", **form})
    assert answer.status_code == 422 and words in text(answer) and "<b>" not in text(answer)
    assert len(form["source"]) > 9 or f">\n{form['source']}</textarea>" in text(answer)


def test_who_tries_too_much_waits(runner: OneRunner) -> None:
    answers = [run(Client(), EXAMPLE).status_code for _ in range(11)]
    assert answers == [302] * 10 + [429]


def test_a_form_of_another_site_is_refused(runner: OneRunner) -> None:
    client = Client(enforce_csrf_checks=True)
    assert run(client, EXAMPLE).status_code == 403
    client.get("/write/")
    token = client.cookies["csrftoken"].value
    form = {"act": "run", "source": EXAMPLE, "opponent": "random", "csrfmiddlewaretoken": token}
    assert client.post("/write/", form).status_code == 302


def test_owners_hand_the_program_in(runner: OneRunner) -> None:
    owner, other = (account_actions.create_user(name, None) for name in ("ada", "ben"))
    bot_actions.register_bot(owner, "Dune Fox")
    bot_actions.register_bot(other, "Other")
    form = {"act": "submit", "source": EXAMPLE, "bot": "dune-fox"}
    stranger = Client().post("/write/", form)
    assert stranger.status_code == 302 and stranger.url.startswith("/sign-in/?next=")
    client = Client()
    client.force_login(get_user_model().objects.get(pk=owner))
    assert "Hand it in as a version of" in text(client.get("/write/"))
    assert client.post("/write/", {**form, "bot": "other"}).status_code == 404
    assert client.post("/write/", {**form, "source": " "}).status_code == 422
    answer = client.post("/write/", form)
    made = Submission.objects.get()
    assert answer.url == f"/bots/dune-fox/submissions/{made.pk}/"
    assert (made.version, made.files, json.loads(made.manifest)["language"]) == ("v1", 1, "python")


@pytest.mark.parametrize(
    ("source", "command"),
    [
        (EXAMPLE, ["python3", "-m", "arena.bots", "bot.py"]),
        (f"{EXAMPLE}\n\nif __name__ == '__main__':\n    pass\n", ["python3", "bot.py"]),
    ],
)
def test_the_program_is_downloaded_as_the_folder_of_a_bot(tmp_path: Path, source: str, command: list[str]) -> None:
    answer = Client().post("/write/", {"act": "download", "source": source})
    assert answer["Content-Disposition"] == 'attachment; filename="mybot.zip"'
    (tmp_path / "mybot.zip").write_bytes(answer.content)
    bundle = pack(tmp_path / "mybot.zip", "mybot.zip", tmp_path / "bundle", DEFAULT_LIMITS)
    assert (list(bundle.manifest.command), bundle.files) == (command, 2)
    assert Client().post("/write/", {"act": "download", "source": ""}).status_code == 422


def test_addresses_of_trials_are_limited_as_those_of_other_live_pages(runner: OneRunner) -> None:
    where = run(Client(), EXAMPLE).url
    assert LIVE.fullmatch(f"{where}live") and REFRESHED.fullmatch(f"{where}parts/")
    parts = text(Client().get(f"{where}parts/"))
    assert "data-live" in parts and "<html" not in parts
    assert Client().get("/write/nothing/").status_code == 404
    assert "noindex" in text(Client().get(where)) and "no-store" in Client().get(where)["Cache-Control"]


# In a browser


def editor(page: Any) -> Any:
    return page.get_by_role("textbox", name="Program in Python")


@pytest.mark.slow
@in_chromium[0]
@in_chromium[1]
def test_a_program_is_edited_and_run_with_the_keyboard_alone(site_with_runner: tuple[str, OneRunner]) -> None:
    address, runner = site_with_runner
    with chromium() as browser:
        context = browser.new_context(viewport={"width": 1280, "height": 720})
        page = context.new_page()
        complaints = listen(page)
        page.goto(f"{address}/write/")
        page.evaluate("window.isTheSamePage = true")
        expect(page.locator(".writing-editor .cm-content")).to_be_visible()
        editor(page).focus()
        page.keyboard.press("Control+a")
        page.keyboard.press("Delete")  # Chromium itself keeps the style of a text that is typed over, and is refused
        for line in ("from arena.bots import Bot", "class Mine(Bot):", "def choose(self, view, legal):"):
            page.keyboard.type(line)
            page.keyboard.press("Enter")
        page.keyboard.type("return legal[99_999]")
        page.keyboard.press("Control+Enter")
        expect(page.get_by_role("heading", name="Waiting for a place")).to_be_visible()
        elsewhere(runner.play)
        expect(page.get_by_role("heading", name="Your bot forfeited the game")).to_be_visible()
        expect(page.locator(".is-now .trial-error")).to_contain_text("IndexError")
        expect(page.locator(".cm-wrong")).to_have_text("        return legal[99_999]")
        expect(page.locator("[data-walk][data-ready]")).to_have_count(1)
        # What can follow a point is offered, and Enter stays a new line until an arrow key chooses something.
        editor(page).focus()
        page.keyboard.press("Control+End")
        page.keyboard.press("Enter")
        page.keyboard.type("view.mark")
        expect(page.locator(".cm-wrong")).to_have_count(0)  # the program was changed
        expect(page.locator(".cm-tooltip-autocomplete li")).to_contain_text("market")
        page.keyboard.press("ArrowDown")
        expect(page.locator(".cm-completionInfo")).to_contain_text("Open row of resource cards")
        page.keyboard.press("Enter")
        expect(page.locator(".cm-activeLine")).to_have_text("        view.market")
        page.keyboard.press("Shift+Home")
        page.keyboard.press("Backspace")
        # Escape and Tab leave the editor; Tab alone would indent.
        page.keyboard.press("Escape")
        page.keyboard.press("Tab")
        assert page.evaluate("document.activeElement.name") == "opponent"
        page.keyboard.press("ArrowUp")
        for act in ("examine", "run"):
            page.keyboard.press("Tab")
            assert page.evaluate("document.activeElement.value") == act
        page.locator(".lesson-steps").focus()
        before = page.locator("[data-number]").inner_text()
        page.keyboard.press("ArrowRight")
        expect(page.locator("[data-number]")).to_have_text(str(int(before) + 1))
        assert page.evaluate("window.isTheSamePage") and complaints == []
        # The draft is there again in another tab, and the trial at its own address.
        again = context.new_page()
        again.goto(f"{address}/write/")
        expect(again.locator(".cm-content")).to_contain_text("return legal[99_999]")
        assert page.url.startswith(f"{address}/write/") and len(page.url) > len(f"{address}/write/")
        page.evaluate(AXE)
        assert faults(page) == []


@pytest.mark.slow
@in_chromium[0]
@in_chromium[1]
def test_the_page_works_without_scripts_and_on_a_phone(site_with_runner: tuple[str, OneRunner]) -> None:
    address, runner = site_with_runner
    with chromium() as browser:
        context = browser.new_context(java_script_enabled=False, viewport={"width": 390, "height": 844})
        page = context.new_page()
        page.goto(f"{address}/write/")
        editor(page).fill(CRASHING)
        page.get_by_label("Against").select_option("random")
        page.get_by_role("button", name="Run").click()
        expect(page.get_by_role("heading", name="Waiting for a place")).to_be_visible()
        elsewhere(runner.play)
        page.goto(page.url)
        expect(page.locator(".is-now .trial-error")).to_contain_text("IndexError")
        page.get_by_role("link", name="Next").click()
        expect(page.locator(".is-now .trial-error")).to_have_count(0)
        assert editor(page).input_value() == CRASHING
        width = page.locator("body").bounding_box()["width"]
        assert width <= 390
