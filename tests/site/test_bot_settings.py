"""What owners change of their bots on pages and by the API: description, notes, retirement, tokens."""

from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from arena.bus import Presence, session_id
from tests.site.api.calling import with_token
from tests.site.world import World, text
from webui.accounts import erasure
from webui.bots import presence, token_actions, token_queries
from webui.bots import queries as bot_queries
from webui.profiles import queries as profile_queries

pytestmark = pytest.mark.django_db
BOT = "/account/bots/long-ledger"


@pytest.fixture
def owner(world: World) -> Client:
    return world.client("owner")


def test_the_description_is_edited(owner: Client) -> None:
    assert "Counts &lt;twice&gt;." in text(owner.get(f"{BOT}/edit/"))
    refused = owner.post(f"{BOT}/edit/", {"description": "\u202eback"})
    assert refused.status_code == 422 and "visible characters" in text(refused)
    page = text(owner.post(f"{BOT}/edit/", {"description": "Counts thrice."}, follow=True))
    assert "Counts thrice." in page and "Description of a bot changed" in text(owner.get("/account/history/"))


def test_a_note_is_edited_on_the_page_of_its_version(world: World, owner: Client) -> None:
    where = f"{BOT}/versions/{world.version}/"
    assert where in text(owner.get("/bots/long-ledger/")) and where not in text(Client().get("/bots/long-ledger/"))
    owner.post(where, {"note": "Sees two moves ahead."})
    assert "Sees two moves ahead." in text(Client().get("/bots/long-ledger/"))
    assert "Sees two moves ahead." in text(owner.get(where))
    assert owner.get(f"{BOT}/versions/{world.version + 1000}/").status_code == 404


def test_a_bot_retires_and_comes_back(world: World, owner: Client) -> None:
    page = text(owner.post(f"{BOT}/retire/", {"act": "retire"}, follow=True))
    assert "has retired. Its matches stay." in page and "Bring Long Ledger back" in page
    stranger = Client()
    shown = text(stranger.get("/bots/long-ledger/"))
    assert ">retired on " in shown and "It has retired and has no rank. Its last rating:" in shown
    assert not re.search(r">rank \d|settled|better than the next|class=\"interval", shown), "it does not compete"
    assert "Retired; last rated " in shown, "nor on cards"
    assert "Long Ledger" not in text(stranger.get("/bots/")) and "Long Ledger" in text(stranger.get("/bots/?q=ledger"))
    assert stranger.get(f"/matches/{world.finished}/").status_code == 200
    assert "It has retired" in text(owner.get("/account/bots/"))
    assert "Long Ledger plays again." in text(owner.post(f"{BOT}/retire/", {"act": "return"}, follow=True))
    assert "Long Ledger" in text(stranger.get("/bots/"))


def test_a_version_retires_and_comes_back(world: World, owner: Client) -> None:
    where = f"{BOT}/versions/{world.version}/retire/"
    assert "Long Ledger 2.2 has retired" in text(owner.post(where, {"act": "retire"}, follow=True))
    assert bot_queries.own_version(world.bot, world.version).retired_at is not None
    owner.post(where, {"act": "nonsense"})
    assert bot_queries.own_version(world.bot, world.version).retired_at is not None
    assert "Long Ledger 2.2 plays again" in text(owner.post(where, {"act": "return"}, follow=True))


def test_a_revocation_says_what_it_costs_first(world: World, owner: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    token = world.token.token_id
    where = f"{BOT}/tokens/{token}/revoke/"

    def here(token_id: int, process: str, **more: Any) -> Presence:
        return Presence(
            id=session_id(token_id, process), gateway="g", bot=world.bot, bot_version=world.version, owner=world.owner,
            process=process, **more,
        )  # fmt: skip

    def said(online: Any) -> str:
        monkeypatch.setattr(presence, "online", lambda: online)
        return text(owner.get(where))

    assert f'href="{where}"' in text(owner.get("/bots/long-ledger/"))
    assert "not known at the moment" in said(None)
    assert "No program is connected with it now" in said({})
    playing = here(token, "desk", running=1, matches=(world.running,))
    page = said({world.bot: [playing]})
    assert "desk" in page and world.running in page and "1 match, which is forfeited" in page
    assert "Long Ledger goes offline." in page
    page = said({world.bot: [here(token, "desk"), here(token + 1, "attic", running=1, matches=(world.running,))]})
    assert "desk" in page and "attic" not in page and world.running not in page, "another token's processes stay"
    assert "nothing is forfeited" in page and "stays online: 1 other program" in page
    assert token_queries.session_for_token(world.token.token) is not None, "nothing has happened yet"
    assert owner.post(where).status_code == 302 and token_queries.session_for_token(world.token.token) is None


def test_the_end_of_an_api_token_is_asked_for_first(world: World, owner: Client) -> None:
    token = token_actions.issue_api_token(world.owner, ["bots"], label="ci")
    where = f"/account/api-tokens/{token.token_id}/revoke/"
    assert "ci" in text(owner.get(where)) and world.client("other").get(where).status_code == 404
    assert token_queries.caller(token.token) is not None
    owner.post(where)
    assert token_queries.caller(token.token) is None


def test_a_new_token_stands_in_the_command_that_starts_the_bot(owner: Client) -> None:
    page = text(owner.post(f"{BOT}/tokens/", {"days": "30"}))
    token = page.split('id="token" class="monospace" readonly value="')[1].split('"')[0]
    assert f'export ARENA_TOKEN=<span class="code-literal">{token}</span>' in page and 'data-copy="start"' in page


def test_sign_out_asks_first(owner: Client) -> None:
    assert "Sign out?" in text(owner.get("/sign-out/")) and owner.get("/account/").status_code == 200
    assert owner.post("/sign-out/")["Location"] == "/" and owner.get("/account/").status_code == 302


def test_by_the_api(world: World) -> None:
    api = with_token(world.owner, "bots")
    bot = "/bots/long-ledger"
    changed = api.call("patch", bot, {"description": "Counts thrice."}).json()
    assert (changed["description"], changed["state"], changed["retired"]) == ("Counts thrice.", "active", False)
    assert api.call("patch", bot, {"retired": True}).json()["state"] == "paused"
    assert api.get(bot).json()["retired"] is True
    assert api.call("patch", bot, {"state": "active"}).status_code == 400, "it has to be brought back"
    assert api.call("patch", bot, {"retired": False}).json()["state"] == "active"
    version = f"{bot}/versions/2.2"
    told = api.call("patch", version, {"note": "Faster.", "retired": True}).json()
    assert (told["name"], told["note"], told["retired"]) == ("2.2", "Faster.", True)
    assert api.call("patch", version, {"retired": False}).json()["retired"] is False
    assert api.call("patch", f"{bot}/versions/9", {"note": ""}).status_code == 404


def test_an_erased_account_has_retired_bots(world: World) -> None:
    erasure.erase_account(world.owner)
    (line,) = profile_queries.bots(ids=[world.bot])
    assert line.retired_at and not get_user_model().objects.filter(username="lena").exists()
