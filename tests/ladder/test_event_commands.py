"""`arena event` on an arena, from the terms to a document that anybody can prove."""

import io
import json
from email.message import Message
from pathlib import Path
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request

import pytest
from django.test import Client
from typer.testing import CliRunner

from arena.cli import event, fetching
from arena.cli.files import InputError
from tests.kit.ladder import Kit
from tests.ladder.organised import Organised
from webui.accounts import actions as account_actions
from webui.accounts.models import User
from webui.accounts.values import API_SCOPES
from webui.bots import token_actions
from webui.events.facts import find_event
from webui.events.models import EventBot

pytestmark = pytest.mark.django_db

TERMS = """
name = "Winter Cup"
unit = "block"
[format]
kind = "gauntlet"
[game]
players = 2
"""


class Opener:
    """Sends the requests of commands to the site in this process."""

    def open(self, request: Request, timeout: float) -> io.BytesIO:
        path = request.full_url.removeprefix("http://127.0.0.1:8000")
        headers = {name.title(): value for name, value in request.header_items()}
        content_type = headers.pop("Content-Type", "")
        answer: Any = Client().generic(request.get_method(), path, request.data or b"", content_type, headers=headers)
        content = io.BytesIO(answer.getvalue())
        if answer.status_code >= 400:
            named = Message()
            for name, value in answer.headers.items():
                named[name] = value
            raise HTTPError(request.full_url, answer.status_code, answer.reason_phrase, named, content)
        return content


@pytest.fixture(autouse=True)
def site(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetching, "build_opener", lambda *handlers: Opener())
    monkeypatch.delenv("ARENA_SITE", raising=False)


def run(*words: str) -> Any:
    return CliRunner().invoke(event.app, list(words))


def sign_in(monkeypatch: pytest.MonkeyPatch, user_id: int) -> None:
    """Give the commands an API token of this user."""
    monkeypatch.setenv("ARENA_TOKEN", token_actions.issue_api_token(user_id, API_SCOPES).token)


def refusal(*words: str) -> str:
    error = run(*words).exception
    assert isinstance(error, InputError)
    return str(error)


class FromTheCommandLine(Organised):
    """The same, by commands alone."""

    def __init__(self, kit: Kit, bots: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        super().__init__(kit, bots)
        User.objects.filter(pk=self.organiser).update(is_staff=True)  # staff enter bots of anybody
        sign_in(monkeypatch, self.organiser)
        (tmp_path / "cup.toml").write_text(TERMS)
        made = run("new", str(tmp_path / "cup.toml"), "--publish")
        assert made.exit_code == 0, made.output
        self.slug = made.stdout.strip()


@pytest.mark.slow
def test_an_event_by_commands_alone_is_proved_from_its_export(
    kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cup = FromTheCommandLine(kit, 3, tmp_path, monkeypatch)
    cup.advance()
    bots = [bot.slug for bot in cup.bots]
    assert "nobody" in refusal("enter", cup.slug, *bots, "nobody")
    assert not EventBot.objects.filter(event__slug=cup.slug).exists(), "all of them are entered, or none"
    assert run("enter", cup.slug, *bots).exit_code == 0
    assert run("start", cup.slug).exit_code == 0
    assert run("pause", cup.slug).exit_code != 0, "it has not started yet"
    cup.advance()
    assert run("pause", cup.slug, "--why", "lunch").exit_code == 0
    assert run("resume", cup.slug).exit_code == 0
    export = tmp_path / "cup.jsonl.zst"
    assert "over" in refusal("export", cup.slug, str(export)) and not export.exists()
    assert "no%20such%20cup/event.jsonl.zst does not exist" in refusal("export", "no such cup", str(export))
    cup.to_the_end()
    shown = json.loads(run("show", cup.slug, "--json").stdout)
    assert shown["state"] == "finished" and [row["games"] for row in shown["standings"]].count(4) == 1
    assert json.loads(run("list", "--json").stdout)[0]["event"] == cup.slug
    assert f"{cup.slug}\tfinished\t3 bots\tWinter Cup\n" in run("list").stdout
    assert run("export", cup.slug, str(export)).exit_code == 0
    proved = run("verify", str(export), "--json")
    assert proved.exit_code == 0, proved.output
    found = json.loads(proved.stdout)
    assert (found["valid"], found["draws"], found["results"], found["results_proved"]) == (True, 2, 4, True)
    assert run("export", cup.slug, str(export), "--no-replays").exit_code == 0
    assert json.loads(run("verify", str(export), "--json").stdout)["results_proved"] is False


def test_a_draft_is_published_and_cancelled(kit: Kit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    orga = account_actions.create_user("orga", None)
    (tmp_path / "cup.toml").write_text(TERMS)
    assert "ARENA_TOKEN" in str(run("new", str(tmp_path / "cup.toml")).output)
    sign_in(monkeypatch, orga)
    (tmp_path / "wrong.toml").write_text(TERMS + "sea = 1")
    assert "sea" in refusal("new", str(tmp_path / "wrong.toml"))
    slug = run("new", str(tmp_path / "cup.toml")).stdout.strip()
    assert find_event(slug).asked == "" and run("publish", slug).exit_code == 0
    assert find_event(slug).asked == "publish"
    assert "--why" in run("cancel", slug).output, "others are told why"
    assert run("cancel", slug, "--why", "rain").exit_code == 0 and find_event(slug).asked_why == "rain"


def test_games_are_named_by_round_table_and_number(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 4, format={"kind": "swiss", "rounds": 1}, unit="block")
    cup.start()
    cup.play()
    sign_in(monkeypatch, cup.organiser)
    assert run("pause", cup.slug).exit_code == 0
    cup.advance()
    why = ("--why", "the wrong version")
    for words, said in (("1.x",), "ROUND.TABLE"), (("2",), "no such games were drawn"), ((), "say which games"):
        assert said in refusal("again", cup.slug, *words, *why)
    assert len(cup.event.games) == 4
    assert run("again", cup.slug, "1.1.0", "1.2", "1.2.1", *why).exit_code == 0
    assert set(cup.event.games) == {(1, 1, 1)}
    sign_in(monkeypatch, account_actions.create_user("stranger", None))
    assert "organisers" in refusal("again", cup.slug, "1.1", *why)
