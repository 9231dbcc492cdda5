"""The admin: every table is for reading, but for what staff may change, and shows no secret."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from tests.site.seed import PASSWORD
from tests.site.world import World, limited, text
from webui.ladder import actions, queries
from webui.ladder.actions import Act, Actor
from webui.ladder.models import AuditEntry, Bot, Match, User
from webui.ladder.names import look
from webui.ladder.staff import ReadOnlyAdmin

pytestmark = pytest.mark.django_db


def changes(model: type[Any]) -> tuple[str, str, str]:
    """The addresses of its list, its form for a new row, and the form of a row, `{}`."""
    names = (model._meta.app_label, model._meta.model_name)
    listed, new = (reverse("admin:{}_{}_{}".format(*names, what)) for what in ("changelist", "add"))
    return listed, new, f"{listed}{{}}/"


@pytest.mark.slow
def test_every_table_of_the_admin_is_for_reading_but_four(world: World) -> None:
    """What is not read-only is tried one by one below."""
    editable = {model.__name__ for model, page in admin.site._registry.items() if not isinstance(page, ReadOnlyAdmin)}
    assert editable == {"User", "Bot", "Group"}
    client = world.client("staff")
    actions.order_match(world.running, "void", "Its gateway has died", by=Actor(world.staff))
    tried = 0
    for model, page in admin.site._registry.items():
        listed, new, row = changes(model)
        answer = client.get(listed)
        assert answer.status_code == 200 and page.search_fields is not None, model
        if page.search_fields:
            assert client.get(f"{listed}?q=nobody").status_code == 200, model
        first = model._default_manager.first()
        if first is not None:
            where = row.format(first.pk)
            assert client.get(f"{where}change/").status_code == 200, model
            assert client.post(f"{where}delete/", {"post": "yes"}).status_code == 403, model
            if isinstance(page, ReadOnlyAdmin):
                assert client.post(f"{where}change/", {}).status_code == 403, model
                tried += 1
        if model is not Group:
            assert client.get(new).status_code == client.post(new, {}).status_code == 403, model
        chosen = {"action": "delete_selected", "_selected_action": [str(first.pk)] if first else [], "post": "yes"}
        client.post(listed, chosen)
        assert first is None or model._default_manager.filter(pk=first.pk).exists(), model
    assert tried >= 12


@pytest.mark.slow
def test_no_table_shows_a_secret(world: World) -> None:
    client = world.client("staff")
    secrets = [world.token.token, User.objects.get(pk=world.owner).password]
    secrets += list(Match.objects.filter(finished_at=None).values_list("secret__server_seed", flat=True))
    for model in admin.site._registry:
        listed, _, row = changes(model)
        pages = [listed] + [f"{row.format(one.pk)}change/" for one in model._default_manager.all()[:5]]
        for where in pages:
            page = text(client.get(where))
            assert not any(secret in page for secret in secrets), where
    hook = text(client.get(f"/admin/ladder/webhook/{world.webhook}/change/"))
    assert "hooks.example.org" in hook and "secret" not in hook.lower().replace("csrf", "")


def user_form(**more: str) -> dict[str, str]:
    return {"email": "", "first_name": "", "last_name": "", **more}


def test_names_states_and_times_of_users_stay_as_they_are(world: World) -> None:
    client = world.client("staff")
    where = f"/admin/ladder/user/{world.owner}/change/"
    before = User.objects.get(pk=world.owner)
    form = user_form(username="warden2", is_active="", date_joined_0="2020-01-01", look="x", first_name="Lena")
    assert client.post(where, form).status_code == 302
    after = User.objects.get(pk=world.owner)
    assert (after.username, after.look, after.is_active, after.date_joined, after.first_name) == (
        before.username, before.look, True, before.date_joined, "Lena"
    )  # fmt: skip
    entry = AuditEntry.objects.filter(act=Act.STAFF_CHANGED).latest("pk")
    assert entry.changes == {"first_name": ["", "Lena"]} and entry.account_id == world.owner


def test_nobody_gives_himself_rights(world: World) -> None:
    clerk = limited("view_user", "change_user", "view_group", "change_group", "add_group")
    me = User.objects.get(username="clerk")
    refused = (
        f"ladder/user/{me.pk}/change",
        f"ladder/user/{world.staff}/change",
        f"ladder/user/{world.staff}/password",
    )
    group = f"auth/group/{Group.objects.get().pk}/change"
    forms = {**dict.fromkeys((*refused, group), 403), f"ladder/user/{world.owner}/change": 302}
    rights = {"is_staff": "on", "is_superuser": "on", "password1": "sirocco-7-dunes", "password2": "sirocco-7-dunes"}
    for where, status in forms.items():
        assert clerk.post(f"/admin/{where}/", user_form(**rights)).status_code == status, where
    for user in (me.pk, world.owner):
        row = User.objects.get(pk=user)
        assert not row.is_superuser and row.is_staff == (user == me.pk)
    assert User.objects.get(pk=world.staff).check_password(PASSWORD)


def test_the_last_who_may_do_everything_stays(world: World) -> None:
    client = world.client("staff")
    where = f"/admin/ladder/user/{world.staff}/change/"
    for rights in ({}, {"is_superuser": "on"}, {"is_staff": "on"}):
        answer = client.post(where, user_form(**rights))
        assert answer.status_code == 200 and "last user who may do everything" in text(answer)
    assert User.objects.get(pk=world.staff).is_superuser
    other = f"/admin/ladder/user/{world.other}/change/"
    assert client.post(other, user_form(is_staff="on", is_superuser="on")).status_code == 302
    entry = AuditEntry.objects.filter(account=world.other, act=Act.STAFF_CHANGED).latest("pk")
    assert entry.changes == {"is_staff": [False, True], "is_superuser": [False, True]}
    assert client.post(where, user_form()).status_code == 302 and not User.objects.get(pk=world.staff).is_superuser


def test_a_password_that_staff_set_is_in_no_log(world: World) -> None:
    client = world.client("staff")
    form = {"usable_password": "true", "password1": "sirocco-7-dunes", "password2": "sirocco-7-dunes"}
    assert client.post(f"/admin/ladder/user/{world.owner}/password/", form).status_code == 302
    assert User.objects.get(pk=world.owner).check_password("sirocco-7-dunes")
    entry = AuditEntry.objects.filter(account=world.owner).latest("pk")
    assert entry.act == Act.STAFF_CHANGED and "sirocco" not in f"{entry.subject} {entry.changes} {entry.reason}"


def test_the_house_gets_no_password(world: World) -> None:
    house = actions.create_user("arena", None, role="house")
    actions.register_bot(house, "House", is_house=True)
    form = {"usable_password": "true", "password1": "sirocco-7-dunes", "password2": "sirocco-7-dunes"}
    client = world.client("staff")
    assert client.post(f"/admin/ladder/user/{house}/password/", form).status_code == 403
    assert client.post(f"/admin/ladder/user/{house}/change/", user_form(is_staff="on")).status_code == 403
    assert not queries.can_sign_in(house)


@pytest.mark.parametrize(
    "form",
    [
        {"name": "Bot 1", "description": ""}, {"name": "Long\u202eLedger", "description": ""},
        {"name": "", "description": ""}, {"name": "Naqala", "description": ""}, {"name": "…", "description": ""},
        {"name": "Long Ledger", "description": "\x07"},
    ],
    ids=str,
)  # fmt: skip
def test_a_bot_gets_no_name_that_breaks_a_rule(world: World, form: dict[str, str]) -> None:
    answer = world.client("staff").post(f"/admin/ladder/bot/{world.bot}/change/", form)
    assert answer.status_code == 200 and "errornote" in text(answer)
    assert Bot.objects.get(pk=world.bot).name == "Long Ledger"


def test_what_is_a_bots_history_stays(world: World) -> None:
    client = world.client("staff")
    form = {"name": "Short Ledger", "description": "New.", "owner": world.other, "state": "PAUSED", "is_house": "on",
            "slug": "bot-1", "look": "x"}  # fmt: skip
    assert client.post(f"/admin/ladder/bot/{world.bot}/change/", form).status_code == 302
    bot = Bot.objects.get(pk=world.bot)
    assert (bot.name, bot.slug, bot.owner_id, bot.state, bot.is_house) == (
        "Short Ledger", "short-ledger", world.owner, "ACTIVE", False
    )  # fmt: skip
    assert bot.look == look("Short Ledger")
    entries = AuditEntry.objects.filter(account=world.owner, act=Act.STAFF_CHANGED)
    assert [entry.changes for entry in entries] == [
        {"name": ["Long Ledger", "Short Ledger"], "description": ["Counts <twice>.", "New."]}
    ]
    assert "Short Ledger" in text(Client().get("/bots/short-ledger/"))


def test_rows_lead_to_their_pages_and_back(world: World) -> None:
    client = world.client("staff")
    for row, page in (
        (f"/admin/ladder/match/{world.finished}/change/", f"/staff/matches/{world.finished}/"),
        (f"/admin/ladder/bot/{world.bot}/change/", "/staff/bots/long-ledger/"),
        (f"/admin/ladder/user/{world.owner}/change/", "/staff/users/lena/"),
    ):
        assert f'href="{page}"' in text(client.get(row)) and f'href="{row}"' in text(client.get(page))
