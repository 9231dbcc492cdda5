"""What gateways and the site can do with their roles in PostgreSQL, and what they cannot."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from django.apps import apps
from django.core.management import call_command
from django.db import IntegrityError, ProgrammingError, connection
from django.db.migrations.recorder import MigrationRecorder

from arena.hosting.messages import TrialOutcome
from tests.kit.arena.database import using
from tests.kit.databases import POSTGRES_ONLY
from tests.kit.ladder import Kit, Writer, play_out
from tests.kit.live import seen_match
from webui.accounts import actions as account_actions
from webui.accounts import erasure
from webui.accounts import values as account_values
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.bots.models import Bot
from webui.challenges import actions as challenge_actions
from webui.challenges import queries as challenge_queries
from webui.challenges.values import WantedSeat
from webui.commands.identities import DatabaseIdentities
from webui.core.errors import BadRequest
from webui.core.roles import set_up_gateway_role, set_up_site_role
from webui.core.subjects import subjects
from webui.events.eligibility import version_to_play
from webui.events.models import EventSecret
from webui.fairness.models import HelpMeasure
from webui.game_statistics.models import HeldCount, WinStreak
from webui.hosting import actions as hosting_actions
from webui.hosting import queries as hosting_queries
from webui.matches import ending
from webui.matches import queries as match_queries
from webui.matches.models import MatchSecret
from webui.open_data.models import HeldMatch
from webui.people import actions as people_actions
from webui.people import desk
from webui.people.models import Person
from webui.people.values import Visitor
from webui.webhooks.models import BotPresence
from webui.writing import actions as writing_actions
from webui.writing import jobs as trial_jobs
from webui.writing.models import Trial

pytestmark = pytest.mark.django_db(transaction=True)


on_postgresql = pytest.mark.parametrize("database", [POSTGRES_ONLY], indirect=True, scope="module")


@contextmanager
def role(name: str, postgres_url: str, set_up: Callable[[str], str]) -> Iterator[str]:
    """The database as this role reaches it."""
    url = postgres_url.replace("arena:", f"{name}:sirocco7dunes", 1)
    for _ in range(2):  # every `migrate` of a deployment is followed by it
        assert set_up(url) == name
    yield url
    connection.cursor().execute(f"DROP OWNED BY {name}; DROP ROLE {name}")


@pytest.fixture
def gateway_url(database: str, postgres_url: str) -> Iterator[str]:
    with role("arena_gateway", postgres_url, set_up_gateway_role) as url:
        yield url


@pytest.fixture
def site_url(database: str, postgres_url: str) -> Iterator[str]:
    with role("arena_site", postgres_url, set_up_site_role) as url:
        yield url


@on_postgresql
def test_a_gateway_does_its_work_with_its_role(gateway_url: str) -> None:
    kit = Kit()
    bot = bot_actions.register_bot(account_actions.create_user("ada", None), "Camel")
    token = token_actions.issue_token(bot).token
    match_id = kit.match()
    absent = bot_actions.register_bot(account_actions.create_user("bob", None), "Mule")
    token_of_absent = token_actions.issue_token(absent).token_id
    missed = kit.match([bot_actions.register_version(absent, "1"), kit.version()])
    ending.abort_match(missed, kit.claim(missed).epoch, "NO_ANSWER", [1])
    bot_actions.release_version(bot, "2", "Late.")
    bot_actions.register_version(bot, "3")

    async def work() -> tuple[Any, ...]:
        identities = DatabaseIdentities()
        try:
            found = [
                await identities.identify(token, "Camel", version, "8.8.8.8", lambda token_id: None)
                for version in ("1", "1", "2")
            ]
            tokens = [found[0].token_id, token_of_absent]
            resting = await identities.resting(tokens)
            return found, await identities.is_known(token), await identities.revoked(tokens), resting
        finally:
            identities.close()

    with using(gateway_url):
        found, is_known, revoked, resting = asyncio.run(work())
        assert match_queries.matches_of_bot(bot, [match_id]) == {}
        with pytest.raises(IntegrityError):  # one that has played stays
            connection.cursor().execute("DELETE FROM bots_botversion")
    assert [identity.bot_name for identity in found] == ["Camel"] * 3
    assert is_known and not revoked
    assert list(resting) == [token_of_absent]
    assert version_to_play(Bot.objects.get(pk=bot)) == "2", "its row was replaced"


@on_postgresql
def test_a_gateway_holds_people_with_its_role(gateway_url: str) -> None:
    visitor = Visitor(None, "a" * 64)
    rival = bot_actions.register_bot(account_actions.create_user("keeper", None), "Rival", is_house=True)
    people_actions.sit_down(visitor, [rival], (), "none")
    with using(gateway_url):
        held, answers = desk.look("gateway", [("match", 1, 3)], [(Person.objects.get().pk, "match")])
        assert (len(held), answers) == (1, {})
        desk.leave("gateway")


@on_postgresql
def test_a_gateway_hands_out_trials_with_its_role(gateway_url: str) -> None:
    runner = hosting_queries.runner_of_token(hosting_actions.register_runner("one"))
    assert runner is not None
    key = writing_actions.try_source(None, "203.0.113.1", "print()", "greedy")
    with using(gateway_url):
        lost = trial_jobs.take_trial(runner, "first")
        assert lost is not None
        trial_jobs.note_trial(runner, lost.id, lost.epoch, 5)
        trial_jobs.return_trial(runner, lost.id, lost.epoch, is_failure=True)
        taken = trial_jobs.take_trial(runner, "second")
        assert taken is not None
        trial_jobs.finish_trial(runner, taken.id, taken.epoch, TrialOutcome())
    row = Trial.objects.get(key=key)
    assert (row.state, row.failures) == ("DONE", 1)


@on_postgresql
def test_the_site_sees_of_a_running_match_what_spectators_see(site_url: str) -> None:
    kit = Kit()
    claim = kit.claim(kit.match())
    played = play_out(claim)
    Writer(claim).append(played.entries)
    live = seen_match(claim.match_id)
    with using(site_url):
        assert seen_match(claim.match_id) == live and live.position is not None
        assert rows("SELECT number FROM matches_logrow") == []
    ending.finish_match(claim.match_id, claim.epoch, played.verdict, played.document)
    with using(site_url):
        assert len(rows("SELECT number FROM matches_logrow")) == len(played.entries)
        assert len(match_queries.match_log(claim.match_id)) == len(played.entries)
        assert match_queries.match_record(claim.match_id) is not None


@on_postgresql
def test_the_site_makes_challenges_with_its_role(site_url: str) -> None:
    ada, bob = account_actions.create_user("ada", None), account_actions.create_user("bob", None)
    own, other = (bot_actions.register_bot(owner, f"Bot {owner}") for owner in (ada, bob))
    for bot in (own, other):
        bot_actions.register_version(bot, "1")
    with using(site_url):
        challenge_actions.accept_challenges(other, "FRIENDS", 1, ["ada"], by=account_values.Actor(bob))
        order = challenge_actions.challenge(ada, [WantedSeat(own), WantedSeat(other)])
        assert challenge_actions.withdraw_challenge(order, ada) and challenge_queries.challenges_of(ada, own, 5)
        erasure.erase_account(bob)
    assert challenge_queries.challenge(order).state == "WITHDRAWN"


def rows(statement: str) -> list[Any]:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchall()


NOBODYS = [
    "SELECT server_seed FROM matches_matchsecret",
    "UPDATE matches_match SET state = 'VOID'",
    "DELETE FROM bots_bottoken",
    "CREATE TABLE mine (id int)",
]


@on_postgresql
@pytest.mark.parametrize(
    "statement",
    [
        *NOBODYS,
        "SELECT text FROM matches_logrow",
        "SELECT view FROM matches_spectatorrow",
        "SELECT password FROM accounts_user",
        "SELECT email FROM accounts_user",
        "SELECT session_key FROM django_session",
        "SELECT * FROM matches_match",
        "UPDATE bots_bottoken SET revoked_at = NULL",
        "UPDATE bots_bot SET owner_id = 1",
        "UPDATE people_person SET user_id = NULL",
        "UPDATE writing_trial SET source = ''",
        "INSERT INTO writing_trial SELECT * FROM writing_trial",
        "DELETE FROM writing_trial",
    ],
)
def test_a_gateway_can_do_nothing_else(gateway_url: str, statement: str) -> None:
    with using(gateway_url), pytest.raises(ProgrammingError, match="permission denied"):
        connection.cursor().execute(statement)


@on_postgresql
@pytest.mark.parametrize(
    "statement",
    [
        *NOBODYS,
        "SELECT count(*) FROM matches_matchsecret",
        "DELETE FROM bots_botversion",
        "INSERT INTO matches_logrow SELECT * FROM matches_logrow",
        "UPDATE ladders_ladder SET finished = 0",
        "UPDATE ratings_ratingentry SET mu = 99",
        "UPDATE matches_matchrecord SET packed = ''",
        "DELETE FROM matches_spectatorrow",
        "DELETE FROM accounts_auditentry",
        "UPDATE accounts_auditentry SET act = 'SIGNED_IN'",
        "SET ROLE arena",
    ],
)
def test_the_site_can_do_nothing_else(site_url: str, statement: str) -> None:
    with using(site_url), pytest.raises(ProgrammingError, match="permission denied"):
        connection.cursor().execute(statement)


@on_postgresql
def test_the_site_cannot_lift_the_policy_that_hides_logs(site_url: str) -> None:
    with using(site_url):
        for statement in (
            "ALTER TABLE matches_logrow DISABLE ROW LEVEL SECURITY",
            "DROP POLICY logs_of_ended_matches ON matches_logrow",
        ):
            with pytest.raises(ProgrammingError, match="must be owner"):
                connection.cursor().execute(statement)


def test_every_table_is_the_sites_or_kept_from_it() -> None:
    """Whoever adds a table decides what the site may do with it."""
    tables = {model._meta.db_table for model in apps.get_models(include_auto_created=True)}
    models = [model for subject in subjects() for model in subject.site_rights]
    named = {model if isinstance(model, str) else model._meta.db_table for model in models}
    theirs = (MatchSecret, EventSecret, HeldMatch, HelpMeasure, BotPresence, HeldCount, WinStreak)
    kept = {model._meta.db_table for model in theirs}
    assert named - {"cache", "django_migrations"} == tables - kept


@pytest.mark.parametrize("set_up", [set_up_gateway_role, set_up_site_role])
def test_a_database_without_roles_says_so(set_up: Callable[[str], str]) -> None:
    with pytest.raises(BadRequest, match="only PostgreSQL"):
        set_up("postgresql://a:b@c/d")


@on_postgresql
def test_each_role_sees_whether_its_tables_are_there(gateway_url: str, site_url: str) -> None:
    """As the pods of deploy/kubernetes ask before they start."""
    for url in (gateway_url, site_url):
        with using(url):
            call_command("migrate", check_unapplied=True, verbosity=0)
    newest = MigrationRecorder.Migration.objects.latest("id")
    newest.delete()
    try:
        for url in (gateway_url, site_url):
            with using(url), pytest.raises(SystemExit):
                call_command("migrate", check_unapplied=True, verbosity=0)
    finally:
        newest.save()
