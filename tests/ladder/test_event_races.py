"""People and the advancer at one event at the same moment, each in a thread of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from arena.events import EventState, Fact, FactKind
from arena.events.facts import MessageSent
from tests.kit.ladder import Kit
from tests.ladder.organised import Organised
from webui.bots.models import BotVersion
from webui.events import actions as event_actions
from webui.events import organisers
from webui.events.facts import EventMoved, append_facts, find_event, read_facts
from webui.events.models import EventBot

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.database_specific]


def in_a_thread(act: Callable[[], object]) -> None:
    """With a connection of its own, to its end."""

    def run() -> None:
        try:
            act()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        pool.submit(run).result()


def faster(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object], times: int) -> None:
    """So often somebody else is faster, between the look of an organiser at the event and what is decided."""
    looks = iter(range(times))
    look = organisers.organised

    def then_somebody_else(*args: Any) -> Any:
        row = look(*args)
        if next(looks, None) is not None:
            in_a_thread(act)
        return row

    monkeypatch.setattr("webui.events.actions.organised", then_somebody_else)


def test_a_decision_that_meets_the_advancer_is_made_all_the_same(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 3)
    cup.start()
    cup.play()
    faster(monkeypatch, cup.advance, 1)
    event_actions.decide(cup.slug, cup.organiser, FactKind.PAUSED)
    assert cup.event.state is EventState.PAUSED
    kinds = [fact.kind for fact in read_facts(find_event(cup.slug).pk, 99)]
    assert kinds[-3:] == [FactKind.RESULT, FactKind.DRAWN, FactKind.PAUSED], "after what the advancer did"


def test_a_ruling_that_meets_the_advancer_is_for_a_person_to_repeat(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 3)
    cup.start()
    cup.play()
    faster(monkeypatch, cup.advance, 1)
    with pytest.raises(EventMoved):
        event_actions.decide(
            cup.slug, cup.organiser, FactKind.RULED, {"round": 1, "table": 1, "game": 0, "placements": [1, 2]}
        )
    assert FactKind.RULED not in [fact.kind for fact in read_facts(find_event(cup.slug).pk, 99)]


def test_somebody_who_is_always_faster_ends_the_tries(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    cup = Organised(kit, 2)
    user, slug = cup.organiser, cup.slug

    def message() -> None:
        append_facts(find_event(slug), [(Fact(MessageSent("I was here")), user)])

    faster(monkeypatch, message, 99)
    with pytest.raises(EventMoved):
        event_actions.decide(slug, user, FactKind.TOLD, {"text": "Hello"})
    assert sum(one.kind is FactKind.TOLD for one in read_facts(find_event(slug).pk, 99)) == 5


def test_bots_that_enter_while_messages_are_written_are_all_in(kit: Kit) -> None:
    """Nobody can be slower five times than somebody who acts four times."""
    cup = Organised(kit, 0)
    bots = [BotVersion.objects.select_related("bot").get(pk=version).bot for version in kit.versions(4)]

    def write() -> None:
        for number in range(4):
            event_actions.decide(cup.slug, cup.organiser, FactKind.TOLD, {"text": f"{number}"})

    def enter() -> None:
        for bot in bots:
            event_actions.enter_event(cup.slug, bot.slug, bot.owner_id)

    with ThreadPoolExecutor(2) as pool:
        both = [pool.submit(in_a_thread, act) for act in (write, enter)]
        for one in both:
            one.result()
    assert cup.event.present == {1, 2, 3, 4} == set(EventBot.objects.values_list("number", flat=True))
    assert sum(fact.kind is FactKind.TOLD for fact in read_facts(find_event(cup.slug).pk, 99)) == 4
