"""Webhooks by the API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from allauth.account.models import EmailAddress

from tests.site.api.calling import Api, code, with_token
from tests.site.world import World
from webui.accounts.models import ApiRequest, User
from webui.webhooks import queries as webhook_queries
from webui.webhooks.messages import delivery
from webui.webhooks.models import Webhook, WebhookKind
from webui.webhooks.schemas import Kind

pytestmark = pytest.mark.django_db
HOOKS = "/account/webhooks"
ORDER: dict[str, Any] = {"url": "https://example.org/hook", "kinds": ["match.finished", "bot.fault"]}


@pytest.fixture
def api(world: World) -> Api:
    return with_token(world.other, "webhooks")


def test_from_its_first_message_to_its_end(
    world: World, api: Api, mailoutbox: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    User.objects.filter(pk=world.other).update(email="noor@example.org")
    with django_capture_on_commit_callbacks(execute=True):
        made = api.call("post", HOOKS, ORDER, Idempotency_Key="one").json()
    assert len(mailoutbox) == 1 and ORDER["url"] in mailoutbox[0].body
    secret, where = made.pop("secret"), f"{HOOKS}/{made['id']}"
    assert secret.startswith("whsec_") and secret not in ApiRequest.objects.get().answer
    assert made == api.get(where).json() and [made] == api.get(HOOKS).json()["items"]
    assert (made["url"], made["kinds"], made["bot"], made["on"]) == (*ORDER.values(), None, True)
    assert api.call("post", HOOKS, ORDER, Idempotency_Key="one").json() == {**made, "secret": secret}
    for _ in range(3):
        sent = api.call("post", f"{where}/test").json()
        (latest,) = api.get(f"{where}/deliveries?limit=1").json()["items"]
        assert (sent["delivery"], sent["message"]) == (latest["id"], latest["message"])
    first = api.get(f"{where}/deliveries?limit=2").json()
    rest = api.get(f"{where}/deliveries?cursor={first['next']}").json()
    messages = [*first["items"], *rest["items"]]
    assert len(messages) == 3 and rest["next"] is None
    assert [one["id"] for one in messages] == [line.id for line in webhook_queries.deliveries(made["id"])]
    assert {(one["kind"], one["state"], one["tries"], one["status"]) for one in messages} == {
        ("webhook.test", "due", 0, None)
    }
    assert messages[0]["body"]["type"] == "webhook.test"
    rolled = api.call("post", f"{where}/secret").json()
    assert rolled["secret"] != secret and rolled["former_secret_until"]
    off = api.call("patch", where, {"on": False}).json()
    assert (off["on"], off["off_because"]) == (False, "owner")
    assert {one["state"] for one in api.get(f"{where}/deliveries").json()["items"]} == {"failed"}
    assert code(api.call("post", f"{where}/test")) == "BAD_REQUEST"
    again = f"{where}/deliveries/{messages[0]['id']}/again"
    assert code(api.call("post", again)) == "BAD_REQUEST"
    api.call("patch", where, {"on": True})
    assert api.call("post", again).json()["message"] == messages[0]["message"]
    assert api.get(f"{where}/deliveries").json()["items"][0]["state"] == "due"
    assert api.call("delete", where).json()["id"] == made["id"] and api.get(where).status_code == 404


def test_a_change_of_nothing_is_not_told(
    world: World, api: Api, mailoutbox: list[Any], django_capture_on_commit_callbacks: Any
) -> None:
    User.objects.filter(pk=world.other).update(email="noor@example.org")
    where = f"{HOOKS}/{api.call('post', HOOKS, ORDER).json()['id']}"
    with django_capture_on_commit_callbacks(execute=True):
        for _ in range(3):
            assert api.call("patch", where, ORDER).status_code == 200
    assert mailoutbox == []
    with django_capture_on_commit_callbacks(execute=True):
        api.call("patch", where, {"kinds": ["bot.online"]})
    assert len(mailoutbox) == 1


def test_what_is_left_out_of_a_change_stays(world: World) -> None:
    api = with_token(world.owner, "webhooks")
    made = api.call("post", HOOKS, {**ORDER, "bot": "long-ledger"}).json()
    where = f"{HOOKS}/{made['id']}"
    kept = {key: made[key] for key in ("url", "kinds", "bot", "event")}
    for change in ({"kinds": ["bot.online"]}, {"url": "https://example.org/other"}, {"bot": None}, {}):
        kept |= change
        shown = api.call("patch", where, change).json()
        assert {key: shown[key] for key in kept} == kept, change


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({**ORDER, "url": "http://127.0.0.1/"}, "WEBHOOK_REFUSAL"),
        ({**ORDER, "url": "gopher://example.org/"}, "WEBHOOK_REFUSAL"),
        ({**ORDER, "url": "https://example.org/" + "x" * 500}, "BAD_REQUEST"),
        ({**ORDER, "kinds": []}, "BAD_REQUEST"),
        ({**ORDER, "kinds": ["webhook.test"]}, "BAD_REQUEST"),
        ({**ORDER, "bot": "long-ledger"}, "NOT_FOUND"),
        ({**ORDER, "event": "nothing"}, "NOT_FOUND"),
        ({**ORDER, "bot": "\0"}, "BAD_REQUEST"),
        ({"kinds": ORDER["kinds"]}, "BAD_REQUEST"),
    ],
)
def test_what_is_refused(api: Api, body: Any, why: str) -> None:
    hooks = Webhook.objects.count()
    assert code(api.call("post", HOOKS, body)) == why and Webhook.objects.count() == hooks
    made = api.call("post", HOOKS, ORDER).json()
    if "url" in body:
        assert code(api.call("patch", f"{HOOKS}/{made['id']}", body)) == why
        assert webhook_queries.webhook(Webhook.objects.get(pk=made["id"]).user_id, made["id"]).url == ORDER["url"]


def test_other_scopes_and_unconfirmed_addresses_are_not_enough(world: World, api: Api, settings: Any) -> None:
    assert code(with_token(world.other, "read", "bots", "challenges", "events").get(HOOKS)) == "MISSING_SCOPE"
    settings.VERIFIED_EMAIL = True
    assert code(api.call("post", HOOKS, ORDER)) == "EMAIL_UNCONFIRMED"
    settings.VERIFIED_EMAIL = False
    hook = api.call("post", HOOKS, ORDER).json()
    settings.VERIFIED_EMAIL = True
    assert code(api.call("patch", f"{HOOKS}/{hook['id']}", {"kinds": ["bot.online"]})) == "EMAIL_UNCONFIRMED"
    assert api.call("patch", f"{HOOKS}/{hook['id']}", {"on": False}).status_code == 200
    EmailAddress.objects.create(user_id=world.other, email="noor@example.org", primary=True, verified=True)
    made = api.call("post", HOOKS, ORDER).json()
    assert code(api.get(f"{HOOKS}/{2**70}")) == code(api.get(f"{HOOKS}/{made['id'] + 1}")) == "NOT_FOUND"


def test_kinds_that_came_later_are_in_fields_of_their_own(world: World, api: Api) -> None:
    """Clients may know only the first eight kinds, and read `kind` as one of them."""
    hook = api.call("post", HOOKS, {**ORDER, "kinds": ["match.finished", "submission.ready"]}).json()
    assert (hook["kinds"], hook["types"]) == (["match.finished"], ["match.finished", "submission.ready"])
    delivery(hook["id"], WebhookKind.SUBMISSION_READY, "1", {}, datetime.now(UTC)).save()
    [line] = api.get(f"{HOOKS}/{hook['id']}/deliveries").json()["items"]
    assert (line["kind"], line["type"], line["body"]["type"]) == ("webhook.test", *["submission.ready"] * 2)


def test_the_kinds_are_those_of_the_ladder() -> None:
    assert {*get_args(Kind), WebhookKind.TEST} == set(WebhookKind)
