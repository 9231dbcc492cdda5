"""Pages of statistics: the game itself, records, and two bots head to head, with figures by hand."""

from __future__ import annotations

import re
from datetime import timedelta
from html import unescape

import pytest
from django.test import Client
from django.utils import timezone

from arena.story import evaluate
from tests.kit.ladder import Kit
from tests.site.world import text
from webui.accounts import actions as account_actions
from webui.events import actions as event_actions
from webui.events.models import EventMatch, EventRow
from webui.game_statistics.actions import count_matches
from webui.game_statistics.models import ArenaRecord, GameFigure
from webui.game_statistics.queries import ENOUGH
from webui.game_statistics.templatetags.game_statistics import signed_points
from webui.matches import queries as match_queries
from webui.matches.models import Match, Participant
from webui.stories import actions as story_actions

pytestmark = pytest.mark.django_db


def finish(kit: Kit, table: list[int], minutes: int, *seats: tuple[int, int, int]) -> str:
    """Finish a match so many minutes ago. Each seat has a placement, a place in the first bidding and a score."""
    match_id = kit.finish(table).match_id
    Match.objects.filter(pk=match_id).update(finished_at=timezone.now() - timedelta(minutes=minutes))
    for seat, (placement, bid, score) in enumerate(seats, 1):
        rows = Participant.objects.filter(match=match_id, seat=seat)
        rows.update(placement=placement, first_bid=bid, score=score, forfeit_reason="")
    return match_id


def test_differences_have_a_sign() -> None:
    assert [signed_points(points) for points in (4.16, -0.84, 0.04)] == ["+4.2", "−0.8", "±0.0"]


def test_two_bots_head_to_head(kit: Kit) -> None:
    table = kit.versions(2)
    wide = finish(kit, table, 30, (1, 1, 210), (2, 2, 140))
    close = finish(kit, table, 20, (1, 2, 152), (2, 1, 150))
    finish(kit, table, 10, (2, 1, 130), (1, 2, 160))
    count_matches()
    client = Client()
    page = text(client.get("/bots/bot-1/against/bot-2/"))
    assert "<title>Bot 1 against Bot 2" in page and '<p class="duel-share tabular">66.7 %</p>' in page
    # Two of three: the middle is (2/3 + 0.64027) / 2.28053 = 0.57308, half of the interval 0.36539.
    assert "95 % interval: 20.8 % to 93.9 %" in page
    assert "Their games do not tell them apart yet" in page
    facts = dict(re.findall(r"<dt>([^<]*)</dt><dd>(\d+)</dd>", page))
    assert facts == {"games": "3", "Bot 1 above": "2", "same place": "0", "Bot 2 above": "1"}
    best = re.findall(r'trophy-title">([^<]*)</h3>.*?<b>(\d+)</b>.*?href="/matches/(\w+)/"', page)
    assert best == [("Closest game", "2", close), ("Highest score", "210", wide)]
    rows = re.findall(r'<th scope="row">(1st|2nd)</th><td>(\d)</td><td class="hide-narrow">(\d – \d)</td>', page)
    assert rows == [("1st", "2", "1 – 1"), ("2nd", "1", "1 – 0")]
    assert page.count('class="result"') == 3
    other = text(client.get("/bots/bot-2/against/bot-1/"))
    assert '<p class="duel-share tabular">33.3 %</p>' in other
    assert 'href="/bots/bot-2/against/bot-1/"' in text(client.get("/bots/bot-2/")), "its page leads there"


def test_a_rival_is_found_by_name(kit: Kit) -> None:
    table = kit.versions(2)
    finish(kit, table, 10, (1, 1, 210), (2, 2, 140))
    count_matches()
    client = Client()
    assert 'href="/bots/bot-1/against/bot-2/"' in text(client.get("/bots/bot-1/against/"))
    found = client.get("/bots/bot-1/against/", {"bot": " Bot  2 "})
    assert (found.status_code, found.headers["Location"]) == (302, "/bots/bot-1/against/bot-2/")
    for asked in ("nobody", "Bot 1", "x" * 2000):
        page = text(client.get("/bots/bot-1/against/", {"bot": asked}))
        assert "There is no other bot with this name. Write the whole name." in page
        assert f'name="bot" value="{asked[:40]}"' in page
    assert "No game of these two is counted yet." in text(client.get(f"/bots/bot-1/against/{third(kit)}/"))
    for nowhere in ("/bots/bot-1/against/bot-1/", "/bots/bot-1/against/nobody/", "/bots/nobody/against/"):
        assert client.get(nowhere).status_code == 404


def third(kit: Kit) -> str:
    kit.version()
    return "bot-3"


def test_statistics_and_records_of_a_number_of_players(kit: Kit) -> None:
    three = kit.versions(3)
    first = finish(kit, three, 30, (1, 2, 150), (2, 1, 120), (3, 3, 90))
    second = finish(kit, three, 20, (1, 1, 130), (2, 2, 110), (2, 3, 110))
    two = finish(kit, three[:2], 10, (1, 1, 230), (2, 2, 140))
    count_matches()
    client = Client()
    page = text(client.get("/statistics/"))
    # 150 and 130 win: a mean of 140, a variance of 200, and 1.96 times the root of 200 / 2.
    assert '<b class="tabular">140.0</b>' in page and "± 19.6" in page and "2 games that were played" in page
    assert re.findall(r"<title>(\d+–\d+: \d)</title>", page) == ["130–139: 1", "140–149: 0", "150–159: 1"]
    places = re.findall(r'<th scope="row">(\w+)</th><td><b>([\d.]+) %</b></td>', page)
    assert places == [("1st", "50.0"), ("2nd", "50.0"), ("3rd", "0.0")]
    assert '<b class="tabular">230.0</b>' in text(client.get("/statistics/?players=2"))
    for nowhere in ("/statistics/?players=5", "/statistics/?players=9", "/records/?players=x"):
        assert client.get(nowhere).status_code == 404
    found = dict(re.findall(r'trophy-title">([^<]*)</h3>.*?href="/matches/(\w+)/"', text(client.get("/records/"))))
    assert (found["Highest score"], found["Lowest winning score"], found["Closest match"]) == (two, second, second)
    assert (found["Largest win"], found["Longest winning streak"]) == (two, two)
    of_three = text(client.get("/records/?players=3"))
    found = dict(re.findall(r'trophy-title">([^<]*)</h3>.*?href="/matches/(\w+)/"', of_three))
    assert (found["Highest score"], found["Largest win"]) == (first, first) and "Longest winning streak" not in found
    document = client.get("/api/v1/statistics?players=3").json()
    assert document["winning"] == {"points": 140.0, "half": 19.6} and document["games"] == 2
    assert {item["kind"] for item in client.get("/api/v1/records").json()["items"]} >= {"highest", "streak"}


def test_a_hidden_result_is_on_no_page(kit: Kit) -> None:
    table = kit.versions(2)
    hidden = finish(kit, table, 10, (1, 1, 210), (2, 2, 140))
    owner = account_actions.create_user("lena", None)
    slug = event_actions.create_event(owner, {"name": "Cup", "format": {"kind": "swiss"}, "game": {"players": 2}})
    EventMatch.objects.create(
        event=EventRow.objects.get(slug=slug), match_id=hidden, round=1, table=1, game=1, attempt=1
    )
    EventRow.objects.update(hidden=True, revealed=0)
    count_matches()
    client = Client()
    for address in ("/statistics/", "/records/", "/bots/bot-1/against/", "/bots/bot-1/against/bot-2/"):
        page = text(client.get(address))
        assert hidden not in page and "counted yet" in page, address
    assert client.get("/api/v1/records").json() == {"items": []}
    assert client.get("/api/v1/bots/bot-1/against/bot-2").json()["latest"] == []
    EventRow.objects.update(revealed=1)
    count_matches()
    assert hidden in text(client.get("/records/?players=2"))


def cited(games: int) -> None:
    """Figures of so many games of four: all won with 150 points, 30 in 100 by who bids first."""
    sums = {"held": 0, "held_squares": 0, "product": 0}
    GameFigure.objects.create(
        game="4", kind="WINNING", key="150", seats=games, won=games, total=150 * games, squares=22500 * games, **sums
    )
    GameFigure.objects.create(
        game="4", kind="PLACE", key="1", seats=games, won=0.3 * games, total=games, squares=games, **sums
    )


def test_the_lesson_cites_figures_of_enough_games(kit: Kit) -> None:
    match_id = kit.finish(kit.versions(4)).match_id
    ArenaRecord.objects.create(kind="HIGHEST", players=4, value=171, match_id=match_id)
    cited(ENOUGH - 1)
    assert "Games in this arena" not in text(Client().get("/learn/"))
    GameFigure.objects.all().delete()
    cited(ENOUGH)
    page = unescape(text(Client().get("/learn/")))
    assert "With 4 players the winner has 150 points on average (100 games)." in page
    # Wilson, 30 of 100: 21.9 % to 39.6 %
    assert "is the first to bid wins 30 % of the games (95 % interval: 22 to 40 %)." in page
    assert "Equal chances would be 25 %." in page
    assert f'href="/matches/{match_id}/"' in page and "171 points, in a game with 4 players" in page
    assert 'href="/statistics/"' in page and 'href="/records/"' in page


def test_the_story_of_a_match_says_which_records_it_holds(kit: Kit) -> None:
    match_id = kit.finish(kit.versions(4)).match_id
    record = match_queries.match_record(match_id)
    assert record is not None
    story_actions.write_story(match_id, evaluate(record, rollouts=2))
    ArenaRecord.objects.create(kind="HIGHEST", players=4, value=171, match_id=match_id)
    ArenaRecord.objects.create(kind="STREAK", players=0, value=9, match_id=match_id)
    where = f"/matches/{match_id}/"
    assert "A record of the arena" not in text(Client().get(where)), "every match holds one of a few games"
    cited(ENOUGH)
    page = unescape(text(Client().get(where + "?view=1")))
    assert page.count("A record of the arena with 4 players") == 1 and "Highest score: 171 points" in page
    assert 'href="/records/?players=4"' in page
    assert "A record of the arena" not in text(Client().get(where + "?spoilers=0"))
