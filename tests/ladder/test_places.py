"""Makers of matches that want the same free place of a bot at the same time: each place is given away once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any, NamedTuple

import pytest
from django.db import connection
from django.db.models.functions import Now

from arena.rules import Ruleset
from tests.kit.ladder import Kit
from tests.kit.until import PATIENCE_S
from tests.ladder.online import Online
from tests.ladder.organised import Organised
from webui.bots import actions as bot_actions
from webui.bots.models import Bot, BotVersion
from webui.challenges import actions as challenge_actions
from webui.challenges.pairing import advance_challenges
from webui.challenges.values import WantedSeat
from webui.comparisons import actions as comparison_actions
from webui.matches.models import Match
from webui.pairing import examinations, matchmaking, sessions
from webui.pairing.models import Exclusion


@pytest.mark.django_db(transaction=True)
@pytest.mark.database_specific
def test_two_matchmakers_at_once_give_a_place_away_once(kit: Kit, monkeypatch: pytest.MonkeyPatch) -> None:
    online = [Online(version, capacity=1) for version in kit.versions(2)]
    both_have_planned, plan = Barrier(2, timeout=PATIENCE_S), matchmaking.next_matches

    def planned(*about: Any) -> Any:
        pairings = plan(*about)
        both_have_planned.wait()
        return pairings

    def make(_: int) -> list[str]:
        try:
            return matchmaking.matchmake(online, 9)
        finally:
            connection.close()

    monkeypatch.setattr(matchmaking, "next_matches", planned)
    with ThreadPoolExecutor(2) as makers:
        made = list(makers.map(make, range(2)))
    assert sorted(map(len, made)) == [0, 1] and Match.objects.count() == 1


class Wish(NamedTuple):
    """A match that somebody waits for."""

    versions: Sequence[int]
    make: Callable[[list[Online]], object]
    """Makes the match for bots that are online, if they have free places."""


def rated(kit: Kit) -> Wish:
    return Wish(kit.versions(2), lambda online: matchmaking.matchmake(online, 9))


def examination(kit: Kit) -> Wish:
    new, house = kit.version(), kit.version(is_house=True)
    Exclusion.objects.create(version_id=new, matches=["one"], asked_at=Now())
    return Wish((new, house), examinations.begin_examinations)


def challenge(kit: Kit) -> Wish:
    own, house = kit.version(), kit.version(is_house=True)
    bots = dict(BotVersion.objects.values_list("pk", "bot_id"))
    owner = Bot.objects.get(pk=bots[own]).owner_id
    challenge_actions.challenge(owner, [WantedSeat(bots[own]), WantedSeat(bots[house])])
    return Wish((own, house), lambda online: advance_challenges(online, 9))


def comparison(kit: Kit) -> Wish:
    old = kit.version()
    bot = BotVersion.objects.get(pk=old).bot
    new = bot_actions.register_version(bot.pk, "2")
    comparison_actions.compare_versions(bot.owner_id, new, old, Ruleset(2))
    return Wish((new, old), lambda online: comparison_actions.advance_comparisons(online, 9))


def event(kit: Kit) -> Wish:
    cup = Organised(kit, 2)
    cup.online = []
    cup.start()

    def make(online: list[Online]) -> None:
        cup.online = online
        cup.advance()

    return Wish(cup.versions, make)


@pytest.mark.django_db
@pytest.mark.parametrize("wished", [rated, examination, challenge, comparison, event])
def test_a_place_that_is_taken_after_the_maker_has_counted_it_is_not_given_away_again(
    kit: Kit, monkeypatch: pytest.MonkeyPatch, wished: Callable[[Kit], Wish]
) -> None:
    wish, count = wished(kit), sessions.free_slots
    online = [Online(version, capacity=1) for version in wish.versions]
    outdated = [count(online)]
    taken = kit.match([*wish.versions], rated=False)

    def counted(of: Iterable[sessions.OnlineSession]) -> Counter[int]:
        return outdated.pop() if outdated else count(of)

    for module in (sessions, matchmaking):
        monkeypatch.setattr(module, "free_slots", counted)
    wish.make(online)
    assert not outdated and list(Match.objects.values_list("pk", flat=True)) == [taken]
    Match.objects.update(state="ABORTED", finished_at=Now())
    wish.make(online)
    assert Match.objects.filter(state="SCHEDULED").count() == 1, "it was only put off"
