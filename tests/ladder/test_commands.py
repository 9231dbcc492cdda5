"""`arena user` and `arena ratings`, and the processes' settings."""

import json
import logging
from contextlib import redirect_stderr
from io import StringIO
from typing import Any

import pytest
import structlog
from django.conf import settings
from django.contrib.auth import authenticate
from django.core.management import call_command
from django.db.models import F
from typer.testing import CliRunner

from arena.cli.files import InputError
from arena.host.logs import configure, logging_config
from arena.ratings.standing import RatedStanding as Shown
from tests.kit.ladder import Kit
from webui.accounts.values import API_SCOPES
from webui.bots import token_queries
from webui.commands import admin, ratings, user
from webui.ladders.models import Ladder
from webui.matches import ownership
from webui.matches import queries as match_queries
from webui.matches import values as match_values
from webui.matches.models import MatchRecord, Participant
from webui.ratings import queries as rating_queries
from webui.ratings.checks import _unclear, check_ratings
from webui.ratings.fitting import fit_due
from webui.ratings.models import PublishedRating, Standing

pytestmark = pytest.mark.django_db


def run(app: Any, *words: str) -> Any:
    return CliRunner().invoke(app, list(words))


def test_an_admin_is_created_and_may_sign_in() -> None:
    result = run(user.app, "create", "vizier", "--role", "admin")
    assert result.exit_code == 0, result.output
    assert authenticate(username="vizier", password=result.stdout.strip()) is not None
    again = run(user.app, "create", "vizier")
    assert isinstance(again.exception, InputError) and "vizier" in str(again.exception)


def test_a_bot_is_registered_and_its_tokens_open_it() -> None:
    run(user.app, "create", "nadir", "--password", "sirocco-7-dunes")
    first = run(user.app, "register-bot", "nadir", "Sand Fox", "--description", "Likes dunes.")
    second = run(user.app, "issue-token", "Sand Fox")
    for result in (first, second):
        identity = token_queries.session_for_token(result.stdout.strip())
        assert identity and identity.bot_name == "Sand Fox"
    assert isinstance(run(user.app, "register-bot", "nobody", "Fox").exception, InputError)
    assert isinstance(run(user.app, "register-bot", "nadir", "sand-fox").exception, InputError)
    assert isinstance(run(user.app, "issue-token", "Fox").exception, InputError)


def test_an_api_token_of_a_user_has_the_scopes_that_were_named() -> None:
    run(user.app, "create", "nadir", "--password", "sirocco-7-dunes")
    for words, scopes in ((), set(API_SCOPES)), (("--scope", "read", "--scope", "events"), {"read", "events"}):
        found = token_queries.caller(run(user.app, "issue-api-token", "nadir", *words).stdout.strip())
        assert found and found.scopes == scopes
    assert isinstance(run(user.app, "issue-api-token", "nobody").exception, InputError)
    assert isinstance(run(user.app, "issue-api-token", "nadir", "--scope", "play").exception, InputError)


def test_ratings_are_rebuilt_and_differences_fail_the_command(kit: Kit) -> None:
    kit.finish()
    fit_due()
    before = rating_queries.ladder("2-players-60-s-1-s")
    assert run(ratings.app, "check").exit_code == 0
    Standing.objects.update(mu=1)
    assert run(ratings.app, "check").exit_code == 1
    assert run(ratings.app, "rebuild", "2-players-60-s-1-s").exit_code == 1
    assert "equal" in run(ratings.app, "rebuild").output and run(ratings.app, "check").exit_code == 0
    assert rating_queries.ladder("2-players-60-s-1-s").rows == before.rows
    for command in ("check", "rebuild"):
        assert isinstance(run(ratings.app, command, "no-ladder").exception, InputError)


def test_ratings_are_computed_again_from_the_records(kit: Kit) -> None:
    versions = kit.versions(4)
    for turn in range(4):
        kit.finish([versions[seat - turn] for seat in range(3)])
        kit.finish([versions[turn - 1], versions[turn]])
    fit_due()
    kit.finish(versions[:3])  # it is not published yet
    result = run(ratings.app, "check", "--json")
    assert result.exit_code == 0, result.output
    assert [(one["matches"], one["fitted"], one["differences"]) for one in json.loads(result.stdout)] == [
        (4, 4, []), (5, 4, []), (8, 8, []),
    ]  # fmt: skip
    broken = MatchRecord.objects.order_by("match_id").last()
    assert broken is not None
    MatchRecord.objects.filter(pk=broken.pk).update(packed=b"no gzip")
    result = run(ratings.app, "check", "--json")
    assert result.exit_code == 1, result.output
    differences = [one["differences"] for one in json.loads(result.stdout)]
    assert [len(found) for found in differences] in ([1, 0, 1], [0, 1, 1])
    assert f"match {broken.pk}: its record cannot be read" in (differences[0] + differences[1])[0]
    assert differences[2] == ["not compared: records of its ladders cannot be read"]


def test_what_is_published_while_records_are_read_is_no_difference(kit: Kit) -> None:
    versions = [kit.version(is_house=True) for _ in range(3)] + kit.versions(1)
    for table in (versions[1:], versions[:3], versions[:2], versions[1:3], versions[2:], versions[:2]):
        kit.finish(table)
    fit_due()
    published = []

    def progress(name: str, done: int, total: int) -> None:
        if not published:
            kit.finish(versions[:3])
            kit.finish(versions[:2])
            published.extend(fit_due())

    checks = check_ratings(progress=progress)
    assert len(published) == 3
    assert [(one.fitted, one.differences) for one in checks] == [(4, []), (2, []), (6, [])]


def test_ranks_of_equals_and_of_their_neighbours_are_not_compared() -> None:
    points = {1: 1700, 2: 1600, 3: 1500, 4: 1500, 5: 1400, 6: 1300}
    shown = {
        bot: Shown(bot, at, at, at, rank, 1, 6, None, False, None) for rank, (bot, at) in enumerate(points.items(), 1)
    }
    assert _unclear(shown) == {2, 3, 4, 5}
    assert not _unclear({bot: shown[bot] for bot in (1, 2, 3, 5)})


def test_finishes_that_are_published_and_not_there_are_a_difference(kit: Kit) -> None:
    versions = kit.versions(3)
    for table in (versions, versions[:2], versions):
        kit.finish(table)
    fit_due()
    Ladder.objects.filter(slug="3-players-60-s-1-s").update(finished=1)
    *_, three, together = check_ratings()
    for check in (three, together):
        assert "the ratings of 3-players-60-s-1-s cover 2 finishes, but it has 1" in check.differences


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda: PublishedRating.objects.filter(rank=1).update(points=F("points") + 1), "points"),
        (
            lambda: PublishedRating.objects.filter(rank=1).update(rank=None, best_rank=None, worst_rank=None),
            "rank None",
        ),
        (lambda: PublishedRating.objects.filter(rank=1).update(games=9), "9 games"),
        (lambda: PublishedRating.objects.filter(rank=2).delete(), "is not published"),
        (lambda: Participant.objects.filter(seat=1).update(first_bid=3 - F("first_bid")), "first bidding"),
        (lambda: Participant.objects.update(placement=1), "result of seat"),
    ],
    ids=["points", "rank", "games", "missing", "bidding", "result"],
)
def test_a_rating_that_does_not_follow_from_the_records_is_found(kit: Kit, change: Any, said: str) -> None:
    versions = kit.versions(2)
    kit.finish(versions)
    kit.finish(versions[::-1])
    fit_due()
    assert run(ratings.app, "check").exit_code == 0
    change()
    result = run(ratings.app, "check", "2-players-60-s-1-s")
    assert result.exit_code == 1 and said in result.stderr


def test_the_models_and_the_migrations_agree() -> None:
    call_command("makemigrations", check=True, dry_run=True, verbosity=0)
    call_command("check", verbosity=0)


def test_log_lines_are_json_with_what_was_bound(capsys: pytest.CaptureFixture[str]) -> None:
    try:
        configure(logging_config("json", "INFO"))
        with structlog.contextvars.bound_contextvars(match="abc", seat=2):
            structlog.get_logger("arena.test").info("move arrived", index=7)
            logging.getLogger("somebody.else").warning("careful")
        ours, theirs = (json.loads(line) for line in capsys.readouterr().err.splitlines())
        configure(logging_config("console", "INFO"))
        with redirect_stderr(StringIO()) as other:
            logging.getLogger("somebody.else").warning("careful")
        assert "careful" in other.getvalue(), "wherever stderr is now"
    finally:
        configure(settings.LOGGING)
    assert (ours["event"], ours["match"], ours["seat"], ours["index"]) == ("move arrived", "abc", 2, 7)
    assert (theirs["event"], theirs["match"], theirs["level"]) == ("careful", "abc", "warning")
    with pytest.raises(ValueError, match="use console or json"):
        logging_config("xml", "INFO")


def test_a_match_is_voided_and_played_anew() -> None:
    kit = Kit()
    claim, _ = kit.ready_to_finish()
    words = ["void", claim.match_id, "--reason", "the hall is on fire"]
    done = run(admin.app, *words, "--again")
    page = match_queries.match_page(claim.match_id, hidden_too=True)
    assert done.output == f"void {claim.match_id}: done\n" and page.replaced_by
    assert (page.line.state, page.line.reason) == ("VOID", "the hall is on fire")
    with pytest.raises(match_values.LostOwnership):
        ownership.renew(claim.match_id, claim.epoch, 60)
    for again in (words, ["void", "nosuch", "--reason", "r"]):
        assert isinstance(run(admin.app, *again).exception, InputError)
