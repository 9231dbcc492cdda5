"""What webhooks are told: once, all that happens to their owners' bots, and nothing that is hidden."""

from __future__ import annotations

import json
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from django.db import IntegrityError, transaction
from django.db.models import F
from django.urls import resolve

from arena.events import FactKind
from arena.host.posting import Failure, Reply
from arena.hosting.faults import HostingFault
from tests.hosting_site.authors import Author
from tests.kit.ladder import Kit
from tests.ladder.organised import TERMS, Organised
from tests.ladder.test_exclusions import Table
from webui.accounts import actions as account_actions
from webui.accounts import erasure, personal_data
from webui.accounts import queries as account_queries
from webui.accounts.values import Act, Actor
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotVersion
from webui.core import subjects
from webui.core.errors import BadRequest, NotFound, TooMany
from webui.core.upkeep import UpkeepWorker
from webui.events import actions as event_actions
from webui.events.models import EventMatch
from webui.hosting import actions as hosting_actions
from webui.hosting import jobs
from webui.hosting import queries as hosting_queries
from webui.matches import ending
from webui.notices import queries as notice_queries
from webui.notices.emails import sentence
from webui.notices.models import BotNotice
from webui.site.docs.pages import read
from webui.staff import doctor
from webui.webhooks import actions as webhook_actions
from webui.webhooks import deliveries, messages
from webui.webhooks import queries as webhook_queries
from webui.webhooks.messages import OFFLINE_AFTER, is_own_host
from webui.webhooks.models import BotPresence, Delivery, Webhook, WebhookKind
from webui.webhooks.values import WebhookRefusal, WebhookTerms
from webui.webhooks.words import KINDS

pytestmark = pytest.mark.django_db

ALL = tuple(str(kind) for kind in WebhookKind if kind is not WebhookKind.TEST)
URL = "https://hooks.example.org/arena?for=me"
NOBODY = Counter[int]()


EXAMPLES = {
    example["type"]: example for kind, code in read("webhooks").code if kind == "json" for example in [json.loads(code)]
}


def agree(one: Any, other: Any) -> bool:
    """Whether two documents have the same fields, with values of the same types; of lists the first ones."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(agree(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return all(agree(*pair) for pair in zip(one[:1], other[:1], strict=False))
    return one is None or other is None or type(one) is type(other)


def hook(owner: int, *kinds: str, **more: str) -> int:
    """A webhook of this user, by default for everything."""
    return webhook_actions.add_webhook(owner, WebhookTerms(URL, kinds or ALL, **more), by=Actor(owner)).id


def told(webhook: int) -> list[tuple[str, dict[str, Any]]]:
    """Kind and data of all messages, the oldest first."""
    bodies = [json.loads(line.body) for line in reversed(webhook_queries.deliveries(webhook))]
    for body in bodies:
        assert agree(body, EXAMPLES[body["type"]]), "as the documentation has it"
    return [(body["type"], body["data"]) for body in bodies]


def kinds(webhook: int) -> list[str]:
    return [kind for kind, _ in told(webhook)]


def bot_of(version: int) -> Bot:
    return BotVersion.objects.get(pk=version).bot


def test_a_finished_match_is_told_to_the_owners_of_its_bots(kit: Kit, settings: Any) -> None:
    settings.SITE_URL = "https://arena.example.org"
    versions = kit.versions(2)
    bot = bot_of(versions[0])
    own, stranger = hook(bot.owner_id), hook(account_actions.create_user("noor", None))
    ended = kit.finish(versions)
    assert kinds(stranger) == []
    ((kind, data),) = told(own)
    assert kind == "match.finished" and data["state"] == "FINISHED" and data["event"] is None
    assert [seat["placement"] for seat in data["seats"]] == list(ended.placements)
    assert data["seats"][0]["bot"] == {
        "slug": bot.slug,
        "name": bot.name,
        "url": f"{settings.SITE_URL}/bots/{bot.slug}/",
    }
    assert data["match"] == {"id": ended.match_id, "url": f"{settings.SITE_URL}/matches/{ended.match_id}/"}
    for url in (data["match"]["url"], data["seats"][0]["bot"]["url"]):
        assert resolve(url.removeprefix(settings.SITE_URL))
    ending.finish_match(ended.match_id, 1, {}, {})
    assert len(told(own)) == 1, "a report that comes twice tells nothing twice"


def test_only_what_was_asked_for(kit: Kit) -> None:
    versions = kit.versions(2)
    bot = bot_of(versions[0])
    other = bot_actions.register_bot(bot.owner_id, "Other")
    of_bot, of_other = hook(bot.owner_id, bot=bot.slug), hook(bot.owner_id, bot=Bot.objects.get(pk=other).slug)
    faults, off = hook(bot.owner_id, "bot.fault"), hook(bot.owner_id)
    webhook_actions.switch_webhook(bot.owner_id, off, is_on=False, by=Actor(bot.owner_id))
    kit.finish(versions)
    assert [len(told(one)) for one in (of_bot, of_other, faults, off)] == [1, 0, 0, 0]


def test_faults_are_told_to_their_owner_when_the_match_has_ended(kit: Kit) -> None:
    table = Table(kit)
    late, other = (hook(bot_of(version).owner_id, "bot.fault", "version.taken_off") for version in table.versions)
    first = table.play(late=True)
    assert kinds(other) == []
    ((kind, data),) = told(late)
    assert kind == "bot.fault" and data["bot"]["slug"] == table.bot.slug and data["match"]["id"] == first
    assert {fault["reason"] for fault in data["faults"]} == {"LATE"} and data["count"] == len(data["faults"])
    assert (data["forfeit"], data["seat"]) == ("LATE", 1)
    last = [table.play(late=True) for _ in range(2)][-1]
    ((_, off),) = [line for line in told(late) if line[0] == "version.taken_off"]
    assert (off["version"], off["match"]["id"], off["is_examination"]) == ("1", last, False)
    assert kinds(other) == []


def test_a_match_that_never_began_is_not_told(kit: Kit) -> None:
    versions = kit.versions(2)
    own = hook(bot_of(versions[0]).owner_id)
    claim = kit.claim(kit.match(versions))
    ending.abort_match(claim.match_id, claim.epoch, "DECLINED", [1])
    ending.void_match(kit.match(versions), "broken", again=True)
    assert kinds(own) == []


def test_an_event_is_told_to_entrants_and_organisers(kit: Kit) -> None:
    cup = Organised(kit, 3)
    other = event_actions.create_event(cup.organiser, TERMS)
    owner, organiser = hook(cup.bots[0].owner_id), hook(cup.organiser, event=cup.slug)
    elsewhere = hook(cup.organiser, event=other)
    cup.start()
    cup.to_the_end()
    assert kinds(elsewhere) == []
    seen = Counter(kinds(organiser))
    matches = EventMatch.objects.filter(event__slug=cup.slug).count()
    assert seen == {"event.round_drawn": len(cup.event.rounds), "match.finished": matches, "event.finished": 1}
    ((_, end),) = [line for line in told(owner) if line[0] == "event.finished"]
    assert [place["bot"]["slug"] for place in end["places"]] == [cup.bots[0].slug]
    assert told(organiser)[-1][1]["places"] == []
    kind, drawn = told(owner)[0]
    assert kind == "event.round_drawn" and [bot["slug"] for bot in drawn["bots"]] == [cup.bots[0].slug]


def test_nothing_hidden_is_told_before_it_is_revealed(kit: Kit) -> None:
    """Who is drawn for the final has won: to an organiser neither."""
    cup = Organised(kit, 4, hidden=True, format={"kind": "knockout"})
    hooks = [hook(user) for user in (cup.organiser, *(bot.owner_id for bot in cup.bots))]
    cup.start()
    cup.play()
    cup.advance()
    assert len(cup.event.rounds) == 2 and [kinds(one) for one in hooks] == [["event.round_drawn"]] * 5
    event_actions.decide(cup.slug, cup.organiser, FactKind.REVEALED, {"round": 1})
    assert kinds(hooks[0])[1:] == ["event.round_drawn", "event.results_revealed", "match.finished", "match.finished"]
    assert Counter(kind for one in hooks[1:] for kind in kinds(one)[1:]) == {
        "event.round_drawn": 2, "event.results_revealed": 4, "match.finished": 4
    }  # fmt: skip
    before = len(told(hooks[0]))
    cup.play()
    assert len(told(hooks[0])) == before
    cup.advance()
    assert kinds(hooks[0])[before:] == ["event.results_revealed", "event.finished", "match.finished"]
    rounds = [data["rounds"] for kind, data in told(hooks[0]) if kind == "event.results_revealed"]
    assert rounds == [[1], [2]]


def look(*online: int, times: int = 1) -> None:
    for _ in range(times):
        messages.note_presence(set(online))


def test_a_bot_that_goes_offline_and_comes_back(kit: Kit) -> None:
    version, house = kit.version(), kit.version(is_house=True)
    bot = bot_of(version)
    own = hook(bot.owner_id, "bot.online", "bot.offline")
    look(bot.pk, bot_of(house).pk, times=3)
    assert kinds(own) == ["bot.online"] and BotPresence.objects.count() == 1
    look(times=OFFLINE_AFTER - 1)
    look(bot.pk)
    look(times=OFFLINE_AFTER - 1)
    assert kinds(own) == ["bot.online"], "a bot that is back within half a minute was never offline"
    look(times=3)
    assert kinds(own) == ["bot.online", "bot.offline"]
    look(bot.pk, times=2)
    assert told(own)[-1] == ("bot.online", {"bot": told(own)[0][1]["bot"]}) and len(told(own)) == 3


def test_messages_are_gone_with_their_fact(kit: Kit) -> None:
    """Of a transaction that is rolled back nothing is sent."""
    versions = kit.versions(2)
    own = hook(bot_of(versions[0]).owner_id)
    with transaction.atomic():
        kit.finish(versions)
        transaction.set_rollback(True)
    assert kinds(own) == []


BAD = {
    "ftp://example.org/": "URL", "https://": "URL", "example.org": "URL", "https://example.org:x/": "URL",
    "https://exämple.org/": "URL", "https://example.org/a b": "URL", "https://example.org/" + "a" * 500: "URL",
    "https://example.org/\n": "URL",
    "https://me@example.org/": "CREDENTIALS", "https://:pw@example.org/": "CREDENTIALS",
    "https://example.org/#here": "CREDENTIALS", "https://example.org:25/": "PORT", "https://example.org:0/": "PORT",
    "http://localhost/": "PRIVATE", "http://redis:6379/": "PRIVATE", "http://127.0.0.1:8000/": "PRIVATE",
    "http://169.254.169.254/latest/": "PRIVATE", "http://[::1]/": "PRIVATE", "http://[::ffff:10.0.0.1]/": "PRIVATE",
    "http://printer.local/": "PRIVATE", "http://arena.example.org/": "PRIVATE", "http://2130706433/": "PRIVATE",
}  # fmt: skip


def reason_of(url: str) -> str:
    try:
        webhook_actions.check_url(url)
    except WebhookRefusal as error:
        return error.reason
    return ""


def test_addresses_to_which_nothing_is_sent(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["arena.example.org"]
    assert {url: reason_of(url) for url in BAD} == BAD and reason_of("https://example.org:8443/hook?a=1") == ""
    settings.PRIVATE_WEBHOOKS = True
    assert {reason_of(url) for url, reason in BAD.items() if reason in ("PRIVATE", "PORT")} == {""}


def test_an_owner_has_so_many_webhooks_and_each_act_is_in_the_history(kit: Kit) -> None:
    bot = bot_of(kit.version())
    owner, other = bot.owner_id, account_actions.create_user("noor", None)
    me = Actor(owner, "203.0.113.7")
    own = hook(owner)
    for terms in (WebhookTerms(URL, ()), WebhookTerms(URL, ("match.lost",)), WebhookTerms(URL, ("webhook.test",))):
        with pytest.raises(BadRequest):
            webhook_actions.add_webhook(owner, terms, by=me)
    for terms in (WebhookTerms(URL, ALL, bot="nope"), WebhookTerms(URL, ALL, event="nope")):
        with pytest.raises(NotFound):
            webhook_actions.add_webhook(owner, terms, by=me)
    with pytest.raises(NotFound):
        webhook_actions.add_webhook(other, WebhookTerms(URL, ALL, bot=bot.slug), by=Actor(other))
    with pytest.raises(NotFound):
        webhook_actions.change_webhook(other, own, WebhookTerms(URL, ALL), by=Actor(other))
    webhook_actions.change_webhook(owner, own, WebhookTerms("https://example.org/", ["bot.fault"]), by=me)
    assert webhook_queries.webhook(owner, own).url == "https://example.org/"
    webhook_actions.roll_secret(owner, own, by=me)
    webhook_actions.remove_webhook(owner, own, by=me)
    assert webhook_queries.webhooks(owner) == []
    acts = [line.act for line in account_queries.audit(owner)][:4]
    assert acts == [Act.WEBHOOK_REMOVED, Act.WEBHOOK_SECRET_MADE, Act.WEBHOOK_CHANGED, Act.WEBHOOK_ADDED]
    for _ in range(webhook_actions.MOST_WEBHOOKS):
        hook(owner)
    with pytest.raises(TooMany):
        hook(owner)


def test_an_owner_asks_for_so_many_messages(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webui.webhooks.actions.ASKED_AN_HOUR", 3)
    owner = account_actions.create_user("noor", None)
    own, another = hook(owner), hook(owner)
    webhook_actions.test_webhook(owner, own)
    (line,) = webhook_queries.deliveries(own)
    with pytest.raises(NotFound):
        webhook_actions.send_again(owner, another, line.id)
    webhook_actions.switch_webhook(owner, own, is_on=False, by=Actor(owner))
    assert webhook_queries.deliveries(own)[0].state == "failed"
    with pytest.raises(BadRequest):
        webhook_actions.send_again(owner, own, line.id)
    webhook_actions.switch_webhook(owner, own, is_on=True, by=Actor(owner))
    webhook_actions.send_again(owner, own, line.id)
    webhook_actions.test_webhook(owner, own)
    webhook_actions.test_webhook(owner, another)
    with pytest.raises(TooMany):
        webhook_actions.test_webhook(owner, another)


def take(most: int = 9) -> list[str]:
    return [due.message for due in deliveries.take_deliveries(most, NOBODY)]


def test_what_a_killed_sender_had_taken_is_sent_later_with_the_same_id() -> None:
    owner = account_actions.create_user("noor", None)
    webhook_actions.test_webhook(owner, hook(owner))
    first = take()
    assert len(first) == 1 and take() == [], "it may still be under way"
    Delivery.objects.update(next_at=F("next_at") - timedelta(minutes=15))
    assert [finding.check for finding in doctor.examine().findings] == ["webhooks"]
    assert take() == first


def test_messages_do_not_wait_for_a_clock_that_was_set_back() -> None:
    owner = account_actions.create_user("noor", None)
    webhook_actions.test_webhook(owner, hook(owner))
    Delivery.objects.update(next_at=F("next_at") + timedelta(hours=1))
    first = take()
    assert len(first) == 1 and take() == []
    Delivery.objects.update(tried_at=F("tried_at") + timedelta(hours=1), next_at=F("next_at") + timedelta(hours=1))
    assert take() == first


def test_each_owner_has_so_many_requests_at_a_time() -> None:
    slow, quick = account_actions.create_user("noor", None), account_actions.create_user("idris", None)
    own = hook(slow)
    for _ in range(4):
        webhook_actions.test_webhook(slow, own)
    webhook_actions.test_webhook(quick, hook(quick))
    assert [due.user_id for due in deliveries.take_deliveries(9, NOBODY)] == [slow, quick, slow]
    assert deliveries.take_deliveries(9, Counter({slow: 2})) == []
    assert len(deliveries.take_deliveries(9, Counter({slow: 1}))) == 1


FAILED, REFUSED, OK = Reply(failure=Failure.TIMEOUT, detail="no answer"), Reply(503, "later"), Reply(204)


def attempt(reply: Reply) -> None:
    """Send what is due next, whenever that is, with this result."""
    Delivery.objects.exclude(next_at=None).update(next_at=F("next_at") - timedelta(days=9))
    (due,) = deliveries.take_deliveries(1, NOBODY)
    deliveries.note_reply(due.id, reply)


def due_for_a_day(owner: int, own: int) -> None:
    """A message of another kind than that of tests is due."""
    webhook_actions.test_webhook(owner, own)
    Delivery.objects.update(kind=WebhookKind.BOT_FAULT, until=F("until") + timedelta(days=1))


def test_a_test_is_sent_once() -> None:
    owner = account_actions.create_user("noor", None)
    own = hook(owner)
    webhook_actions.test_webhook(owner, own)
    for _ in range(2):
        attempt(FAILED)
        (line,) = webhook_queries.deliveries(own)
        assert (line.state, line.tries, line.failure) == ("failed", 1, "TIMEOUT")
        webhook_actions.send_again(owner, own, line.id)


def test_the_hosts_of_the_site_are_matched_as_django_does(settings: Any) -> None:
    settings.ALLOWED_HOSTS = ["*", "arena.example.net", ".example.com", "[2606:4700::1]"]
    for host in ("arena.example.net", "Arena.example.net.", "example.com", "play.example.com.", "[2606:4700::1]"):
        assert reason_of(f"https://{host}/") == "PRIVATE", host
        assert is_own_host(urlsplit(f"https://{host}/").hostname or "")
    for host in ("example.net", "hooks.arena.example.net", "notexample.com", "[2606:4700::2]"):
        assert reason_of(f"https://{host}/") == "", host
        assert not is_own_host(urlsplit(f"https://{host}/").hostname or "")


def test_a_message_is_tried_again_with_longer_pauses_for_a_day() -> None:
    owner = account_actions.create_user("noor", None)
    own = hook(owner)
    due_for_a_day(owner, own)
    pauses, passed = [], timedelta()
    while webhook_queries.deliveries(own)[0].state == "due":
        attempt(REFUSED if len(pauses) % 2 else FAILED)
        (line,) = webhook_queries.deliveries(own)
        if line.next_at and line.tried_at:
            pauses.append((line.next_at - line.tried_at).total_seconds())
            passed += line.next_at - line.tried_at
            Delivery.objects.update(until=F("until") - (line.next_at - line.tried_at))
    assert all(8 * 3**n <= pause <= 12.1 * 3**n for n, pause in enumerate(pauses[:6]))
    assert all(5700 <= pause <= 8700 for pause in pauses[8:]) and timedelta(hours=21) < passed <= timedelta(hours=24)
    assert (line.state, line.failure, line.status) in (("failed", "TIMEOUT", None), ("failed", "", 503))
    webhook_actions.send_again(owner, own, line.id)
    attempt(OK)
    (line,) = webhook_queries.deliveries(own)
    assert (line.state, line.tries, line.status, line.failure) == ("received", 1, 204, "")
    assert webhook_queries.webhook(owner, own).failing_since is None


@pytest.mark.parametrize("reason", ["gone", "failing"])
def test_a_webhook_that_is_gone_or_fails_for_days_is_switched_off_and_its_owner_told(reason: str) -> None:
    owner = account_actions.create_user("noor", None)
    own = hook(owner)
    due_for_a_day(owner, own)
    attempt(FAILED)
    assert webhook_queries.webhook(owner, own).is_on
    if reason == "failing":
        Webhook.objects.update(failing_since=F("failing_since") - timedelta(days=6))
    attempt(Reply(410) if reason == "gone" else REFUSED)
    assert webhook_queries.webhook(owner, own).off == reason and webhook_queries.deliveries(own)[0].state == "failed"
    (line,) = notice_queries.notices(owner)
    assert URL in sentence(line) and (line.kind, line.data.off) == ("webhook_off", reason)
    assert BotNotice.objects.get().mail == "due"


def test_a_submission_is_told_when_it_is_built_and_when_it_has_ended(tmp_path: Path, settings: Any) -> None:
    settings.SITE_URL = "https://arena.example.org"
    author, stranger = Author("amina", tmp_path), Author("basil", tmp_path)
    own, other = hook(author.user), hook(stranger.user)
    runner = hosting_queries.runner_of_token(hosting_actions.register_runner("runner"))
    assert runner is not None
    ready = author.host("v1", runner)
    author.submit("v2", "print(2)")
    job = jobs.take_job(runner)
    assert job is not None
    jobs.fail_job(job.id, job.epoch, HostingFault.BUILD_FAILED, "exit code 2")
    for _ in range(2):
        jobs.announce_now(UpkeepWorker(presences=list, is_stopping=lambda: False, wake=lambda name: None))
    assert kinds(own) == ["submission.built", "submission.ready", "submission.failed"] and kinds(other) == []
    (_, built), (_, _), (_, failed) = told(own)
    assert (failed["version"], failed["fault"], failed["text"]) == ("v2", "BUILD_FAILED", "exit code 2")
    assert built["submission"]["id"] == ready.id and built["fault"] is None
    assert resolve(built["submission"]["url"].removeprefix(settings.SITE_URL))


def test_the_documentation_has_an_example_of_each_kind() -> None:
    assert EXAMPLES.keys() == set(WebhookKind) == set(KINDS)


def test_what_is_kept_of_a_webhook_and_what_is_not(kit: Kit) -> None:
    versions = kit.versions(2)
    owner = bot_of(versions[0]).owner_id
    own = hook(owner)
    secret = webhook_actions.roll_secret(owner, own, by=Actor(owner))
    kit.finish(versions)
    row = Webhook.objects.get()
    assert secret not in row.secret and row.former_secret not in ("", row.secret)
    (document,) = personal_data.personal_data(owner)["webhooks"]
    assert document["address"] == URL and len(document["messages"]) == 1 and "secret" not in json.dumps(document)
    attempt(OK)
    assert subjects.let_go() == {}
    Delivery.objects.update(at=F("at") - timedelta(days=31), until=F("until") - timedelta(days=31))
    assert subjects.let_go() == {"messages of webhooks": 1}
    erasure.erase_account(owner)
    assert not Webhook.objects.exists()


def test_the_table_refuses_what_makes_no_sense() -> None:
    owner = account_actions.create_user("noor", None)
    webhook_actions.test_webhook(owner, hook(owner))
    for wrong in ({"state": "received"}, {"next_at": None}, {"kind": "match.lost"}):
        with pytest.raises(IntegrityError), transaction.atomic():
            Delivery.objects.update(**wrong)
