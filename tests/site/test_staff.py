"""The pages of staff: who sees them, what is done and asked before, and that nothing there breaks."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Any

import pytest
from allauth.account.models import EmailAddress
from django.core import mail
from django.test import Client

from arena.host import tracing
from arena.referee import Entry, Kind
from arena.rules import view
from tests.kit.ladder import CLOCK, Kit, Writer
from tests.site.seed import PASSWORD
from tests.site.test_hidden import SEEDS, begin
from tests.site.world import World, limited, text
from webui.accounts import actions as account_actions
from webui.accounts.models import AuditEntry
from webui.accounts.values import Act, Actor
from webui.bots import actions as bot_actions
from webui.bots import token_actions, token_queries
from webui.bots.models import Bot
from webui.ladders import terms as ladder_terms
from webui.ladders.models import Ladder
from webui.matches.models import Match
from webui.notices.emails import send_due_mails
from webui.profiles import queries as profile_queries
from webui.staff import locks, match_queries, orders
from webui.staff.models import MatchOrder
from webui.staff.values import Right

pytestmark = pytest.mark.django_db

WHY = "Its gateway has died"
PAGES = ("/staff/", "/staff/matches/", "/staff/ladders/", "/staff/users/", "/staff/bots/", "/staff/audit/",
         "/staff/suspicions/", "/staff/hosting/")  # fmt: skip


# Who sees what


def test_staff_without_a_right_see_only_what_is_no_secret(world: World) -> None:
    clerk = limited()
    assert [clerk.get(where).status_code for where in PAGES] == [200, 403, 403, 403, 403, 403, 403, 403]
    page = text(clerk.get("/staff/"))
    assert not re.search(r'href="/staff/(matches|users|audit)', page)


def test_who_may_look_need_not_be_allowed_to_act(world: World) -> None:
    clerk = limited(Right.VIEW_MATCH, Right.VIEW_LADDER, Right.VIEW_USER, Right.VIEW_BOT)
    assert [clerk.get(where).status_code for where in PAGES] == [200, 200, 200, 200, 200, 403, 403, 403]
    acts = {
        f"/staff/matches/{world.running}/": f"/staff/matches/{world.running}/void/",
        "/staff/ladders/": "/staff/ladders/3/",
        "/staff/users/lena/": "/staff/users/lena/lock/",
        "/staff/bots/long-ledger/": "/staff/bots/long-ledger/lock/",
    }
    for where, act in acts.items():
        assert act not in text(clerk.get(where)) and act in text(world.client("staff").get(where)), where
        assert clerk.get(act).status_code == clerk.post(act, {"reason": WHY}).status_code == 403
    assert clerk.get("/staff/users/lena/message/").status_code == 403
    assert not MatchOrder.objects.exists() and not AuditEntry.objects.filter(reason=WHY).exists()


def test_a_right_to_act_is_enough_for_that(world: World) -> None:
    clerk = limited(Right.VIEW_MATCH, Right.CHANGE_MATCH)
    assert clerk.post(f"/staff/matches/{world.running}/void/", {"reason": WHY}).status_code == 302
    assert MatchOrder.objects.get().by.username == "clerk"


# What is done


def test_a_match_is_voided_with_what_follows_said_before(world: World) -> None:
    client = world.client("staff")
    where = f"/staff/matches/{world.running}/"
    assert f"{where}void/" in text(client.get(where))
    form = text(client.get(f"{where}void/"))
    assert "No rating changes" in form and "page shows your reason to everybody" in form
    assert "belongs to no event, comparison or challenge" in form
    refused = client.post(f"{where}void/", {"reason": ""})
    assert refused.status_code == 422 and "required" in text(refused)
    answer = client.post(f"{where}void/", {"reason": WHY, "again": "on"}, follow=True)
    assert "A worker carries it out within seconds" in text(answer) and f"{where}void/" not in text(answer)
    assert orders.carry_out_orders() == 1
    page = text(client.get(where))
    another = Match.objects.get(replaces=world.running).pk
    assert ">void<" in page and WHY in page and f"/staff/matches/{another}/" in page
    assert WHY in text(Client().get(f"/matches/{world.running}/"))
    late = client.post(f"{where}void/", {"reason": WHY})
    assert late.status_code == 422 and "ended already" in text(late)


def test_a_match_that_never_began_is_played_again(world: World) -> None:
    client = world.client("staff")
    where = f"/staff/matches/{world.aborted}/"
    assert "its ladder, and the ratings of its bots change" in text(client.get(f"{where}again/"))
    assert client.post(f"{where}again/", {"reason": WHY}).status_code == 302
    assert orders.carry_out_orders() == 1
    assert Match.objects.get(replaces=world.aborted).state == "SCHEDULED"
    assert f"{where}again/" not in text(client.get(where)), "once"
    assert client.get(f"{where}nope/").status_code == client.get("/staff/matches/nope/void/").status_code == 404


def test_a_ladder_is_changed_by_who_saw_it_last(world: World) -> None:
    client, other = world.client("staff"), world.client("staff")
    page = text(client.get("/staff/ladders/3/"))
    assert 'name="revision" value="0"' in page and "3 matches" not in page and "2 matches of this game" in page
    form = {
        "is_open": "on",
        "share": "9",
        "bank": "60",
        "increment": "1.5",
        "cap": "10",
        "revision": "0",
        "reason": WHY,
    }
    assert client.post("/staff/ladders/3/", form).status_code == 302
    assert other.post("/staff/ladders/3/", {**form, "share": "8"}).status_code == 422
    terms = ladder_terms.terms_of_game("3")
    assert (terms.share, terms.clock, terms.revision) == (9, replace(CLOCK, increment_ms=1500), 1)
    page = text(client.get("/staff/ladders/"))
    assert WHY in page and "60 s + 1.5 s" in page and "<del>4</del>" in page
    wrong = client.post("/staff/ladders/3/", {**form, "revision": "1", "bank": "0", "increment": "0"})
    assert wrong.status_code == 422 and "bank or an increment" in text(wrong)
    assert client.get("/staff/ladders/9/").status_code == 404


@pytest.mark.parametrize("language", ["en", "ru"])
def test_a_clock_may_have_parts_of_seconds(world: World, language: str) -> None:
    """The least cap that there is, and an increment that is no sum of tenths."""
    client, said = world.client("staff"), {"Accept-Language": language}
    form = {"is_open": "on", "share": "9", "bank": "60", "increment": "0.25", "cap": "0.1", "reason": WHY}
    assert client.post("/staff/ladders/3/", {**form, "revision": "0"}, headers=said).status_code == 302
    assert ladder_terms.terms_of_game("3").clock == replace(CLOCK, increment_ms=250, cap_ms=100)
    page = text(client.get("/staff/ladders/3/", headers=said))
    shown = dict(re.findall(r'<input type="number" name="(\w+)" value="([^"]+)"', page))
    assert (shown["bank"], shown["increment"], shown["cap"]) == ("60", "0.25", "0.1"), "as browsers write numbers"
    assert re.findall(r'name="cap"[^>]*min="([^"]+)"', page) == ["0.1"]
    assert client.post("/staff/ladders/3/", {**form, **shown, "share": "8", "revision": "1"}).status_code == 302
    assert ladder_terms.terms_of_game("3").clock == replace(CLOCK, increment_ms=250, cap_ms=100)
    less = client.post("/staff/ladders/3/", {**form, "cap": "0.099", "revision": "2"}, headers=said)
    assert less.status_code == 422


def test_spectators_are_held_back_at_once(world: World) -> None:
    client = world.client("staff")
    where = f"/staff/delays/{world.ladder}/"
    assert "for 1 running match, too" in text(client.get(where))
    assert client.post(where, {"delay": "4", "seen": "0", "reason": WHY}).status_code == 302
    assert Ladder.objects.get(slug=world.ladder).delay == 4
    assert "4 decisions behind" in text(Client().get(f"/matches/{world.running}/"))
    assert client.post(where, {"delay": "5", "seen": "0", "reason": WHY}).status_code == 422


def test_a_user_is_locked_after_what_it_means_was_said(world: World) -> None:
    client = world.client("staff")
    owner = Client(headers={"User-Agent": "Firefox/140.0 (X11; Linux)"})
    owner.post("/sign-in/", {"login": "lena", "password": PASSWORD})
    assert owner.get("/account/").status_code == 200
    page = text(client.get("/staff/users/lena/lock/"))
    assert "1 session ends at once" in page and "1 running match loses a bot" in page
    assert "1 match that has not begun is aborted" in page and f"/staff/matches/{world.running}/" in page
    assert client.post("/staff/users/lena/lock/", {"reason": WHY}).status_code == 302
    assert owner.get("/account/").status_code == 302 and token_queries.session_for_token(world.token.token) is None
    assert "locked" in text(client.get("/staff/users/?kind=locked"))
    again = client.post("/staff/users/lena/lock/", {"reason": WHY}, follow=True)
    assert "nothing was changed" in text(again), "the form was sent twice: it does not unlock"
    assert client.post("/staff/users/lena/unlock/", {"reason": "It was a bug"}).status_code == 302
    assert token_queries.session_for_token(world.token.token) is not None
    owner.post("/sign-in/", {"login": "lena", "password": PASSWORD})
    history = text(owner.get("/account/history/"))
    assert WHY in history and "It was a bug" in history and "Account locked by staff" in history
    refused = client.post("/staff/users/warden/lock/", {"reason": WHY})
    assert refused.status_code == 422 and "staff are not locked" in text(refused)


def test_a_locked_bot_says_so_and_its_owner_cannot_undo_it(world: World) -> None:
    client, owner = world.client("staff"), world.client("owner")
    page = text(client.get("/staff/bots/long-ledger/lock/"))
    assert "1 running match goes on" in page and "1 challenge that waits for it is refused" in page
    assert client.post("/staff/bots/long-ledger/lock/", {"reason": WHY}).status_code == 302
    own = text(owner.get("/bots/long-ledger/"))
    assert ">locked<" in own and "/bots/long-ledger/state/" not in own and "locked by the people who run" in own
    answer = owner.post("/account/bots/long-ledger/state/", {"state": "ACTIVE"}, follow=True)
    assert "This bot is locked" in text(answer) and Bot.objects.get(pk=world.bot).state == "LOCKED"
    assert "Long Ledger was locked" in text(owner.get("/account/notices/")) and WHY in text(
        owner.get("/account/notices/")
    )
    api = token_actions.issue_api_token(world.owner, ["read", "bots"]).token
    headers = {"Authorization": f"Bearer {api}", "Content-Type": "application/json"}
    answer = owner.patch("/api/v1/account/bots/long-ledger", '{"state": "active"}', headers=headers)
    assert answer.status_code >= 400 and Bot.objects.get(pk=world.bot).state == "LOCKED"
    assert Client().get("/api/v1/bots/long-ledger").json()["state"] == "paused"
    client.post("/staff/bots/long-ledger/unlock/", {"reason": "Repaired"})
    assert profile_queries.bot_page("long-ledger").state == "ACTIVE"


def test_a_message_arrives_on_the_site_and_by_email(world: World) -> None:
    account_actions.set_email(world.other, "tariq@example.org")
    client = world.client("staff")
    assert "no confirmed email address" in text(client.get("/staff/users/tariq/message/"))
    EmailAddress.objects.update(verified=True)
    page = text(client.get("/staff/users/tariq/message/"))
    number = re.search(r'name="number" value="(\d+)"', page)
    assert number is not None and "sent by email, too" in page
    form = {"text": "Please <b>rename</b> your bot.", "number": number[1]}
    for _ in range(2):
        assert client.post("/staff/users/tariq/message/", form).status_code == 302
    notices = text(world.client("other").get("/account/notices/"))
    assert notices.count("A message from the people who run the arena") == 1
    assert "Please &lt;b&gt;rename&lt;/b&gt; your bot." in notices
    assert send_due_mails() == 1
    (letter,) = mail.outbox
    assert letter.to == ["tariq@example.org"] and "Please <b>rename</b> your bot." in letter.body


def test_every_act_is_in_the_audit_log_with_who_and_why(world: World) -> None:
    client = world.client("staff")
    form = {"reason": WHY}
    client.post(f"/staff/matches/{world.running}/void/", form)
    client.post(f"/staff/matches/{world.aborted}/again/", form)
    orders.carry_out_orders()
    game = {"share": "9", "bank": "60", "increment": "1", "cap": "10", "revision": "0", **form}
    client.post("/staff/ladders/3/", game)
    client.post(f"/staff/delays/{world.ladder}/", {"delay": "4", "seen": "0", **form})
    client.post("/staff/bots/long-ledger/lock/", form)
    client.post("/staff/users/lena/lock/", form)
    client.post("/staff/users/tariq/message/", {"text": WHY, "number": "5"})
    lines = list(AuditEntry.objects.filter(reason=WHY).order_by("pk").values_list("act", "actor__username", "subject"))
    assert lines == [
        ("MATCH_VOIDED", "warden", world.running), ("MATCH_AGAIN", "warden", world.aborted),
        ("LADDER_CHANGED", "warden", "3"), ("LADDER_CHANGED", "warden", world.ladder),
        ("BOT_LOCKED", "warden", "Long Ledger"), ("USER_LOCKED", "warden", "lena"),
        ("USER_MESSAGED", "warden", "tariq"),
    ]  # fmt: skip
    page = text(client.get("/staff/audit/"))
    assert page.count(WHY) == 7 and "<del>active</del>" not in page and "<ins>LOCKED</ins>" in page
    assert text(client.get("/staff/audit/?act=BOT_LOCKED")).count(WHY) == 1
    assert text(client.get("/staff/audit/?account=lena")).count(WHY) == 2
    assert "No entry fits these filters" in text(client.get("/staff/audit/?actor=nobody"))
    for _ in range(60):
        account_actions.record_act(Act.ROLE_CHANGED, None, by=Actor(world.staff), subject="many")
    assert 'rel="next"' in text(client.get("/staff/audit/")) and client.get("/staff/audit/?page=2").status_code == 200


def test_what_people_write_is_escaped(world: World) -> None:
    client = world.client("staff")
    bot = bot_actions.register_bot(world.owner, "<b>Bold</b>", description="<script>alert(1)</script>")
    locks.lock_bot(bot, "<i>why</i>", by=Actor(world.staff))
    for where in (
        "/staff/bots/",
        "/staff/bots/bboldb/",
        "/staff/users/lena/",
        "/staff/audit/",
        "/staff/bots/bboldb/lock/",
    ):
        page = text(client.get(where))
        assert "<b>Bold" not in page and "<i>why" not in page and "<script>alert" not in page, where
    assert "&lt;i&gt;why&lt;/i&gt;" in text(client.get("/staff/audit/"))


# What is shown


def test_staff_see_of_a_running_match_what_everybody_sees(kit: Kit) -> None:
    """Two games that differ in what is hidden alone have the same pages."""
    world = World(kit)
    versions = kit.versions(3)
    one, two = (begin(kit, versions, seed) for seed in SEEDS)
    assert one[1].state.deck != two[1].state.deck, "there is something to hide"
    client, draw = world.client("staff"), random.Random(5)
    writers, appended, compared = [Writer(one[0]), Writer(two[0])], [0, 0], 0

    def shown(claim: Any, where: str) -> str:
        page = text(client.get(where.format(match=claim.match_id)))
        assert claim.server_seed.hex() not in page
        page = page.replace(claim.match_id, "MATCH").replace(tracing.trace_id(claim.match_id), "TRACE")
        page = re.sub(r'csrfmiddlewaretoken" value="\w+"', "", page)
        page = re.sub(r"\d+ s (left|ago)", "TIME", page)
        return re.sub(r"<time.*?</time>", "TIME", page)

    while view(one[1].state, 0) == view(two[1].state, 0) and compared < 3:
        choice = draw.choice([action.text for action in one[1].state.legal])
        if choice not in [action.text for action in two[1].state.legal]:
            break
        for number, (_, game, entries) in enumerate((one, two)):
            for event in game.play(choice):
                kind = Kind.DECISION if event.seat else Kind.CHANCE
                entries.append(Entry(len(entries), kind, event.seat, event.text))
            if len(game.events) % 4 == 0:
                writers[number].append(entries[appended[number] :])
                appended[number] = len(entries)
        if appended == [len(one[2]), len(two[2])] and view(one[1].state, 0) == view(two[1].state, 0):
            for where in ("/staff/matches/{match}/", "/staff/matches/{match}/void/", "/staff/matches/?match={match}"):
                assert shown(one[0], where) == shown(two[0], where)
            compared += 1
    assert compared >= 3, "the two games parted too early to prove anything"


@pytest.mark.parametrize("delay", [0, 3])
def test_the_staff_page_is_no_further_than_spectators(kit: Kit, delay: int) -> None:
    world = World(kit)
    Ladder.objects.update(delay=delay)
    page = match_queries.staff_match(world.running)
    shown = Match.objects.get(pk=world.running).spectator_rows.order_by("-ply").first()  # type: ignore[attr-defined]
    assert page.shown == shown.ply - delay and (page.decided_s is None) == bool(delay)


COUNTED = {
    "/staff/": 20, "/staff/matches/": 8, "/staff/matches/?owner=lena&state=FINISHED": 9,
    "/staff/matches/{finished}/": 16, "/staff/ladders/": 7, "/staff/users/": 4, "/staff/users/lena/": 20,
    "/staff/bots/": 6, "/staff/bots/long-ledger/": 13, "/staff/audit/?all=1": 4, "/staff/suspicions/": 5,
    "/staff/users/lena/lock/": 22, "/staff/hosting/": 10, "/staff/submissions/{submission}/": 8,
}  # fmt: skip
"""Page -> most queries."""


def test_numbers_of_queries_do_not_grow(world: World, kit: Kit, django_assert_max_num_queries: Any) -> None:
    client = world.client("staff")

    def counted() -> dict[str, int]:
        found = {}
        for page, most in COUNTED.items():
            where = page.format(finished=world.finished, submission=world.submission)
            with django_assert_max_num_queries(most, info=where) as asked:
                assert client.get(where).status_code == 200
            found[page] = len(asked)
        return found

    before = counted()
    own = bot_actions.register_version(world.bot, "3.0")
    for number in range(4):
        kit.finish([own, *kit.versions(2)])
        kit.match([own, *kit.versions(1)])
        bot_actions.register_bot(world.owner, f"Another {number}")
        locks.lock_bot(bot_actions.register_bot(world.other, f"Other {number}"), WHY, by=Actor(world.staff))
    assert {page: count for page, count in counted().items() if count > before[page]} == {}
