"""Every page and every form for everybody who may come, as the site's role in PostgreSQL allows it."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.db import ProgrammingError, connection, transaction
from django.test import Client
from django.urls import reverse

from tests.kit.databases import POSTGRES_ONLY
from tests.kit.ladder import Kit
from tests.kit.live import seen_match
from tests.site.api.calling import callers
from tests.site.api.test_routes import ROUTES, operations
from tests.site.seed import PASSWORD
from tests.site.test_play import Table
from tests.site.test_routes import READ, WHO, WRITE, address
from tests.site.world import World, text
from webui.accounts import actions as account_actions
from webui.accounts.models import User
from webui.bots.models import Bot
from webui.core.roles import set_up_site_role
from webui.hosting import actions as hosting_actions
from webui.hosting import jobs
from webui.hosting.models import Runner
from webui.ladders import terms
from webui.ladders.models import Ladder
from webui.site.api.api import api
from webui.staff import orders
from webui.staff.models import MatchOrder

pytestmark = pytest.mark.django_db
DATABASES = [POSTGRES_ONLY]
ROLE = "arena_pages"


@pytest.fixture
def role(database: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Requests are answered with the site's role; what a test does beside them, with the owner's."""
    set_up_site_role(f"postgresql://{ROLE}:sirocco7dunes@anywhere/arena")
    original = Client.request

    def request(self: Client, **asked: Any) -> Any:
        with connection.cursor() as cursor:
            cursor.execute(f"SET ROLE {ROLE}")
            try:
                return original(self, **asked)
            finally:
                cursor.execute("RESET ROLE")

    monkeypatch.setattr(Client, "request", request)  # the role itself goes with the test's transaction


def test_a_person_sits_down_and_decides(role: None, kit: Kit) -> None:
    table = Table(kit)
    table.sit_down()
    table.begin()
    table.play_until_asked(Random(1))
    asked = table.choices()
    assert table.answer(asked["index"], asked["choices"]["actions"][0]["text"]).status_code == 204
    assert table.client.get(table.path).status_code == 200
    assert table.client.post(f"{table.path}leave").status_code == 302


def test_pages_and_forms_are_as_ever(role: None, world: World) -> None:
    for route, (arguments, *expected) in READ.items():
        for who, status in zip(WHO, expected, strict=True):
            assert world.client(who).get(address(world, route, arguments)).status_code == status, (route, who)
    for route, (arguments, form, *expected) in WRITE.items():
        for who, status in zip(WHO, expected, strict=True):
            before = transaction.savepoint()
            assert world.client(who).post(address(world, route, arguments), form).status_code == status, (route, who)
            transaction.savepoint_rollback(before)


def test_the_api_is_as_ever(role: None, world: World) -> None:
    methods = {name: method for name, (method, *_) in operations(api.get_openapi_schema()).items()}
    for route, (path, body, *expected) in ROUTES.items():
        before = transaction.savepoint()
        for (who, caller), status in zip(callers(world).items(), expected, strict=True):
            answer = caller.call(methods[route], path.format(world=world), body, Idempotency_Key=f"{route}-{who}")
            assert answer.status_code == status, (route, who)
        transaction.savepoint_rollback(before)


def test_a_visitor_has_a_position_played_on(role: None) -> None:
    client = Client()
    answer = client.post("/analysis/games/?players=2&seed=oasis")
    assert answer.status_code == 302 and "0 of 50 games" in text(client.get(answer["Location"]))


@pytest.mark.parametrize("state", ["running", "waiting", "aborted"])
def test_matches_in_every_state_have_their_pages(role: None, world: World, state: str) -> None:
    match_id = getattr(world, state)
    found = {
        (route, who): world.client(who).get(reverse(route, kwargs={"match_id": match_id})).status_code
        for route in ("match", "embed", "frames", "position", "replay", "proof")
        for who in WHO
    }
    assert set(found.values()) <= {200, 404} and {found["match", who] for who in WHO} == {200}
    if state == "running":
        assert {found["frames", who] for who in WHO} == {200}
        assert len(seen_match(match_id).events) > 10


def test_an_account_from_sign_up_to_its_end(role: None, world: World) -> None:
    client = Client()

    def post(path: str, **form: str) -> int:
        return int(client.post(path, form).status_code)

    assert post("/sign-up/", username="idris", password1=PASSWORD, email="idris@example.org") == 302
    user = User.objects.get(username="idris")
    assert post(reverse("new-bot"), name="Slow Caravan") in (200, 302)
    assert Bot.objects.filter(owner=user).exists()
    assert post(reverse("email"), email="other@example.org") == 302
    assert client.get(reverse("history")).status_code == 200
    assert (
        post(
            reverse("account_change_password"),
            oldpassword=PASSWORD,
            password1="haboob over salt",
            password2="haboob over salt",
        )
        == 302
    )
    assert post(reverse("recovery-codes")) == 200
    assert post(reverse("export")) == 200
    assert post(reverse("sign-out")) == 302
    assert post(reverse("sign-in"), login="idris", password="wrong") == 200
    assert post(reverse("sign-in"), login="idris", password="haboob over salt") == 302
    assert post(reverse("erase"), name="idris") == 302
    user.refresh_from_db()
    assert not user.is_active


def test_the_pages_of_staff(role: None, world: World) -> None:
    client = world.client("staff")
    bot, ladder = Bot.objects.get(slug="long-ledger"), Ladder.objects.get(slug="3-players-60-s-1-s")
    account_actions.set_email(world.owner, "lena@example.org")
    EmailAddress.objects.update(verified=True)
    game = {"is_open": "on", "share": "9", "bank": "90", "increment": "1", "cap": "10", "reason": "why"}
    acts = {
        "/staff/ladders/3/": game | {"revision": "0"},
        "/staff/ladders/4/": game | {"revision": "0"},
        f"/staff/delays/{ladder.slug}/": {"delay": "3", "seen": "0", "reason": "why"},
        f"/staff/matches/{world.running}/void/": {"reason": "why"},
        "/staff/users/lena/message/": {"text": "Hello.", "number": "1"},
        "/staff/users/lena/password/": {"reason": "why"},
        "/staff/users/tariq/role/": {"role": "staff", "rights": ["matches.view_match"], "reason": "why"},
        "/staff/bots/long-ledger/correct/": {"name": "Short Ledger", "description": "", "reason": "why"},
        "/staff/bots/short-ledger/lock/": {"reason": "why"},
        "/staff/users/lena/lock/": {"reason": "why"},
    }
    for where, sent in acts.items():
        assert client.post(where, sent).status_code == 302, where
    again = game | {"revision": "1", "share": "8"}
    assert client.post("/staff/ladders/3/", again).status_code == 302
    bot.refresh_from_db()
    ladder.refresh_from_db()
    assert (bot.name, User.objects.get(pk=world.other).is_staff) == ("Short Ledger", True)
    assert (bot.state, ladder.delay, terms.terms_of_game("3").share) == ("LOCKED", 3, 8)
    assert Ladder.objects.filter(slug="4-players-90-s-1-s").exists() and not User.objects.get(pk=world.owner).is_active
    assert MatchOrder.objects.get().match_id == world.running


def test_the_pages_of_a_runner_that_builds(role: None, world: World) -> None:
    """They show it without its digest, which the role may not read."""
    hosting_actions.register_runner("north")
    runner = Runner.objects.get()
    assert jobs.take_job(runner.pk) is not None
    client = world.client("staff")
    for where in ("/staff/hosting/", "/staff/runners/north/", f"/staff/submissions/{world.submission}/"):
        page = text(client.get(where))
        assert "north" in page and "Long Ledger h1" in page, where
    for act in ("pause", "resume", "revoke"):
        answer = client.post(f"/staff/runners/north/{act}/", {"reason": "why"}, follow=True)
        assert answer.status_code == 200, act
    runner.refresh_from_db()
    assert runner.revoked_at is not None


def test_the_site_ends_no_match_itself(role: None, world: World) -> None:
    """Its role may write an order; a worker's carries it out."""
    client = world.client("staff")
    assert client.post(f"/staff/matches/{world.running}/void/", {"reason": "why"}).status_code == 302
    with connection.cursor() as cursor:
        cursor.execute(f"SET ROLE {ROLE}")
        try:
            for statement in ("UPDATE staff_matchorder SET state = 'done'", "DELETE FROM staff_matchorder",
                              "UPDATE matches_match SET state = 'VOID'", "SELECT server_seed FROM matches_matchsecret",
                              "UPDATE ladders_ladder SET finished = 0", "DELETE FROM accounts_auditentry"):  # fmt: skip
                with pytest.raises(ProgrammingError, match="permission denied"), transaction.atomic():
                    cursor.execute(statement)
        finally:
            cursor.execute("RESET ROLE")
    assert orders.carry_out_orders() == 1
