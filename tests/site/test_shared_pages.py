"""Shared pages: a visitor gets what would have been made for this visitor alone, whoever asked before."""

from __future__ import annotations

import random
import re
from datetime import timedelta
from itertools import product
from threading import Lock, Thread
from types import SimpleNamespace
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.core.cache import caches
from django.http import HttpResponse
from django.test import AsyncClient, Client, RequestFactory
from django.urls import URLPattern
from django.utils import timezone

from arena.story import DecidedBy, Evaluation, Point, StoryValues
from tests.kit.ladder import Kit, Writer, play_out
from tests.kit.until import PATIENCE_S
from tests.ladder.organised import Organised
from tests.site.test_routes import READ
from tests.site.test_routes import address as address_of
from tests.site.world import World, served, sign_in, text
from webui.accounts import actions as account_actions
from webui.accounts import erasure
from webui.accounts import values as account_values
from webui.accounts.models import AuditEntry
from webui.bots.models import BotVersion
from webui.core import shared
from webui.core.shared import STRANGERS, Key, SharedPages, is_the_same_for_all, shared_pages
from webui.events import pages as event_pages
from webui.events.models import EventRow
from webui.matches import queries as match_queries
from webui.matches.models import Match
from webui.replays import pages as replay_pages
from webui.site.urls import urlpatterns
from webui.staff import locks
from webui.stories import actions as story_actions

LANGUAGES = ["en", "es", "fr", "ru"]
VISITORS = ["stranger", "owner", "staff"]
PASSES = re.compile(r'<time.*?</time>|data-(?:shown|rest)="\d+"|csrfmiddlewaretoken" value="[^"]*"', re.DOTALL)
"""Parts of a page that differ from one moment to the next."""


@pytest.fixture(autouse=True)
def nothing_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without pages, and keep them for as long as a slow machine needs."""
    shared_pages.clear()
    caches["pages"].clear()  # what is on TV, from an earlier test
    monkeypatch.setattr(shared, "FRESH_S", 600.0)
    monkeypatch.setattr(replay_pages, "VERSIONED_S", 600.0)
    monkeypatch.setattr(event_pages, "VERSIONED_S", 600.0)


def shared_routes() -> list[str]:
    """The names of the routes that are shared."""
    routes = [route for route in urlpatterns if isinstance(route, URLPattern)]
    return [str(route.name) for route in routes if route.callback.__code__.co_qualname.startswith("shared.")]


def seen(answer: Any, address: str) -> tuple[int, str]:
    """The status and the page without times. The state of the arena changes all the time, so only its head counts."""
    page = PASSES.sub("", answer.content.decode())
    return answer.status_code, page.partition("<main")[0] if address == "/status/" else page


@pytest.mark.django_db(transaction=True)  # pages of errors are made in another thread
def test_every_shared_page_is_the_visitors_own(kit: Kit) -> None:
    world = World(kit)
    addresses = [address_of(world, name, READ[name][0]) for name in shared_routes()]
    assert len(addresses) > 15
    addresses += [f"/matches/{world.running}/", f"/events/{world.draft}/", f"/matches/{world.finished}/?spoilers=0"]
    clients = {who: world.client(who) for who in VISITORS}
    draw, asked = random.Random(8), list(product(addresses, [*VISITORS, "stranger"], LANGUAGES))
    draw.shuffle(asked)
    own: dict[tuple[str, str, str], tuple[int, str]] = {}
    for address, who, language in asked:
        client, has_cookie = clients[who], draw.random() < 0.5
        headers = {"Accept-Language": "fr" if has_cookie else language}
        client.cookies.pop("django_language", None)
        if has_cookie:
            client.cookies["django_language"] = language
        if (address, who, language) not in own:
            own[address, who, language] = seen(client.get(address, headers=headers), address)
        assert seen(served(client, address, **headers), address) == own[address, who, language], (
            address,
            who,
            language,
        )


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "queries"), [("/", 0), ("/matches/", 0), ("/ladder/", 0), ("/bots/long-ledger/", 0), ("match", 2)]
)
def test_a_page_is_made_once_for_all_strangers(
    kit: Kit, address: str, queries: int, django_assert_num_queries: Any
) -> None:
    world = World(kit)
    address = f"/matches/{world.finished}/" if address == "match" else address
    first = served(Client(), address)
    with django_assert_num_queries(queries):
        again = served(Client(), address)
    assert again.content == first.content
    assert {**again.headers, "X-Request-ID": ""} == {**first.headers, "X-Request-ID": ""}
    assert "Cookie" in again["Vary"] and "Accept-Language" in again["Vary"]


@pytest.mark.django_db
def test_a_page_with_the_sites_own_address_is_kept_by_it(kit: Kit) -> None:
    World(kit)
    for scheme in ("http", "https", "http", "https"):
        page = async_to_sync(AsyncClient().get)("/bots/long-ledger/", secure=scheme == "https")
        assert re.findall(r'property="og:url" content="(\w+):', page.content.decode()) == [scheme]


@pytest.mark.django_db
def test_encodings_are_kept_apart(kit: Kit) -> None:
    for encoding in ("gzip", "zstd", ""):
        for _ in range(2):
            answer = served(Client(), "/matches/", **{"Accept-Encoding": encoding})
            assert answer.headers.get("Content-Encoding", "") == encoding


@pytest.mark.django_db
def test_a_running_match_is_as_new_as_its_row(kit: Kit) -> None:
    claim = kit.claim(kit.match())
    entries = play_out(claim).entries
    writer, pages = Writer(claim), []
    for first, last in ((0, 40), (40, 60)):
        writer.append(entries[first:last])
        pages.append(served(Client(), f"/matches/{claim.match_id}/").content)
    assert pages[0] != pages[1]
    assert match_queries.page_version("nowhere").ended_at is None


@pytest.mark.django_db
def test_the_page_of_a_match_is_kept_the_longer_the_longer_ago_it_ended(
    kit: Kit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replay_pages, "VERSIONED_S", 20.0)
    running, ended = kit.match(), kit.finish().match_id
    kit.claim(running)

    def kept_s(match_id: str, age: timedelta = timedelta()) -> float:
        Match.objects.filter(pk=match_id, state="FINISHED").update(finished_at=timezone.now() - age)
        found = replay_pages.sharing(RequestFactory().get(f"/matches/{match_id}/"), match_id)
        assert found is not None
        return found.fresh_s

    assert kept_s(running) == kept_s(ended) == 20
    assert kept_s(ended, timedelta(minutes=50)) == pytest.approx(300, rel=0.5)
    assert kept_s(ended, timedelta(days=400)) == 600
    assert kept_s(ended, timedelta(days=-400)) == 20, "a clock that was set back"


@pytest.mark.django_db
@pytest.mark.parametrize("seat", [1, 2])
def test_no_kept_page_of_a_match_names_who_was_renamed(kit: Kit, seat: int) -> None:
    """Bot 1 plays the match. The page also suggests its next match, against Bot 3."""
    first, second, third = kit.versions(3)
    match = kit.finish([first, second]).match_id
    kit.finish([first, third])
    bot = BotVersion.objects.get(pk=first if seat == 1 else third).bot
    page, embed = f"/matches/{match}/", f"/matches/{match}/embed"
    assert bot.name in text(served(Client(), page))
    served(Client(), embed)
    staff = account_actions.create_user("staff", None, role="admin")
    by = account_values.Actor(staff)
    assert locks.correct_bot(bot.pk, name="Polite Fox", description="", reason="a test of names", by=by)
    now = text(served(Client(), page))
    assert bot.name not in now and "Polite Fox" in now
    erasure.erase_account(bot.owner_id)
    for address in (page, embed):
        assert not any(name in text(served(Client(), address)) for name in (bot.name, "Polite Fox"))


@pytest.mark.django_db
def test_a_renaming_that_commits_after_a_later_one_makes_a_new_version_of_a_page(kit: Kit) -> None:
    match = kit.finish().match_id
    last = max(AuditEntry.objects.values_list("pk", flat=True))  # flushes between tests do not reset the numbers
    versions = {match_queries.page_version(match)}
    for number in (last + 2, last + 1):  # two transactions got their numbers in one order, and committed in the other
        AuditEntry.objects.create(pk=number, act=account_values.Act.BOT_CORRECTED)
        versions.add(match_queries.page_version(match))
    assert len(versions) == 3


@pytest.mark.django_db
def test_a_kept_page_of_a_match_changes_with_its_story(kit: Kit) -> None:
    match = kit.finish().match_id
    before = text(served(Client(), f"/matches/{match}/"))
    values = StoryValues((1,), 7, 2, DecidedBy.SOURCE, "goods", 0.5)
    story_actions.write_story(match, Evaluation((Point(0, (0.5, 0.5), 0.1),), (), values))
    assert "the lead changed 2 times" not in before
    assert "the lead changed 2 times" in text(served(Client(), f"/matches/{match}/"))


@pytest.mark.django_db(transaction=True)
def test_a_kept_page_is_not_sent_while_its_result_is_hidden(kit: Kit) -> None:
    cup = Organised(kit, 2)
    cup.start()
    match = cup.scheduled()[0]
    cup.play()
    assert served(Client(), f"/matches/{match}/").status_code == 200
    EventRow.objects.update(hidden=True, revealed=0)
    assert served(Client(), f"/matches/{match}/").status_code == 404


@pytest.mark.django_db(transaction=True)
def test_a_hidden_result_is_never_kept_for_strangers(kit: Kit) -> None:
    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    cup.start()
    match = cup.scheduled()[0]
    cup.play()
    organiser = Client()
    sign_in(organiser, cup.organiser)
    for _ in range(2):
        assert served(organiser, f"/matches/{match}/").status_code == 200
        assert served(Client(), f"/matches/{match}/").status_code == 404
        shown = {served(client, f"/events/{cup.slug}/").content for client in (organiser, Client())}
        assert len(shown) == 2


@pytest.mark.django_db
def test_a_message_is_for_who_it_is_for(kit: Kit) -> None:
    visitor = World(kit).client("owner")
    visitor.post("/account/bots/long-ledger/edit/", {"description": "Counts thrice."})
    del visitor.cookies["sessionid"]  # signed out before the message was shown
    for _ in range(2):
        waiting = visitor.cookies["messages"].value
        assert b"The description is changed." in served(visitor, "/").content
        assert b"The description is changed." not in served(Client(), "/").content
        visitor.cookies["messages"] = waiting  # another tab


def test_only_what_has_nothing_of_its_own_is_kept() -> None:
    def is_kept(change: Any = None, **request: Any) -> bool:
        response = HttpResponse("page")
        if change:
            change(response)
        return is_the_same_for_all(SimpleNamespace(**{"META": {}, **request}), response)

    assert is_kept()
    assert not is_kept(lambda response: response.set_cookie("a", "b"))
    assert not is_kept(lambda response: setattr(response, "status_code", 404))
    for word in ("private", "no-store", "no-cache"):
        assert not is_kept(lambda response, word=word: response.headers.setdefault("Cache-Control", word))
    assert not is_kept(META={"CSRF_COOKIE_NEEDS_UPDATE": True})
    assert not is_kept(session=SimpleNamespace(modified=True))
    assert not is_kept(_messages=SimpleNamespace(used=True, added_new=False))
    signed_in = SimpleNamespace(is_authenticated=True)
    assert not is_kept(_cached_user=signed_in)
    request: Any = SimpleNamespace(META={}, _cached_user=signed_in)
    assert is_the_same_for_all(request, HttpResponse("page"), "users without bots")
    request.META["CSRF_COOKIE_NEEDS_UPDATE"] = True
    assert not is_the_same_for_all(request, HttpResponse("page"), "users without bots")


def key(number: int, version: str = "") -> Key:
    return Key((f"{number}",), STRANGERS, version)


def test_pages_take_a_limited_amount_of_memory() -> None:
    pages = SharedPages(most_bytes=20_000)
    made: list[int] = []

    def ask(number: int) -> bytes:
        def make() -> tuple[HttpResponse, bool]:
            made.append(number)
            return HttpResponse(f"{number}" * 5000), True

        return pages.get_or_make(key(number), 60, make).content

    for number in (1, 2, 3, 1, 4, 1, 4):
        assert ask(number) == f"{number}".encode() * 5000
    assert made == [1, 2, 3, 4, 1]
    assert pages._size == sum(len(page.packed) for page in pages._pages.values()) < 20_000
    pages.clear()
    assert pages.find(key(4), 60) is None


def test_a_page_made_from_a_page_with_a_version_waits_for_no_lock_of_its_own() -> None:
    pages = SharedPages()
    for level in (False, True):
        pages._making[level] = [Lock()]  # all pages share it

    def outer() -> tuple[HttpResponse, bool]:
        return pages.get_or_make(key(1, version="1"), 60, lambda: (HttpResponse("page"), True)), True

    thread = Thread(target=lambda: pages.get_or_make(key(1), 60, outer), daemon=True)
    thread.start()
    thread.join(PATIENCE_S)
    kept = pages.find(key(1), 60)
    assert kept is not None and kept.content == b"page"
