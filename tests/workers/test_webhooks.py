"""Webhooks are sent according to Standard Webhooks, and a slow or lost receiver delays nobody else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest
from standardwebhooks import Webhook as Verifier
from standardwebhooks.webhooks import WebhookVerificationError

from arena.host.posting import Failure
from tests.kit.ladder import Kit
from tests.kit.receiver import Receiver, reply
from webui.accounts import actions as account_actions
from webui.accounts.values import Actor
from webui.bots.models import BotVersion
from webui.site.docs.pages import read
from webui.webhooks import actions as webhook_actions
from webui.webhooks import deliveries, sending
from webui.webhooks import queries as webhook_queries
from webui.webhooks.models import Webhook
from webui.webhooks.sending import send_due
from webui.webhooks.values import WebhookTerms

pytestmark = pytest.mark.django_db


@pytest.fixture
def receiver(settings: Any) -> Iterator[Receiver]:
    settings.PRIVATE_WEBHOOKS = True
    with Receiver() as receiver:
        yield receiver


def send(is_stopping: Callable[[], bool] = lambda: False) -> None:
    send_due(is_stopping)


def verify(got: Any, *secrets: str) -> None:
    for secret in secrets:
        Verifier(secret).verify(got.body, dict(got.headers))


def test_messages_are_those_of_standard_webhooks(kit: Kit, receiver: Receiver) -> None:
    versions = kit.versions(2)
    owner = BotVersion.objects.get(pk=versions[0]).bot.owner_id
    terms, me = WebhookTerms(receiver.url(), ["match.finished"]), Actor(owner)
    hook = webhook_actions.add_webhook(owner, terms, by=me)
    ended = kit.finish(versions)
    send()
    got = receiver.get()
    verify(got, hook.secret)
    example, by_hand = (code for kind, code in read("webhooks").code if kind == "python")
    names: dict[str, Any] = {}
    exec(by_hand, names)
    is_ours = names["is_from_the_arena"]
    assert is_ours(hook.secret, got.headers, got.body) and not is_ours(hook.secret, got.headers, got.body + b" ")
    assert "webhook.verify(body, dict(self.headers))" in example, "as this test does"
    (line,) = webhook_queries.deliveries(hook.id)
    assert got.headers["webhook-id"] == line.message and got.headers["content-type"] == "application/json"
    assert json.loads(got.body)["data"]["match"]["id"] == ended.match_id
    assert (line.state, line.status, line.tries) == ("received", 204, 1)
    new = webhook_actions.roll_secret(owner, hook.id, by=me)
    webhook_actions.send_again(owner, hook.id, line.id)
    send()
    again = receiver.get()
    assert (again.headers["webhook-id"], again.body) == (line.message, got.body)
    verify(again, hook.secret, new)
    Webhook.objects.update(former_until="2026-01-01T00:00:00Z")
    webhook_actions.send_again(owner, hook.id, line.id)
    send()
    last = receiver.get()
    verify(last, new)
    with pytest.raises(WebhookVerificationError):
        verify(last, hook.secret)


def test_a_slow_receiver_delays_nobody_else(receiver: Receiver) -> None:
    slow, quick = account_actions.create_user("noor", None), account_actions.create_user("idris", None)
    held = webhook_actions.add_webhook(slow, WebhookTerms(receiver.url("/held"), ["bot.fault"]), by=Actor(slow)).id
    free = webhook_actions.add_webhook(quick, WebhookTerms(receiver.url(), ["bot.fault"]), by=Actor(quick)).id
    for _ in range(3):
        webhook_actions.test_webhook(slow, held)
    webhook_actions.test_webhook(quick, free)
    answered = Event()

    def answer(handler: Any) -> None:
        reply(handler, 204)
        if handler.path == "/hook":
            answered.set()
            receiver.held.set()

    receiver.answer = answer
    send()
    assert answered.is_set(), "or the slow ones were never let go"
    assert {line.state for hook in (held, free) for line in webhook_queries.deliveries(hook)} == {"received"}


def test_receivers_that_never_answer_leave_places_to_those_that_do(receiver: Receiver) -> None:
    """There are more owners than places. Each has a webhook that has never received anything."""
    quick = account_actions.create_user("idris", None)
    free = webhook_actions.add_webhook(quick, WebhookTerms(receiver.url(), ["bot.fault"]), by=Actor(quick)).id
    webhook_actions.test_webhook(quick, free)
    send()
    assert receiver.get().path == "/hook"
    for number in range(40):
        new = account_actions.create_user(f"new{number}", None)
        held = webhook_actions.add_webhook(new, WebhookTerms(receiver.url("/held"), ["bot.fault"]), by=Actor(new)).id
        webhook_actions.test_webhook(new, held)
    first = [due.user_id for due in deliveries.take_deliveries(32, Counter())]
    assert len(first) == 24 and quick not in first, "three quarters of the places"
    webhook_actions.test_webhook(quick, free)
    then = [due.user_id for due in deliveries.take_deliveries(8, Counter(first))]
    assert then == [quick]


@pytest.mark.parametrize("are_failing", [False, True])
def test_many_slow_receivers_with_backlogs_delay_nobody_else(receiver: Receiver, are_failing: bool) -> None:
    for number in range(20):
        slow = account_actions.create_user(f"slow{number}", None)
        held = webhook_actions.add_webhook(slow, WebhookTerms(receiver.url("/held"), ["bot.fault"]), by=Actor(slow)).id
        for _ in range(3):
            webhook_actions.test_webhook(slow, held)
    if are_failing:
        Webhook.objects.update(failing_since="2026-01-01T00:00:00Z", off="")
    quick = account_actions.create_user("idris", None)
    free = webhook_actions.add_webhook(quick, WebhookTerms(receiver.url(), ["bot.fault"]), by=Actor(quick)).id
    webhook_actions.test_webhook(quick, free)
    got = []

    def answer(handler: Any) -> None:
        got.append(handler.path)
        reply(handler, 204)

    receiver.answer = answer
    send(is_stopping=lambda: bool(got) or receiver.received.qsize() >= 32)
    receiver.held.set()
    assert got[:1] == ["/hook"]


def test_failing_receivers_have_half_of_the_places(receiver: Receiver) -> None:
    owners = [account_actions.create_user(f"slow{number}", None) for number in range(6)]
    for owner in owners:
        hook = webhook_actions.add_webhook(owner, WebhookTerms(receiver.url(), ["bot.fault"]), by=Actor(owner)).id
        for _ in range(3):
            webhook_actions.test_webhook(owner, hook)
    of_last = Webhook.objects.get(user=owners[5]).deliveries.order_by("pk")
    of_last.filter(pk=of_last[0].pk).update(state="received", next_at=None)
    Webhook.objects.filter(user__in=owners[:5]).update(failing_since="2099-01-01T00:00:00Z")
    first = [due.user_id for due in deliveries.take_deliveries(8, Counter())]
    assert first == [*owners[:4], owners[5]], "one each of those that fail, in half of the eight places"
    then = [due.user_id for due in deliveries.take_deliveries(7, Counter({owners[0]: 1}))]
    assert then == [owners[4], owners[1], owners[2], owners[5]], "who has waited longest comes first"


def test_a_sender_that_stops_in_the_middle_loses_nothing(receiver: Receiver) -> None:
    owner = account_actions.create_user("noor", None)
    hook = webhook_actions.add_webhook(owner, WebhookTerms(receiver.url("/held"), ["bot.fault"]), by=Actor(owner)).id
    webhook_actions.test_webhook(owner, hook)
    send(is_stopping=lambda: not receiver.received.empty())  # the process stops while the receiver has the message
    first = receiver.get()
    (line,) = webhook_queries.deliveries(hook)
    assert (line.state, line.status) == ("due", None)
    receiver.held.set()
    type(Webhook.objects.get().deliveries.get()).objects.update(next_at=line.at)
    send()
    assert receiver.get().headers["webhook-id"] == first.headers["webhook-id"]
    assert webhook_queries.deliveries(hook)[0].state == "received"


def test_nothing_is_sent_into_the_arenas_own_network(receiver: Receiver, settings: Any) -> None:
    owner = account_actions.create_user("noor", None)
    hook = webhook_actions.add_webhook(owner, WebhookTerms(receiver.url(), ["bot.fault"]), by=Actor(owner)).id
    webhook_actions.test_webhook(owner, hook)
    settings.PRIVATE_WEBHOOKS = False
    send()
    (line,) = webhook_queries.deliveries(hook)
    assert (line.failure, line.state) == (Failure.NOT_PUBLIC, "failed") and receiver.received.empty()


def test_a_secret_that_cannot_be_read_is_said(receiver: Receiver, settings: Any) -> None:
    owner = account_actions.create_user("noor", None)
    hook = webhook_actions.add_webhook(owner, WebhookTerms(receiver.url(), ["bot.fault"]), by=Actor(owner)).id
    webhook_actions.test_webhook(owner, hook)
    settings.SECRET_KEY = "another"
    send()
    assert "make a new secret" in webhook_queries.deliveries(hook)[0].detail and receiver.received.empty()


def test_a_mistake_of_ours_is_tried_again_and_delays_nobody(
    receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    owner = account_actions.create_user("noor", None)
    hook = webhook_actions.add_webhook(owner, WebhookTerms(receiver.url(), ["bot.fault"]), by=Actor(owner)).id
    webhook_actions.test_webhook(owner, hook)
    of_hook = type(Webhook.objects.get().deliveries.get()).objects
    of_hook.update(until="2099-01-01T00:00:00Z")  # a test message would be sent once
    monkeypatch.setattr(sending, "sign", lambda *_: [][0])
    send()
    (line,) = webhook_queries.deliveries(hook)
    assert (line.state, line.detail) == ("due", "an error in the arena: the message is sent again")
    monkeypatch.undo()
    of_hook.update(next_at=line.at)
    send()
    assert webhook_queries.deliveries(hook)[0].state == "received"
