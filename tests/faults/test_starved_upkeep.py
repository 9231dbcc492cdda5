"""Upkeep that gets a twentieth of its time: matches are made, events go on, and messages arrive all the same."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from threading import Event, Thread
from typing import Any

import pytest
from django.conf import settings
from django.test import override_settings

from arena.events import EventState
from tests.faults import table
from tests.kit.arena.arena import Arena
from tests.kit.arena.process import Process
from tests.kit.receiver import Receiver
from tests.kit.until import until
from tests.workers.processes import periodic_tasks
from webui.accounts import actions as account_actions
from webui.accounts.values import Actor
from webui.bots.models import Bot
from webui.events import actions as event_actions
from webui.events.facts import find_event
from webui.matches.models import Match, MatchState
from webui.webhooks import actions as webhook_actions
from webui.webhooks.models import WebhookKind
from webui.webhooks.values import WebhookTerms

pytestmark = [pytest.mark.slow, pytest.mark.timeout(3600)]
STOPPED_S, RUNS_S = 0.95, 0.05
WAIT_S = 1200.0
TERMS = {"name": "Cup", "format": {"kind": "gauntlet"}, "game": {"players": 2}}


@contextmanager
def starved(process: Process) -> Iterator[None]:
    """Let the process run for 0.05 s of each second."""
    is_over = Event()

    def starve() -> None:
        while not is_over.is_set():
            process.signal(signal.SIGSTOP)
            is_over.wait(STOPPED_S)
            process.signal(signal.SIGCONT)
            is_over.wait(RUNS_S)

    thread = Thread(target=starve, daemon=True)
    thread.start()
    try:
        yield
    finally:
        is_over.set()
        thread.join()


def play_event(organiser: int, bots: list[Bot]) -> None:
    """Publish an event of these bots, and wait for its end."""
    slug = event_actions.create_event(organiser, TERMS)
    event_actions.ask_event(slug, organiser, "publish")
    until(lambda: find_event(slug).state == EventState.OPEN, "a published event", WAIT_S)
    for bot in bots:
        event_actions.enter_event(slug, bot.slug, bot.owner_id)
    event_actions.freeze_now(slug, organiser)
    until(lambda: find_event(slug).state == EventState.FINISHED, "the end of the event", WAIT_S)


@pytest.mark.parametrize("for_s", [0.0, pytest.param(600.0, marks=pytest.mark.soak)])
def test_starved_upkeep_does_its_work(database: str, django_db_blocker: Any, for_s: float) -> None:
    """Each round is one event, one match of a ladder that began during it, and the message about a match."""
    row = table.row(f"upkeep stopped for {STOPPED_S} s of each second", database)
    arena = Arena(database, modules=["workers.upkeep"])
    # Upkeep decrypts what this process encrypts.
    arena.process_environment = {"ARENA_PRIVATE_WEBHOOKS": "1", "ARENA_SECRET_KEY": settings.SECRET_KEY}
    with ExitStack() as stack:
        stack.enter_context(django_db_blocker.unblock())
        stack.enter_context(override_settings(PRIVATE_WEBHOOKS=True))
        receiver = stack.enter_context(Receiver())
        with arena, arena.working(), periodic_tasks(arena.forge, match_capacity=2) as upkeep:
            arena.seat("ada", "bob")
            bots = list(Bot.objects.filter(is_house=False))
            owner = bots[0].owner_id
            terms = WebhookTerms(receiver.url(), (WebhookKind.MATCH_FINISHED,))
            webhook_actions.add_webhook(owner, terms, by=Actor(owner))
            organiser = account_actions.create_user("nadia", None)
            until(lambda: upkeep.said("upkeep_ready"), "upkeep", WAIT_S)
            with starved(upkeep):
                ends = time.monotonic() + for_s
                while not row.survived or time.monotonic() < ends:
                    row.tries += 1
                    began = time.monotonic()
                    known = set(Match.objects.values_list("id", flat=True))
                    messages = receiver.received.qsize()
                    play_event(organiser, bots)
                    ended = Match.objects.filter(state=MatchState.FINISHED, event_match=None)
                    until(ended.exclude(id__in=known).exists, "a match of a ladder", WAIT_S)
                    until(lambda: receiver.received.qsize() > messages, "a message", WAIT_S)  # noqa: B023
                    row.recoveries.append(time.monotonic() - began)
                    row.survived += 1
