"""Pages of comparisons: ordered, watched, stopped."""

from __future__ import annotations

import re

import pytest

from tests.site.world import World, text
from webui.bots import actions as bot_actions
from webui.bots.models import BotVersion
from webui.comparisons.models import Comparison, ComparisonMatch
from webui.comparisons.pages import AGAIN_S
from webui.matches.models import Match, Participant

pytestmark = pytest.mark.django_db


def test_a_comparison_is_ordered_from_the_bots_page(world: World) -> None:
    client = world.client("owner")
    own_page = text(client.get("/bots/long-ledger/"))
    assert "/account/bots/long-ledger/comparisons/" in own_page and "2.2 against 2.1" in own_page
    theirs = text(world.client("other").get("/bots/long-ledger/"))
    assert "comparisons/" not in theirs and "2.2 against 2.1" not in theirs
    page = text(client.get("/account/bots/long-ledger/comparisons/"))
    new, old = (BotVersion.objects.get(bot=world.bot, name=name).pk for name in ("2.2", "2.1"))
    chosen = re.findall(r'<option value="(\d+)" selected', page.split('name="game"')[0])
    assert chosen == [str(old)]  # beside the newest, which is the first choice of the other
    BotVersion.objects.filter(pk=new).update(is_ready=True)
    second = bot_actions.register_version(bot_actions.register_bot(world.owner, "Second"), "1")
    single = text(client.get("/account/bots/long-ledger/comparisons/")).split('name="game"')[0]
    assert re.findall(r'<option value="(\d+)" selected', single) == [str(second)], "not the one version and itself"
    BotVersion.objects.filter(pk=new).update(is_ready=False)
    form = {"new": new, "old": old, "game": 1, "margin": "50"}
    answer = client.post("/account/bots/long-ledger/comparisons/", form)
    row = Comparison.objects.exclude(pk=world.comparison).get()
    assert answer["Location"] == f"/account/comparisons/{row.pk}/"
    assert (row.new_id, row.old_id, row.margin, row.ruleset.players) == (new, old, 50.0, 3)
    full = client.post("/account/bots/long-ledger/comparisons/", form)
    assert full.status_code == 422 and "You have ordered many comparisons" in text(full)
    same = client.post("/account/bots/long-ledger/comparisons/", {**form, "old": new})
    assert same.status_code == 422


def test_a_version_is_released_on_the_bots_page(world: World) -> None:
    client, where = world.client("owner"), "/account/bots/long-ledger/release/"
    own_page = text(client.get("/bots/long-ledger/"))
    assert f'action="{where}"' in own_page and where not in text(world.client("other").get("/bots/long-ledger/"))
    wrong = client.post(where, {"version": "732d86a", "note": "<b>new</b>"})
    assert wrong.status_code == 422 and "hash of a commit" in text(wrong) and "&lt;b&gt;new" in text(wrong)
    hidden = client.post(where, {"version": "2.3", "note": "ok\u202e"})
    assert set(hidden.context["form"].errors) == {"note"} and hidden.status_code == 422
    answer = client.post(where, {"version": "2.3", "note": "Bids <with> care."})
    assert answer["Location"] == "/bots/long-ledger/"
    page = text(client.get(answer["Location"]))
    assert "Version 2.3 is ready: it begins with its first hello." in page
    table = page.split('aria-labelledby="vs"')[1].split("</table>")[0]
    states = re.findall(r"<code>([\d.]+)</code>(?: <span class=\"chip[^>]*>(\w+)<)?", table)
    assert states == [("2.3", "ready"), ("2.2", "current"), ("2.1", "")]
    assert '<td colspan="5">Bids &lt;with&gt; care.</td>' in table


def test_a_comparison_is_watched_until_it_ends(world: World) -> None:
    client, where = world.client("owner"), f"/account/comparisons/{world.comparison}/"
    empty = client.get(where)
    assert empty["Refresh"] == str(AGAIN_S) and "No block of games is complete yet" in text(empty)
    Comparison.objects.update(scores=[4, 2, 3, 4, 2], length=5)
    row = Comparison.objects.get(pk=world.comparison)
    for game, places in enumerate([(1, 2), (2, 1), (1, 1), (None, None)]):
        match = Match.objects.create(id=f"c{game}", ruleset=row.ruleset, clock={}, policy={}, rated=False)
        for seat, (version, place) in enumerate(zip((row.new_id, row.old_id), places, strict=True), start=1):
            Participant.objects.create(match=match, seat=seat, version_id=version, placement=place)
        ComparisonMatch.objects.create(comparison=row, block=0, game=game, tries=1, match=match)
    table = text(client.get(where)).split("<tbody>")[1]
    assert re.findall(r"/matches/(c\d)/.*?<td>(?:<span[^>]*>)?(\w+)<", table) == [
        ("c3", "playing"), ("c2", "tied"), ("c1", "lost"), ("c0", "won")
    ]  # fmt: skip
    page = text(client.get(where))
    assert "points after 10 games" in page and "<svg" in page and "running" in page and "Stop</button>" in page
    assert re.search(r"<b class=\"tabular\">\+\d+ ± \d+</b>", page)
    assert client.post(where)["Location"] == where
    ended = client.get(where)
    assert "Refresh" not in ended and "stopped" in text(ended) and "Stop</button>" not in text(ended)
    assert "stopped" in text(client.get("/account/bots/long-ledger/comparisons/"))
