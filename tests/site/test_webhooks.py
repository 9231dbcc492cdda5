"""The pages of webhooks: the secret is shown once, and what came of each message is said."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from arena.host.posting import Failure, Reply
from tests.site.world import World, text
from webui.accounts import actions as account_actions
from webui.webhooks import deliveries
from webui.webhooks import queries as webhook_queries

pytestmark = pytest.mark.django_db

FORM = {"url": "https://hooks.example.org/new", "kinds": ["bot.fault"], "bot": "long-ledger", "event": ""}


def test_a_webhook_from_its_form_to_its_end(world: World, mailoutbox: list[Any]) -> None:
    account_actions.set_email(world.owner, "lena@example.org")
    client = world.client("owner")
    for wrong, said in (
        ({"url": "http://127.0.0.1/"}, "only to the public internet"),
        ({"kinds": []}, "Choose at least one"),
        ({"bot": "bot-1"}, "valid choice"),
    ):
        refused = client.post("/account/webhooks/new/", {**FORM, **wrong})
        assert refused.status_code == 422 and said in text(refused)
    page = text(client.post("/account/webhooks/new/", FORM))
    secret = re.search(r"whsec_[\w+/=]{40,}", page)
    assert secret and mailoutbox[0].subject.endswith("Webhook added")
    line = webhook_queries.webhooks(world.owner)[-1]
    assert (line.url, line.kinds, line.bot and line.bot.slug) == (FORM["url"], ("bot.fault",), "long-ledger")
    at = f"/account/webhooks/{line.id}/"
    assert "whsec_" not in text(client.get(at)) and "Only about Long Ledger" in text(client.get(at))
    new = re.search(r"whsec_[\w+/=]{40,}", text(client.post(f"{at}secret/")))
    assert new and new[0] != secret[0] and "The old one signs, too" in text(client.get(at))
    assert client.post(f"{at}edit/", {**FORM, "bot": ""}).status_code == 302
    assert "About all your bots" in text(client.get(at))
    told = len(mailoutbox)
    assert mailoutbox[-1].subject.endswith("Webhook changed")
    assert client.post(f"{at}edit/", {**FORM, "bot": ""}).status_code == 302
    assert len(mailoutbox) == told, "nothing was changed"
    assert "removed" in text(client.post(f"{at}deed/", {"act": "remove"}, follow=True))
    assert client.get(at).status_code == 404


def test_what_came_of_a_message(world: World) -> None:
    client, at = world.client("owner"), f"/account/webhooks/{world.webhook}/"
    assert client.get(at)["Refresh"] == "5"
    for due, reply in zip(
        deliveries.take_deliveries(9, Counter()), [Reply(failure=Failure.NO_TLS, detail="<expired>")], strict=True
    ):
        deliveries.note_reply(due.id, reply)
    page = client.get(at)
    assert "Refresh" not in page and "The certificate is not valid" in text(page) and "&lt;expired&gt;" in text(page)
    again = client.post(f"{at}messages/{world.delivery}/", follow=True)
    assert "on its way again" in text(again) and again["Refresh"] == "5"
    client.post(f"{at}deed/", {"act": "off"})
    page = client.get(at)
    assert "You have switched it off" in text(page) and "given up" in text(page) and "Send again" not in text(page)
    refused = client.post(f"{at}messages/{world.delivery}/", follow=True)
    assert "Switch it on first" in text(refused)
