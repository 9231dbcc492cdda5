"""`arena event` on a server, from the terms to a document that anybody can prove."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from arena.cli import event
from arena.cli.files import InputError
from tests.kit.ladder import Kit
from tests.ladder.organised import Organised
from webui.accounts import actions as account_actions
from webui.accounts.models import User
from webui.events.facts import find_event

pytestmark = pytest.mark.django_db

TERMS = """
name = "Winter Cup"
unit = "block"
[format]
kind = "gauntlet"
[game]
players = 2
"""


def run(*words: str) -> Any:
    return CliRunner().invoke(event.app, list(words))


class FromTheCommandLine(Organised):
    """The same, by commands alone."""

    def __init__(self, kit: Kit, bots: int, tmp_path: Path) -> None:
        super().__init__(kit, bots)
        User.objects.filter(pk=self.organiser).update(is_staff=True)  # staff enter bots of anybody
        (tmp_path / "cup.toml").write_text(TERMS)
        made = run("new", str(tmp_path / "cup.toml"), "--organiser", "orga")
        assert made.exit_code == 0, made.output
        self.slug = made.stdout.strip()


@pytest.mark.slow
def test_an_event_by_commands_alone_is_proved_from_its_export(kit: Kit, tmp_path: Path) -> None:
    cup = FromTheCommandLine(kit, 3, tmp_path)
    assert run("publish", cup.slug).exit_code == 0
    cup.advance()
    assert run("enter", cup.slug, *(bot.slug for bot in cup.bots)).exit_code == 0
    assert run("start", cup.slug).exit_code == 0
    assert run("pause", cup.slug).exit_code != 0, "it has not started yet"
    cup.advance()
    assert run("pause", cup.slug, "--why", "lunch").exit_code == 0
    assert run("resume", cup.slug).exit_code == 0
    export = tmp_path / "cup.jsonl.zst"
    early = run("export", cup.slug, str(export))
    assert isinstance(early.exception, InputError) and "over" in str(early.exception)
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


def test_games_are_named_by_round_table_and_number(kit: Kit) -> None:
    cup = Organised(kit, 2, unit="block")
    cup.start()
    cup.play()
    cup.advance()
    for words, said in (("1.x",), "ROUND.TABLE"), (("2",), "nothing was drawn for 2"), ((), "say which games"):
        wrong = run("again", cup.slug, *words)
        assert isinstance(wrong.exception, InputError) and said in str(wrong.exception)
    account_actions.create_user("stranger", None)
    refused = run("again", cup.slug, "1.1", "--as", "stranger")
    assert isinstance(refused.exception, InputError) and "organisers" in str(refused.exception)
    assert find_event(cup.slug).state == "finished", "two games were the whole event"
