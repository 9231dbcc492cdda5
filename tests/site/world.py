"""A small arena with something of everything, as the pages show it to everybody who may come."""

from __future__ import annotations

import re
import tempfile
import time
from pathlib import Path
from typing import Any

from asgiref.sync import async_to_sync
from django.contrib.auth import get_user_model
from django.test import AsyncClient, Client

from arena.hosting.bundle import pack
from arena.hosting.limits import DEFAULT_LIMITS
from arena.rules import Ruleset
from tests.kit.ladder import Kit, Writer, play_out
from tests.site.seed import PASSWORD
from webui.accounts import actions as account_actions
from webui.accounts import values as account_values
from webui.bots import actions as bot_actions
from webui.bots import token_actions
from webui.challenges import actions as challenge_actions
from webui.challenges.values import WantedSeat
from webui.comparisons import actions as comparison_actions
from webui.events import actions as event_actions
from webui.hosting import actions as hosting_actions
from webui.matches import ending
from webui.ratings import queries as rating_queries
from webui.ratings.fitting import fit_due
from webui.staff import roles
from webui.staff.values import Right, Role
from webui.webhooks import actions as webhook_actions
from webui.webhooks import queries as webhook_queries
from webui.webhooks.values import WebhookTerms
from webui.writing import actions as writing_actions

DAY = 86_400.0
HOOK = WebhookTerms("https://hooks.example.org/arena", ["match.finished", "bot.offline"])


def a_day_long(settings: Any) -> None:
    """The limits as they are, but none ends while a slow machine tests it."""
    limits = settings.ACCOUNT_RATE_LIMITS
    settings.ACCOUNT_RATE_LIMITS = {act: re.sub(r"/5?m/", "/d/", limit) for act, limit in limits.items()}


class World:
    """An owner with a bot in a finished, a running and an aborted match and a draft of an event; and somebody else."""

    def __init__(self, kit: Kit) -> None:
        self.kit = kit
        self.owner = account_actions.create_user("lena", PASSWORD)
        self.other = account_actions.create_user("tariq", PASSWORD)
        self.staff = account_actions.create_user("warden", PASSWORD, role="admin")
        self.bot = bot_actions.register_bot(self.owner, "Long Ledger", description="Counts <twice>.")
        self.token = token_actions.issue_token(self.bot)
        table = [bot_actions.register_version(self.bot, "2.1"), *kit.versions(2)]
        self.finished = kit.finish(table).match_id
        fit_due()
        self.ladder = rating_queries.ladders()[0].ladder.slug
        claim = kit.claim(kit.match(table))
        Writer(claim).append(play_out(claim).entries[:40], lease_s=DAY)  # tests come long after
        self.running = claim.match_id
        self.waiting = kit.match(table)
        aborted = kit.claim(kit.match(table))
        ending.abort_match(aborted.match_id, aborted.epoch, "NO_ANSWER")
        self.aborted = aborted.match_id
        terms = {"name": "Autumn Cup", "format": {"kind": "swiss"}, "game": {"players": 3}}
        self.draft = event_actions.create_event(self.owner, terms)
        self.version = newer = bot_actions.register_version(self.bot, "2.2")
        self.comparison = comparison_actions.compare_versions(self.owner, newer, table[0], Ruleset(2))
        seats = [WantedSeat(self.bot, version) for version in (newer, table[0])]
        self.challenge = challenge_actions.challenge(self.owner, seats)
        self.webhook = webhook_actions.add_webhook(self.owner, HOOK, by=account_values.Actor(self.owner)).id
        webhook_actions.test_webhook(self.owner, self.webhook)
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder) / "bot.py"
            source.write_text("print('hello')\n")
            bundle = pack(source, source.name, Path(folder) / "bundle", DEFAULT_LIMITS)
            submit = hosting_actions.submit
            self.submission = submit(account_values.Actor(self.owner), self.bot, "h1", "First hosted.", bundle).id
        self.trial = writing_actions.try_source(self.owner, "203.0.113.1", "import this", "greedy")
        self.delivery = webhook_queries.deliveries(self.webhook)[0].id

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


def served(client: Client, address: str, **headers: str) -> Any:
    """The answer of the site's own server, which shares pages."""
    asking = AsyncClient()
    asking.cookies = client.cookies
    return async_to_sync(asking.get)(address, headers=headers)


def text(answer: Any) -> str:
    return str(answer.content.decode())


def limited(*rights: Right) -> Client:
    """Return the client of somebody who is staff with these rights alone."""
    user = account_actions.create_user("clerk", PASSWORD)
    roles.set_role(user, Role.STAFF, rights, "A test", by=account_values.OPERATOR)
    client = Client()
    sign_in(client, user)
    return client
