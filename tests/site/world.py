"""A small arena with something of everything, as the pages show it to everybody who may come."""

from __future__ import annotations

import time
from typing import Any

from django.contrib.auth import get_user_model
from django.test import Client

from arena.rules import Ruleset
from tests.kit.ladder import Kit, Writer, play_out
from tests.site.seed import PASSWORD
from webui.ladder import actions, queries
from webui.ladder.actions.fitting import fit_due
from webui.ladder.values.challenges import WantedSeat
from webui.ladder.values.staff import Right, Role
from webui.ladder.values.webhooks import WebhookTerms

HOOK = WebhookTerms("https://hooks.example.org/arena", ["match.finished", "bot.offline"])


class World:
    """An owner with a bot in a finished, a running and an aborted match and a draft of an event; and somebody else."""

    def __init__(self, kit: Kit) -> None:
        self.owner = actions.create_user("lena", PASSWORD)
        self.other = actions.create_user("tariq", PASSWORD)
        self.staff = actions.create_user("warden", PASSWORD, role="admin")
        self.bot = actions.register_bot(self.owner, "Long Ledger", description="Counts <twice>.")
        self.token = actions.issue_token(self.bot)
        table = [actions.register_version(self.bot, "2.1"), *kit.versions(2)]
        self.finished = kit.finish(table).match_id
        fit_due()
        self.ladder = queries.ladders()[0].ladder.slug
        claim = kit.claim(kit.match(table))
        Writer(claim).append(play_out(claim).entries[:40])
        self.running = claim.match_id
        self.waiting = kit.match(table)
        aborted = kit.claim(kit.match(table))
        actions.abort_match(aborted.match_id, aborted.epoch, "NO_ANSWER")
        self.aborted = aborted.match_id
        terms = {"name": "Autumn Cup", "format": {"kind": "swiss"}, "game": {"players": 3}}
        self.draft = actions.create_event(self.owner, terms)
        self.version = newer = actions.register_version(self.bot, "2.2")
        self.comparison = actions.compare_versions(self.owner, newer, table[0], Ruleset(2))
        seats = [WantedSeat(self.bot, version) for version in (newer, table[0])]
        self.challenge = actions.challenge(self.owner, seats)
        self.webhook = actions.add_webhook(self.owner, HOOK, by=actions.Actor(self.owner)).id
        actions.test_webhook(self.owner, self.webhook)
        self.delivery = queries.deliveries(self.webhook)[0].id

    def client(self, who: str) -> Client:
        client = Client()
        if who != "stranger":
            sign_in(client, getattr(self, who))
        return client


def sign_in(client: Client, user_id: int) -> None:
    """Sign this user in, as one who has just shown the password."""
    client.force_login(get_user_model().objects.get(pk=user_id))
    session = client.session
    session["account_authentication_methods"] = [{"method": "password", "at": time.time(), "reauthenticated": True}]
    session["account_authentication_methods_user"] = str(user_id)
    session["seen"] = int(time.time())
    session.save()


def text(answer: Any) -> str:
    return str(answer.content.decode())


def limited(*rights: Right) -> Client:
    """Return the client of somebody who is staff with these rights alone."""
    user = actions.create_user("clerk", PASSWORD)
    actions.set_role(user, Role.STAFF, rights, "A test", by=actions.OPERATOR)
    client = Client()
    sign_in(client, user)
    return client
