"""Following on the pages, the way out of its emails, feeds, cards for other sites, sitemaps, times, and all ladders at
a glance."""

from __future__ import annotations

import io
import re
import xml.etree.ElementTree as ET
import zlib
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.conf import settings
from django.core.cache import caches
from django.test import Client
from django.utils import translation
from PIL import Image

from arena.rules import Ruleset
from tests.kit.ladder import CLOCK, POLICY, Kit
from tests.site.world import World, text
from webui.accounts import actions as account_actions
from webui.accounts.models import User
from webui.board.thumbnail import draw_thumbnail, empty_board
from webui.bots import actions as bot_actions
from webui.core.times import time_element
from webui.following import actions as following_actions
from webui.following import digests
from webui.following import queries as following_queries
from webui.matches import ownership
from webui.matches import queries as match_queries
from webui.matches.models import Match, Participant
from webui.notices.emails import send_due_mails
from webui.notices.models import MailChoice
from webui.profiles import preview_pages
from webui.ratings import queries as rating_queries
from webui.ratings.fitting import fit_due
from webui.ratings.standings import front_rows, other_versions
from webui.replays.replay import load_replay
from webui.replays.single import one_at_a_time
from webui.stories.models import Story
from webui.words.titles import tab_words

pytestmark = pytest.mark.django_db

PACKED = zlib.compress(b'{"points":[[0,[334,333,333],9],[99,[1000,0,0],0]],"turns":[]}')
"""The chances of a match of three."""
ATOM = "{http://www.w3.org/2005/Atom}"
SITEMAP = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


def told(match_id: str) -> None:
    """A story as a worker would make it."""
    Story.objects.create(
        match_id=match_id, version=1, day=datetime.now(UTC).date(), excitement=0.8, lead_changes=4, margin=7,
        winners=[1], decided_by="NOTHING", packed=PACKED,
    )  # fmt: skip


def test_one_follows_with_a_button_and_reads_what_happened(world: World) -> None:
    client = world.client("other")
    assert "You follow nobody yet" in text(client.get("/account/following/"))
    page = text(client.get("/bots/long-ledger/"))
    assert 'action="/bots/long-ledger/follow/"' in page and ">Follow<" in page
    answer = client.post("/bots/long-ledger/follow/", {"act": "follow"}, follow=True)
    assert answer.redirect_chain[-1][0] == "/bots/long-ledger/" and 'value="leave"' in text(answer)
    page = text(client.get("/account/following/"))
    assert f"/matches/{world.finished}/" in page and world.running not in page
    assert "Long Ledger has a new version, 2.2." in page
    answer = client.post("/bots/long-ledger/follow/", {"act": "leave", "from": "following"}, follow=True)
    assert answer.redirect_chain[-1][0] == "/account/following/" and world.finished not in text(answer)
    client.post("/users/lena/follow/", {"act": "follow"})
    assert f"/matches/{world.finished}/" in text(client.get("/account/following/"))


def test_who_may_follow(world: World) -> None:
    owner, stranger = world.client("owner"), Client()
    assert "follow/" not in text(owner.get("/bots/long-ledger/"))
    assert "you get their notices anyway" in text(owner.post("/bots/long-ledger/follow/", follow=True))
    assert following_queries.follows(world.owner) == []
    assert stranger.post("/bots/long-ledger/follow/").status_code == 302
    assert '/sign-in/?next=/bots/long-ledger/"' in text(stranger.get("/bots/long-ledger/"))
    other = world.client("other")
    assert other.post("/bots/nope/follow/").status_code == 404
    assert other.get("/bots/long-ledger/follow/").status_code == 405
    assert Client(enforce_csrf_checks=True).post("/users/lena/follow/").status_code == 403


def test_the_email_of_a_day_is_left_without_signing_in(world: World, mailoutbox: list[Any], settings: Any) -> None:
    settings.SITE_URL = "https://arena.example"
    User.objects.filter(pk=world.other).update(email="tariq@example.org")
    client = world.client("other")
    assert "confirmed e-mail address" in text(client.get("/account/following/"))
    EmailAddress.objects.create(user_id=world.other, email="tariq@example.org", verified=True, primary=True)
    client.post("/bots/long-ledger/follow/")
    client.post("/account/following/", {"act": "digest"})
    assert following_queries.digest_choice(world.other).is_wanted
    # The email is about the day of the world's match, which may be over: the world is older than this test.
    finished_at = Match.objects.get(pk=world.finished).finished_at
    assert finished_at is not None
    MailChoice.objects.update(digested_on=None)
    assert following_actions.note_digests(finished_at + timedelta(days=1)) == 1 and send_due_mails() == 1
    (sent,) = mailoutbox
    path = re.fullmatch(r"<https://arena\.example(/unsubscribe/\S+/)>", sent.extra_headers["List-Unsubscribe"])
    assert path is not None and path[1] in sent.body
    assert sent.extra_headers["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    somebody = Client(enforce_csrf_checks=True)
    assert "No more of these emails" in text(somebody.get(path[1]))
    assert following_queries.digest_choice(world.other).is_wanted, "whoever opens links changes nothing"
    assert "Switched off" in text(somebody.post(path[1], {"List-Unsubscribe": "One-Click"}))
    assert not following_queries.digest_choice(world.other).is_wanted
    for wrong in (f"{world.other}:x", "x", digests.unsubscribe_token(world.other) + "x"):
        assert somebody.post(f"/unsubscribe/{wrong}/").status_code == 404


def test_feeds_tell_results_and_without_spoilers_none(world: World) -> None:
    told(world.finished)
    for where in ("/bots/long-ledger/feed.xml", f"/ladder/{world.ladder}/feed.xml"):
        answer = Client().get(where)
        assert answer["Content-Type"] == "application/atom+xml; charset=utf-8"
        (entry,) = ET.fromstring(answer.content).findall(f"{ATOM}entry")
        link = entry.find(f"{ATOM}link")
        assert link is not None and link.get("href") == f"http://testserver/matches/{world.finished}/"
        assert " wins over " in (entry.findtext(f"{ATOM}title") or "")
        assert "wins by 7; the lead changed 4 times." in (entry.findtext(f"{ATOM}summary") or "")
        (entry,) = ET.fromstring(Client().get(f"{where}?spoilers=0").content).findall(f"{ATOM}entry")
        assert entry.findtext(f"{ATOM}title") == "Long Ledger, Bot 1 and Bot 2"
        assert entry.findtext(f"{ATOM}summary") == "3 players"
        link = entry.find(f"{ATOM}link")
        assert link is not None and (link.get("href") or "").endswith("?spoilers=0")
    assert Client().get("/bots/nope/feed.xml").status_code == 404


def test_names_in_feeds_are_no_markup(kit: Kit) -> None:
    bot = bot_actions.register_bot(account_actions.create_user("mallory", None), "<b>Bold</b>")
    match_id = kit.finish([bot_actions.register_version(bot, "1"), kit.version()]).match_id
    Participant.objects.filter(match=match_id, seat=1).update(placement=1)
    told(match_id)
    (entry,) = ET.fromstring(Client().get("/bots/bboldb/feed.xml").content).findall(f"{ATOM}entry")
    assert "&lt;b&gt;Bold" in (entry.findtext(f"{ATOM}summary") or "")


def metas(page: str) -> dict[str, str]:
    return dict(re.findall(r'<meta (?:property|name)="([^"]+)" content="([^"]*)"', page))


def test_cards_and_their_pictures(world: World) -> None:
    told(world.finished)
    paths = ["/bots/long-ledger/", f"/matches/{world.finished}/", f"/ladder/{world.ladder}/", "/users/lena/"]
    for path in paths:
        page = text(Client().get(path))
        said = metas(page)
        assert (
            said["og:url"] == f"http://testserver{path}" and f'rel="canonical" href="http://testserver{path}"' in page
        )
        answer = Client().get(said["og:image"])
        assert answer["Content-Type"] == "image/png" and Image.open(io.BytesIO(answer.content)).size == (1200, 630)
        assert Client().get(said["og:image"], headers={"If-None-Match": answer["ETag"]}).status_code == 304
        with translation.override("ru"):
            assert Client(headers={"Accept-Language": "ru"}).get(said["og:image"]).status_code == 200
    said = metas(text(Client().get(f"/matches/{world.finished}/")))
    assert " wins over " in said["og:title"] and "wins by 7" in said["og:description"] == said["description"]
    assert Client().get("/users/nope/preview.png").status_code == 404


def test_pictures_are_made_one_at_a_time_and_asked_for_again(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    caches["pictures"].clear()
    monkeypatch.setattr(preview_pages, "WAIT_S", 0)
    path = "/bots/long-ledger/preview.png"
    with one_at_a_time(settings.PLACES.frames / "pictures-lock", 0, "somebody"):
        busy = Client().get(path)
        assert (busy.status_code, busy["Retry-After"], busy["Cache-Control"]) == (503, "2", "no-store")
    assert Client().get(path)["Content-Type"] == "image/png"


def test_a_card_without_spoilers_tells_nothing(world: World) -> None:
    told(world.finished)
    page = text(Client().get(f"/matches/{world.finished}/?spoilers=0"))
    said = metas(page)
    assert said["og:title"] == "Long Ledger, Bot 1 and Bot 2"
    assert said["og:description"] == said["description"] == "Long Ledger, Bot 1 and Bot 2 at Five Tribes: 3 players"
    assert said["og:image"].endswith("/preview.png?spoilers=0") and said["og:url"].endswith(f"/{world.finished}/")
    line = match_queries.match_page(world.finished).line
    Participant.objects.filter(match=world.finished).update(score=17)
    silent = Client().get(said["og:image"]).content
    Match.objects.filter(pk=world.finished).update(state="FINISHED")
    Participant.objects.filter(match=world.finished, seat=2).update(score=99)
    assert Client().get(said["og:image"]).content == silent != Client().get(f"/matches/{line.id}/preview.png").content


def test_a_list_without_spoilers_has_no_results(world: World) -> None:
    told(world.finished)
    page = text(Client().get("/matches/?spoilers=0"))
    assert f"/matches/{world.finished}/?spoilers=0" in page and "board.svg" not in page
    scores = [str(score) for score in Participant.objects.filter(match=world.finished).values_list("score", flat=True)]
    assert not any(f"<b>{score}</b>" in page for score in scores) and "wins" not in page and "won by" not in page
    page = text(Client().get("/matches/"))
    assert all(f"<b>{score}</b>" in page for score in scores) and "wins by 7" in page


def test_the_best_of_the_week(world: World, kit: Kit) -> None:
    assert "No match of this week" in text(Client().get("/matches/?best=week"))
    better = kit.finish(kit.versions(2)).match_id
    told(world.finished)
    told(better)
    Story.objects.filter(match=better).update(excitement=0.9)
    old = kit.finish(kit.versions(2)).match_id
    told(old)
    Story.objects.filter(match=old).update(day=datetime.now(UTC).date() - timedelta(days=7))
    assert Client().get("/matches/?best=week&page=2").status_code == 404, "they are on one page"
    page = text(Client().get("/matches/?best=week"))
    found = re.findall(r'<p class="result-head"><a class="plain-link" href="/matches/(\w+)/"', page)
    assert found == [better, world.finished]
    assert "Best matches of the week" in text(Client().get("/"))


def test_search_engines_find_every_page(world: World) -> None:
    robots = text(Client().get("/robots.txt"))
    assert "Disallow: /account/" in robots and "Sitemap: http://testserver/sitemap.xml" in robots
    found = set()
    for place in ET.fromstring(Client().get("/sitemap.xml").content).iter(f"{SITEMAP}loc"):
        for one in ET.fromstring(Client().get(place.text or "").content).iter(f"{SITEMAP}loc"):
            found.add((one.text or "").removeprefix("http://testserver"))
    assert {"/", "/ladder/", f"/ladder/{world.ladder}/", "/docs/rules/", "/bots/long-ledger/"} <= found
    assert f"/matches/{world.finished}/" in found
    assert not any(match in path for match in (world.running, world.waiting, world.aborted) for path in found)
    assert not any("autumn" in path for path in found), "drafts are nobody's business"
    assert Client().get("/sitemap-nope-1.xml").status_code == 404
    assert Client().get(f"/sitemap-{world.ladder}-9.xml").status_code == 404


WHEN = datetime(2026, 7, 1, 22, 30, tzinfo=UTC)


def test_a_time_is_in_utc_for_strangers_and_in_the_zone_of_who_is_signed_in() -> None:
    plain = time_element(WHEN, None, "")
    assert plain == (
        '<time datetime="2026-07-01T22:30:00+00:00" title="1 Jul 2026, 22:30 UTC" data-utc="full">'
        "1 Jul 2026, 22:30 UTC</time>"
    )
    local = time_element(WHEN, None, "Europe/Paris", "DATE_FORMAT")
    assert local == '<time datetime="2026-07-01T22:30:00+00:00" title="2 Jul 2026, 00:30 CEST">2 Jul 2026</time>'
    assert ">2 h ago<" in time_element(WHEN, "2 h ago", "Asia/Kathmandu")


def test_a_page_is_written_in_the_zone_that_the_browser_told(world: World) -> None:
    Match.objects.filter(pk=world.finished).update(finished_at=WHEN)
    client, page = world.client("other"), f"/matches/{world.finished}/"
    assert 'data-zone=""' in text(client.get(page)) and "22:30 UTC" in text(client.get(page))
    client.cookies["zone"] = "Asia/Tokyo"
    shown = text(client.get(page))
    assert 'data-zone="Asia/Tokyo"' in shown and "2 Jul 2026, 07:30 JST" in shown and "data-utc" not in shown
    client.cookies["zone"] = "../../etc/passwd"
    assert "22:30 UTC" in text(client.get(page))
    stranger = Client()
    stranger.cookies["zone"] = "Asia/Tokyo"
    assert "22:30 UTC" in text(stranger.get(page)) and "data-zone" not in text(stranger.get(page))


def test_all_ladders_at_a_glance_in_an_order_of_their_own(world: World, kit: Kit) -> None:
    def order() -> list[str]:
        return re.findall(r'<h3><a class="plain-link" href="/ladder/([\w-]+)/"', text(Client().get("/ladder/")))

    pair = kit.versions(2)
    kit.finish(pair)
    fit_due()
    before = order()
    assert before == ["2-players-60-s-1-s", world.ladder]
    for _ in range(3):
        kit.finish(pair)
    assert order() == before, "however many matches they have"
    page = text(Client().get("/ladder/"))
    assert "Bot 1" in page and "Long Ledger" in page and page.count("<ol") == 2


def test_tabs_say_what_tells_ladders_apart() -> None:
    slow = replace(CLOCK, bank_ms=120_000)
    versions = Kit().versions(3)
    for ruleset, clock in ((Ruleset(3), CLOCK), (Ruleset(3), slow), (Ruleset(3, ("whims",)), CLOCK)):
        ownership.schedule_match(ruleset, versions, clock, POLICY, True)
    ownership.schedule_match(Ruleset(2), versions[:2], CLOCK, POLICY, True)
    ladders = [summary.ladder for summary in rating_queries.ladders()]
    assert sorted(tab_words(ladders)) == ["2", "3 · 120 s + 1 s", "3 · 60 s + 1 s", "3 · Whims"]


def test_one_row_a_bot_and_the_others_unfold(world: World, kit: Kit) -> None:
    versions = list(Participant.objects.filter(match=world.finished).order_by("seat").values_list("version", flat=True))
    newer = bot_actions.register_version(world.bot, "3.0")
    kit.finish([newer, *versions[1:]])
    where = f"/ladder/{world.ladder}/"
    page = text(Client().get(where))
    assert page.count("<b>Long Ledger</b>") == 1 and "1 other version" in page and "<b>3.0</b>" in page
    assert "not rated yet" in page.partition('<details class="ladder-versions"')[2].partition("</details>")[0]
    assert text(Client().get(f"{where}?versions=all")).count("<b>Long Ledger</b>") == 2
    rows = rating_queries.ladder(world.ladder).rows
    shown = front_rows(rows)
    assert [row.version.name for row in shown if row.version.bot.id == world.bot] == ["2.1"], "the one that is rated"
    assert [row.version.name for row in other_versions(rows, shown)[world.bot]] == ["3.0"]


def test_small_boards_bring_what_they_need(world: World) -> None:
    replay = load_replay(match_queries.match_page(world.finished).line)
    assert replay is not None
    last = replay.position(len(replay.steps))
    assert last is not None
    drawn = draw_thumbnail(last)
    root = ET.fromstring(drawn)
    ids = {element.get("id") for element in root.iter("{http://www.w3.org/2000/svg}symbol")}
    used = {(element.get("href") or "")[1:] for element in root.iter("{http://www.w3.org/2000/svg}use")}
    assert used == ids and ids
    classes = {name for element in root.iter() for name in (element.get("class") or "").split()}
    style = next(root.iter("{http://www.w3.org/2000/svg}style")).text or ""
    variables = set(re.findall(r"var\(--([\w-]+)\)", style))
    assert variables and all(style.count(f"--{name}:") >= 2 for name in variables), "of both themes"
    assert {f"meeple-{tribe}" for tribe in "ywgbr"} & classes and "board-ground" in classes
    assert all(f".{name}" in style for name in ("board-ground", "tile-ground", "meeple-body"))
    owners = {tile.owner for tile in last.tiles.values() if tile.owner}
    assert owners and all(f".seat-{owner}" in style for owner in owners)
    assert len(drawn) < 20_000 and ET.fromstring(empty_board(6, 5)) is not None


def test_small_boards_of_what_nobody_may_see(world: World) -> None:
    answer = Client().get(f"/matches/{world.finished}/board.svg")
    assert answer["Content-Type"] == "image/svg+xml" and "max-age=86400" in answer["Cache-Control"]
    assert "style-src 'unsafe-inline'" in answer["Content-Security-Policy"]
    running = Client().get(f"/matches/{world.running}/board.svg")
    assert running["Cache-Control"] == "public, max-age=5" and b"#m-" in running.content
    for match in (world.waiting, world.aborted):
        empty = Client().get(f"/matches/{match}/board.svg")
        assert b"#m-" not in empty.content and empty["Cache-Control"] == "no-store"
    assert Client().get("/matches/nosuchmatch0/board.svg").status_code == 404
