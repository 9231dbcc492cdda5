"""Pages: what is not there or fails, an empty arena, what people write, and how often the database is asked."""

from __future__ import annotations

from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib.auth import get_user_model
from django.core.cache import caches
from django.test import Client

from tests.kit.ladder import Kit
from tests.site.seed import PASSWORD
from tests.site.world import World, text
from webui.accounts import actions as account_actions
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.core.headers import HEADERS
from webui.profiles import queries as profile_queries
from webui.ratings import queries as rating_queries

pytestmark = pytest.mark.django_db


def test_a_failing_page_says_so_and_is_as_guarded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(profile_queries, "bots", lambda **_: 1 / 0)
    answer = Client(raise_request_exception=False).get("/bots/")
    assert answer.status_code == 500 and "The arena made a mistake" in text(answer)
    assert {name: answer[name] for name in HEADERS} == HEADERS


def test_what_people_write_is_escaped(kit: Kit) -> None:
    owner = account_actions.create_user("mallory", PASSWORD)
    bot = bot_actions.register_bot(owner, "<b>Bold</b>", description="<script>alert(1)</script>")
    versions = [bot_actions.register_version(bot, "<i>1</i>"), kit.version()]
    match_id = kit.finish(versions).match_id
    client = Client()
    client.force_login(get_user_model().objects.get(pk=owner))
    ladder = rating_queries.ladders()[0].ladder.slug
    lists = ("/", "/bots/", "/matches/", "/account/bots/")
    for where in (*lists, "/bots/bboldb/", f"/matches/{match_id}/", f"/ladder/{ladder}/"):
        page = text(client.get(where))
        assert "<b>Bold" not in page and "<i>1<" not in page and "<script>alert" not in page
        assert "&lt;b&gt;Bold" in page


def test_a_name_stays_a_name_where_the_code_for_a_frame_is_pasted(kit: Kit) -> None:
    """Into a page of somebody else, whom the bot's author may never have heard of."""
    name = '"><script src=//a.example></script>'
    bot = bot_actions.register_bot(account_actions.create_user("mallory", None), name)
    match_id = kit.finish([bot_actions.register_version(bot, "1"), kit.version()]).match_id
    tags: list[tuple[str, dict[str, str | None]]] = []

    class Reader(HTMLParser):
        def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
            tags.append((tag, dict(attributes)))

    Reader().feed(text(Client().get(f"/matches/{match_id}/")))
    code = next(attributes["value"] for _, attributes in tags if attributes.get("id") == "embed-code")
    tags.clear()
    Reader().feed(code or "")
    ((tag, attributes),) = tags
    assert tag == "iframe" and name in (attributes["title"] or "")


def queries_of(django_assert_max_num_queries: Any, client: Client, where: str, most: int) -> int:
    caches["pages"].clear()  # what is on TV is kept for two seconds, which may pass here or there
    with django_assert_max_num_queries(most, info=where) as found:
        assert client.get(where).status_code == 200
    return len(found)


COUNTED = {  # page -> most queries, whoever asks
    "/": 30,  # one a day of the week for its best matches
    "/matches/": 8,
    "/matches/?best=week": 16,
    "/matches/?weakest=1000&excitement=some&state=finished&hosted=no": 9,
    "/ladder/": 6,
    "/account/following/": 16,
    "/matches/?bot=long-ledger&state=finished": 11,
    "/ladder/3-players-60-s-1-s/": 9,
    "/ladder/3-players-60-s-1-s/?q=bot&sort=games": 9,
    "/ladder/3-players-60-s-1-s/table.csv": 3,
    "/events/": 7,
    "/bots/": 6,
    "/bots/?q=bot": 6,
    "/status/": 13,
    "/bots/long-ledger/": 32,  # one of them only where a bot has had few matches: it looks further back
    "/users/lena/": 8,
    "/statistics/": 9,
    "/records/": 10,
    "/people/": 7,
    "/bots/long-ledger/against/": 9,
    "/bots/long-ledger/against/bot-1/": 18,
    "/account/": 9,
    "/account/history/": 6,
    "/account/bots/": 9,
    "/account/bots/long-ledger/matches/{finished}/": 14,
    "/matches/{finished}/": 17,
    "/play/": 12,
    "/write/": 11,
    "/write/lessons/": 9,
    "/write/lessons/1/": 11,
    "/analysis/": 6,
    "/analysis/?match={finished}&d=20": 10,
    "/analysis/table.json?match={finished}&d=20": 10,
    "/analysis/games/?match={finished}&d=20": 12,
    "/analysis/play/?match={finished}&d=20&seat=1&house=greedy": 20,  # at first it computes, which is counted
    "/analysis/play.json?match={finished}&d=20&seat=1&house=greedy": 20,
}
"""Six of the owner's are for the session, the user, unread notices and what is the owner's alone."""


def test_numbers_of_queries_do_not_grow(world: World, kit: Kit, django_assert_max_num_queries: Any) -> None:
    clients = {"owner": world.client("owner"), "stranger": Client()}

    def counted() -> dict[tuple[str, str], int]:
        return {
            (who, page): queries_of(django_assert_max_num_queries, client, page.format(finished=world.finished), most)
            for who, client in clients.items()
            for page, most in COUNTED.items()
            if who == "owner" or not page.startswith("/account")
        }

    before = counted()
    own = bot_actions.register_version(world.bot, "3.0")
    for number in range(4):
        kit.finish([own, *kit.versions(2)])
        token_actions.issue_token(world.bot)
        bot_actions.register_bot(world.owner, f"Another {number}")
    assert {where: count for where, count in counted().items() if count > before[where]} == {}


def test_what_is_for_who_is_signed_in_stays_in_that_browser(world: World) -> None:
    def cached(who: str, where: str) -> str | None:
        answer = world.client(who).get(where)
        assert answer.status_code == 200
        return answer.headers.get("Cache-Control")

    match, proof = f"/matches/{world.finished}/", "/.well-known/naqala-arena-offers.jsonl"
    for where in (
        match,
        "/",
        "/bots/long-ledger/",
        "/account/bots/",
        f"/account/bots/long-ledger/matches/{world.finished}/",
    ):
        assert cached("owner", where) == "private", where
    assert cached("stranger", match) is None
    assert cached("owner", proof) == "no-cache", "the same for everybody"
