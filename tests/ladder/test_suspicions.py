"""What staff are told of: accounts that may have one owner, and tables at which bots may help one another."""

from __future__ import annotations

import json
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db.models import F
from django.utils import timezone
from typer.testing import CliRunner

from arena.cli.files import InputError
from arena.local import play_local_games
from arena.rules import Ruleset
from tests.kit.ladder import Kit
from webui.commands import report
from webui.ladder import actions
from webui.ladder.models import BotToken, Match, User
from webui.ladder.queries import suspicions

pytestmark = pytest.mark.django_db


def owner(kit: Kit, name: str, address: str = "") -> int:
    """A user with a bot whose token was used from there; signed up a day from everybody else."""
    user = actions.create_user(name, None)
    bot = actions.register_bot(user, f"Bot of {name}")
    actions.issue_token(bot)
    BotToken.objects.filter(bot_id=bot).update(last_address=address)
    apart = timedelta(days=User.objects.count())
    User.objects.filter(pk=user).update(date_joined=timezone.now() - apart)
    return user


def alike() -> dict[tuple[str, str], tuple[str, ...]]:
    return {one.accounts: one.reasons for one in suspicions.accounts_alike()}


def test_a_common_address_is_enough_but_not_that_of_a_school(kit: Kit) -> None:
    for name in ("ada", "bo"):
        owner(kit, name, "203.0.113.7")
    for name in ("s1", "s2", "s3", "s4", "s5", "s6"):
        owner(kit, name, "198.51.100.1")
    owner(kit, "cy", "192.0.2.1")
    assert alike() == {("ada", "bo"): ("both were seen at 203.0.113.7",)}


def test_sign_up_alone_is_not_enough_and_hours_beside_it_are(kit: Kit) -> None:
    ada, bo, cy = (owner(kit, name) for name in ("ada", "bo", "cy"))
    User.objects.filter(pk=bo).update(date_joined=User.objects.get(pk=ada).date_joined + timedelta(minutes=4))
    assert alike() == {}
    versions = {user: kit.version(owner=user) for user in (ada, bo, cy)}
    now = timezone.now().replace(minute=30)
    for hour in range(60):
        # ada and bo play in the same thirty hours of sixty, cy in the others.
        present = [versions[ada], versions[bo]] if hour % 2 else [versions[cy]]
        for version in present:
            match_id = kit.match([version, kit.version()])
            Match.objects.filter(pk=match_id).update(started_at=now - timedelta(hours=hour + 1))
    reasons = alike()
    assert reasons == {
        ("ada", "bo"): ("signed up 4 minutes apart", "their bots played in the same 30 hours of the last 14 days")
    }


def test_commands_for_staff(kit: Kit) -> None:
    for name in ("ada", "bo"):
        owner(kit, name, "203.0.113.7")
    runner = CliRunner()
    shown = runner.invoke(report.app, ["accounts"])
    assert shown.exit_code == 0 and "ada, bo: both were seen at 203.0.113.7" in shown.output
    assert json.loads(runner.invoke(report.app, ["accounts", "--json"]).output)[0]["accounts"] == ["ada", "bo"]
    kit.finish(kit.versions(3))
    kit.finish(kit.versions(2))
    found: Any = json.loads(runner.invoke(report.app, ["collusion", "--json"]).output)
    assert found == {"games": 1, "null_scale": None, "pairs": []}
    Match.objects.update(finished_at=F("finished_at") - timedelta(days=40))
    shown = runner.invoke(report.app, ["collusion"])
    assert shown.output.startswith("0 games, 0 pairs") and "no null distribution" in shown.output


def test_a_record_of_a_file_that_does_not_follow_is_named(tmp_path: Path) -> None:
    (game,) = play_local_games(Ruleset(2), bytes(32), ["random", "random"], 1)
    changed = game.document()
    changed["events"][0][1] = "bid 99"
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(game.document()) + "\n" + json.dumps(changed) + "\n")
    error = CliRunner().invoke(report.app, ["collusion", str(file)]).exception
    assert isinstance(error, InputError) and f"{file}, record 2 does not follow" in str(error)
