"""What staff are told of: accounts that may have one owner, and tables at which bots may help one another."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from operator import itemgetter
from pathlib import Path

import pytest
from django.db.models import F
from django.utils import timezone
from typer.testing import CliRunner

from arena.cli.files import InputError
from arena.fairness import kingmaking
from arena.local import play_local_games
from arena.rules import Ruleset
from tests.kit.ladder import Kit
from webui.accounts import actions as account_actions
from webui.accounts.models import User
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.bots.models import Bot, BotToken
from webui.commands import report
from webui.fairness import actions as fairness_actions
from webui.fairness import helping, suspicions
from webui.fairness.models import FairnessReport, HelpMeasure
from webui.matches import queries as match_queries
from webui.matches.models import Match, MatchRecord, MatchState

pytestmark = pytest.mark.django_db
NOON = datetime(2026, 11, 23, 12, tzinfo=UTC)


def owner(kit: Kit, name: str, address: str = "") -> int:
    """A user with a bot whose token was used from there; signed up a day from everybody else."""
    user = account_actions.create_user(name, None)
    bot = bot_actions.register_bot(user, f"Bot of {name}")
    token_actions.issue_token(bot)
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
            at = now - timedelta(hours=hour + 1)
            Match.objects.filter(pk=match_id).update(state=MatchState.VOID, started_at=at, finished_at=at)
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
    error = runner.invoke(report.app, ["collusion"]).exception
    assert isinstance(error, InputError) and "nothing is measured yet" in str(error)


@pytest.mark.slow
def test_when_a_day_is_over_its_tables_are_measured_in_steps(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    versions = kit.versions(3)
    matches = [kit.finish(versions).match_id for _ in range(3)]
    duel = kit.finish(versions[:2]).match_id  # of two players nobody can help a third
    for number, match_id in enumerate([*matches, duel]):
        Match.objects.filter(pk=match_id).update(finished_at=NOON + timedelta(seconds=number))
    # The day is a given one, so that the test does not depend on the time at which it runs.
    monkeypatch.setattr(timezone, "now", lambda: NOON + timedelta(hours=1))
    assert fairness_actions.report_fairness() == 4 and helping.measure_helps() == 0, "the day is not over"
    monkeypatch.setattr(timezone, "now", lambda: NOON + timedelta(days=1))
    assert fairness_actions.report_fairness() == 0 and FairnessReport.objects.get().is_closed
    monkeypatch.setattr(kingmaking, "FEWEST", 2)
    monkeypatch.setattr(helping, "MOST", 2)
    assert helping.measure_helps(is_stopping=iter([False, True]).__next__) == 1
    assert suspicions.who_helps_whom() is None, "not yet all of them"
    assert helping.measure_helps() == 1 and helping.measure_helps() == 0
    records = [match_queries.match_record(match_id) for match_id in matches[1:]]  # the latest two
    keys = {bot.name: str(bot.pk) for bot in Bot.objects.all()}
    measured = [
        [one._replace(helper=keys[one.helper], helped=keys[one.helped]) for one in kingmaking.helps(record)]
        for record in records
        if record is not None
    ]
    assert measured[0] and dict(HelpMeasure.objects.values_list("pk", "helps")) == {
        match_id: [one._asdict() for one in helps] for match_id, helps in zip(matches[1:], measured, strict=True)
    }
    forgotten = Bot.objects.get(versions=versions[0])
    Bot.objects.filter(pk=forgotten.pk).update(name="Retired bot")
    day, result = suspicions.who_helps_whom() or (None, kingmaking.pairs([]))
    found = result.document()
    names = {key: name for name, key in keys.items()} | {str(forgotten.pk): "Retired bot"}
    expected = kingmaking.pairs(measured).document()
    for pair in expected["pairs"]:
        pair |= {side: names[pair[side]] for side in ("helper", "helped")}
    assert any("Retired bot" in itemgetter("helper", "helped")(pair) for pair in found["pairs"])
    assert day == NOON.date()
    for document in (found, expected):
        document["pairs"].sort(key=itemgetter("helper", "helped"))  # some are as likely as others
    assert found == expected and found["games"] == 2
    runner = CliRunner()
    printed = json.loads(runner.invoke(report.app, ["collusion", "--json"]).output)
    assert (printed["date"], printed["games"], len(printed["pairs"])) == (str(day), 2, len(found["pairs"]))
    shown = runner.invoke(report.app, ["collusion"]).output
    assert shown.startswith(f"2 games, a month until {day}, ") and "no null distribution" in shown
    HelpMeasure.objects.all().delete()
    FairnessReport.objects.update(pairs=None)
    MatchRecord.objects.filter(match=matches[2]).update(packed=b"?")
    assert helping.measure_helps() == 2 and HelpMeasure.objects.get(match=matches[2]).helps == []
    HelpMeasure.objects.update(finished_at=F("finished_at") - timedelta(days=31))
    FairnessReport.objects.update(pairs=None)
    monkeypatch.setattr(helping, "MOST", 1)
    assert helping.measure_helps() == 0 and not HelpMeasure.objects.exists(), "they are too old"


def test_a_record_of_a_file_that_does_not_follow_is_named(tmp_path: Path) -> None:
    (game,) = play_local_games(Ruleset(2), bytes(32), ["random", "random"], 1)
    changed = game.document()
    changed["events"][0][1] = "bid 99"
    file = tmp_path / "games.jsonl"
    file.write_text(json.dumps(game.document()) + "\n" + json.dumps(changed) + "\n")
    error = CliRunner().invoke(report.app, ["collusion", str(file)]).exception
    assert isinstance(error, InputError) and f"{file}, record 2 does not follow" in str(error)
