"""The mark of bots that the arena runs: in lists, in matches, and in the API."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth import get_user_model
from django.test import Client

from tests.hosting_site.authors import Author
from tests.hosting_site.test_submissions import report
from tests.kit.ladder import Kit
from webui.accounts import erasure
from webui.bots.models import Bot, BotVersion
from webui.hosting import actions, seats
from webui.hosting.models import HostedVersion
from webui.hosting.subject import check_hosting
from webui.ladders.models import Ladder
from webui.matches.models import Match, Participant
from webui.profiles import queries
from webui.ratings.queries import ladder
from webui.ratings.standings import Filters

pytestmark = pytest.mark.django_db
MARK = 'class="hosted"'


def hosted(author: Author) -> bool:
    return Bot.objects.get(pk=author.bot).is_hosted


def test_a_bot_is_marked_while_the_arena_runs_it(author: Author, runner: int, tmp_path: Path) -> None:
    waiting = Author("basil", tmp_path)
    author.host("v1", runner)
    waiting.submit("v1")
    assert hosted(author) and not hosted(waiting)
    actions.use_version(author.bot, None)
    assert not hosted(author)
    version = HostedVersion.objects.get().pk
    assert BotVersion.objects.get(pk=version).is_hosted, "the arena ran this version in its matches"
    actions.use_version(author.bot, version)
    assert hosted(author) and not list(check_hosting())
    Bot.objects.update(is_hosted=False)
    BotVersion.objects.update(is_hosted=False)
    assert len(list(check_hosting())) == 2
    Bot.objects.filter(pk=author.bot).update(is_hosted=True)
    erasure.erase_account(author.user)
    assert not hosted(author)


def test_lists_and_the_api_show_the_mark(author: Author, runner: int, kit: Kit, client: Client) -> None:
    author.host("v1", runner)
    dialled = kit.version()
    version = HostedVersion.objects.get().pk
    kit.finish([version, dialled])
    match_id = Match.objects.get().pk
    slug = Bot.objects.get(pk=author.bot).slug

    assert [line.bot.slug for line in queries.bots(is_hosted=True)] == [slug]
    assert slug not in {line.bot.slug for line in queries.bots(is_hosted=False)}
    shown = client.get("/api/v1/bots", {"hosted": "true"}).json()["items"]
    assert [(bot["slug"], bot["hosted"]) for bot in shown] == [(slug, True)]
    assert [version["hosted"] for version in client.get(f"/api/v1/bots/{slug}/versions").json()["items"]] == [True]
    seats = client.get(f"/api/v1/matches/{match_id}").json()["seats"]
    assert [seat["hosted"] for seat in seats] == [True, False]
    for address in ("/bots/?kind=hosted", "/matches/", f"/matches/{match_id}/"):
        assert client.get(address).content.decode().count(MARK) == 1, address
    assert MARK not in client.get("/bots/?kind=house").content.decode()


def test_a_ladder_shows_hosted_versions_alone(author: Author, runner: int, kit: Kit, client: Client) -> None:
    author.host("v1", runner)
    version = HostedVersion.objects.get().pk
    kit.finish([version, kit.version()])
    table = Ladder.objects.get()
    rows = ladder(table.slug).rows
    assert [row.version.id for row in Filters(kind="hosted", is_whole=True).apply(rows, ())] == [version]
    page = client.get(f"/ladder/{table.slug}/", {"kind": "hosted"}).content.decode()
    assert page.count(MARK) == 1
    rows = client.get(f"/api/v1/ladders/{table.slug}").json()["standings"]
    assert {row["version"]: row["hosted"] for row in rows}["v1"]


def test_the_owner_reads_on_the_page_of_a_match_why_a_sandbox_ended(author: Author, runner: int, kit: Kit) -> None:
    author.host("v1", runner)
    version = HostedVersion.objects.get().pk
    kit.finish([version, kit.version()])
    seat = Participant.objects.get(version=version)
    fault = {"fault": "OUT_OF_MEMORY", "fault_text": "killed: used more than 256 MB at decision 41"}
    seats.record_seat(runner, report(seat.match_id, version, seat=seat.seat, stderr="<b>MemoryError", **fault))
    owner, stranger = Client(), Client()
    owner.force_login(get_user_model().objects.get(pk=author.user))
    address = f"/matches/{seat.match_id}/"
    page = owner.get(address).content.decode()
    assert page.count(fault["fault_text"]) == 2 and "&lt;b&gt;MemoryError" in page
    assert page.index(fault["fault_text"]) < page.index("data-viewer"), "it stands above the table"
    for other in (stranger.get(address), owner.get(address, {"spoilers": "0"})):
        assert fault["fault_text"] not in other.content.decode()
